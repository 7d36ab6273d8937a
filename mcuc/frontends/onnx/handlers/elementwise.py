"""Element-wise operators of one operand and of several."""

from __future__ import annotations

import functools

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.types import DType
from mcuc.ops import cast as cast_op
from mcuc.ops import select

_EXACT = 1 << 23  # whole numbers below are float32


def unary_handler(function: str) -> Handler:
    """A function of one operand without numbers of its own."""
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


def where(operator: Operator) -> Results:
    """Operands: condition, what stands where it holds, what stands elsewhere."""
    operands = tuple(operator.value(i) for i in range(3))
    graph = operator.graph
    yes = graph.type(operands[1])
    return (graph.add("select", select.Attrs(), operands, yes.dtype, yes.quant),)


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


def identity(operator: Operator) -> Results:
    return (operator.value(),)


def dropout(operator: Operator) -> Results:
    """At inference nothing is dropped."""
    if operator.has(2) and bool(operator.const(2, "training mode").any()):
        raise operator.error("E115", "Dropout in training mode")
    if operator.wants(1):
        raise operator.error("E115", "the mask of a Dropout is not supported")
    return (operator.value(),)


# Named alike in ONNX and here.
_FUNCTIONS = (
    *("Abs", "Neg", "Sqrt", "Floor", "Ceil", "Round", "Sign", "Reciprocal", "Exp", "Log", "Erf"),
    *("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh"),
    "Atanh",
)

HANDLERS: dict[str, Handler] = {
    **{name: unary_handler(name.lower()) for name in _FUNCTIONS},
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
    "Not": unary_handler("logical_not"),
    "Max": _many("maximum"),
    "Min": _many("minimum"),
    "Sum": _many("add"),
    "Mean": mean_of,
    "Pow": pow_,
    "Cast": cast,
    "CastLike": cast,
    "Identity": identity,
    "Dropout": dropout,
}
