"""ADD, MUL, activations, QUANTIZE and DEQUANTIZE."""

from __future__ import annotations

from collections.abc import Callable

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator
from mcuc.ops import add, dequantize, logistic, mul, quantize, relu, softmax


def add_(operator: Operator) -> Mapped:
    """AddOptions: activation."""
    return Mapped("add", add.Attrs(operator.activation(0)))


def mul_(operator: Operator) -> Mapped:
    """MulOptions: activation."""
    return Mapped("mul", mul.Attrs(operator.activation(0)))


def _relu(activation: str) -> Callable[[Operator], Mapped]:
    return lambda operator: Mapped("relu", relu.Attrs(activation))


def logistic_(operator: Operator) -> Mapped:
    return Mapped("logistic", logistic.Attrs())


def softmax_(operator: Operator) -> Mapped:
    """SoftmaxOptions: beta."""
    return Mapped("softmax", softmax.Attrs(operator.options.scalar(0, "f32", 0.0)))


def quantize_(operator: Operator) -> Mapped:
    return Mapped("quantize", quantize.Attrs())


def dequantize_(operator: Operator) -> Mapped:
    return Mapped("dequantize", dequantize.Attrs())


BUILTINS = {
    "ADD": Builtin(add_, "AddOptions"),
    "MUL": Builtin(mul_, "MulOptions"),
    "RELU": Builtin(_relu("relu")),
    "RELU6": Builtin(_relu("relu6")),
    "RELU_N1_TO_1": Builtin(_relu("relu_n1_to_1")),
    "LOGISTIC": Builtin(logistic_),
    "SOFTMAX": Builtin(softmax_, "SoftmaxOptions"),
    "QUANTIZE": Builtin(quantize_),
    "DEQUANTIZE": Builtin(dequantize_),
}
