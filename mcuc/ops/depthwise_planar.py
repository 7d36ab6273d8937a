"""Depthwise convolutions channel by channel, with the DSP extension: what their kernels are given.

Twin: runtime_c/src/depthwise_conv2d/depthwise_planar.h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.program import Params, Window
from mcuc.ops import convolution, dsp_tables
from mcuc.ops.checks import quant_of
from mcuc.ops.convolution import INPUT, WEIGHTS, attrs_of
from mcuc.ops.spec import Site

_PIXELS = 32  # MCUC_PLANAR_PIXELS
_CHANNELS = 4  # that are sorted together
# From how many output columns on sorting is worth it, by the kernel's size.
_MIN_COLUMNS = {3: 12, 5: 6, 7: 5}


def suits(site: Site, size: int) -> bool:
    """Square windows of that size, strides of 1 or 2, rows long enough, positive factors."""
    attrs = attrs_of(site)
    channels = site.input(INPUT).shape[3]
    return (
        convolution.kernel_size(site) == (size, size)
        and attrs.stride[1] in (1, 2)
        and attrs.dilation[1] == 1
        and site.output.shape[2] >= _MIN_COLUMNS[size]
        and channels >= _CHANNELS
        and dsp_tables.can_scale(convolution.multipliers(site, channels)[0])
    )


def pack(site: Site) -> Params:
    """One stream of constants, by channel."""
    weights = site.const(WEIGHTS)
    _, size, _, channels = weights.shape
    halves = np.zeros((channels, size, size + 1), np.int16)
    halves[:, :, :size] = weights[0].transpose(2, 0, 1)
    words = halves.view("<i4").astype(np.int32).reshape(channels, -1)
    return Params(
        "mcuc_depthwise_planar_params",
        "depthwise_conv2d/depthwise_planar.h",
        {
            "stream": np.concatenate([_scales(site), words], axis=1),
            "channels": channels,
            "stride": attrs_of(site).stride[1],
            "in_zero": quant_of(site.input(INPUT)).zero_point,
            **convolution.output_fields(site, attrs_of(site).activation),
        },
    )


def window(site: Site) -> Window:
    """The geometry, for whole rows."""
    return replace(convolution.window(site), edges=True)


def scratch(site: Site) -> int:
    """Bytes of the planes."""
    return 2 * _PIXELS * _CHANNELS * convolution.kernel_size(site)[0]


def _scales(site: Site) -> dsp_tables.Words:
    weights = site.const(WEIGHTS)
    bias = convolution.fold_bias(site, weights.astype(np.int64).sum(axis=(0, 1, 2)))
    return dsp_tables.scales(bias, *convolution.multipliers(site, weights.shape[3]))
