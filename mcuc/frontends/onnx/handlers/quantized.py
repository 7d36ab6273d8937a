"""QuantizeLinear, DequantizeLinear, and the operators on integers as what they stand for.

A quantized model comes in four spellings. All become the same graph: float operators with
`quantize` and `dequantize` between, which `mcuc/quant/fold_qdq.py` turns into integer operators.

* Integers at run time are int8 or int16: uint8 is shifted by 128, and its zero point with it.
* A constant behind a DequantizeLinear is a float32 constant whose type keeps scales, zero points
  and axis: its numbers are scale (q - zero_point), so that the integers can be told from it.
"""

from __future__ import annotations

import math

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.graph import Array
from mcuc.ir.types import DType, Quant
from mcuc.ops import dequantize, quantize, relu

_SIGNED = {"uint8": (DType.S8, 128), "int8": (DType.S8, 0), "int16": (DType.S16, 0),
           "uint16": (DType.S16, 32768)}  # fmt: skip


def quantize_linear(operator: Operator) -> Results:
    """Operands: input, scale, zero point. The zero point's type is the result's."""
    return (quantized(operator, operator.value(), 1),)


def quantized(operator: Operator, x: int, position: int) -> int:
    """A float value in the integers that two operands describe."""
    dtype, quant = _parameters(operator, position)
    x = _limited(operator, x, position)
    if quant.per_channel:
        raise operator.error(
            "E204", "a tensor that is computed at run time is quantized per channel",
            help="quantize activations per tensor",
        )  # fmt: skip
    result = operator.graph.add("quantize", quantize.Attrs(), (x,), dtype, quant)
    if _zero_of_int16(operator, position + 1):
        operator.graph.moved_zero.add(result)
    return result


def _parameters(operator: Operator, position: int, zero: int | None = None) -> tuple[DType, Quant]:
    """Element type and quantization by the operands scale and zero point, shifted to signed.

    With `zero` the scale is 1, and `position` that of the integers.
    """
    zero_at = position + 1 if zero is None else zero
    if zero is None:
        scales = np.asarray(operator.const(position, "scale"), np.float32).ravel()
    else:
        scales = np.ones(1, np.float32)
    if operator.has(zero_at):
        zeros = operator.const(zero_at, "zero point").ravel()
    else:
        kind = np.uint8 if zero is None else operator.type(position).dtype.numpy
        zeros = np.zeros(scales.size, kind)
    if operator.integer("block_size", 0):
        raise operator.error("E204", "a tensor quantized by blocks is not supported")
    if zeros.dtype.name not in _SIGNED:
        raise operator.error("E110", f"a tensor quantized to {zeros.dtype} is not supported")
    if zeros.size != scales.size:
        raise operator.error("E209", f"{scales.size} scales and {zeros.size} zero points")
    if not all(math.isfinite(s) and s > 0 for s in scales.tolist()):
        raise operator.error("E202", "a scale is not positive and finite")
    dtype, shift = _SIGNED[zeros.dtype.name]
    axis = operator.integer("axis", 1) if scales.size > 1 else None
    points = tuple(int(z) - shift for z in zeros)
    if dtype is DType.S16 and any(points):
        return dtype, _symmetric(scales, points)
    return dtype, Quant(tuple(map(float, scales)), points, axis)


def _symmetric(scales: Array, points: tuple[int, ...]) -> Quant:
    """A scale that is wide enough for all that a zero point let an int16 represent."""
    widest = max(abs(limit) for limit in _limits(scales, points))
    return Quant((float(np.float32(widest / 32767)),), (0,))


def _limits(scales: Array, points: tuple[int, ...]) -> tuple[float, float]:
    """The least and the greatest number of an int16 tensor."""
    scale, zero = float(scales.ravel()[0]), points[0]
    return (-32768 - zero) * scale, (32767 - zero) * scale


def _limited(operator: Operator, x: int, position: int) -> int:
    """Clamped at 0 where the stored zero point says that nothing is below.

    Quantizers drop a Relu before such a tensor, since its least number is 0. Beyond other limits,
    which a symmetric int16 reaches further than, numbers stay what they are instead of being cut.
    """
    zero = _zero_of_int16(operator, position + 1)
    if not zero:
        return x
    low, _ = _limits(np.asarray(operator.const(position, "scale"), np.float32), (zero,))
    return operator.graph.add("relu", relu.Attrs("relu"), (x,)) if low >= 0 else x


def _zero_of_int16(operator: Operator, position: int) -> int:
    """The zero point, shifted to signed, of a tensor of 16 bits; 0 for all others."""
    if not operator.has(position):
        return 0
    zeros = operator.const(position, "zero point").ravel()
    dtype, shift = _SIGNED.get(zeros.dtype.name, (DType.S8, 0))
    return int(zeros[0]) - shift if dtype is DType.S16 else 0


def dequantize_linear(operator: Operator) -> Results:
    return (dequantized(operator, 0),)


def dequantized(operator: Operator, position: int, zero: int | None = None) -> int:
    """The numbers that an operand of integers stands for; scale and zero point are the next two.

    Args:
        operator: The node.
        position: Of the integers.
        zero: Position of the zero point, for operators without a scale, whose scale is 1.
    """
    graph, x = operator.graph, operator.value(position)
    data = graph.const(x)
    if data is not None:
        return _stored(operator, x, data, position, zero)
    type_ = graph.type(x)
    if zero is not None:
        dtype, quant = _parameters(operator, position, zero)
    elif type_.dtype is DType.S32:
        raise operator.error("E110", "a dequantization of s32 at run time")
    else:
        dtype, quant = _parameters(operator, position + 1)
    if quant.per_channel:
        raise operator.error("E204", "a tensor that is computed at run time, per channel")
    if type_.dtype is DType.U8 or type_.quant is None:
        if type_.dtype not in (DType.U8, DType.S8, DType.S16):
            raise operator.error("E110", f"a dequantization of {type_.dtype.value} at run time")
        if type_.dtype is DType.S16 and _zero_of_int16(operator, position + 2):
            raise operator.error("E203", "an int16 input of the model has a zero point")
        return graph.dequantized_port(x, quant, dtype)
    if zero is not None and quant.zero_points == type_.quant.zero_points:
        numbers = graph.add("dequantize", dequantize.Attrs(), (x,), DType.F32)
        scale = graph.scalar(type_.quant.scale)
        return operator.unary("round", operator.pair("div", numbers, scale))
    if dtype is not type_.dtype or quant != type_.quant:  # the same integers, meant otherwise
        raise operator.error(
            "E207", "the integers are read with another scale than they were made with"
        )
    return graph.add("dequantize", dequantize.Attrs(), (x,), DType.F32)


def _stored(operator: Operator, x: int, data: Array, position: int, zero: int | None) -> int:
    """A constant with its scales."""
    graph = operator.graph
    if zero is not None:
        scales, zero_at = np.ones(1, np.float32), zero
    else:
        scales = np.asarray(operator.const(position + 1, "scale"), np.float32)
        zero_at = position + 2
    present = operator.has(zero_at)
    zeros = operator.const(zero_at, "zero point") if present else np.zeros((), data.dtype)
    if zero is not None and zeros.size > 1:
        scales = np.ones(zeros.size, np.float32)
    shift = {"uint8": 128, "uint16": 32768}.get(data.dtype.name, 0)
    axis = _axis(operator, data.ndim) if scales.size > 1 else None
    if operator.integer("block_size", 0):
        raise operator.error("E204", "a constant quantized by blocks is not supported")
    if axis is not None and data.shape[axis : axis + 1] != (scales.size,):
        raise operator.error("E204", f"{scales.size} scales for the shape {data.shape}")
    if zeros.size not in (1, scales.size):
        raise operator.error("E209", f"{scales.size} scales and {zeros.size} zero points")
    zeros = np.broadcast_to(zeros.ravel(), scales.ravel().shape)
    shape = [1] * data.ndim
    if axis is not None:
        shape[axis] = -1
    wide = data.astype(np.int64) - zeros.astype(np.int64).reshape(shape)
    numbers = wide.astype(np.float32) * scales.reshape(shape)
    points = tuple(int(z) - shift for z in zeros)
    quant = Quant(tuple(map(float, scales.ravel())), points, axis)
    return graph.constant(numbers.astype(np.float32), graph.values[x].name, quant)


def _axis(operator: Operator, rank: int) -> int:
    """Of the scales: DequantizeLinear says it, convolutions mean the first, products the last."""
    kind = operator.proto.op_type
    default = {"QLinearConv": 0, "ConvInteger": 0, "QLinearMatMul": -1, "MatMulInteger": -1}
    return operator.axis(operator.integer("axis", default.get(kind, 1)), max(1, rank))


HANDLERS: dict[str, Handler] = {
    "QuantizeLinear": quantize_linear,
    "DequantizeLinear": dequantize_linear,
    "com.microsoft.QuantizeLinear": quantize_linear,
    "com.microsoft.DequantizeLinear": dequantize_linear,
}
