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
from mcuc.ops import convolution, dsp_tables
from mcuc.ops.spec import Site

# Bytes of scratch up to which three windows are widened.
_MAX_WIDE = 1 << 12


def suits(site: Site, target: Target, filters: Array) -> bool:
    """The DSP extension, factors that are not negative, weights that go in pairs."""
    multiplier, _ = convolution.multipliers(site, len(filters))
    return (
        target.dsp and dsp_tables.can_scale(multiplier) and dsp_tables.can_pair(_in_words(filters))
    )


def pack(site: Site, filters: Array) -> Params:
    """Filters [outputs, kernel_h, kernel_w, channels] in pairs of outputs, factors as in dsp.h."""
    out, kernel_h, _, channels = filters.shape
    matrix = _in_words(filters)
    row = matrix.shape[1] // kernel_h
    paired = dsp_tables.pairs(matrix)
    bias = convolution.fold_bias(site, filters.astype(np.int64).sum(axis=(1, 2, 3)))
    scales = dsp_tables.scales(bias, *convolution.multipliers(site, out))
    fields = convolution.window_fields(site)
    zero = fields.pop("in_zero")
    return Params(
        "mcuc_conv2d_dsp_params",
        "conv2d/conv2d_dsp.h",
        {
            "stream": dsp_tables.pair_stream(paired, scales),
            "common": 0 if dsp_tables.has_rare(scales) else out & ~1,
            "padding": np.full(row, zero, np.int8),
            "in": channels,
            "out": out,
            "words": paired.shape[1],
            "row_words": row // 4,
            "gathered": int(channels % 4 != 0),
            **fields,
            **convolution.output_fields(site, convolution.attrs_of(site).activation),
        },
    )


def window_wide(site: Site) -> Window:
    """The geometry, for whole rows."""
    return replace(convolution.window(site), edges=True)


def _in_words(filters: Array) -> Array:
    """Filters as [outputs, depth], zeros filling each kernel row up to whole words."""
    out, kernel_h, _, _ = filters.shape
    rows = filters.reshape(out, kernel_h, -1)
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
