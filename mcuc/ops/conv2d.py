"""CONV_2D of int8, int16 or float32: any kernel, stride, dilation, padding, number of groups.

Source: TFLite reference_integer_ops `conv.h`, `ConvPerChannel`; rule in docs/numerics.md,
"CONV_2D". Padding has the value of the input's zero point. The number of groups is the ratio of
input channels to the filter's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops import (
    convolution,
    dsp_convolution,
    float_weights,
    hybrid_weights,
    int16_weights,
    mac_convolution,
    mve_convolution,
)
from mcuc.ops.arithmetic import is_float, is_int16, kernels_on
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import (
    INPUT,
    WEIGHTS,
    ConvAttrs,
    Ints,
    attrs_of,
    has_one_group,
    is_pointwise,
    window,
)
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always
from mcuc.ops.windows import check_geometry, map_size, padded, taps, window_region

# Elements of the matrix of windows that the reference makes at a time: 32 MB of doubles.
_CHUNK = 1 << 22


@dataclass(frozen=True)
class Attrs(ConvAttrs):
    """Geometry and fused activation."""


def infer(site: Site) -> tuple[TensorType, ...]:
    """[N, H, W, C] and filter [O, KH, KW, C / groups] -> [N, OH, OW, O]."""
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(INPUT, "input", convolution.DTYPES)
    weights = convolution.weights_operand(problems, "filter")
    ranks = problems.rank(x, "input", 4), problems.rank(weights, "filter", 4)
    x_quant, out_quant = problems.per_tensor(x, "input"), problems.result_like(x)
    problems.activation(attrs.activation, out_quant)
    shape: tuple[int, ...] = ()
    if x is not None and weights is not None and all(ranks):
        _check_channels(problems, x.shape[3], weights.shape)
        convolution.check_bias(problems, weights.shape[0])
        weights_quant = convolution.check_weights(problems, weights, 0, asymmetric=attrs.uint8)
        convolution.check_requantization(problems, x_quant, weights_quant, out_quant)
        if x.dtype is DType.F32 and weights.dtype is DType.S8:
            hybrid_weights.check(problems, weights.elements // weights.shape[0])
        if x.dtype is DType.S16:
            int16_weights.check(problems, weights.elements // weights.shape[0], weights.shape[0])
        geometry = convolution.conv_window(attrs, map_size(weights.shape))
        size = check_geometry(problems, map_size(x.shape), geometry, attrs.pad)
        shape = (x.shape[0], *(size or (0, 0)), weights.shape[0])
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _check_channels(problems: Problems, channels: int, weights: tuple[int, ...]) -> None:
    out, per_group = weights[0], weights[3]
    if channels % per_group:
        problems.add(
            "E111", f"a filter of {per_group} channels does not divide {channels} input channels"
        )
    elif out % (channels // per_group):
        problems.add(
            "E111", f"{out} output channels do not divide into {channels // per_group} groups"
        )


def ref(site: Site, x: Array, weights: Array, bias: Array | None = None) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    if hybrid_weights.is_hybrid(site):
        return (hybrid_weights.conv2d(site, x, weights, bias),)
    if is_float(site):
        return (float_weights.conv2d(site, x, weights, bias),)
    attrs = attrs_of(site)
    out, _, _, per_group = weights.shape
    groups = x.shape[3] // per_group
    each = out // groups
    parts = []
    for g in range(groups):
        x_part = x[..., g * per_group : (g + 1) * per_group]
        parts.append(_accumulate(site, x_part, weights[g * each : (g + 1) * each]))
    total = np.concatenate(parts, axis=3) + convolution.bias_or_zero(bias, out)
    if is_int16(site):
        return (int16_weights.requantized(site, total, attrs.activation),)
    factors = convolution.multipliers(site, out)
    clamp = activation_range(site, attrs.activation)
    zero_point = quant_of(site.output).zero_point
    return (int8.requantize_conv(convolution.wrap_int32(total), *factors, zero_point, clamp),)


def _accumulate(site: Site, x: Array, weights: Array) -> Ints:
    """Exact sums [N, OH, OW, O] of one group, without the bias."""
    n, rows, columns = site.output.shape[:3]
    depth = weights[0].size
    geometry = window(site)
    zero = quant_of(site.input(INPUT)).zero_point
    w_zero = convolution.weights_zero(site)
    largest = 1 << 22 if is_int16(site) else 255 * (255 if w_zero else 128)
    kind = convolution.exact_float(depth, largest)
    fields = padded(x, attrs_of(site).pad, zero)
    centered = (fields.astype(np.int16) - zero).astype(kind)
    views = taps(centered, geometry, (rows, columns))
    symmetric = weights.astype(np.int16) - w_zero
    matrix = symmetric.transpose(3, 1, 2, 0).reshape(depth, -1).astype(kind)
    total = np.empty((n, rows, columns, len(weights)), np.int64)
    step = max(1, _CHUNK // (n * columns * depth))
    for y in range(0, rows, step):
        part = views[:, y : y + step]
        total[:, y : y + step] = (part.reshape(-1, depth) @ matrix).reshape(*part.shape[:3], -1)
    return total


def macs(site: Site) -> int:
    _, kernel_h, kernel_w, per_group = site.input(WEIGHTS).shape
    return site.output.elements * kernel_h * kernel_w * per_group


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    if hybrid_weights.is_hybrid(site):  # its scale is that of the whole map
        whole = Box.of(site.input(INPUT).nhwc[1:])
        return (whole, *(None,) * (len(site.inputs) - 1))
    shape = site.input(INPUT).shape
    filters, _, _, per_group = site.input(WEIGHTS).shape
    each = filters // (shape[3] // per_group)
    channels = out.c0 // each * per_group, -(-out.c1 // each) * per_group
    box = window_region(out, window(site), (shape[1], shape[2], shape[3]), channels)
    return (box, *(None,) * (len(site.inputs) - 1))


def pack(site: Site) -> Params:
    weights = site.const(WEIGHTS)
    attrs = attrs_of(site)
    out, _, _, per_group = weights.shape
    sums = convolution.centered(site).sum(axis=(1, 2, 3))
    return Params(
        "mcuc_conv2d_params",
        "conv2d/conv2d.h",
        {
            "weights": weights,
            "bias": convolution.fold_bias(site, sums),
            "group_in": per_group,
            "group_out": out // convolution.groups_of(site),
            "groups": convolution.groups_of(site),
            **convolution.window_fields(site),
            **convolution.requantize_fields(site, attrs.activation, out),
        },
    )


def pack_zero(site: Site) -> Params:
    """For weights with a zero point."""
    fields = {f"base.{name}": value for name, value in pack(site).fields.items()}
    zero = {"weights_zero": convolution.weights_zero(site)}
    return Params("mcuc_conv2d_zero_params", "conv2d/conv2d.h", {**fields, **zero})


def suits_dsp(site: Site, target: Target) -> bool:
    """The DSP extension, and one group."""
    return has_one_group(site, target) and dsp_convolution.suits(site, target, site.const(WEIGHTS))


def suits_dsp_pointwise(site: Site, target: Target) -> bool:
    return is_pointwise(site, target) and suits_dsp(site, target)


def suits_dsp_wide_pointwise(site: Site, target: Target) -> bool:
    """Channels that fill words."""
    filters = site.const(WEIGHTS)
    return (
        suits_dsp_pointwise(site, target)
        and dsp_convolution.fills_words(filters)
        and dsp_convolution.may_widen(filters)
    )


def suits_dsp_wide(site: Site, target: Target) -> bool:
    return suits_dsp(site, target) and dsp_convolution.may_widen(site.const(WEIGHTS))


def scratch_dsp_wide(site: Site) -> int:
    return dsp_convolution.scratch_wide(site.const(WEIGHTS))


def pack_dsp(site: Site) -> Params:
    return dsp_convolution.pack(site, site.const(WEIGHTS))


def scratch_dsp(site: Site) -> int:
    return dsp_convolution.scratch(site.const(WEIGHTS))


def suits_mac_pointwise(site: Site, target: Target) -> bool:
    return is_pointwise(site, target) and mac_convolution.suits(site, site.const(WEIGHTS))


def suits_mac(site: Site, target: Target) -> bool:
    filters = site.const(WEIGHTS)
    fits = has_one_group(site, target) and mac_convolution.may_copy(filters)
    return fits and mac_convolution.suits(site, filters)


def pack_mac(site: Site) -> Params:
    return mac_convolution.pack(site, site.const(WEIGHTS))


def scratch_mac(site: Site) -> int:
    return mac_convolution.scratch(site.const(WEIGHTS))


def suits_mve(site: Site, target: Target) -> bool:
    """Helium, and one group."""
    return has_one_group(site, target) and mve_convolution.suits(site, target, site.const(WEIGHTS))


def suits_mve_pointwise(site: Site, target: Target) -> bool:
    return is_pointwise(site, target) and suits_mve(site, target)


def pack_mve(site: Site) -> Params:
    return mve_convolution.pack(site, site.const(WEIGHTS))


def scratch_mve(site: Site) -> int:
    return mve_convolution.scratch(site.const(WEIGHTS))


def scratch_mve_pointwise(site: Site) -> int:
    return mve_convolution.scratch_pointwise(site.const(WEIGHTS))


def has_zero(site: Site, target: Target) -> bool:
    return not convolution.is_symmetric(site, target)


_ZERO = kernels_on(
    DType.S8,
    Kernel(
        symbol="mcuc_conv2d_s8_s8_s8_zero__c",
        source="conv2d/s8_s8_s8_zero__c.c",
        form=Form.WINDOW,
        when=has_zero,
        pack=pack_zero,
        window=window,
    ),
)
SPEC = OpSpec(
    name="conv2d",
    doc="2-D convolution with stride, dilation, explicit padding, groups and fused activation",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", convolution.DTYPES),
        OperandSpec("filter", (DType.S8, DType.F32), const=True),
        OperandSpec("bias", (DType.S32, DType.S64, DType.F32), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region,
    kernels=kernels_on(
        DType.S8,
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8_1x1__mve_3x4",
            source="conv2d/s8_s8_s8_1x1__mve_3x4.c",
            form=Form.PIXEL,
            when=suits_mve_pointwise,
            pack=pack_mve,
            scratch=scratch_mve_pointwise,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8_1x1__dsp_3x2",
            source="conv2d/s8_s8_s8_1x1__dsp_3x2.c",
            form=Form.PIXEL,
            when=suits_dsp_wide_pointwise,
            pack=pack_dsp,
            scratch=scratch_dsp_wide,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8_1x1__dsp_2x2",
            source="conv2d/s8_s8_s8_1x1__dsp_2x2.c",
            form=Form.PIXEL,
            when=suits_dsp_pointwise,
            pack=pack_dsp,
            scratch=scratch_dsp,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8_1x1__c_2x3",
            source="conv2d/s8_s8_s8_1x1__c_2x3.c",
            form=Form.PIXEL,
            when=suits_mac_pointwise,
            pack=pack_mac,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8_1x1__c",
            source="conv2d/s8_s8_s8_1x1__c.c",
            form=Form.PIXEL,
            when=is_pointwise,
            pack=pack,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__mve_3x4",
            source="conv2d/s8_s8_s8__mve_3x4.c",
            form=Form.WINDOW,
            when=suits_mve,
            pack=pack_mve,
            window=mve_convolution.window,
            scratch=scratch_mve,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__dsp_3x2",
            source="conv2d/s8_s8_s8__dsp_3x2.c",
            form=Form.WINDOW,
            when=suits_dsp_wide,
            pack=pack_dsp,
            window=dsp_convolution.window_wide,
            scratch=scratch_dsp_wide,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__dsp_2x2",
            source="conv2d/s8_s8_s8__dsp_2x2.c",
            form=Form.WINDOW,
            when=suits_dsp,
            pack=pack_dsp,
            window=window,
            scratch=scratch_dsp,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__c_2x3",
            source="conv2d/s8_s8_s8__c_2x3.c",
            form=Form.WINDOW,
            when=suits_mac,
            pack=pack_mac,
            window=window,
            scratch=scratch_mac,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__c",
            source="conv2d/s8_s8_s8__c.c",
            form=Form.WINDOW,
            when=has_one_group,
            pack=pack,
            window=window,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8_grouped__c",
            source="conv2d/s8_s8_s8_grouped__c.c",
            form=Form.WINDOW,
            when=always,
            pack=pack,
            window=window,
        ),
        others=(*_ZERO, *int16_weights.CONV2D, *hybrid_weights.CONV2D, *float_weights.CONV2D),
        only=convolution.is_symmetric,
    ),
)
