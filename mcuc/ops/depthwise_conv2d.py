"""DEPTHWISE_CONV_2D of int8, int16 or float32: any multiplier, kernel, stride, dilation, padding.

Source: TFLite reference_integer_ops `depthwise_conv.h`, `DepthwiseConvPerChannel`; rule in
docs/numerics.md, "DEPTHWISE_CONV_2D". Output channel c * multiplier + m belongs to input channel c.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops import (
    convolution,
    depthwise_columns,
    depthwise_mve,
    depthwise_planar,
    depthwise_poly,
    depthwise_taps,
    dsp_convolution,
    float_weights,
    hybrid_weights,
    int16_weights,
    mac_convolution,
    mve_convolution,
    mve_tables,
)
from mcuc.ops.arithmetic import is_float, is_int16, kernels_on
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import INPUT, WEIGHTS, ConvAttrs, attrs_of, window
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always
from mcuc.ops.windows import check_geometry, map_size, padded, window_region


@dataclass(frozen=True)
class Attrs(ConvAttrs):
    """Geometry and fused activation; the channel multiplier follows from the shapes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    """[N, H, W, C] and filter [1, KH, KW, C * multiplier] -> [N, OH, OW, C * multiplier]."""
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
        convolution.check_bias(problems, weights.shape[3])
        weights_quant = convolution.check_weights(problems, weights, 3, asymmetric=attrs.uint8)
        convolution.check_requantization(problems, x_quant, weights_quant, out_quant)
        if x.dtype is DType.F32 and weights.dtype is DType.S8:
            hybrid_weights.check(problems, weights.shape[1] * weights.shape[2])
            if weights_quant is not None and len(weights_quant.scales) != weights.shape[3]:
                problems.add("E204", "float32 with int8 weights needs a scale per channel here")
        if x.dtype is DType.S16:
            int16_weights.check(problems, weights.shape[1] * weights.shape[2], weights.shape[3])
        geometry = convolution.conv_window(attrs, map_size(weights.shape))
        size = check_geometry(problems, map_size(x.shape), geometry, attrs.pad)
        shape = (x.shape[0], *(size or (0, 0)), weights.shape[3])
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _check_channels(problems: Problems, channels: int, weights: tuple[int, ...]) -> None:
    if weights[0] != 1:
        problems.add("E111", f"the filter has the shape {weights}; its first axis must be 1")
    if weights[3] % channels:
        problems.add(
            "E111", f"a filter of {weights[3]} channels is no multiple of {channels} input channels"
        )


def channel_multiplier(site: Site) -> int:
    """Output channels per input channel."""
    return site.input(WEIGHTS).shape[3] // site.input(INPUT).shape[3]


def ref(site: Site, x: Array, weights: Array, bias: Array | None = None) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    if hybrid_weights.is_hybrid(site):
        return (hybrid_weights.depthwise_conv2d(site, x, weights, bias),)
    if is_float(site):
        return (float_weights.depthwise_conv2d(site, x, weights, bias),)
    attrs = attrs_of(site)
    zero = quant_of(site.input(INPUT)).zero_point
    n, rows, columns, out = site.output.shape
    channels = x.shape[3]
    w_zero = convolution.weights_zero(site)
    wide = np.int64 if is_int16(site) else np.int32
    fields = padded(x, attrs.pad, zero).astype(wide) - zero
    total = np.zeros((n, rows, columns, channels, out // channels), wide)
    for i in range(weights.shape[1]):
        for j in range(weights.shape[2]):
            y, x0 = i * attrs.dilation[0], j * attrs.dilation[1]
            part = fields[:, y :: attrs.stride[0], x0 :: attrs.stride[1]][:, :rows, :columns]
            tap = (weights[0, i, j].astype(wide) - w_zero).reshape(channels, -1)
            total += part[..., np.newaxis] * tap  # wraps, as the C does
    acc = total.reshape(n, rows, columns, out).astype(np.int64)
    acc += convolution.bias_or_zero(bias, out)
    if is_int16(site):
        return (int16_weights.requantized(site, acc, attrs.activation),)
    factors = convolution.multipliers(site, out)
    clamp = activation_range(site, attrs.activation)
    zero_point = quant_of(site.output).zero_point
    return (int8.requantize_conv(convolution.wrap_int32(acc), *factors, zero_point, clamp),)


def macs(site: Site) -> int:
    kernel_h, kernel_w = convolution.kernel_size(site)
    return site.output.elements * kernel_h * kernel_w


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    if hybrid_weights.is_hybrid(site):  # its scale is that of the whole map
        whole = Box.of(site.input(INPUT).nhwc[1:])
        return (whole, *(None,) * (len(site.inputs) - 1))
    _, height, width, depth = site.input(INPUT).shape
    factor = channel_multiplier(site)
    channels = out.c0 // factor, -(-out.c1 // factor)
    box = window_region(out, window(site), (height, width, depth), channels)
    return (box, *(None,) * (len(site.inputs) - 1))


def pack(site: Site) -> Params:
    weights = site.const(WEIGHTS)
    attrs = attrs_of(site)
    out = weights.shape[3]
    sums = convolution.centered(site).sum(axis=(0, 1, 2))
    return Params(
        "mcuc_depthwise_conv2d_params",
        "depthwise_conv2d/depthwise_conv2d.h",
        {
            "weights": weights,
            "bias": convolution.fold_bias(site, sums),
            "channels": site.input(INPUT).shape[3],
            "channel_multiplier": channel_multiplier(site),
            **convolution.window_fields(site),
            **convolution.requantize_fields(site, attrs.activation, out),
        },
    )


def pack_zero(site: Site) -> Params:
    """For weights with a zero point."""
    fields = {f"base.{name}": value for name, value in pack(site).fields.items()}
    zero = {"weights_zero": convolution.weights_zero(site)}
    header = "depthwise_conv2d/depthwise_conv2d.h"
    return Params("mcuc_depthwise_conv2d_zero_params", header, {**fields, **zero})


def has_zero(site: Site, target: Target) -> bool:
    return not convolution.is_symmetric(site, target)


def has_one_output_each(site: Site, target: Target) -> bool:
    """Channel multiplier 1."""
    return channel_multiplier(site) == 1


def goes_by_taps(site: Site, target: Target) -> bool:
    """One output per channel, and at least a block of channels."""
    channels = site.input(INPUT).shape[3]
    return channels >= depthwise_taps.BLOCK and has_one_output_each(site, target)


def suits_dsp(site: Site, target: Target) -> bool:
    """The DSP extension, and blocks of channels."""
    return target.dsp and goes_by_taps(site, target) and depthwise_taps.suits_dsp(site)


def suits_planar(site: Site, target: Target, size: int) -> bool:
    """The DSP extension, and square windows of that size."""
    one = has_one_output_each(site, target)
    return target.dsp and one and depthwise_planar.suits_dsp(site, size)


def suits_poly(site: Site, target: Target, size: int) -> bool:
    """The DSP extension, square windows of that size, and sums that are not too large."""
    one = has_one_output_each(site, target)
    return target.dsp and one and depthwise_poly.suits(site, size)


def suits_planar_mac(site: Site, target: Target, size: int) -> bool:
    """Square windows of that size, and factors of the usual form."""
    return has_one_output_each(site, target) and depthwise_planar.suits_mac(site, size)


def _planar(size: int, isa: str) -> Kernel:
    dsp = isa == "dsp"
    in_columns = dsp and size == depthwise_columns.SIZE
    pack_dsp = depthwise_columns.pack if in_columns else depthwise_planar.pack_dsp
    return Kernel(
        symbol=f"mcuc_depthwise_conv2d_s8_s8_s8_k{size}__{isa}_4x1",
        source=f"depthwise_conv2d/s8_s8_s8_k{size}__{isa}_4x1.c",
        form=Form.WINDOW,
        when=functools.partial(suits_planar if dsp else suits_planar_mac, size=size),
        pack=pack_dsp if dsp else depthwise_planar.pack_mac,
        window=depthwise_planar.window,
        scratch=depthwise_columns.scratch if in_columns else depthwise_planar.scratch,
    )


def _poly(size: int) -> Kernel:
    return Kernel(
        symbol=f"mcuc_depthwise_conv2d_s8_s8_s8_k{size}__dsp_6x1",
        source=f"depthwise_conv2d/s8_s8_s8_k{size}__dsp_6x1.c",
        form=Form.WINDOW,
        when=functools.partial(suits_poly, size=size),
        pack=depthwise_poly.pack,
        window=depthwise_poly.window,
        scratch=depthwise_poly.scratch,
    )


def suits_mve(site: Site, target: Target) -> bool:
    """Helium, and one output per channel."""
    return target.mve and has_one_output_each(site, target) and depthwise_mve.suits(site)


def suits_mve_small(site: Site, target: Target) -> bool:
    """Helium, one output per channel, and small windows."""
    return target.mve and has_one_output_each(site, target) and depthwise_mve.suits_small(site)


def suits_mve_large(site: Site, target: Target) -> bool:
    """Helium, one output per channel, and larger windows."""
    return target.mve and has_one_output_each(site, target) and depthwise_mve.suits_large(site)


def suits_mve_taps(site: Site, target: Target) -> bool:
    """Helium, one output per channel, and at least a block of channels."""
    blocks = site.input(INPUT).shape[3] >= mve_tables.BLOCK
    one = has_one_output_each(site, target)
    return target.mve and blocks and one and depthwise_taps.suits_mve(site)


def suits_mac(site: Site, target: Target) -> bool:
    """Blocks of channels, and factors of the usual form."""
    return goes_by_taps(site, target) and depthwise_taps.suits_mac(site)


def suits_mve_single(site: Site, target: Target) -> bool:
    """One input channel: the same as a convolution with one."""
    one = site.input(INPUT).shape[3] == 1
    return one and mve_convolution.suits(site, target, _as_filters(site))


def pack_mve_single(site: Site) -> Params:
    return mve_convolution.pack(site, _as_filters(site))


def scratch_mve_single(site: Site) -> int:
    return mve_convolution.scratch(_as_filters(site))


def suits_dsp_single(site: Site, target: Target) -> bool:
    """One input channel, as above."""
    if not target.dsp or site.input(INPUT).shape[3] != 1:
        return False
    filters = _as_filters(site)
    return dsp_convolution.suits(site, target, filters) and dsp_convolution.may_widen(filters)


def pack_dsp_single(site: Site) -> Params:
    return dsp_convolution.pack(site, _as_filters(site))


def scratch_dsp_single(site: Site) -> int:
    return dsp_convolution.scratch_wide(_as_filters(site))


def suits_mac_single(site: Site, target: Target) -> bool:
    """One input channel, as above."""
    if site.input(INPUT).shape[3] != 1:
        return False
    filters = _as_filters(site)
    return mac_convolution.may_copy(filters) and mac_convolution.suits(site, filters)


def pack_mac_single(site: Site) -> Params:
    return mac_convolution.pack(site, _as_filters(site))


def scratch_mac_single(site: Site) -> int:
    return mac_convolution.scratch(_as_filters(site))


def _as_filters(site: Site) -> Array:
    """The weights as those of a convolution with one input channel."""
    return site.const(WEIGHTS).transpose(3, 1, 2, 0)


_ZERO = kernels_on(
    DType.S8,
    Kernel(
        symbol="mcuc_depthwise_conv2d_s8_s8_s8_zero__c",
        source="depthwise_conv2d/s8_s8_s8_zero__c.c",
        form=Form.WINDOW,
        when=has_zero,
        pack=pack_zero,
        window=window,
    ),
)
SPEC = OpSpec(
    name="depthwise_conv2d",
    doc="Depthwise 2-D convolution with any channel multiplier, stride, dilation and padding",
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
            symbol="mcuc_conv2d_s8_s8_s8__mve_3x4",
            source="conv2d/s8_s8_s8__mve_3x4.c",
            form=Form.WINDOW,
            when=suits_mve_single,
            pack=pack_mve_single,
            window=mve_convolution.window,
            scratch=scratch_mve_single,
        ),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8_k3__mve_8x1",
            source="depthwise_conv2d/s8_s8_s8_k3__mve_8x1.c",
            form=Form.WINDOW,
            when=suits_mve_small,
            pack=depthwise_mve.pack_small,
            window=depthwise_planar.window,
            scratch=depthwise_mve.scratch_columns,
        ),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8_k7__mve_4x1",
            source="depthwise_conv2d/s8_s8_s8_k7__mve_4x1.c",
            form=Form.WINDOW,
            when=suits_mve_large,
            pack=depthwise_mve.pack_large,
            window=depthwise_planar.window,
            scratch=depthwise_mve.scratch_columns,
        ),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8__mve_4x1",
            source="depthwise_conv2d/s8_s8_s8__mve_4x1.c",
            form=Form.WINDOW,
            when=suits_mve,
            pack=depthwise_mve.pack,
            window=depthwise_planar.window,
            scratch=depthwise_mve.scratch,
        ),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8__mve_1x16",
            source="depthwise_conv2d/s8_s8_s8__mve_1x16.c",
            form=Form.WINDOW,
            when=suits_mve_taps,
            pack=depthwise_taps.pack_mve,
            window=window,
            scratch=depthwise_taps.scratch_mve,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__dsp_3x2",
            source="conv2d/s8_s8_s8__dsp_3x2.c",
            form=Form.WINDOW,
            when=suits_dsp_single,
            pack=pack_dsp_single,
            window=dsp_convolution.window_wide,
            scratch=scratch_dsp_single,
        ),
        *(_poly(size) for size in (5, 7)),
        *(_planar(size, "dsp") for size in (3, 5, 7)),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8__dsp_1x4",
            source="depthwise_conv2d/s8_s8_s8__dsp_1x4.c",
            form=Form.WINDOW,
            when=suits_dsp,
            pack=depthwise_taps.pack_dsp,
            window=window,
            scratch=depthwise_taps.scratch,
        ),
        Kernel(
            symbol="mcuc_conv2d_s8_s8_s8__c_2x3",
            source="conv2d/s8_s8_s8__c_2x3.c",
            form=Form.WINDOW,
            when=suits_mac_single,
            pack=pack_mac_single,
            window=window,
            scratch=scratch_mac_single,
        ),
        *(_planar(size, "c") for size in (3, 5, 7)),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8__c_1x4",
            source="depthwise_conv2d/s8_s8_s8__c_1x4.c",
            form=Form.WINDOW,
            when=suits_mac,
            pack=depthwise_taps.pack_mac,
            window=window,
            scratch=depthwise_taps.scratch,
        ),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8__c",
            source="depthwise_conv2d/s8_s8_s8__c.c",
            form=Form.WINDOW,
            when=has_one_output_each,
            pack=pack,
            window=window,
        ),
        Kernel(
            symbol="mcuc_depthwise_conv2d_s8_s8_s8_mult__c",
            source="depthwise_conv2d/s8_s8_s8_mult__c.c",
            form=Form.WINDOW,
            when=always,
            pack=pack,
            window=window,
        ),
        others=(
            *_ZERO,
            *int16_weights.DEPTHWISE_CONV2D,
            *hybrid_weights.DEPTHWISE_CONV2D,
            *float_weights.DEPTHWISE_CONV2D,
        ),
        only=convolution.is_symmetric,
    ),
)
