"""CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED on float32: references, records, kernels.

    y[o] = clamp((0 + x[0] * w[o][0] + x[1] * w[o][1] + ...) + bias[o])

Each product and each sum is rounded to float32. The order is that of TFLite's reference kernels
`conv.h`, `depthwiseconv_float.h`, `fully_connected.h`: kernel rows, columns, channels; elements in
the padding are left out.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.numerics import float32
from mcuc.numerics.float32 import Floats
from mcuc.ops.arithmetic import kernels_on
from mcuc.ops.convolution import (
    BIAS,
    INPUT,
    WEIGHTS,
    attrs_of,
    groups_of,
    is_pointwise,
    window,
)
from mcuc.ops.spec import Kernel, Site, always
from mcuc.ops.windows import padded, taps


def conv2d(site: Site, x: Array, weights: Array, bias: Array | None) -> Array:
    """The reference of CONV_2D; shapes as in `mcuc.ops.conv2d.infer`."""
    attrs = attrs_of(site)
    groups = groups_of(site)
    rows, columns = site.output.shape[1:3]
    per_group, each = weights.shape[3], len(weights) // groups
    fields = taps(padded(x, attrs.pad, 0), window(site), (rows, columns))
    parts = []
    for g in range(groups):
        own = fields[:, :, :, g * per_group : (g + 1) * per_group].transpose(0, 1, 2, 4, 5, 3)
        filters = weights[g * each : (g + 1) * each].reshape(each, -1)
        matrix = np.ascontiguousarray(own).reshape(-1, filters.shape[1])
        parts.append(float32.ordered_product(matrix, filters.T))
    total = np.concatenate(parts, axis=1).reshape(site.output.shape)
    return finish(total, bias, attrs.activation)


def depthwise_conv2d(site: Site, x: Array, weights: Array, bias: Array | None) -> Array:
    """The reference of DEPTHWISE_CONV_2D."""
    attrs = attrs_of(site)
    n, rows, columns, out = site.output.shape
    channels = x.shape[3]
    fields = taps(padded(x, attrs.pad, 0), window(site), (rows, columns))
    total = np.zeros((n, rows, columns, channels, out // channels), np.float32)
    for i in range(weights.shape[1]):
        for j in range(weights.shape[2]):
            tap = weights[0, i, j].reshape(channels, -1)
            total += fields[..., i, j][..., np.newaxis] * tap
    return finish(total.reshape(site.output.shape), bias, attrs.activation)


def fully_connected(
    site: Site, x: Array, weights: Array, bias: Array | None, activation: str
) -> Array:
    """The reference of FULLY_CONNECTED."""
    total = float32.ordered_product(x.reshape(-1, weights.shape[1]), weights.T)
    return finish(total, bias, activation).reshape(site.output.shape)


def finish(total: Floats, bias: Array | None, activation: str) -> Floats:
    """Sums [..., O] with the bias, clamped."""
    biased = total + (np.float32(0) if bias is None else np.asarray(bias, np.float32).ravel())
    return float32.clamp(biased, float32.bounds(activation))


def ending(site: Site, activation: str, outputs: int) -> dict[str, ParamValue]:
    """Members of the records that end a sum."""
    bias = site.consts[BIAS] if len(site.consts) > BIAS else None
    low, high = float32.bounds(activation)
    data = np.zeros(outputs, np.float32) if bias is None else bias.reshape(-1)
    return {"bias": data, "low": low, "high": high}


def _window_fields(site: Site) -> dict[str, ParamValue]:
    geometry = window(site)
    return {
        "kernel_h": geometry.kernel[0],
        "kernel_w": geometry.kernel[1],
        "stride_w": geometry.stride[1],
        "dilation_w": geometry.dilation[1],
    }


def _pack_conv2d(site: Site) -> Params:
    weights = site.const(WEIGHTS)
    fields: dict[str, ParamValue] = {
        "weights": weights,
        "group_in": weights.shape[3],
        "group_out": len(weights) // groups_of(site),
        "groups": groups_of(site),
        **_window_fields(site),
        **ending(site, attrs_of(site).activation, len(weights)),
    }
    return Params("mcuc_conv2d_f32_params", "conv2d/conv2d_f32.h", fields)


def _pack_depthwise_conv2d(site: Site) -> Params:
    weights = site.const(WEIGHTS)
    channels, outputs = site.input(INPUT).shape[3], weights.shape[3]
    fields: dict[str, ParamValue] = {
        "weights": weights,
        "channels": channels,
        "channel_multiplier": outputs // channels,
        **_window_fields(site),
        **ending(site, attrs_of(site).activation, outputs),
    }
    header = "depthwise_conv2d/depthwise_conv2d_f32.h"
    return Params("mcuc_depthwise_conv2d_f32_params", header, fields)


def pack_fully_connected(site: Site, activation: str) -> Params:
    """The record of FULLY_CONNECTED."""
    weights = site.const(WEIGHTS)
    fields: dict[str, ParamValue] = {
        "weights": weights,
        "depth": weights.shape[1],
        "units": len(weights),
        **ending(site, activation, len(weights)),
    }
    header = "fully_connected/fully_connected_f32.h"
    return Params("mcuc_fully_connected_f32_params", header, fields)


def _has_one_output_each(site: Site, target: Target) -> bool:
    return site.input(WEIGHTS).shape[3] == site.input(INPUT).shape[3]


def _has_float_weights(site: Site, target: Target) -> bool:
    return site.input(WEIGHTS).dtype is DType.F32


CONV2D = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_conv2d_f32_f32_f32_1x1__c",
        source="conv2d/f32_f32_f32_1x1__c.c",
        form=Form.PIXEL,
        when=is_pointwise,
        pack=_pack_conv2d,
    ),
    Kernel(
        symbol="mcuc_conv2d_f32_f32_f32__c",
        source="conv2d/f32_f32_f32__c.c",
        form=Form.WINDOW,
        when=always,
        pack=_pack_conv2d,
        window=window,
    ),
    only=_has_float_weights,
)
DEPTHWISE_CONV2D = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_depthwise_conv2d_f32_f32_f32__c",
        source="depthwise_conv2d/f32_f32_f32__c.c",
        form=Form.WINDOW,
        when=_has_one_output_each,
        pack=_pack_depthwise_conv2d,
        window=window,
    ),
    Kernel(
        symbol="mcuc_depthwise_conv2d_f32_f32_f32_mult__c",
        source="depthwise_conv2d/f32_f32_f32_mult__c.c",
        form=Form.WINDOW,
        when=always,
        pack=_pack_depthwise_conv2d,
        window=window,
    ),
    only=_has_float_weights,
)
