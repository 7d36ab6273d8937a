"""QuantizeLinear, DequantizeLinear, and the operators on integers as what they stand for.

A quantized model comes in four spellings. All become the same graph: float operators with `quantize`
and `dequantize` between, which `mcuc/quant/fold_qdq.py` turns into integer operators.

* Integers at run time are int8 or int16: uint8 is shifted by 128, and its zero point with it.
* A constant behind a DequantizeLinear is a float32 constant whose type keeps scales, zero points and
  axis: its numbers are scale (q - zero_point), so that the integers can be told from it exactly.
"""

from __future__ import annotations

import math

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.graph import Array
from mcuc.ir.types import DType, Quant
from mcuc.ops import dequantize, quantize

_SIGNED = {"uint8": (DType.S8, 128), "int8": (DType.S8, 0), "int16": (DType.S16, 0),
           "uint16": (DType.S16, 32768)}  # fmt: skip


def quantize_linear(operator: Operator) -> Results:
    """Operands: input, scale, zero point. The zero point's type is the result's."""
    return (quantized(operator, operator.value(), 1),)


def quantized(operator: Operator, x: int, position: int) -> int:
    """A float value in the integers that two operands describe."""
    dtype, quant = _parameters(operator, position)
    if quant.per_channel:
        raise operator.error(
            "E204", "a tensor that is computed at run time is quantized per channel",
            help="quantize activations per tensor",
        )  # fmt: skip
    return operator.graph.add("quantize", quantize.Attrs(), (x,), dtype, quant)


def _parameters(operator: Operator, position: int) -> tuple[DType, Quant]:
    """Element type and quantization by the operands scale and zero point, shifted to signed."""
    scales = np.asarray(operator.const(position, "scale"), np.float32).ravel()
    if operator.has(position + 1):
        zeros = operator.const(position + 1, "zero point").ravel()
    else:
        zeros = np.zeros(scales.size, np.uint8)
    if operator.int("block_size", 0):
        raise operator.error("E204", "a tensor quantized by blocks is not supported")
    if zeros.dtype.name not in _SIGNED:
        raise operator.error("E110", f"a tensor quantized to {zeros.dtype} is not supported")
    if zeros.size != scales.size:
        raise operator.error("E209", f"{scales.size} scales and {zeros.size} zero points")
    if not all(math.isfinite(s) and s > 0 for s in scales.tolist()):
        raise operator.error("E202", "a scale is not positive and finite")
    dtype, shift = _SIGNED[zeros.dtype.name]
    axis = operator.int("axis", 1) if scales.size > 1 else None
    points = tuple(int(z) - shift for z in zeros)
    return dtype, Quant(tuple(map(float, scales)), points, axis)


def dequantize_linear(operator: Operator) -> Results:
    graph, x = operator.graph, operator.value()
    data = graph.const(x)
    if data is not None:
        return (_stored(operator, x, data),)
    type_ = graph.type(x)
    if type_.dtype in (DType.U8, DType.S32) or type_.quant is None:
        return (_border(operator, x),)
    dtype, quant = _parameters(operator, 1)
    if quant.per_channel or dtype is not type_.dtype:
        raise operator.error("E204", "a tensor that is computed at run time, per channel")
    if quant != type_.quant:  # the same integers, meant otherwise
        raise operator.error(
            "E207", "the integers are read with another scale than they were made with"
        )
    return (graph.add("dequantize", dequantize.Attrs(), (x,), DType.F32),)


def _border(operator: Operator, x: int) -> int:
    """Integers of an input of the model, whose meaning stands only here."""
    graph = operator.graph
    dtype, quant = _parameters(operator, 1)
    type_ = graph.type(x)
    if quant.per_channel or type_.dtype not in (DType.U8, DType.S8, DType.S16):
        raise operator.error("E110", f"a dequantization of {type_.dtype.value} at run time")
    return graph.dequantized_port(x, quant, dtype)


def _stored(operator: Operator, x: int, data: Array) -> int:
    """A constant with its scales."""
    graph = operator.graph
    scales = np.asarray(operator.const(1, "scale"), np.float32)
    zeros = operator.const(2, "zero point") if operator.has(2) else np.zeros_like(data, shape=())
    shift = {"uint8": 128, "uint16": 32768}.get(data.dtype.name, 0)
    axis = operator.axis(operator.int("axis", 1), max(1, data.ndim)) if scales.size > 1 else None
    if operator.int("block_size", 0):
        raise operator.error("E204", "a constant quantized by blocks is not supported")
    if axis is not None and scales.size != data.shape[axis]:
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


HANDLERS: dict[str, Handler] = {
    "QuantizeLinear": quantize_linear,
    "DequantizeLinear": dequantize_linear,
    "com.microsoft.QuantizeLinear": quantize_linear,
    "com.microsoft.DequantizeLinear": dequantize_linear,
}
