"""ADD, MUL, activations and other functions of one operand, QUANTIZE and DEQUANTIZE."""

from __future__ import annotations

import math
from collections.abc import Callable

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator
from mcuc.ir.types import DType
from mcuc.ops import (
    add,
    cast,
    dequantize,
    l2_norm,
    log_softmax,
    logistic,
    mul,
    pairwise,
    quantize,
    relu,
    softmax,
    unary,
)


def add_(operator: Operator) -> Mapped:
    """AddOptions: activation, pot_scale_int16."""
    check_scales(operator)
    if operator.type().dtype in (DType.S32, DType.S64):
        return Mapped("pairwise", pairwise.Attrs("add", operator.activation(0)))
    return Mapped("add", add.Attrs(operator.activation(0)))


def check_scales(operator: Operator) -> None:
    """Refuses ADD and SUB of int16 with scales for which TFLite has an old rule."""
    if operator.options.scalar(1, "bool", True) and _all_powers_of_two(operator):
        raise operator.error(
            "E115",
            f"{operator.loc.op} of int16 whose scales are powers of two follows an old rule",
            help="convert the model with a current TFLite converter",
        )


def _all_powers_of_two(operator: Operator) -> bool:
    """Whether all operands and results are int16 with such scales."""
    values = [*operator.inputs, *operator.outputs]
    scales = [
        value.type.quant.scale
        for value in values
        if value is not None and value.type.dtype is DType.S16 and value.type.quant is not None
    ]
    return len(scales) == len(values) and all(math.frexp(scale)[0] == 0.5 for scale in scales)


def mul_(operator: Operator) -> Mapped:
    """MulOptions: activation."""
    if operator.type().dtype in (DType.S32, DType.S64):
        return Mapped("pairwise", pairwise.Attrs("mul", operator.activation(0)))
    return Mapped("mul", mul.Attrs(operator.activation(0)))


def _relu(activation: str) -> Callable[[Operator], Mapped]:
    return lambda operator: Mapped("relu", relu.Attrs(activation))


def logistic_(operator: Operator) -> Mapped:
    return Mapped("logistic", logistic.Attrs())


def _unary(function: str) -> Callable[[Operator], Mapped]:
    return lambda operator: Mapped("unary", unary.Attrs(function))


def leaky_relu(operator: Operator) -> Mapped:
    """LeakyReluOptions: alpha."""
    alpha = operator.options.scalar(0, "f32", 0.0)
    if not 0 <= alpha < 1e6:
        raise operator.error("E115", f"alpha is {alpha}; a positive number is needed")
    return Mapped("unary", unary.Attrs("leaky_relu", alpha))


def gelu(operator: Operator) -> Mapped:
    """GeluOptions: approximate."""
    approximate = operator.options.scalar(0, "bool", False)
    return Mapped("unary", unary.Attrs("gelu_tanh" if approximate else "gelu"))


def softmax_(operator: Operator) -> Mapped:
    """SoftmaxOptions: beta."""
    return Mapped("softmax", softmax.Attrs(operator.options.scalar(0, "f32", 0.0)))


def l2_norm_(operator: Operator) -> Mapped:
    """L2NormOptions: activation."""
    if operator.activation(0) != "none":
        raise operator.error("E115", f"a normalization with fused {operator.activation(0)}")
    return Mapped("l2_norm", l2_norm.Attrs())


def quantize_(operator: Operator) -> Mapped:
    return Mapped("quantize", quantize.Attrs())


def dequantize_(operator: Operator) -> Mapped:
    return Mapped("dequantize", dequantize.Attrs())


# Without options, named alike
_UNARY = (
    *("ABS", "EXP", "FLOOR", "HARD_SWISH", "LOG", "NEG", "RELU_0_TO_1", "RSQRT", "SIGN"),
    *("SQRT", "SQUARE", "TANH", "SIN", "COS"),
)

BUILTINS = {
    "ADD": Builtin(add_, "AddOptions"),
    "MUL": Builtin(mul_, "MulOptions"),
    "RELU": Builtin(_relu("relu")),
    "RELU6": Builtin(_relu("relu6")),
    "RELU_N1_TO_1": Builtin(_relu("relu_n1_to_1")),
    **{name: Builtin(_unary(name.lower())) for name in _UNARY},
    "LEAKY_RELU": Builtin(leaky_relu, "LeakyReluOptions"),
    "GELU": Builtin(gelu, "GeluOptions"),
    "LOGISTIC": Builtin(logistic_),
    "CAST": Builtin(lambda operator: Mapped("cast", cast.Attrs())),
    "LOG_SOFTMAX": Builtin(lambda operator: Mapped("log_softmax", log_softmax.Attrs())),
    "L2_NORMALIZATION": Builtin(l2_norm_, "L2NormOptions"),
    "SOFTMAX": Builtin(softmax_, "SoftmaxOptions"),
    "QUANTIZE": Builtin(quantize_),
    "DEQUANTIZE": Builtin(dequantize_),
}
