"""Depthwise convolutions as products of polynomials: what their kernels are given, and the proof.

Twin: runtime_c/src/depthwise_conv2d/depthwise_poly.h. A word of two pixels a + b X by one of two
taps v + u X has three fields, of X = 2^21, and 64 bits hold a sum of such products. The fields
keep apart if none leaves its 21 bits for any input; the last one has 22.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, Proof
from mcuc.ops import convolution, depthwise_planar, depthwise_taps, dsp_lines, dsp_tables
from mcuc.ops.checks import quant_of
from mcuc.ops.convolution import INPUT, WEIGHTS, Ints, attrs_of
from mcuc.ops.spec import Site

_BITS = 21
_ABOVE = 1 << 20  # MCUC_POLY_ABOVE
_WORDS = 16  # MCUC_POLY_WORDS
_CHANNELS = 4  # that are sorted together
_OUTPUT_WORDS = 26  # four channels of the outputs of thirteen sums
# Shifts of lines that there is code for.
_SHIFTS = (0, 2)
# What lines may add to a sum at most.
_MOST_ADDED = 1 << 16
# From how many output columns on sorting is worth it, by the kernel's size and stride.
_MIN_COLUMNS = {(5, 1): 2, (5, 2): 4, (7, 1): 2, (7, 2): 3}


def suits(site: Site, size: int) -> bool:
    """The geometry, factors of the usual shifts, and fields that hold their sums."""
    attrs = attrs_of(site)
    return (
        convolution.kernel_size(site) == (size, size)
        and attrs.stride[1] in (1, 2)
        and attrs.dilation[1] == 1
        and site.output.shape[2] >= _MIN_COLUMNS[size, attrs.stride[1]]
        and site.input(INPUT).shape[3] >= _CHANNELS
        and depthwise_taps.suits_dsp(site)
        and _holds(site)
        and _ends_usually(site)
    )


def _holds(site: Site) -> bool:
    """Whether no field of a sum can overflow, whatever the input and what lines add."""
    rooms = (_ABOVE - _MOST_ADDED, _ABOVE - _MOST_ADDED, 2 * _ABOVE)
    fields = zip(_fields(site), rooms, strict=True)
    return all(-room <= least and most < room for (least, most), room in fields)


def _field_proof(site: Site) -> Proof:
    """What `_holds` has shown."""
    reach = [number for field in _fields(site) for number in field]
    return Proof("fields", len(_channels(site)), min(reach), max(reach))


def _fields(site: Site) -> list[tuple[int, int]]:
    """The least and the greatest number that each of three fields of a sum can hold."""
    bias = dsp_lines.rule_of(site, _channels(site)).bias
    first, second = (part.reshape(len(bias), -1) for part in _taps(site))
    sums = (
        (bias, first),
        (bias, np.concatenate([first, second], axis=1)),
        (np.zeros_like(bias), second),
    )
    ends = [dsp_lines.bounds(start, weights) for start, weights in sums]
    return [(int(low.min()), int(high.max())) for low, high in ends]


def _ends_usually(site: Site) -> bool:
    """Whether no channel has a rare shift, unless all are lines."""
    return not dsp_tables.has_rare(depthwise_taps.dsp_scales(site)) or _channel_ends(site)[1] > 0


def _channels(site: Site) -> Array:
    """Weights as [channels, taps]."""
    weights = site.const(WEIGHTS)
    return weights.reshape(-1, weights.shape[3]).T


def _taps(site: Site) -> tuple[Ints, Ints]:
    """The taps v and u of all words [channels, kernel rows, words].

    Two neighbouring taps are a word, with a stride of 2 first the even ones among each other, then
    the odd ones; a missing one is 0.
    """
    rows = site.const(WEIGHTS)[0].transpose(2, 0, 1).astype(np.int64)
    stride = attrs_of(site).stride[1]
    parts = [rows[:, :, i::stride] for i in range(stride)]
    full = [np.pad(part, ((0, 0), (0, 0), (0, part.shape[2] % 2))) for part in parts]
    taps = np.concatenate(full, axis=2)
    return taps[:, :, 1::2], taps[:, :, ::2]


def pack(site: Site) -> Params:
    """The record."""
    first, second = _taps(site)
    words = first + (second << _BITS)
    ends, lines = _ends(site, words.reshape(len(words), -1))
    return Params(
        "mcuc_depthwise_poly_params",
        "depthwise_conv2d/depthwise_poly.h",
        {
            "ends": ends,
            "weights": words.astype(np.int32),
            "channels": len(words),
            "stride": attrs_of(site).stride[1],
            "in_zero": quant_of(site.input(INPUT)).zero_point,
            "lines": lines,
            **convolution.output_fields(site, attrs_of(site).activation),
        },
        (_field_proof(site), *depthwise_taps.line_proofs(site, lines)),
    )


def _ends(site: Site, words: Ints) -> tuple[npt.NDArray[np.int32], int]:
    """Four words of each channel, and 1 + the shift of lines, or 0.

    Sums start with what is to be added to both kinds of outputs, without what is too much in all
    second pixels: 128 X times a word.
    """
    ends, lines = _channel_ends(site)
    start = ends[:, 0].astype(np.int64) + _ABOVE
    start = start + (start << _BITS) - (words.sum(axis=1) << (_BITS + 7))
    halves = np.ascontiguousarray(start).astype("<i8").view("<i4").reshape(-1, 2)
    return np.concatenate([ends[:, 1:], halves], axis=1).astype(np.int32), lines


def _channel_ends(site: Site) -> tuple[dsp_tables.Words, int]:
    """Bias, multiplier, power or constant of each channel, and 1 + the shift of lines, or 0."""
    return depthwise_taps.dsp_ends(site, _SHIFTS, _ABOVE)


def scratch(site: Site) -> int:
    """Bytes of the planes, and of the outputs of a piece."""
    return 4 * (_CHANNELS * convolution.kernel_size(site)[0] * _WORDS + _OUTPUT_WORDS)


window = depthwise_planar.window
