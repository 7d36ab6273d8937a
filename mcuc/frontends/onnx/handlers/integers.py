"""Operators on integers: each as the float operator between `dequantize` and `quantize`.

QLinearConv and its relatives name scale and zero point of every tensor. ConvInteger and
MatMulInteger have no scales: they are the float operator on whole numbers, exact as long as no sum
leaves what float32 holds, and refused where one could.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mcuc.frontends.onnx.handlers.pooling import HANDLERS as POOLS
from mcuc.frontends.onnx.handlers.quantized import dequantized, quantized
from mcuc.frontends.onnx.handlers.weights import convolved, product
from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.types import DType, Quant
from mcuc.ops import cast, logistic

_EXACT = 1 << 24  # whole numbers up to here are float32


def qlinear_conv(operator: Operator) -> Results:
    """Operands: x, weights, result, each with scale and zero point (but the result); bias."""
    x, weights = dequantized(operator, 0), dequantized(operator, 3)
    bias = None
    if operator.has(8):
        held = operator.graph.type(weights).quant
        assert held is not None
        scale = np.asarray(operator.const(1, "scale"), np.float32).ravel()[0]
        scales = tuple(float(np.float32(scale * np.float32(s))) for s in held.scales)
        data = operator.const(8, "bias")
        numbers = data.astype(np.float32) * np.asarray(scales, np.float32)
        axis = 0 if len(scales) > 1 else None
        quant = Quant(scales, (0,) * len(scales), axis)
        bias = operator.graph.constant(numbers.astype(np.float32), "", quant)
    return (quantized(operator, convolved(operator, x, weights, bias), 6),)


def qlinear_matmul(operator: Operator) -> Results:
    a, b = dequantized(operator, 0), dequantized(operator, 3)
    return (quantized(operator, product(operator, a, b), 6),)


def _qlinear_pair(function: str) -> Handler:
    """com.microsoft: a, scale, zero, b, scale, zero, scale and zero of the result."""

    def handler(operator: Operator) -> Results:
        result = operator.pair(function, dequantized(operator, 0), dequantized(operator, 3))
        return (quantized(operator, result, 6),)

    return handler


def _qlinear_one(function: Callable[[Operator, int], int]) -> Handler:
    """com.microsoft: x, scale, zero, scale and zero of the result."""

    def handler(operator: Operator) -> Results:
        return (quantized(operator, function(operator, dequantized(operator, 0)), 3),)

    return handler


def _sigmoid(operator: Operator, x: int) -> int:
    return operator.graph.add("logistic", logistic.Attrs(), (x,))


def _leaky_relu(operator: Operator, x: int) -> int:
    return operator.unary("leaky_relu", x, operator.real("alpha", 0.01))


def _pool(name: str) -> Callable[[Operator, int], int]:
    def function(operator: Operator, x: int) -> int:
        if operator.integer("channels_last", 0):
            raise operator.error("E115", "channels_last")
        (result,) = POOLS[name](replace(operator, inputs=(x,)))
        assert result is not None
        return result

    return function


def qlinear_concat(operator: Operator) -> Results:
    """Scale and zero of the result, then each operand with its own."""
    parts = [dequantized(operator, i) for i in range(2, len(operator.inputs), 3)]
    if not parts:
        raise operator.error("E112", "there are no operands")
    axis = operator.axis(operator.integer("axis", 1), len(operator.graph.shape(parts[0])))
    return (quantized(operator, operator.graph.joined(parts, axis), 0),)


def conv_integer(operator: Operator) -> Results:
    """x, weights, zero points of both; the result is int32."""
    x, weights = dequantized(operator, 0, zero=2), dequantized(operator, 1, zero=3)
    _check_exact(operator, weights, tuple(range(1, len(operator.graph.shape(weights)))))
    return (_whole(operator, convolved(operator, x, weights, None)),)


def matmul_integer(operator: Operator) -> Results:
    x, weights = dequantized(operator, 0, zero=2), dequantized(operator, 1, zero=3)
    _check_exact(operator, weights, (-min(2, len(operator.graph.shape(weights))),))
    return (_whole(operator, product(operator, x, weights)),)


def _check_exact(operator: Operator, weights: int, axes: tuple[int, ...]) -> None:
    data = operator.graph.const(weights)
    if data is None:
        raise operator.error("E113", "the weights are computed at run time")
    if float(np.abs(data.astype(np.float64)).sum(axis=axes).max()) * 255 > _EXACT:
        raise operator.error(
            "E117", f"sums of {operator.proto.op_type} can be larger than 2^24",
            help="use QLinearConv, QLinearMatMul or QuantizeLinear and DequantizeLinear",
        )  # fmt: skip


def _whole(operator: Operator, x: int) -> int:
    return operator.graph.add("cast", cast.Attrs(), (x,), DType.S32)


def dynamic_quantize(operator: Operator) -> Results:
    raise operator.error(
        "E102",
        "DynamicQuantizeLinear is not supported: it takes its scale from data at run time",
        help="quantize the float model with mcuc (--calibration), or export it with fixed scales",
    )


HANDLERS: dict[str, Handler] = {
    "QLinearConv": qlinear_conv,
    "QLinearMatMul": qlinear_matmul,
    "com.microsoft.QLinearAdd": _qlinear_pair("add"),
    "com.microsoft.QLinearMul": _qlinear_pair("mul"),
    "com.microsoft.QLinearSigmoid": _qlinear_one(_sigmoid),
    "com.microsoft.QLinearLeakyRelu": _qlinear_one(_leaky_relu),
    "com.microsoft.QLinearAveragePool": _qlinear_one(_pool("AveragePool")),
    "com.microsoft.QLinearGlobalAveragePool": _qlinear_one(_pool("GlobalAveragePool")),
    "com.microsoft.QLinearConcat": qlinear_concat,
    "ConvInteger": conv_integer,
    "MatMulInteger": matmul_integer,
    "DynamicQuantizeLinear": dynamic_quantize,
}
