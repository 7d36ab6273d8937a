"""Convolutions of one group on cores with Helium: what their kernels are given.

The filters are an argument: a DEPTHWISE_CONV_2D of one channel is a convolution too. Twin:
runtime_c/src/conv2d/conv2d_mve.h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, ParamValue, Window
from mcuc.ir.target import Target
from mcuc.ops import convolution, mac_convolution, mve_tables
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.spec import Site

# Small windows are copied several at a time, up to so many and so many bytes.
_MAX_BATCH = 9
_BATCH_BYTES = 1024
_THREE = 3  # pixels of a block


def suits(site: Site, target: Target, filters: Array) -> bool:
    """Helium, factors of the usual form, and windows that are worth copying."""
    return target.mve and mac_convolution.may_copy(filters) and mac_convolution.suits(site, filters)


def pack(site: Site, filters: Array) -> Params:
    """Filters [outputs, kernel_h, kernel_w, channels]."""
    out, kernel_h, kernel_w, channels = filters.shape
    weights = filters.reshape(out, -1)
    zero_point = quant_of(site.output).zero_point
    scales = mac_convolution.scales(site, filters)
    assert scales is not None
    fields = convolution.window_fields(site)
    zero = fields.pop("in_zero")
    return Params(
        "mcuc_conv2d_mve_params",
        "conv2d/conv2d_mve.h",
        {
            "stream": mve_tables.stream_of_threes(weights, scales, zero_point),
            "padding": np.full(kernel_w * channels, zero, np.int8),
            "in": channels,
            "out": out,
            "vectors": mve_tables.whole(weights.shape[1]) // mve_tables.VECTOR,
            "windows": _windows(filters),
            "copied": int(kernel_h * kernel_w > 1 or channels % mve_tables.VECTOR > 0),
            **fields,
            **finish_fields(site),
        },
        (mac_convolution.proof(site, filters),),
    )


def finish_fields(site: Site) -> dict[str, ParamValue]:
    """Members of `mcuc_mve_finish`."""
    low, high = activation_range(site, convolution.attrs_of(site).activation)
    ties = low < quant_of(site.output).zero_point
    return {"finish.low": low, "finish.high": high, "finish.ties": int(ties)}


def window(site: Site) -> Window:
    """The geometry, for whole rows."""
    return replace(convolution.window(site), edges=True)


def scratch(filters: Array) -> int:
    """Bytes of the windows that are copied together."""
    return _windows(filters) * mve_tables.whole(filters[0].size)


def scratch_pointwise(filters: Array) -> int:
    """Bytes of two pixels, unless they are whole vectors."""
    channels = filters.shape[3]
    return 2 * mve_tables.whole(channels) if channels % mve_tables.VECTOR else 0


def _windows(filters: Array) -> int:
    """Windows that are copied together: whole threes."""
    fit: int = _BATCH_BYTES // mve_tables.whole(filters[0].size)
    return min(max(fit // _THREE * _THREE, _THREE), _MAX_BATCH)
