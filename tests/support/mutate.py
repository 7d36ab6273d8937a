"""Seeded damage to `.tflite` files, blind and at the places that a reader must not trust."""

from __future__ import annotations

import functools
import random
import struct
from collections.abc import Callable

from mcuc.frontends.tflite.flatbuffer import Reader
from mcuc.frontends.tflite.schema import read_model

INTERESTING = (0, 1, 4, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def mutate(data: bytes, seed: int) -> bytes:
    """A damaged copy; the same seed gives the same damage."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    return kind(data, rng)


def truncated(data: bytes, rng: random.Random) -> bytes:
    """Cut somewhere, the first bytes as often as the rest."""
    limit = len(data) if rng.random() < 0.5 else min(len(data), 64)
    return data[: rng.randrange(limit)]


def flipped_bits(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def flipped_bits_of_tables(data: bytes, rng: random.Random) -> bytes:
    """As above, where the tables are: files hold most of their bytes in few large buffers."""
    damaged = bytearray(data)
    places = words_of_tables(data)
    for _ in range(rng.choice((1, 2, 4))):
        damaged[rng.choice(places) + rng.randrange(4)] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def wild_words(data: bytes, rng: random.Random) -> bytes:
    """Offsets, lengths, sizes, indices replaced by limits and by random numbers."""
    damaged = bytearray(data)
    places = words_of_tables(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        value = rng.choice(INTERESTING) if rng.random() < 0.7 else rng.getrandbits(32)
        struct.pack_into("<I", damaged, rng.choice(places), value)
    return bytes(damaged)


def moved_words(data: bytes, rng: random.Random) -> bytes:
    """Words swapped, which makes tables read as other tables, cycles and shared buffers."""
    damaged = bytearray(data)
    places = words_of_tables(data)
    for _ in range(rng.choice((1, 2, 4))):
        a, b = rng.choice(places), rng.choice(places)
        damaged[a : a + 4], damaged[b : b + 4] = damaged[b : b + 4], damaged[a : a + 4]
    return bytes(damaged)


def changed_small_numbers(data: bytes, rng: random.Random) -> bytes:
    """Small int32 (sizes, tensor indices, options) replaced by other small ones."""
    damaged = bytearray(data)
    places = [p for p in words_of_tables(data) if struct.unpack_from("<I", data, p)[0] < 4096]
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = rng.choice((-1, 0, 1, 2, 3, 5, 7, 32, 255, 1000, 65536, 1 << 30))
        struct.pack_into("<i", damaged, rng.choice(places), value)
    return bytes(damaged)


def removed_piece(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(8, len(data))
    return data[:start] + data[start + rng.randrange(1, 64) :]


def repeated_piece(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(8, len(data))
    piece = data[start : start + rng.randrange(1, 256)]
    return data[:start] + piece * rng.choice((2, 16)) + data[start:]


def wild_fields(data: bytes, rng: random.Random) -> bytes:
    """Bytes that the reader looks at: every kind of field is hit, whatever its size."""
    damaged = bytearray(data)
    places = bytes_read(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        start, size = rng.choice(places)
        if rng.random() < 0.5:
            step = rng.choice((-4, -2, -1, 1, 2, 4, 64))
            old = int.from_bytes(damaged[start : start + size], "little")
            value = (old + step) % (1 << 8 * size)
        else:
            value = rng.choice((*INTERESTING, rng.getrandbits(64))) % (1 << 8 * size)
        damaged[start : start + size] = value.to_bytes(size, "little")
    return bytes(damaged)


@functools.cache
def bytes_read(data: bytes) -> list[tuple[int, int]]:
    """(offset, size) of what the reader looks at in a file: scalars, and elements of vectors."""
    seen: dict[tuple[int, int], None] = {}

    class Recorder(Reader):
        def span(self, start: int, size: int) -> None:
            super().span(start, size)
            if size <= 8:
                seen[start, size] = None
            elif size <= 64:
                seen.update(dict.fromkeys((at, 4) for at in range(start, start + size - 3, 4)))

    read_model(Recorder(data, "recorded"))
    return [place for place in seen if place[1]]


@functools.cache
def words_of_tables(data: bytes) -> list[int]:
    """Offsets of aligned words outside of large runs of dense data, few of them zeros."""
    words = [p for p in range(8, len(data) - 4, 4) if 0 in data[p : p + 4]]
    return [p for p in words if any(data[p : p + 4]) or p % 64 == 0] or [0]


KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    truncated,
    flipped_bits,
    flipped_bits_of_tables,
    wild_words,
    moved_words,
    changed_small_numbers,
    wild_fields,
    wild_fields,
    removed_piece,
    repeated_piece,
)
