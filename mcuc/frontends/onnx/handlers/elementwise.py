"""Element-wise operators of one and of two operands, activations, softmaxes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.types import DType
from mcuc.ops import cast as cast_op
from mcuc.ops import log_softmax, logistic, relu, select, softmax

_EXACT = 1 << 23  # whole numbers below are float32


def _unary(function: str) -> Handler:
    return lambda operator: (operator.unary(function, operator.value()),)


def _pair(function: str) -> Handler:
    return lambda operator: (operator.pair(function, operator.value(), operator.value(1)),)


def _compared(function: str) -> Handler:
    """A comparison. Integers with a constant are compared in float32, which is exact: a small
    constant stays what it is, and no large integer becomes a small number.
    """

    def handler(operator: Operator) -> Results:
        graph = operator.graph
        a, b = operator.value(), operator.value(1)
        kinds = {graph.type(v).dtype for v in (a, b)}
        small = any(
            data is not None and np.abs(data.astype(np.float64)).max() < _EXACT
            for data in (graph.const(a), graph.const(b))
        )
        if kinds <= {DType.S32, DType.S64} and small:
            a, b = (graph.add("cast", cast_op.Attrs(), (v,), DType.F32) for v in (a, b))
        return (operator.pair(function, a, b),)

    return handler


def _many(function: str) -> Handler:
    """Max, Min, Sum of any number of operands."""

    def handler(operator: Operator) -> Results:
        operands = [operator.value(i) for i in range(len(operator.inputs))]
        if not operands:
            raise operator.error("E112", "there are no operands")
        return (functools.reduce(functools.partial(operator.pair, function), operands),)

    return handler


def mean_of(operator: Operator) -> Results:
    (total,) = _many("add")(operator)
    assert total is not None
    return (operator.scaled(total, 1.0 / len(operator.inputs)),)


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


def where(operator: Operator) -> Results:
    """Operands: condition, what stands where it holds, what stands elsewhere."""
    operands = tuple(operator.value(i) for i in range(3))
    graph = operator.graph
    yes = graph.type(operands[1])
    return (graph.add("select", select.Attrs(), operands, yes.dtype, yes.quant),)


def bias_gelu(operator: Operator) -> Results:
    """gelu(x + bias); FastGelu's in the form with tanh, and without a bias perhaps."""
    x = operator.value()
    if operator.has(1):
        x = operator.pair("add", x, operator.value(1))
    fast = operator.proto.op_type == "FastGelu"
    return (operator.unary("gelu_tanh" if fast else "gelu", x),)


def pow_(operator: Operator) -> Results:
    """Powers that are products and roots; others are a function of two operands."""
    x, y = operator.value(), operator.value(1)
    data = operator.graph.const(y)
    if data is not None and data.size == 1 and len(operator.shape(1)) <= len(operator.shape()):
        exponent = float(data.ravel()[0])
        if exponent in (1.0, 2.0, 3.0, 0.5, -0.5, -1.0):
            return (_power(operator, x, exponent),)
    if operator.type(1).dtype is not operator.type().dtype:
        y = operator.graph.add("cast", cast_op.Attrs(), (y,), operator.type().dtype)
    return (operator.pair("pow", x, y),)


def _power(operator: Operator, x: int, exponent: float) -> int:
    if exponent == 3.0:
        return operator.pair("mul", operator.unary("square", x), x)
    named = {2.0: "square", 0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}
    return operator.unary(named[exponent], x) if exponent in named else x


def cast(operator: Operator) -> Results:
    from onnx import TensorProto

    graph, x = operator.graph, operator.value()
    to = operator.type(1).dtype if operator.proto.op_type == "CastLike" else None
    if to is None:
        names = TensorProto.DataType.DESCRIPTOR.values_by_number
        code = operator.integer("to", 0)
        name = names[code].name if code in names else str(code)
        if name not in _CASTS:
            raise operator.error("E110", f"a cast to {name} is not supported")
        to = _CASTS[name]
    if graph.type(x).dtype is to:
        return (x,)
    return (graph.add("cast", cast_op.Attrs(), (x,), to),)


_CASTS = {
    "FLOAT": DType.F32,
    "INT8": DType.S8,
    "UINT8": DType.U8,
    "INT16": DType.S16,
    "INT32": DType.S32,
    "INT64": DType.S64,
    "BOOL": DType.BOOL,
}


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


def identity(operator: Operator) -> Results:
    return (operator.value(),)


def dropout(operator: Operator) -> Results:
    """At inference nothing is dropped."""
    if operator.has(2) and bool(operator.const(2, "training mode").any()):
        raise operator.error("E115", "Dropout in training mode")
    if operator.wants(1):
        raise operator.error("E115", "the mask of a Dropout is not supported")
    return (operator.value(),)


# Named alike
_FUNCTIONS = (
    *(
        "Abs",
        "Neg",
        "Sqrt",
        "Floor",
        "Ceil",
        "Round",
        "Sign",
        "Reciprocal",
        "Softsign",
        "Exp",
        "Log",
    ),
    *(
        "Tanh",
        "Sin",
        "Cos",
        "Erf",
        "Softplus",
        "Mish",
        "Tan",
        "Asin",
        "Acos",
        "Atan",
        "Sinh",
        "Cosh",
    ),
    *("Asinh", "Acosh", "Atanh"),
)

HANDLERS: dict[str, Handler] = {
    **{name: _unary(name.lower()) for name in _FUNCTIONS},
    "HardSwish": _unary("hard_swish"),
    "Add": _pair("add"),
    "Mul": _pair("mul"),
    "Sub": _pair("sub"),
    "Div": _pair("div"),
    "Equal": _compared("equal"),
    "Less": _compared("less"),
    "LessOrEqual": _compared("less_equal"),
    "Greater": _compared("greater"),
    "GreaterOrEqual": _compared("greater_equal"),
    "And": _pair("logical_and"),
    "Or": _pair("logical_or"),
    "Where": where,
    "Xor": _pair("not_equal"),
    "Not": _unary("logical_not"),
    "com.microsoft.BiasGelu": bias_gelu,
    "com.microsoft.FastGelu": bias_gelu,
    "Max": _many("maximum"),
    "Min": _many("minimum"),
    "Sum": _many("add"),
    "Mean": mean_of,
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
    "Pow": pow_,
    "Cast": cast,
    "CastLike": cast,
    "Softmax": _softmax("softmax", softmax.Attrs()),
    "LogSoftmax": _softmax("log_softmax", log_softmax.Attrs()),
    "Identity": identity,
    "Dropout": dropout,
}
