"""Options of custom operators: what is read, and that no damaged buffer leads astray."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.errors import ModelError
from mcuc.frontends.tflite.flexbuffer import read_integers

# {"bits": 300, "on": true, "t": -2}: keys, offsets of the keys, values of two bytes, types, root
KEYS = b"bits\0on\0t\0"
BUFFER = (
    KEYS
    + bytes([3, 11, 7, 5])  # three keys, each so many bytes before its place
    + (3).to_bytes(2, "little")  # the keys lie three bytes before here
    + (1).to_bytes(2, "little")  # in bytes
    + (3).to_bytes(2, "little")
    + (300).to_bytes(2, "little")
    + (1).to_bytes(2, "little")
    + (-2).to_bytes(2, "little", signed=True)
    + bytes([1 << 2 | 1, 26 << 2, 1 << 2 | 1])
    + bytes([9, 9 << 2 | 1, 1])
)


def damaged(why: str) -> ModelError:
    return ModelError("E101", "damaged", why=why)


def test_a_map_of_integers() -> None:
    assert read_integers(BUFFER, damaged) == {"bits": 300, "on": 1, "t": -2}
    assert read_integers(b"", damaged) == {}


def test_every_damage_is_an_error_or_another_map() -> None:
    rng = np.random.default_rng(1)
    cut = [BUFFER[:n] for n in range(1, len(BUFFER))] + [BUFFER[n:] for n in range(len(BUFFER))]
    for _ in range(2000):
        data = bytearray(BUFFER)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            data[place] = rng.integers(256)
        cut.append(bytes(data))
    refused = 0
    for data in cut:
        try:
            assert len(read_integers(data, damaged)) <= 64
        except ModelError as problem:
            refused += problem.code == "E101"
    assert refused > 500


@pytest.mark.parametrize("place", [-1, -2, -3])
def test_a_root_that_is_no_map(place: int) -> None:
    data = bytearray(BUFFER)
    data[place] = 255
    with pytest.raises(ModelError):
        read_integers(bytes(data), damaged)
