"""Tables of the DSP kernels: their layout, and the conditions for using them."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.ops import dsp_tables


def test_pairs_keep_both_outputs_apart() -> None:
    weights = np.arange(-14, 16, dtype=np.int8).reshape(3, 10)
    table = dsp_tables.pairs(weights)
    assert table.shape == (2, 3, 2)
    halves = table.reshape(2, -1).view("<i2").reshape(2, 3, 4)[:, :, [0, 2, 1, 3]].reshape(2, 12)
    low = halves.astype(np.int8)
    assert (low[0, :10] == weights[1]).all()
    assert ((halves[0, :10] - low[0, :10]) >> 8 == weights[0]).all()
    assert (low[1] == 0).all(), "the missing output has no weights"
    assert (halves[:, 10:] == 0).all(), "nor have the k that fill a word"


@pytest.mark.parametrize(
    ("weights", "can"),
    [
        ([[127, 127], [127, 127]], True),
        ([[-128, 3], [0, 3]], True),
        ([[-128, 3], [-1, 3]], False),
        ([[127] * 515, [127] * 515], True),
        ([[127] * 520, [1] * 520], False),
        ([[1] * 520, [127] * 520], True),
    ],
)
def test_can_pair(weights: list[list[int]], can: bool) -> None:
    assert dsp_tables.can_pair(np.asarray(weights, np.int8)) is can


def test_scales() -> None:
    bias = np.arange(5, dtype=np.int32)
    multiplier = np.asarray([2**30, 2**31 - 1, 0, 2**30, 2**30])
    shift = np.asarray([-2, -31, 0, -40, 3])
    table = dsp_tables.scales(bias, multiplier, shift)
    assert table[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert table[:, 1].tolist() == [-(2**31), -2, -(2**31), -(2**31), -(2**31)]
    assert table[:, 2].tolist() == [2**30, 2, 0, 0, -5]
    assert dsp_tables.has_rare(table)
    assert not dsp_tables.has_rare(table[:4])
    assert not dsp_tables.can_scale(np.asarray([5, -5]))


def test_channel_stream_overlaps_the_last_block() -> None:
    weights = np.arange(12, dtype=np.int8).reshape(2, 6)
    scales = np.arange(18, dtype=np.int32).reshape(6, 3)
    stream = dsp_tables.channel_stream(weights, scales)
    first, second = stream.reshape(2, 4 + 3 * 2 + 8)
    assert first[:4].tolist() == [0, 3, 6, 9] and second[:4].tolist() == [6, 9, 12, 15]
    assert second[4:10].view("<i2").tolist() == [2, 4, 3, 5, 8, 10, 9, 11, 0, 0, 0, 0]
    assert second[10:12].tolist() == [7, 8]
