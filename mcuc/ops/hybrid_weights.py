"""CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED on float32 with int8 weights ("dynamic range").

    q = the input quantized with a scale s of its own, found at run time (mcuc/numerics/hybrid.py)
    y[o] = clamp(float(sum q * w[o]) * s * s_w[o] + bias[o])     with a sum in int32

Sources: TFLite `conv.cc` and `depthwise_conv.cc`, EvalHybrid and EvalHybridPerChannel;
`fully_connected.cc`, EvalHybrid; rule in docs/numerics.md, "Dynamic range". A convolution quantizes
a map with one scale, so that it must have seen all of it: its kernels take whole maps. Rows of a
FULLY_CONNECTED have a scale each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.numerics import float32
from mcuc.numerics.float32 import Floats
from mcuc.numerics.hybrid import quantize
from mcuc.ops.arithmetic import kernels_on
from mcuc.ops.checks import quant_of
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS, Ints, attrs_of, groups_of, window
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, Site, always
from mcuc.ops.windows import padded, taps

MOST_PRODUCTS = 1 << 16  # in a sum of 32 bits: 255 * 128 each


def is_hybrid(site: Site) -> bool:
    """float32 activations, int8 weights."""
    return site.input(INPUT).dtype is DType.F32 and site.input(WEIGHTS).dtype is DType.S8


def on_hybrid(site: Site, target: Target) -> bool:
    return is_hybrid(site)


def not_hybrid(site: Site, target: Target) -> bool:
    return not is_hybrid(site)


def check(problems: Problems, depth: int) -> None:
    """Requires sums of `depth` products that fit in 32 bits."""
    if depth > MOST_PRODUCTS:
        problems.add("E117", f"sums of {depth} products; the most is {MOST_PRODUCTS}")


def conv2d(site: Site, x: Array, weights: Array, bias: Array | None) -> Array:
    """The reference of CONV_2D."""
    groups = groups_of(site)
    per_group, each = weights.shape[3], len(weights) // groups
    asymmetric = quant_of(site.input(WEIGHTS)).per_channel
    maps = []
    for element in x:
        found = quantize(element, asymmetric=asymmetric)
        fields = _windows(site, found.centered)
        parts = []
        for g in range(groups):
            own = fields[..., g * per_group : (g + 1) * per_group]
            filters = weights[g * each : (g + 1) * each].reshape(each, -1).astype(np.float64)
            parts.append(own.reshape(*own.shape[:2], -1) @ filters.T)
        total = np.concatenate(parts, axis=2).astype(np.int64)
        maps.append(_scaled(site, total, found.scale, first_by_channel=asymmetric))
    return _finish(np.stack(maps), bias, attrs_of(site).activation)


def depthwise_conv2d(site: Site, x: Array, weights: Array, bias: Array | None) -> Array:
    """The reference of DEPTHWISE_CONV_2D."""
    channels = x.shape[3]
    kernel = weights.reshape(*weights.shape[1:3], channels, -1).astype(np.int64)
    maps = []
    for element in x:
        found = quantize(element, asymmetric=True)
        fields = _windows(site, found.centered).astype(np.int64)
        total = np.einsum("yxijc,ijcm->yxcm", fields, kernel)
        total = total.reshape(*total.shape[:2], -1)
        maps.append(_scaled(site, total, found.scale, first_by_channel=False))
    return _finish(np.stack(maps), bias, attrs_of(site).activation)


def fully_connected(
    site: Site, x: Array, weights: Array, bias: Array | None, activation: str, asymmetric: bool
) -> Array:
    """The reference of FULLY_CONNECTED."""
    rows = []
    for row in x.reshape(-1, weights.shape[1]):
        found = quantize(row, asymmetric=asymmetric)
        total = weights.astype(np.int64) @ found.centered.astype(np.int64)
        rows.append(_scaled(site, total, found.scale, first_by_channel=False))
    return _finish(np.stack(rows), bias, activation).reshape(site.output.shape)


def _windows(site: Site, element: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """All windows [OH, OW, KH, KW, C] of a map; padding is 0."""
    size = (site.output.shape[1], site.output.shape[2])
    fields = taps(padded(element[np.newaxis], attrs_of(site).pad, 0), window(site), size)
    return np.ascontiguousarray(fields[0].transpose(0, 1, 3, 4, 2)).astype(np.float64)


def _scaled(site: Site, total: Ints, scale: np.float32, *, first_by_channel: bool) -> Floats:
    """Sums [..., O] to real numbers, in TFLite's order of multiplications."""
    scales = np.asarray(quant_of(site.input(WEIGHTS)).scales, np.float32)
    sums = total.astype(np.float32)
    if first_by_channel:
        return (sums * scales) * scale
    return sums * (scales * scale)


def _finish(total: Floats, bias: Array | None, activation: str) -> Floats:
    biased = total + (np.float32(0) if bias is None else np.asarray(bias, np.float32).ravel())
    return float32.clamp(biased, float32.bounds(activation))


def _common(site: Site, activation: str, outputs: int) -> dict[str, ParamValue]:
    scales = np.asarray(quant_of(site.input(WEIGHTS)).scales, np.float32)
    bias = site.consts[BIAS] if len(site.consts) > BIAS else None
    low, high = float32.bounds(activation)
    return {
        "weights": site.const(WEIGHTS),
        "scales": np.array(np.broadcast_to(scales, outputs)),
        "bias": np.zeros(outputs, np.float32) if bias is None else bias.reshape(-1),
        "low": low,
        "high": high,
    }


def _map_fields(site: Site, outputs: int) -> dict[str, ParamValue]:
    attrs, geometry = attrs_of(site), window(site)
    _, height, width, channels = site.input(INPUT).shape
    return {
        "in_h": height,
        "in_w": width,
        "channels": channels,
        "out_h": site.output.shape[1],
        "out_w": site.output.shape[2],
        "kernel_h": geometry.kernel[0],
        "kernel_w": geometry.kernel[1],
        "stride_h": attrs.stride[0],
        "stride_w": attrs.stride[1],
        "dilation_h": attrs.dilation[0],
        "dilation_w": attrs.dilation[1],
        "pad_top": attrs.pad[0],
        "pad_left": attrs.pad[2],
        **_common(site, attrs.activation, outputs),
    }


def _pack_conv2d(site: Site) -> Params:
    outputs = site.input(WEIGHTS).shape[0]
    fields: dict[str, ParamValue] = {
        "groups": groups_of(site),
        "outputs": outputs,
        "per_channel": int(quant_of(site.input(WEIGHTS)).per_channel),
        **_map_fields(site, outputs),
    }
    return Params("mcuc_conv2d_hybrid_params", "conv2d/conv2d_hybrid.h", fields)


def _pack_depthwise_conv2d(site: Site) -> Params:
    outputs = site.input(WEIGHTS).shape[3]
    fields = {"outputs": outputs, **_map_fields(site, outputs)}
    header = "depthwise_conv2d/depthwise_conv2d_hybrid.h"
    return Params("mcuc_depthwise_conv2d_hybrid_params", header, fields)


def pack_fully_connected(site: Site, activation: str, asymmetric: bool) -> Params:
    """The record of FULLY_CONNECTED."""
    units, depth = site.input(WEIGHTS).shape
    fields: dict[str, ParamValue] = {
        "units": units,
        "depth": depth,
        "asymmetric": int(asymmetric),
        **_common(site, activation, units),
    }
    header = "fully_connected/fully_connected_hybrid.h"
    return Params("mcuc_fully_connected_hybrid_params", header, fields)


def _map_bytes(site: Site) -> int:
    """The quantized map."""
    _, height, width, channels = site.input(INPUT).shape
    return height * width * channels


def row_bytes(site: Site) -> int:
    """A quantized row of a FULLY_CONNECTED."""
    return site.input(WEIGHTS).shape[1]


CONV2D = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_conv2d_f32_s8_f32__c",
        source="conv2d/f32_s8_f32__c.c",
        form=Form.WHOLE,
        when=always,
        pack=_pack_conv2d,
        scratch=_map_bytes,
    ),
    only=on_hybrid,
)
DEPTHWISE_CONV2D = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_depthwise_conv2d_f32_s8_f32__c",
        source="depthwise_conv2d/f32_s8_f32__c.c",
        form=Form.WHOLE,
        when=always,
        pack=_pack_depthwise_conv2d,
        scratch=_map_bytes,
    ),
    only=on_hybrid,
)
