"""Constants of the kernels for cores with Helium.

Twin: runtime_c/include/mcuc/mve_end.h. `mac_tables.scales` proves that an output's rule has
the form that they know.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ops import mac_tables

Bytes = npt.NDArray[np.int8]

VECTOR = 16  # bytes
OUTPUTS = 4  # that are ended together
BLOCK = 16  # channels of a depthwise block
# In which order widening twice leaves the channels of a block.
_WIDENED = [0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15]


def whole(size: int) -> int:
    """Bytes of the vectors that hold `size` bytes."""
    return -(-size // VECTOR) * VECTOR


def of_one(scales: mac_tables.Words) -> mac_tables.Words:
    """Members of `mcuc_mve_scales` [outputs, 4] of `mcuc_mac_scale` records [outputs, 4]."""
    bias, factor, constant, right = scales.T
    # From 2 m - 2^32 to m, which is from 2^30 to 2^31 - 1.
    multiplier = (factor.astype(np.int64) + (1 << 32)) >> 1
    return np.stack([bias, multiplier.astype(np.int32), constant, -right], axis=1)


def with_zero(scales: mac_tables.Words) -> mac_tables.Words:
    """Operands of `mcuc_mve_round` [outputs, 4] of `mcuc_mac_scale` records [outputs, 4]."""
    bias, multiplier, constant, left = of_one(scales).T
    zero = (constant - ((1 << -left) >> 1)) >> -left
    return np.stack([bias, multiplier, left, zero], axis=1)


def by_four(weights: Array) -> Bytes:
    """Weights [outputs, bytes], outputs a multiple of 4, as [fours, vectors, 4, 16]."""
    out, size = weights.shape
    full = np.pad(weights, ((0, 0), (0, whole(size) - size)))
    split = full.reshape(out // OUTPUTS, OUTPUTS, whole(size) // VECTOR, VECTOR)
    return np.ascontiguousarray(split.transpose(0, 2, 1, 3))


def stream(weights: Bytes, scales: mac_tables.Words) -> mac_tables.Words:
    """What each four outputs read, one after another: [fours, words].

    Args:
        weights: [fours, ..] as from :func:`by_four`.
        scales: `mcuc_mve_scales` records [fours, 4, 4].
    """
    return np.concatenate([words(weights), scales.reshape(len(scales), -1)], axis=1)


def stream_of_threes(weights: Array, scales: mac_tables.Words, zero_point: int) -> mac_tables.Words:
    """The table of the kernels for three pixels, `stream` of `mcuc_mve_run`: [fours, words].

    Args:
        weights: [outputs, bytes].
        scales: As from `mac_tables.scales`.
        zero_point: Of the outputs.
    """
    out, size = weights.shape
    bias, multiplier, left, zero = with_zero(scales).T
    # An output that is constant gets it from its bias: half of a quarter of it.
    constant = zero != zero_point
    weights = np.where(constant[:, None], 0, weights)
    bias = np.where(constant, 4 * (zero - zero_point), bias)
    multiplier = np.where(constant, 1 << 30, multiplier)
    left = np.where(constant, -1, left)

    fours, vectors = -(-out // OUTPUTS), whole(size) // VECTOR
    missing = fours * OUTPUTS - out
    full = np.zeros((fours * OUTPUTS, vectors * VECTOR), np.int8)
    full[:out, :size] = weights
    split = full.reshape(fours, 2, 2, vectors, VECTOR).transpose(0, 1, 3, 2, 4)
    turns = np.full((fours, 1 if vectors > 2 else 0), (vectors - 1) // 2, np.int32)
    ends = np.pad(np.stack([bias, multiplier, left]), ((0, 0), (0, missing)), mode="edge")
    records = ends.reshape(3, fours, OUTPUTS).transpose(1, 0, 2).reshape(fours, -1)
    more = np.arange(fours) + 1 < out // OUTPUTS
    return np.concatenate(
        [
            turns,
            words(split[:, 0]),
            turns,
            words(split[:, 1, ::-1]),
            records,
            np.full((fours, 1), zero_point),
            more[:, None],
        ],
        axis=1,
    ).astype(np.int32)


def channel_stream(weights: Array, scales: mac_tables.Words) -> mac_tables.Words:
    """The table of the depthwise kernel by taps: see its source.

    Args:
        weights: [taps, channels], an even number of taps, at least BLOCK channels.
        scales: As from `mac_tables.scales`.
    """
    channels = weights.shape[1]
    parts = []
    for first in sorted({*range(0, channels - BLOCK + 1, BLOCK), channels - BLOCK}):
        mine = of_one(scales[first : first + BLOCK])[_WIDENED]
        ends = mine[:, 1:].reshape(4, 4, 3).transpose(0, 2, 1)
        taps = np.ascontiguousarray(weights[:, first : first + BLOCK]).astype(np.int8)
        parts += [mine[:, 0], taps.view("<i4").ravel(), ends.ravel()]
    return np.concatenate(parts).astype(np.int32)


def words(weights: Array) -> mac_tables.Words:
    """Bytes [n, ..] as words [n, ..]."""
    flat = np.ascontiguousarray(weights).reshape(len(weights), -1)
    return flat.view("<i4").astype(np.int32)
