"""Convolutions of one group on cores with the DSP extension: what their kernels are given.

The filters are an argument: a DEPTHWISE_CONV_2D of one channel is a convolution too. Twin:
runtime_c/src/conv2d/conv2d_dsp.h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, Window
from mcuc.ir.target import Target
from mcuc.ops import convolution, dsp_lines, dsp_tables
from mcuc.ops.spec import Site

# Bytes of scratch up to which three windows are widened.
_MAX_WIDE = 1 << 12
_TAILS = 4  # MCUC_CONV2D_DSP_TAILS
_SUMS = dsp_lines.Form(shift=2, paired=True)  # MCUC_DOT_LINE_SHIFT


def suits(site: Site, target: Target, filters: Array) -> bool:
    """The DSP extension, factors that are not negative, weights that go in pairs."""
    if not target.dsp:
        return False
    rule = dsp_lines.rule_of(site, _flat(filters))
    weights = _in_words(filters)
    return dsp_tables.can_scale(rule.multiplier) and dsp_tables.can_pair(weights, rule.bias)


def _flat(filters: Array) -> Array:
    return filters.reshape(len(filters), -1)


def pack(site: Site, filters: Array) -> Params:
    """Filters [outputs, kernel_h, kernel_w, channels] in pairs; factors as in dsp.h, or lines."""
    out, kernel_h, _, channels = filters.shape
    matrix = _in_words(filters)
    tails = _has_tails(filters)
    row = (matrix.shape[1] - _TAILS * tails) // kernel_h
    paired = dsp_tables.pairs(matrix)
    rule = dsp_lines.rule_of(site, _flat(filters))
    lines = dsp_lines.of_site(site, _flat(filters), rule, _SUMS)
    if lines is not None:
        ends = dsp_tables.Ends(rule.bias, lines.added, lines.multiplier, lines.constant)
        common = out & ~1
    else:
        scales = dsp_tables.scales(rule.bias, rule.multiplier, rule.shift)
        ends = dsp_tables.Ends(rule.bias, np.zeros(out, np.int32), scales[:, 1], scales[:, 2])
        common = 0 if dsp_tables.has_rare(scales) else out & ~1
    fields = convolution.window_fields(site)
    zero = fields.pop("in_zero")
    proofs = [dsp_tables.pair_proof(matrix, rule.bias)]
    if lines is not None:
        proofs.append(dsp_lines.proof(rule, _flat(filters)))
    return Params(
        "mcuc_conv2d_dsp_params",
        "conv2d/conv2d_dsp.h",
        {
            "stream": dsp_tables.pair_stream(paired, ends),
            "common": common,
            "lines": int(lines is not None),
            "padding": np.full(row + _TAILS * tails, zero, np.int8),
            "in": channels,
            "out": out,
            "words": paired.shape[1],
            "row_words": row // 4,
            "tails": int(tails),
            "gathered": int(channels % 4 != 0),
            **fields,
            **convolution.output_fields(site, convolution.attrs_of(site).activation),
        },
        tuple(proofs),
    )


def window_wide(site: Site) -> Window:
    """The geometry, for whole rows."""
    return replace(convolution.window(site), edges=True)


def _has_tails(filters: Array) -> bool:
    """Whether kernel rows have a byte behind whole words, for which they share one more word."""
    _, kernel_h, kernel_w, channels = filters.shape
    row = kernel_w * channels
    return bool(1 < kernel_h <= _TAILS and row % 4 == 1 and row > 1)


def _in_words(filters: Array) -> Array:
    """Filters as [outputs, depth], zeros filling each kernel row, or the tails, to whole words."""
    out, kernel_h, _, _ = filters.shape
    rows = filters.reshape(out, kernel_h, -1)
    if _has_tails(filters):
        tails = np.pad(rows[:, :, -1], ((0, 0), (0, _TAILS - kernel_h)))
        return np.concatenate([rows[:, :, :-1].reshape(out, -1), tails], axis=1)
    return np.pad(rows, ((0, 0), (0, 0), (0, -rows.shape[2] % 4))).reshape(out, -1)


def scratch(filters: Array) -> int:
    """Bytes of two windows, where channels do not fill words."""
    return 0 if fills_words(filters) else 2 * _in_words(filters).shape[1]


def fills_words(filters: Array) -> bool:
    """Whether every pixel is whole words."""
    channels: int = filters.shape[3]
    return channels % 4 == 0


def scratch_wide(filters: Array) -> int:
    """Bytes of three widened windows; and of three gathered ones if channels do not fill words."""
    depth: int = _in_words(filters).shape[1]
    return 6 * depth if fills_words(filters) else 9 * depth


def may_widen(filters: Array) -> bool:
    """Whether widened windows are worth their memory: the work saved grows with it."""
    return scratch_wide(filters) <= _MAX_WIDE
