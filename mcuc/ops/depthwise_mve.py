"""Depthwise convolutions on cores with Helium: what their kernel is given.

Twin: runtime_c/src/depthwise_conv2d/s8_s8_s8__mve_4x1.c.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.program import Params
from mcuc.ops import convolution, depthwise_taps, mve_convolution, mve_tables
from mcuc.ops.convolution import INPUT, WEIGHTS, attrs_of
from mcuc.ops.spec import Site

_PLANE = 256  # MCUC_DEPTHWISE_MVE_PLANE
_CHANNELS = 8  # MCUC_DEPTHWISE_MVE_CHANNELS
_MAX_VECTORS = 4  # of weights: what registers hold
_BLOCK = 4  # outputs
# From how many output columns on sorting is worth it, by the kernel's height.
_MIN_COLUMNS = {3: 14, 5: 10}


def suits(site: Site) -> bool:
    """Windows that registers hold, columns side by side, factors of the usual form."""
    kernel_h, kernel_w = convolution.kernel_size(site)
    return (
        kernel_h <= _height(kernel_h)
        and kernel_w * _height(kernel_h) <= _MAX_VECTORS * mve_tables.VECTOR
        and attrs_of(site).dilation[1] == 1
        and site.input(INPUT).shape[3] >= _CHANNELS
        and (
            site.output.shape[2] >= _MIN_COLUMNS.get(kernel_h, 1)
            or site.input(INPUT).shape[3] < mve_tables.BLOCK
        )
        and depthwise_taps.mac_scales(site) is not None
    )


def _height(kernel_h: int) -> int:
    """Bytes of a column: a power of two, so that blocks of outputs end within planes."""
    return next((h for h in (1, 2, 4) if h >= kernel_h), 8)


def pack(site: Site) -> Params:
    """Weights [1, kernel_h, kernel_w, channels]."""
    weights = site.const(WEIGHTS)
    _, kernel_h, kernel_w, channels = weights.shape
    height = _height(kernel_h)
    columns = np.zeros((channels, kernel_w, height), np.int8)
    columns[:, :, :kernel_h] = weights[0].transpose(2, 1, 0)
    flat = columns.reshape(channels, -1)
    size = mve_tables.whole(flat.shape[1])
    vectors = np.pad(flat, ((0, 0), (0, size - flat.shape[1])))
    scales = depthwise_taps.mac_scales(site)
    assert scales is not None
    fields = convolution.window_fields(site)
    fields.pop("dilation_w")
    return Params(
        "mcuc_depthwise_mve_params",
        "depthwise_conv2d/depthwise_mve.h",
        {
            "stream": np.concatenate(
                [mve_tables.of_one(scales), mve_tables.words(vectors)], axis=1
            ),
            "channels": channels,
            "height": height,
            "vectors": size // mve_tables.VECTOR,
            **fields,
            **mve_convolution.finish_fields(site),
        },
    )


def scratch(site: Site) -> int:
    """Bytes of the planes, and of what is read behind them: a block of windows, and a vector."""
    _, kernel_w = convolution.kernel_size(site)
    height = _height(convolution.kernel_size(site)[0])
    ahead = (_BLOCK - 1) * attrs_of(site).stride[1] * height
    return _PLANE * _CHANNELS + ahead + mve_tables.whole(kernel_w * height)
