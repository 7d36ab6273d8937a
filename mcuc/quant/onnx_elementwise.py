"""How ops that keep their operand's shape are written in ONNX: element by element, or over the last
axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mcuc.ir.graph import Node
from mcuc.ops import (
    layer_norm,
    pairwise,
)
from mcuc.ops import softmax as softmax_op
from mcuc.ops import unary as unary_op
from mcuc.ops.spec import Site
from mcuc.quant.onnx_export import ELEMENT, Exporter, Handler

_LEAST_ROOT = 1e-6  # of L2_NORMALIZATION


def _binary(op: str) -> Handler:
    def handler(to: Exporter, node: Node, site: Site) -> None:
        result = to.emit(op, [to.operand(node, 0), to.operand(node, 1)])
        to.activated(result, str(getattr(site.attrs, "activation", "none")), to.result(node))

    return handler


_PAIRWISE = {
    "sub": "Sub",
    "div": "Div",
    "minimum": "Min",
    "maximum": "Max",
    "prelu": "PRelu",
    "less": "Less",
    "less_equal": "LessOrEqual",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "equal": "Equal",
    "logical_and": "And",
    "logical_or": "Or",
    "pow": "Pow",
}


def _pairwise(to: Exporter, node: Node, site: Site) -> None:
    attrs = pairwise.attrs_of(site)
    operands = [to.operand(node, 0), to.operand(node, 1)]
    if attrs.function == "squared_difference":
        difference = to.emit("Sub", operands)
        to.emit("Mul", [difference, difference], to.result(node))
    elif attrs.function == "not_equal":
        to.emit("Not", [to.emit("Equal", operands)], to.result(node))
    else:
        result = to.emit(_PAIRWISE[attrs.function], operands)
        to.activated(result, attrs.activation, to.result(node))


def _relu(to: Exporter, node: Node, site: Site) -> None:
    to.activated(to.operand(node, 0), str(getattr(site.attrs, "activation", "")), to.result(node))


_UNARY = {
    "abs": "Abs",
    "neg": "Neg",
    "sqrt": "Sqrt",
    "floor": "Floor",
    "sign": "Sign",
    "exp": "Exp",
    "log": "Log",
    "tanh": "Tanh",
    "sin": "Sin",
    "cos": "Cos",
    "hard_swish": "HardSwish",
    "erf": "Erf",
    "mish": "Mish",
    "softplus": "Softplus",
    "ceil": "Ceil",
    "round": "Round",
    "reciprocal": "Reciprocal",
    "softsign": "Softsign",
    "tan": "Tan",
    "asin": "Asin",
    "acos": "Acos",
    "atan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "asinh": "Asinh",
    "acosh": "Acosh",
    "atanh": "Atanh",
}


# With numbers of their own: the names of these in ONNX, alpha's and beta's.
_UNARY_NUMBERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "leaky_relu": ("LeakyRelu", ("alpha",)),
    "elu": ("Elu", ("alpha",)),
    "celu": ("Celu", ("alpha",)),
    "selu": ("Selu", ("alpha", "gamma")),
    "hard_sigmoid": ("HardSigmoid", ("alpha", "beta")),
    "thresholded_relu": ("ThresholdedRelu", ("alpha",)),
}


def _unary(to: Exporter, node: Node, site: Site) -> None:
    attrs = unary_op.attrs_of(site)
    x, out = to.operand(node, 0), to.result(node)
    name = attrs.function
    if name in _UNARY:
        to.emit(_UNARY[name], [x], out)
    elif name == "square":
        to.emit("Mul", [x, x], out)
    elif name == "rsqrt":
        to.emit("Reciprocal", [to.emit("Sqrt", [x])], out)
    elif name in _UNARY_NUMBERS:
        op, labels = _UNARY_NUMBERS[name]
        numbers = dict(zip(labels, (attrs.alpha, attrs.beta), strict=False))
        to.emit(op, [x], out, **numbers)
    elif name in ("gelu", "gelu_tanh"):
        to.emit("Gelu", [x], out, approximate="none" if name == "gelu" else "tanh")
    elif name in ("relu_0_to_1", "clip"):
        bounds = (0.0, 1.0) if name == "relu_0_to_1" else (attrs.alpha, attrs.beta)
        limits = [to.constant(np.asarray(limit, np.float32)) for limit in bounds]
        to.emit("Clip", [x, *limits], out)
    else:
        raise site.error("E210", f"{name} cannot be exported to ONNX")


def _softmax(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, softmax_op.Attrs)
    x = to.operand(node, 0)
    if attrs.beta != 1.0:
        x = to.emit("Mul", [x, to.constant(np.asarray(attrs.beta, np.float32))])
    to.emit("Softmax", [x], to.result(node), axis=-1)


def _plain(op: str, **attributes: int) -> Handler:
    def handler(to: Exporter, node: Node, site: Site) -> None:
        to.emit(op, [to.operand(node, 0)], to.result(node), **attributes)

    return handler


def _layer_norm(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, layer_norm.Attrs)
    depth = site.input().shape[-1]
    ones = to.constant(np.ones(depth, np.float32))
    scale = to.operand(node, 1, shape=(depth,)) if to.present(node, 1) else ones
    inputs = [to.operand(node, 0), scale]
    if to.present(node, 2):
        inputs.append(to.operand(node, 2, shape=(depth,)))
    to.emit("LayerNormalization", inputs, to.result(node), axis=-1, epsilon=attrs.epsilon)


def _l2_norm(to: Exporter, node: Node, site: Site) -> None:
    """A root is at least that of TFLite's least sum of squares."""
    x = to.operand(node, 0)
    root = to.emit("ReduceL2", [x, to.ints(-1)], keepdims=1)
    least = to.constant(np.asarray(_LEAST_ROOT, np.float32))
    to.emit("Div", [x, to.emit("Max", [root, least])], to.result(node))


def _select(to: Exporter, node: Node, site: Site) -> None:
    to.emit("Where", [to.operand(node, i) for i in range(3)], to.result(node))


def _cast(to: Exporter, node: Node, site: Site) -> None:
    to.emit("Cast", [to.operand(node, 0)], to.result(node), to=ELEMENT[site.output.dtype])


def _quantize(to: Exporter, node: Node, site: Site) -> None:
    x = to.operand(node, 0)
    source, result = site.input(), site.output
    if source.quant is not None:
        x = to.dequantized(x, source.dtype, source.quant, source.quant.axis)
    assert result.quant is not None
    to.quantized(x, result.dtype, result.quant, to.result(node))


def _dequantize(to: Exporter, node: Node, site: Site) -> None:
    source = site.input()
    x = node.inputs[0]
    assert x is not None
    if site.consts[0] is not None and node.outputs[0] not in to.graph.outputs:
        return  # written where it is read, in the layout wanted there
    if source.quant is None:
        to.emit("Cast", [to.operand(node, 0)], to.result(node), to=ELEMENT[site.output.dtype])
        return
    to.dequantized(
        to.operand(node, 0), source.dtype, source.quant, source.quant.axis, to.result(node)
    )


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "add": _binary("Add"),
        "cast": _cast,
        "dequantize": _dequantize,
        "l2_norm": _l2_norm,
        "layer_norm": _layer_norm,
        "log_softmax": _plain("LogSoftmax", axis=-1),
        "logistic": _plain("Sigmoid"),
        "mul": _binary("Mul"),
        "pairwise": _pairwise,
        "quantize": _quantize,
        "relu": _relu,
        "select": _select,
        "softmax": _softmax,
        "unary": _unary,
    }
)
