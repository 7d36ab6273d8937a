"""TRANSPOSE_CONV of int8, int16 or float32: an input pixel is spread over a window of the output.

Source: TFLite reference_integer_ops `transpose_conv.h`; scales as in CONV_2D (docs/numerics.md).
Seen from the output, row y takes the kernel rows f with f = y + pad modulo the stride, each with
input row (y + pad - f) / stride: the row rule, and how the kernels compute it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops import convolution, float_weights, int16_weights
from mcuc.ops.arithmetic import is_float, is_int16, kernels_on
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS, Ints
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always
from mcuc.ops.windows import Pair, map_size


@dataclass(frozen=True)
class Attrs:
    """Attributes of TRANSPOSE_CONV.

    Attributes:
        size: Rows and columns of the output.
        stride: (vertical, horizontal).
        pad: Rows above, columns left, that are cut off from what the input spreads over.
        activation: Fused activation.
    """

    size: Pair
    stride: Pair = (1, 1)
    pad: Pair = (0, 0)
    activation: str = "none"


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    """Input [N, H, W, C] and weights [O, KH, KW, C] -> [N, *size, O]."""
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(INPUT, "input", convolution.DTYPES)
    real = x is not None and x.dtype is DType.F32
    kind = DType.F32 if real else DType.S8  # TFLite has no rule for float32 with int8 weights
    weights = problems.operand(WEIGHTS, "weights", (kind,))
    if weights is not None and site.consts[WEIGHTS] is None:
        problems.add("E113", "the weights are computed at run time")
    x_quant, out_quant = problems.per_tensor(x, "input"), problems.result_like(x)
    problems.activation(attrs.activation, out_quant)
    problems.at_least("the stride", attrs.stride, 1)
    problems.at_least("the output size", attrs.size, 1)
    problems.at_least("the padding", attrs.pad, 0)
    shape: tuple[int, ...] = ()
    ranks = problems.rank(x, "input", 4), problems.rank(weights, "weights", 4)
    if all(ranks) and x is not None and weights is not None:
        shape = (x.shape[0], *attrs.size, weights.shape[0])
        if x.shape[3] != weights.shape[3]:
            problems.add(
                "E111", f"the input {x.shape} has not the channels of the weights {weights.shape}"
            )
        convolution.check_bias(problems, weights.shape[0])
        weights_quant = convolution.check_weights(problems, weights, 0)
        convolution.check_requantization(problems, x_quant, weights_quant, out_quant)
        if x.dtype is DType.S16:
            int16_weights.check(problems, weights.elements // weights.shape[0], weights.shape[0])
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def spread(x: npt.NDArray[Any], weights: npt.NDArray[Any], attrs: Attrs) -> npt.NDArray[Any]:
    """Sums over the window of every input pixel, [N, *size, O], in the element type given.

    Each output's products are added in the order of the input's elements.
    """
    n, height, width, depth = x.shape
    units, kernel_h, kernel_w, _ = weights.shape
    (stride_h, stride_w), (top, left) = attrs.stride, attrs.pad
    rows = max((height - 1) * stride_h + kernel_h, top + attrs.size[0])
    columns = max((width - 1) * stride_w + kernel_w, left + attrs.size[1])
    total = np.zeros((n, rows, columns, units), x.dtype)
    for i in reversed(range(kernel_h)):
        for j in reversed(range(kernel_w)):
            place = total[
                :,
                i : i + (height - 1) * stride_h + 1 : stride_h,
                j : j + (width - 1) * stride_w + 1 : stride_w,
            ]
            for c in range(depth):
                place += x[..., c, None] * weights[:, i, j, c]
    return total[:, top : top + attrs.size[0], left : left + attrs.size[1]]


def ref(site: Site, x: Array, weights: Array, bias: Array | None = None) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    attrs, units = attrs_of(site), weights.shape[0]
    if is_float(site):
        sums = np.asarray(spread(x, weights, attrs), np.float32)
        return (float_weights.finish(sums, bias, attrs.activation),)
    centered = x.astype(np.int64) - quant_of(site.input(INPUT)).zero_point
    total: Ints = np.asarray(spread(centered, weights.astype(np.int64), attrs), np.int64)
    total = total + convolution.bias_or_zero(bias, units)
    if is_int16(site):
        return (int16_weights.requantized(site, total, attrs.activation),)
    acc = convolution.wrap_int32(total)
    clamp = activation_range(site, attrs.activation)
    zero_point = quant_of(site.output).zero_point
    return (int8.requantize_conv(acc, *convolution.multipliers(site, units), zero_point, clamp),)


def macs(site: Site) -> int:
    weights = site.input(WEIGHTS).shape
    return site.input(INPUT).elements * weights[0] * weights[1] * weights[2]


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    height, width, channels = site.input(INPUT).nhwc[1:]
    y0, y1 = _sources(site, 0, out.y0, out.y1, height)
    x0, x1 = _sources(site, 1, out.x0, out.x1, width)
    absent = (None,) * (len(site.inputs) - 1)
    if y0 >= y1 or x0 >= x1:
        return (None, *absent)
    return (Box(y0, y1, x0, x1, 0, channels), *absent)


def _sources(site: Site, axis: int, first: int, end: int, size: int) -> Pair:
    """Input rows (or columns) that output rows [first, end) take from."""
    attrs, kernel = attrs_of(site), map_size(site.input(WEIGHTS).shape)
    stride, pad = attrs.stride[axis], attrs.pad[axis]
    low = -((kernel[axis] - 1 - first - pad) // stride)
    return max(low, 0), min((end - 1 + pad) // stride + 1, size)


_KINDS = {DType.S8: "", DType.S16: "s16_", DType.F32: "f32_"}


def pack(site: Site) -> Params:
    """The record of the kernels of the site's element type."""
    attrs, weights = attrs_of(site), site.const(WEIGHTS)
    units = weights.shape[0]
    rule: dict[str, ParamValue]
    if is_float(site):
        rule = float_weights.ending(site, attrs.activation, units)
    elif is_int16(site):
        rule = int16_weights.ending(site, attrs.activation, units)
    else:
        bias = site.consts[BIAS] if len(site.consts) > BIAS else None
        rule = {
            "bias": convolution.wrap_int32(convolution.bias_or_zero(bias, units)),
            **convolution.requantize_fields(site, attrs.activation, units),
            "in_zero": quant_of(site.input(INPUT)).zero_point,
        }
    height, width, channels = site.input(INPUT).nhwc[1:]
    return Params(
        f"mcuc_transpose_conv_{_KINDS[site.input(INPUT).dtype]}params",
        "transpose_conv/transpose_conv.h",
        {
            "weights": weights,
            **rule,
            **dict(zip(("in_h", "in_w", "in_c"), (height, width, channels), strict=True)),
            "out_c": units,
            **dict(zip(("kernel_h", "kernel_w"), map_size(weights.shape), strict=True)),
            **dict(zip(("stride_h", "stride_w"), attrs.stride, strict=True)),
            **dict(zip(("top", "left"), attrs.pad, strict=True)),
        },
    )


SPEC = OpSpec(
    name="transpose_conv",
    doc="Transposed convolution",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", convolution.DTYPES),
        OperandSpec("weights", (DType.S8, DType.F32), const=True),
        OperandSpec("bias", (DType.S32, DType.S64, DType.F32), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region,
    kernels=kernels_on(
        DType.S8,
        Kernel(
            symbol="mcuc_transpose_conv_s8_s8_s8__c",
            source="transpose_conv/s8_s8_s8__c.c",
            form=Form.ROWS,
            when=always,
            pack=pack,
        ),
        others=(
            *kernels_on(
                DType.S16,
                Kernel(
                    symbol="mcuc_transpose_conv_s16_s8_s16__c",
                    source="transpose_conv/s16_s8_s16__c.c",
                    form=Form.ROWS,
                    when=always,
                    pack=pack,
                ),
            ),
            *kernels_on(
                DType.F32,
                Kernel(
                    symbol="mcuc_transpose_conv_f32_f32_f32__c",
                    source="transpose_conv/f32_f32_f32__c.c",
                    form=Form.ROWS,
                    when=always,
                    pack=pack,
                ),
            ),
        ),
    ),
)
