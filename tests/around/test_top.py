"""The best classes: C against a sort."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.around import c_program

TYPES = ("int8", "uint8", "int16", "float32")


def reference(scores: np.ndarray, least: float, most: int) -> list[int]:
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    return [int(i) for i in order if scores[i] >= least][:most]


@pytest.mark.gcc
def test_c_finds_what_a_stable_sort_finds() -> None:
    rng = np.random.default_rng(3)
    request, wanted = b"", []
    for number in range(200):
        type_ = number % 4
        n, most = int(rng.integers(1, 40)), int(rng.integers(1, 8))
        dtype = np.dtype(TYPES[type_])
        if type_ == 3:
            scores = rng.choice([np.nan, -np.inf, 0.5, -0.0, 1.25, 3e38], n).astype(dtype)
        else:
            low, high = np.iinfo(dtype.name).min, np.iinfo(dtype.name).max
            scores = rng.integers(low, high, n, dtype.name, endpoint=True)
            scores = np.where(rng.random(n) < 0.5, scores[0], scores)  # ties
        least = float(scores[0]) if number % 3 == 0 and scores[0] == scores[0] else -3.4028235e38
        scale, zero = (1.0, 0) if type_ == 3 else (0.0078125, int(rng.integers(-5, 5)))
        request += struct.pack("<ififi", type_, scale, zero, least, most)
        request += struct.pack("<i", n) + scores.tobytes()
        best = reference(scores, least, most)
        wanted.append([(i, scale * (float(scores[i]) - zero)) for i in best])
    response = c_program.run("top_main.c", request)
    place = 0
    for found in wanted:
        (count,) = struct.unpack_from("<i", response, place)
        pairs = [struct.unpack_from("<if", response, place + 4 + 8 * i) for i in range(count)]
        assert [p[0] for p in pairs] == [f[0] for f in found]
        assert [p[1] for p in pairs] == [np.float32(f[1]) for f in found]
        place += 4 + 8 * count
    assert place == len(response)
