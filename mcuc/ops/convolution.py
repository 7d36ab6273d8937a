"""What the ops with weights share: checks of weights and bias, requantization constants.

CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED compute

    acc[o] = bias[o] + sum (x - zero_point_in) * (w[o] - zero_point_w)    in int32, which wraps
    y[o]   = clamp(zero_point_out + requantize(acc[o]))

Kernels see the raw x: `fold_bias` moves the constant part of the sum into the bias. Addition modulo
2^32 is associative, so folding gives the same bits even where an accumulator overflows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import ParamValue, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.numerics import params
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Site
from mcuc.ops.windows import Pad, Pair, map_size

Ints = npt.NDArray[np.int64]

INPUT, WEIGHTS, BIAS = 0, 1, 2

# By the input's element type.
WEIGHTS_DTYPES = {
    DType.S8: (DType.S8,),
    DType.S16: (DType.S8,),
    DType.F32: (DType.F32, DType.S8),
}
BIAS_DTYPES = {DType.S8: (DType.S32,), DType.S16: (DType.S64,), DType.F32: (DType.F32,)}
DTYPES = tuple(WEIGHTS_DTYPES)

# A bias is stored with the accumulator's scale; a file whose bias scale is off by more than what
# moves a result by one step means something else than what the operator computes.
_BIAS_STEPS = 1.0
_ROUNDED = 1e-5  # relative difference of scales that were rounded to float32 on the way

# float32 holds all integers up to here.
_EXACT_FLOAT32 = 1 << 24


@dataclass(frozen=True)
class ConvAttrs:
    """Attributes of CONV_2D and DEPTHWISE_CONV_2D.

    Attributes:
        stride, dilation: (vertical, horizontal).
        pad: Rows above, rows below, columns left, columns right.
        activation: Fused activation, "none", "relu", "relu6" or "relu_n1_to_1".
        uint8: Converted from uint8: TFLite's older factor, and weights that may have a zero point.
    """

    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    pad: Pad = (0, 0, 0, 0)
    activation: str = "none"
    uint8: bool = False


def attrs_of(site: Site) -> ConvAttrs:
    """The attributes of a CONV_2D or DEPTHWISE_CONV_2D."""
    assert isinstance(site.attrs, ConvAttrs)
    return site.attrs


def window(site: Site) -> Window:
    """The geometry for the driver."""
    return conv_window(attrs_of(site), kernel_size(site))


def conv_window(attrs: ConvAttrs, kernel: Pair) -> Window:
    """The geometry of attributes and a kernel size."""
    return Window(kernel, attrs.stride, attrs.dilation, (attrs.pad[0], attrs.pad[2]))


def window_fields(site: Site) -> dict[str, ParamValue]:
    """Members of kernel records for windows: the kernel, and what padding holds."""
    geometry = window(site)
    return {
        "kernel_h": geometry.kernel[0],
        "kernel_w": geometry.kernel[1],
        "in_zero": quant_of(site.input(INPUT)).zero_point,
        "stride_w": geometry.stride[1],
        "dilation_w": geometry.dilation[1],
    }


def _input_dtype(site: Site) -> DType:
    """Of an input that may be missing: then nothing depends on it."""
    x = site.inputs[INPUT] if site.inputs else None
    return DType.S8 if x is None else x.dtype


def weights_operand(problems: Problems, name: str, *, const: bool = True) -> TensorType | None:
    """The operand WEIGHTS, of an element type that goes with the input's."""
    dtypes = WEIGHTS_DTYPES.get(_input_dtype(problems.site), (DType.S8,))
    return problems.operand(WEIGHTS, name, dtypes, const=const)


def check_weights(
    problems: Problems, weights: TensorType | None, axis: int, *, asymmetric: bool = False
) -> Quant | None:
    """The quantization of int8 weights, if valid; float weights have none.

    Args:
        problems: Of the node.
        weights: Their type, with the rank checked.
        axis: The axis of the output channels, the only one that scales may stand on.
        asymmetric: Whether a per-tensor zero point other than 0 is allowed.
    """
    if weights is None or weights.dtype is DType.F32:
        return None
    quant = weights.quant
    if quant is None or not quant.per_channel:
        found = problems.per_tensor(weights, "weights")
    else:
        found = _per_channel(problems, quant, weights.shape[axis], axis, signed=not asymmetric)
    if found is None:
        return None
    if any(found.zero_points) and (found.per_channel or not asymmetric):
        worst = next(z for z in found.zero_points if z)
        problems.add(
            "E203",
            f"the weights have the zero point {worst}, not 0",
            why="TFLite defines this operator for symmetric weights",
            help="quantize the weights symmetrically",
        )
        return None
    return found


def _per_channel(
    problems: Problems, quant: Quant, channels: int, axis: int, *, signed: bool
) -> Quant | None:
    if quant.axis != axis or not len(quant.scales) == len(quant.zero_points) == channels:
        problems.add(
            "E204",
            f"the weights have {len(quant.scales)} scales and {len(quant.zero_points)} zero "
            f"points on axis {quant.axis}, not {channels} on axis {axis}",
            help="weights are quantized per output channel or per tensor",
        )
        return None
    # A convolution's channel may have a negative scale: batch normalisation that was folded in.
    sizes = [abs(s) if signed else s for s in quant.scales]
    bad = [i for i, s in enumerate(sizes) if not (np.isfinite(s) and s > 0)]
    if bad:
        wanted = "finite and not 0" if signed else "positive and finite"
        problems.add(
            "E202",
            f"the scale {quant.scales[bad[0]]} of weights channel {bad[0]} is not {wanted} "
            f"({len(bad)} such channels)",
            help="give channels without weights any positive scale",
        )
        return None
    return quant


def check_bias(problems: Problems, channels: int) -> None:
    """The optional operand BIAS: constant [channels], of the accumulator's type and scale."""
    dtypes = BIAS_DTYPES.get(_input_dtype(problems.site), (DType.S32,))
    bias = problems.operand(BIAS, "bias", dtypes, optional=True, const=True)
    if bias is None:
        return
    if bias.elements != channels:
        problems.add(
            "E111", f"the bias has {bias.elements} elements for {channels} output channels"
        )
    elif bias.quant is not None and any(bias.quant.zero_points):
        problems.add("E203", "the bias has a zero point other than 0")


def check_requantization(
    problems: Problems, x: Quant | None, weights: Quant | None, out: Quant | None
) -> None:
    """Requires that the scales combine to a factor, and that the bias has the product's scale."""
    if x is None or weights is None or out is None:
        return
    scales = x.scale, weights.scales, out.scale
    real = problems.attempt(combined, params.conv_multipliers, *scales)
    if real is None or len(problems.site.inputs) <= BIAS:
        return
    bias, data = problems.site.inputs[BIAS], problems.site.consts[BIAS]
    if bias is None or data is None or bias.quant is None or not bias.quant.scales:
        return
    stored = np.asarray(bias.quant.scales)
    product = x.scale * np.asarray(weights.scales)
    values = np.abs(np.asarray(data, np.float64).ravel())
    if len(stored) not in (1, len(values)) or len(product) not in (1, len(values)):
        return  # recorded elsewhere, or scales that nothing reads
    off = np.abs(stored - product)
    error = values * np.where(off > _ROUNDED * np.abs(product), off, 0.0) / out.scale
    if error.max() > _BIAS_STEPS:
        channel = int(error.argmax())
        problems.add(
            "E208",
            f"the bias of channel {channel} is not in the scale of the accumulator",
            why=f"its scale {np.broadcast_to(stored, values.shape)[channel]:g} is not the product "
            f"of the scales of input and weights, "
            f"{np.broadcast_to(product, values.shape)[channel]:g}; the result would be wrong by "
            f"{error[channel]:.1f} steps",
            help="requantize the bias",
        )


def wrap_int32(x: Ints) -> npt.NDArray[np.int32]:
    """Integers modulo 2^32, as int32."""
    return x.astype(np.int32)


def bias_or_zero(bias: Array | None, channels: int) -> Ints:
    """The bias as int64 [channels]."""
    if bias is None:
        return np.zeros(channels, np.int64)
    return np.asarray(bias, np.int64).reshape(channels)


def fold_bias(site: Site, weight_sums: Ints, constant: int = 0) -> npt.NDArray[np.int32]:
    """bias[o] - zero_point_in * weight_sums[o] + constant, modulo 2^32."""
    bias = site.consts[BIAS] if len(site.consts) > BIAS else None
    folded = bias_or_zero(bias, len(weight_sums)) + constant
    return wrap_int32(folded - quant_of(site.input(INPUT)).zero_point * weight_sums)


def multipliers(site: Site, channels: int) -> tuple[Ints, Ints]:
    """Multipliers and shifts of the double-rounding rule for each output channel."""
    x, weights = quant_of(site.input(INPUT)), quant_of(site.input(WEIGHTS))
    out = quant_of(site.output)
    factors: tuple[params.Multiplier, ...]
    if isinstance(site.attrs, ConvAttrs) and site.attrs.uint8:
        factors = (params.per_tensor_multiplier(x.scale, weights.scale, out.scale),)
    else:
        factors = params.conv_multipliers(x.scale, weights.scales, out.scale)
    pairs = np.asarray([(f.multiplier, f.shift) for f in factors], np.int64)
    full = np.broadcast_to(pairs, (channels, 2))
    return full[:, 0], full[:, 1]


def output_fields(site: Site, activation: str) -> dict[str, ParamValue]:
    """Members of kernel records that end a computation: output offset and clamping range."""
    low, high = activation_range(site, activation)
    return {"out_offset": quant_of(site.output).zero_point, "low": low, "high": high}


def requantize_fields(site: Site, activation: str, channels: int) -> dict[str, ParamValue]:
    """Members of kernel records for the double-rounding rule."""
    multiplier, shift = multipliers(site, channels)
    return {
        "multiplier": multiplier.astype(np.int32),
        # Shifts from 31 on, and below -32, all act the same.
        "shift": np.clip(shift, -33, 31).astype(np.int8),
        **output_fields(site, activation),
    }


def exact_float(depth: int, bound: int) -> type[np.floating]:
    """The fastest float type whose sums of `depth` integers up to `bound` are exact."""
    return np.float32 if depth * bound <= _EXACT_FLOAT32 else np.float64


def groups_of(site: Site) -> int:
    """Groups of a CONV_2D: input channels over channels of one filter."""
    return site.input(INPUT).shape[3] // site.input(WEIGHTS).shape[3]


def is_symmetric(site: Site, target: Target) -> bool:
    """Weights without a zero point."""
    return not weights_zero(site)


def weights_zero(site: Site) -> int:
    """The zero point of the weights; channels have none of their own."""
    return quant_of(site.input(WEIGHTS)).zero_point


def centered(site: Site) -> Ints:
    """The constant weights without their zero point."""
    return site.const(WEIGHTS).astype(np.int64) - weights_zero(site)


def has_one_group(site: Site, target: Target) -> bool:
    """A CONV_2D whose filters see all channels."""
    return groups_of(site) == 1


def is_pointwise(site: Site, target: Target) -> bool:
    """Each output pixel depends on the same pixel of the input, and on all of its channels."""
    attrs = attrs_of(site)
    return (
        kernel_size(site) == (1, 1)
        and attrs.stride == (1, 1)
        and not any(attrs.pad)
        and has_one_group(site, target)
    )


def kernel_size(site: Site) -> Pair:
    """Rows and columns of OHWI weights."""
    return map_size(site.input(WEIGHTS).shape)
