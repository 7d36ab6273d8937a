"""The checked reader on hand-made bytes."""

from __future__ import annotations

import struct

import pytest

from mcuc.errors import ModelError
from mcuc.frontends.tflite.flatbuffer import Reader, Table


def file_with_table(fields: list[tuple[int, bytes]], size: int = 64) -> bytes:
    """A file whose root table at 40 holds `fields` at the given offsets from its start."""
    data = bytearray(size)
    struct.pack_into("<I4s", data, 0, 40, b"TFL3")
    offsets = [offset for offset, _ in fields]
    struct.pack_into(f"<HH{len(offsets)}H", data, 8, 4 + 2 * len(offsets), 24, *offsets)
    struct.pack_into("<i", data, 40, 40 - 8)
    for offset, content in fields:
        data[40 + offset : 40 + offset + len(content)] = content
    return bytes(data)


def root(data: bytes) -> Table:
    return Reader(data, "f").root(b"TFL3")


def test_scalars_and_defaults() -> None:
    table = root(file_with_table([(4, struct.pack("<i", -7)), (0, b""), (8, b"\xff")]))
    assert table.scalar(0, "i32") == -7
    assert table.scalar(1, "i32", 5) == 5
    assert table.scalar(2, "i8") == -1 and table.scalar(2, "u8") == 255
    assert table.scalar(9, "f32", 1.5) == 1.5
    assert table.has(0) and not table.has(1) and not table.has(9)


def test_table_without_reader_has_only_defaults() -> None:
    table = Table(None)
    assert table.scalar(0, "i32", 3) == 3
    assert table.numbers(1, "<i4") is None and table.table(2) is None and table.text(3) == ""
    assert table.tables(4, 10) == []


def test_vectors_and_strings() -> None:
    vector = struct.pack("<Iii", 2, 10, -1)
    data = file_with_table([(4, struct.pack("<I", 4) + vector)])
    numbers = root(data).numbers(0, "<i4")
    assert numbers is not None and numbers.tolist() == [10, -1]
    name = file_with_table([(4, struct.pack("<II", 4, 3) + b"a\xffb")])
    assert root(name).text(0) == "a�b"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"TFL3",
        b"\x08\0\0\0TFL2" + bytes(32),
        b"\xff\xff\xff\xffTFL3" + bytes(32),
        b"\x08\0\0\0TFL3",
        # The vtable lies before the file, and behind it.
        b"\x08\0\0\0TFL3" + struct.pack("<i", 100) + bytes(32),
        b"\x08\0\0\0TFL3" + struct.pack("<i", -100) + bytes(32),
        # The vtable is too short, of odd size, longer than the file.
        *(
            b"\x0c\0\0\0TFL3" + struct.pack("<HHi", size, 4, 4) + bytes(8)
            for size in (0, 3, 5, 60000)
        ),
        # The table is longer than the file.
        b"\x0c\0\0\0TFL3" + struct.pack("<HHi", 4, 999, 4),
    ],
)
def test_damaged_root(data: bytes) -> None:
    with pytest.raises(ModelError) as caught:
        root(data)
    assert caught.value.code == "E101"


@pytest.mark.parametrize("offset", [1, 3, 22, 60, 65535])
def test_field_outside_of_its_table(offset: int) -> None:
    data = bytearray(file_with_table([(4, b"")]))
    struct.pack_into("<H", data, 12, offset)
    with pytest.raises(ModelError, match="E101"):
        root(bytes(data)).scalar(0, "i32")


@pytest.mark.parametrize("length", [3, 1000, 0xFFFFFFFF])
def test_vector_longer_than_the_file(length: int) -> None:
    data = file_with_table([(4, struct.pack("<II", 4, length))])
    with pytest.raises(ModelError, match="E101"):
        root(data).numbers(0, "<i8")


def test_list_of_too_many_tables() -> None:
    data = file_with_table([(4, struct.pack("<II", 4, 3) + bytes(12))])
    with pytest.raises(ModelError, match="E101"):
        root(data).tables(0, most=2)


def test_the_same_bytes_over_and_over() -> None:
    data = file_with_table([(4, struct.pack("<II", 4, 1 << 19))], size=1 << 20)
    table = root(data)
    with pytest.raises(ModelError, match="E101"):
        for _ in range(100):
            table.numbers(0, "u1")
