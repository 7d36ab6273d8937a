"""Constants of the kernels for cores with the DSP extension, and the proofs that they may be used.

Twins: runtime_c/include/mcuc/dsp.h (`mcuc_dsp_scale`) and dsp_dot.h (pairs of weights).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Proof
from mcuc.ops.convolution import Ints

Words = npt.NDArray[np.int32]

# 256 * acc must be an int32 for every accumulator of an even output, also with what is added to it.
_MAX_ACC = (1 << 23) - (1 << 10)

# MCUC_DEPTHWISE_DSP_TAPS
_TAPS_PER_TURN = 3


def can_scale(multiplier: Ints) -> bool:
    """Whether `scales` can express the factors: none is negative."""
    return bool((multiplier >= 0).all())


def scales(bias: npt.NDArray[np.int32], multiplier: Ints, shift: Ints) -> Words:
    """`mcuc_dsp_scale` records, [outputs, 3].

    Args:
        bias: With all constant parts folded in.
        multiplier: 0 or in [2^30, 2^31).
        shift: Positive to the left.
    """
    right = -shift
    power = np.where(right >= 2, 1 << (32 - np.clip(right, 2, 32)), -2 - np.minimum(shift, 31))
    power = np.where((multiplier == 0) | (right > 31), 0, power)  # below 1/2: always 0
    # With a power of 0 any multiplier does that keeps the first product small.
    doubled = np.where(power == 0, 1 << 31, 2 * multiplier).astype(np.uint32).view(np.int32)
    return np.stack([bias, doubled, power.astype(np.int32)], axis=1)


def has_rare(scales: Words) -> bool:
    """Whether some output is not shifted to the right by 2 or more."""
    return bool((scales[:, 2] < 0).any())


def can_pair(weights: Array, bias: Array | None = None) -> bool:
    """Whether `pairs` may hold weights [outputs, depth]: its sums keep apart, halves fit int16.

    Args:
        weights: As for :func:`pairs`.
        bias: [outputs], where sums start with it.
    """
    first, second = _split(weights)
    halves = 256 * first + second
    return bool((np.abs(halves + 0.5) < 1 << 15).all() and _largest(weights, bias) < _MAX_ACC)


def pair_proof(weights: Array, bias: Array | None = None) -> Proof:
    """What :func:`can_pair` has shown of the same weights and bias."""
    largest = _largest(weights, bias)
    return Proof("pairs", len(weights), -largest, largest)


def _largest(weights: Array, bias: Array | None) -> int:
    """What no sum of an even output exceeds."""
    sums = 128 * np.abs(weights.astype(np.int64)).sum(axis=1)
    if bias is not None:
        sums += np.abs(bias.astype(np.int64))
    return int(sums[::2].max(initial=0))


def pairs(weights: Array) -> Words:
    """Weights [outputs, depth] as dsp_dot.h reads them: [ceil(outputs / 2), words of four k, 2].

    Missing outputs and the k that fill a word are zeros.
    """
    first, second = _split(weights)
    halves = (256 * first + second).astype(np.int16)
    depth = padded_depth(halves.shape[1])
    full = np.zeros((len(halves), depth), np.int16)
    full[:, : halves.shape[1]] = halves
    quads = full.reshape(len(full), depth // 4, 4)[:, :, [0, 2, 1, 3]]
    return np.ascontiguousarray(quads).view("<i4").astype(np.int32).reshape(len(full), -1, 2)


@dataclass(frozen=True)
class Ends:
    """How sums of outputs become elements, [outputs].

    Attributes:
        bias: With all constant parts folded in.
        added: What the sums hold beyond their biases: those of even outputs, which are 256 times as
            large, and those of odd ones.
        multiplier, factor: Of `mcuc_dot_ends`.
    """

    bias: Array
    added: Array
    multiplier: Array
    factor: Array


def pair_stream(paired: Words, ends: Ends) -> Words:
    """Weights of each pair of outputs between what its sums start with and `mcuc_dot_ends`.

    Args:
        paired: As from :func:`pairs`.
        ends: Of all outputs; a missing one gets zeros.

    Returns:
        [pairs, words of both].
    """
    full = np.zeros((2 * len(paired), 4), np.int64)
    full[: len(ends.bias)] = np.stack(
        [ends.bias, ends.added, ends.multiplier, ends.factor], axis=1
    ).astype(np.int64)
    a, b = full[::2], full[1::2]
    second = b[:, :1] + b[:, 1:2]
    both = second + 256 * a[:, :1] + a[:, 1:2]
    weights = paired.reshape(len(paired), -1)
    return np.concatenate([both, second, weights, a[:, 2:], b[:, 2:]], axis=1).astype(np.int32)


def padded_depth(depth: int) -> int:
    """The depth that whole words have."""
    return -(-depth // 4) * 4


def padded_taps(taps: int) -> int:
    """The taps that whole turns of the depthwise kernel have."""
    return -(-taps // _TAPS_PER_TURN) * _TAPS_PER_TURN


def channel_stream(weights: Array, scales: Words) -> Words:
    """The table of the depthwise kernel: see `mcuc_depthwise_dsp_params`.

    Args:
        weights: [taps, channels], at least four channels.
        scales: As from :func:`scales`.
    """
    taps, channels = weights.shape
    full = np.zeros((padded_taps(taps), channels), np.int16)
    full[:taps] = weights
    parts = []
    for first in sorted({*range(0, channels - 3, 4), channels - 4}):
        block = full[:, first : first + 4][:, [0, 2, 1, 3]]
        mine = scales[first : first + 4]
        words = np.ascontiguousarray(block).view("<i4").astype(np.int32)
        parts += [mine[:, 0], words.ravel(), mine[:, 1:].ravel()]
    return np.concatenate(parts)


def rare_channels(weights: Array, scales: Words, multiplier: Ints, shift: Ints) -> Words:
    """Rows (channel, bias, multiplier, shift, weights) of channels with a rare shift.

    Args:
        weights: [taps, channels].
        scales: As from :func:`scales`, of the factors.
        multiplier, shift: The factors.
    """
    channels = np.flatnonzero(scales[:, 2] < 0)
    table = np.zeros((len(channels), 4 + padded_taps(len(weights))), np.int32)
    table[:, 0] = channels
    table[:, 1] = scales[channels, 0]
    table[:, 2] = multiplier[channels]
    table[:, 3] = np.minimum(shift[channels], 31)
    table[:, 4 : 4 + len(weights)] = weights[:, channels].T
    return table


def _split(weights: Array) -> tuple[Ints, Ints]:
    """Even and odd outputs, as many of both."""
    wide = weights.astype(np.int64)
    if len(wide) % 2:
        wide = np.concatenate([wide, np.zeros_like(wide[:1])])
    return wide[0::2], wide[1::2]
