"""Activation functions, and softmaxes along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mcuc.frontends.onnx.handlers.elementwise import unary_handler
from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.types import DType
from mcuc.ops import log_softmax, logistic, relu, softmax


def _activation(operator: Operator, name: str, x: int) -> int:
    return operator.graph.add("relu", relu.Attrs(name), (x,))


def relu_(operator: Operator) -> Results:
    return (_activation(operator, "relu", operator.value()),)


def clip(operator: Operator) -> Results:
    """Limits as attributes before operator set 11, as operands from it on; each may be absent."""
    graph, x = operator.graph, operator.value()
    if operator.opset < 11:
        low, high = operator.real("min", -math.inf), operator.real("max", math.inf)
    elif any(operator.has(i) and graph.const(operator.value(i)) is None for i in (1, 2)):
        for position, function in ((1, "maximum"), (2, "minimum")):
            if operator.has(position):
                x = operator.pair(function, x, operator.value(position))
        return (x,)
    else:
        low = operator.number(1, "lower limit", -math.inf)
        high = operator.number(2, "upper limit", math.inf)
    large = float(np.finfo(np.float32).max)
    low, high = (-math.inf if low <= -large else low), (math.inf if high >= large else high)
    known = {(0.0, math.inf): "relu", (0.0, 6.0): "relu6", (-1.0, 1.0): "relu_n1_to_1"}
    if graph.type(x).dtype is DType.F32 and (low, high) in known:
        return (_activation(operator, known[low, high], x),)
    dtype = graph.type(x).dtype.numpy
    if graph.type(x).dtype is DType.F32 and math.inf not in (-low, high):
        return (operator.unary("clip", x, low, high),)
    if low > -math.inf:
        x = operator.pair("maximum", x, graph.constant(np.asarray(low, dtype)))
    if high < math.inf:
        x = operator.pair("minimum", x, graph.constant(np.asarray(high, dtype)))
    return (x,)


def sigmoid(operator: Operator) -> Results:
    return (_sigmoid(operator, operator.value()),)


def _sigmoid(operator: Operator, x: int) -> int:
    return operator.graph.add("logistic", logistic.Attrs(), (x,))


def swish(operator: Operator) -> Results:
    """X sigmoid(alpha x)."""
    x = operator.value()
    inner = _sigmoid(operator, operator.scaled(x, operator.real("alpha", 1.0)))
    return (operator.pair("mul", x, inner),)


def _with_attributes(function: str, **defaults: float) -> Handler:
    """A function with the numbers alpha and beta, which the node names."""

    def handler(operator: Operator) -> Results:
        numbers = [operator.real(name, default) for name, default in defaults.items()]
        return (operator.unary(function, operator.value(), *numbers),)

    return handler


def prelu(operator: Operator) -> Results:
    return (operator.pair("prelu", operator.value(), operator.value(1)),)


def gelu(operator: Operator) -> Results:
    approximate = operator.word("approximate", "none")
    return (operator.unary("gelu_tanh" if approximate == "tanh" else "gelu", operator.value()),)


def bias_gelu(operator: Operator) -> Results:
    """gelu(x + bias); FastGelu's in the form with tanh, and without a bias perhaps."""
    x = operator.value()
    if operator.has(1):
        x = operator.pair("add", x, operator.value(1))
    fast = operator.proto.op_type == "FastGelu"
    return (operator.unary("gelu_tanh" if fast else "gelu", x),)


def _softmax(op: str, attrs: object) -> Handler:
    """Over one axis from operator set 13 on; before, over all axes from one on."""

    def handler(operator: Operator) -> Results:
        graph, x = operator.graph, operator.value()
        shape = graph.shape(x)
        old = operator.opset < 13
        axis = operator.axis(operator.integer("axis", 1 if old else -1), len(shape))
        if old:
            flat = graph.reshape(x, (math.prod(shape[:axis]), math.prod(shape[axis:])))
            return (graph.reshape(graph.add(op, attrs, (flat,)), shape),)
        return (along_last(operator, x, axis, lambda v: graph.add(op, attrs, (v,))),)

    return handler


def along_last(operator: Operator, x: int, axis: int, function: Callable[[int], int]) -> int:
    """A function over the last axis, along another one."""
    graph, rank = operator.graph, len(operator.graph.shape(x))
    perm = [*(i for i in range(rank) if i != axis), axis]
    result = function(graph.transpose(x, perm))
    return graph.transpose(result, [perm.index(i) for i in range(rank)])


HANDLERS: dict[str, Handler] = {
    "HardSwish": unary_handler("hard_swish"),
    "com.microsoft.BiasGelu": bias_gelu,
    "com.microsoft.FastGelu": bias_gelu,
    "Relu": relu_,
    "Clip": clip,
    "Sigmoid": sigmoid,
    "Swish": swish,
    "HardSigmoid": _with_attributes("hard_sigmoid", alpha=0.2, beta=0.5),
    "LeakyRelu": _with_attributes("leaky_relu", alpha=0.01),
    "Elu": _with_attributes("elu", alpha=1.0),
    "Celu": _with_attributes("celu", alpha=1.0),
    "Selu": _with_attributes(
        "selu", alpha=1.67326319217681884765625, gamma=1.05070102214813232421875
    ),
    "ThresholdedRelu": _with_attributes("thresholded_relu", alpha=1.0),
    "PRelu": prelu,
    "Gelu": gelu,
    "com.microsoft.Gelu": gelu,
    "com.microsoft.QuickGelu": swish,
    "Softmax": _softmax("softmax", softmax.Attrs()),
    "LogSoftmax": _softmax("log_softmax", log_softmax.Attrs()),
    "Softplus": unary_handler("softplus"),
    "Softsign": unary_handler("softsign"),
    "Mish": unary_handler("mish"),
}
