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


def of_four(scales: mac_tables.Words) -> mac_tables.Words:
    """`mcuc_mve_scales` records [outputs / 4, 4, 4]; a missing output repeats the last one."""
    missing = -len(scales) % OUTPUTS
    full = np.pad(of_one(scales), ((0, missing), (0, 0)), mode="edge")
    return full.reshape(-1, OUTPUTS, 4).transpose(0, 2, 1)


def by_pairs(weights: Array) -> Bytes:
    """Weights [outputs, bytes] as [fours, pairs, vectors, 2, 16]; zeros fill all."""
    out, size = weights.shape
    full = np.zeros((-(-out // OUTPUTS) * OUTPUTS, whole(size)), np.int8)
    full[:out, :size] = weights
    split = full.reshape(-1, OUTPUTS // 2, 2, whole(size) // VECTOR, VECTOR)
    return np.ascontiguousarray(split.transpose(0, 1, 3, 2, 4))


def by_four(weights: Array) -> Bytes:
    """Weights [outputs, bytes], outputs a multiple of 4, as [fours, vectors, 4, 16]."""
    out, size = weights.shape
    full = np.pad(weights, ((0, 0), (0, whole(size) - size)))
    split = full.reshape(out // OUTPUTS, OUTPUTS, whole(size) // VECTOR, VECTOR)
    return np.ascontiguousarray(split.transpose(0, 2, 1, 3))


def stream(weights: Bytes, scales: mac_tables.Words) -> mac_tables.Words:
    """What each four outputs read, one after another: [fours, words].

    Args:
        weights: [fours, ..] as from :func:`by_pairs`.
        scales: As from :func:`of_four`.
    """
    return np.concatenate([words(weights), scales.reshape(len(scales), -1)], axis=1)


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
