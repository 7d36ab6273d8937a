"""A FlatBuffers reader that checks every offset before it follows it.

The layout is that of https://flatbuffers.dev/internals: a table starts with a signed offset to its
vtable, the vtable holds one u16 per field (0 = default), vectors and strings are u32 lengths with
their elements behind. All offsets to objects point forward, so a file cannot hold a pointer cycle;
a file can, however, name the same bytes many times over. `Reader` therefore counts what is read
and stops at a multiple of the file's size, which bounds time and memory for any file.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.errors import Loc, ModelError

_HEADER = 8  # root offset and identifier
# Files share vectors and strings, but real ones only a little.
_MAX_SHARING = 4
_ALLOWANCE = 1 << 20

_SCALARS = {
    "bool": struct.Struct("<?"),
    "i8": struct.Struct("<b"),
    "u8": struct.Struct("<B"),
    "i32": struct.Struct("<i"),
    "u32": struct.Struct("<I"),
    "u64": struct.Struct("<Q"),
    "f32": struct.Struct("<f"),
}
_U16 = struct.Struct("<H")
_U32 = _SCALARS["u32"]
_I32 = _SCALARS["i32"]


class Reader:
    """The bytes of a file.

    Args:
        data: The whole file.
        file: Its name, for messages.
    """

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self._budget = _MAX_SHARING * len(data) + _ALLOWANCE

    def damaged(self, why: str) -> ModelError:
        """The error for a file whose bytes contradict each other."""
        return ModelError(
            "E101",
            "the model file is damaged",
            loc=Loc(self.file),
            why=why,
            help="download or export the file again",
        )

    def root(self, identifier: bytes) -> Table:
        """The root table, after the file identifier."""
        if len(self.data) < _HEADER or self.data[4:8] != identifier:
            raise ModelError(
                "E101",
                "this is not a TFLite file",
                loc=Loc(self.file),
                why=f"bytes 4 to 7 must be {identifier.decode()!r}",
                help="give a .tflite file; other formats must be converted first",
            )
        return Table(self, self.unpack(_U32, 0))

    def span(self, start: int, size: int) -> None:
        """Requires `size` bytes at `start` to lie in the file, and charges them."""
        if start < 0 or size < 0 or start + size > len(self.data):
            raise self.damaged(
                f"{size} bytes at offset {start} do not lie in the file of {len(self.data)} bytes"
            )
        self._budget -= size
        if self._budget < 0:
            raise self.damaged("the same bytes are used over and over")

    def unpack(self, kind: struct.Struct, start: int) -> Any:
        """One scalar."""
        self.span(start, kind.size)
        return kind.unpack_from(self.data, start)[0]

    def vector(self, start: int, item_size: int) -> tuple[int, int]:
        """(offset of the first element, number of elements) of a vector."""
        length = self.unpack(_U32, start)
        self.span(start + _U32.size, length * item_size)
        return start + _U32.size, length


class Table:
    """A table, or with `reader` None one whose fields all have their defaults.

    Fields are named by their position in the schema.
    """

    def __init__(self, reader: Reader | None, start: int = 0) -> None:
        self._reader = reader
        self._start = start
        if reader is None:
            return
        self._vtable = start - reader.unpack(_I32, start)
        self._vtable_size = reader.unpack(_U16, self._vtable)
        if self._vtable_size < 4 or self._vtable_size % 2:
            raise reader.damaged(f"the table at offset {start} has a field list of odd size")
        reader.span(self._vtable, self._vtable_size)
        self._size = reader.unpack(_U16, self._vtable + 2)
        reader.span(start, self._size)

    def has(self, field: int) -> bool:
        """Whether the field is stored."""
        return self._field(field, 1) is not None

    def scalar(self, field: int, kind: str, default: Any = 0) -> Any:
        """A number; `kind` is one of "bool", "i8", "u8", "i32", "u32", "u64", "f32"."""
        form = _SCALARS[kind]
        place = self._field(field, form.size)
        return default if place is None else self._file.unpack(form, place)

    def table(self, field: int) -> Table | None:
        """A table, None if absent."""
        target = self._target(field)
        return None if target is None else Table(self._file, target)

    def tables(self, field: int, most: int) -> list[Table]:
        """A vector of tables; absent is empty.

        Raises:
            ModelError: E101 also when there are more than `most`.
        """
        target = self._target(field)
        if target is None:
            return []
        first, length = self._file.vector(target, _U32.size)
        if length > most:
            raise self._file.damaged(f"a list of {length} entries; at most {most} are sensible")
        starts = range(first, first + length * _U32.size, _U32.size)
        return [Table(self._file, at + self._file.unpack(_U32, at)) for at in starts]

    def numbers(self, field: int, dtype: str) -> npt.NDArray[Any] | None:
        """A vector of numbers of a numpy dtype such as "<i4", as a view; None if absent."""
        target = self._target(field)
        if target is None:
            return None
        kind = np.dtype(dtype)
        first, length = self._file.vector(target, kind.itemsize)
        return np.frombuffer(self._file.data, kind, length, first)

    def text(self, field: int) -> str:
        """A string; bytes that are not UTF-8 become replacement characters."""
        target = self._target(field)
        if target is None:
            return ""
        first, length = self._file.vector(target, 1)
        return self._file.data[first : first + length].decode("utf-8", "replace")

    @property
    def _file(self) -> Reader:
        assert self._reader is not None
        return self._reader

    def _field(self, field: int, size: int) -> int | None:
        """Offset of a stored field's `size` bytes."""
        entry = 4 + 2 * field
        if self._reader is None or entry + 2 > self._vtable_size:
            return None
        offset: int = self._reader.unpack(_U16, self._vtable + entry)
        if offset == 0:
            return None
        if offset < 4 or offset + size > self._size:
            raise self._reader.damaged(f"a field of the table at offset {self._start} lies outside")
        return self._start + offset

    def _target(self, field: int) -> int | None:
        place = self._field(field, _U32.size)
        return None if place is None else place + int(self._file.unpack(_U32, place))
