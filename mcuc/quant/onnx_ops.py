"""How each op is written in ONNX: one handler per op, by its registry name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Node
from mcuc.ir.types import DType
from mcuc.ops import (
    arg_max,
    axes,
    batch_matmul,
    concatenation,
    gather,
    layer_norm,
    pairwise,
    reduce,
    resample,
    transpose,
)
from mcuc.ops import resize_bilinear as resize
from mcuc.ops import softmax as softmax_op
from mcuc.ops import take as take_op
from mcuc.ops import transpose_conv as upconv
from mcuc.ops import unary as unary_op
from mcuc.ops.average_pool2d import Attrs as AverageAttrs
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS, attrs_of
from mcuc.ops.fully_connected import Attrs as FullyConnectedAttrs
from mcuc.ops.pad import fill_of, paddings_of
from mcuc.ops.pooling import attrs_of as pool_attrs
from mcuc.ops.spec import Site
from mcuc.quant.onnx_export import _ELEMENT, TO_NCHW, TO_NHWC, Exporter

_LEAST_ROOT = 1e-6  # of L2_NORMALIZATION

Handler = Callable[[Exporter, Node, Site], None]


def _on_map(to: Exporter, node: Node, result: str, activation: str) -> None:
    """Ends an op on a map: activation, and back to NHWC."""
    active = to.activated(result, activation, None)
    to.emit("Transpose", [active], to.name(node.outputs[0]), perm=list(TO_NHWC))


def _conv2d(to: Exporter, node: Node, site: Site) -> None:
    depthwise = node.op == "depthwise_conv2d"
    attrs = attrs_of(site)
    channels = site.input(INPUT).shape[3]
    groups = channels if depthwise else channels // site.input(WEIGHTS).shape[3]
    inputs = [
        to.operand(node, INPUT, TO_NCHW),
        to.operand(node, WEIGHTS, (3, 0, 1, 2) if depthwise else TO_NCHW),
    ]
    if to.present(node, BIAS):
        inputs.append(to.operand(node, BIAS, shape=(-1,)))
    top, bottom, left, right = attrs.pad
    result = to.emit(
        "Conv",
        inputs,
        group=groups,
        strides=list(attrs.stride),
        dilations=list(attrs.dilation),
        pads=[top, left, bottom, right],
        kernel_shape=list(site.input(WEIGHTS).shape[1:3]),
    )
    _on_map(to, node, result, attrs.activation)


def _transpose_conv(to: Exporter, node: Node, site: Site) -> None:
    """What the output lacks at its end is cut off there, or filled up (`output_padding`)."""
    attrs = upconv.attrs_of(site)
    weights = site.input(WEIGHTS).shape
    sizes = site.input(INPUT).shape[1:3]
    over = [
        (size - 1) * stride + kernel - wanted - before
        for size, stride, kernel, wanted, before in zip(
            sizes, attrs.stride, weights[1:3], attrs.size, attrs.pad, strict=True
        )
    ]
    inputs = [to.operand(node, INPUT, TO_NCHW), to.operand(node, WEIGHTS, (3, 0, 1, 2))]
    if to.present(node, BIAS):
        inputs.append(to.operand(node, BIAS, shape=(-1,)))
    result = to.emit(
        "ConvTranspose",
        inputs,
        strides=list(attrs.stride),
        pads=[*attrs.pad, *(max(0, n) for n in over)],
        output_padding=[max(0, -n) for n in over],
        kernel_shape=list(weights[1:3]),
    )
    _on_map(to, node, result, attrs.activation)


def _fully_connected(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, FullyConnectedAttrs)
    depth = site.input(WEIGHTS).shape[1]
    flat = to.operand(node, INPUT, shape=(-1, depth))
    inputs = [flat, to.operand(node, WEIGHTS)]
    if to.present(node, BIAS):
        inputs.append(to.operand(node, BIAS, shape=(-1,)))
    result = to.activated(to.emit("Gemm", inputs, transB=1), attrs.activation, None)
    to.emit("Reshape", [result, to.ints(*site.output.shape)], to.name(node.outputs[0]))


def _binary(op: str) -> Handler:
    def handler(to: Exporter, node: Node, site: Site) -> None:
        result = to.emit(op, [to.operand(node, 0), to.operand(node, 1)])
        to.activated(result, str(getattr(site.attrs, "activation", "none")), _out(to, node))

    return handler


def _out(to: Exporter, node: Node) -> str:
    return to.name(node.outputs[0])


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
        to.emit("Mul", [difference, difference], _out(to, node))
    elif attrs.function == "not_equal":
        to.emit("Not", [to.emit("Equal", operands)], _out(to, node))
    else:
        result = to.emit(_PAIRWISE[attrs.function], operands)
        to.activated(result, attrs.activation, _out(to, node))


def _relu(to: Exporter, node: Node, site: Site) -> None:
    to.activated(to.operand(node, 0), str(getattr(site.attrs, "activation", "")), _out(to, node))


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
    x, out = to.operand(node, 0), _out(to, node)
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
    to.emit("Softmax", [x], _out(to, node), axis=-1)


def _plain(op: str, **attributes: int) -> Handler:
    def handler(to: Exporter, node: Node, site: Site) -> None:
        to.emit(op, [to.operand(node, 0)], _out(to, node), **attributes)

    return handler


def _mean(to: Exporter, node: Node, site: Site) -> None:
    _reduced(to, node, site, "ReduceMean", axes.reduced_axes(site))


def _reduce(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, reduce.Attrs)
    op = {"max": "ReduceMax", "min": "ReduceMin", "sum": "ReduceSum", "prod": "ReduceProd"}
    _reduced(to, node, site, op[attrs.kind], axes.reduced_axes(site))


def _reduced(to: Exporter, node: Node, site: Site, op: str, gone: frozenset[int]) -> None:
    result = to.emit(op, [to.operand(node, 0), to.ints(*sorted(gone))], keepdims=1)
    to.emit("Reshape", [result, to.ints(*site.output.shape)], _out(to, node))


def _pool(to: Exporter, node: Node, site: Site) -> None:
    attrs = pool_attrs(site)
    top, bottom, left, right = attrs.pad
    result = to.emit(
        "AveragePool" if isinstance(attrs, AverageAttrs) else "MaxPool",
        [to.operand(node, 0, TO_NCHW)],
        kernel_shape=list(attrs.filter),
        strides=list(attrs.stride),
        pads=[top, left, bottom, right],
    )
    _on_map(to, node, result, attrs.activation)


def _pad(to: Exporter, node: Node, site: Site) -> None:
    pairs = paddings_of(site)
    widths = to.ints(*(before for before, _ in pairs), *(after for _, after in pairs))
    fill = to.constant(fill_of(site).reshape(()))
    to.emit("Pad", [to.operand(node, 0), widths, fill], _out(to, node), mode="constant")


def _concatenation(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, concatenation.Attrs)
    operands = [to.operand(node, i) for i in range(len(node.inputs))]
    to.emit("Concat", operands, _out(to, node), axis=attrs.axis)


def _reshape(to: Exporter, node: Node, site: Site) -> None:
    to.emit("Reshape", [to.operand(node, 0), to.ints(*site.output.shape)], _out(to, node))


def _transpose(to: Exporter, node: Node, site: Site) -> None:
    perm = list(transpose.permutation(site))
    to.emit("Transpose", [to.operand(node, 0)], _out(to, node), perm=perm)


def _take(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, take_op.Attrs)
    x = to.operand(node, 0)
    for axis, pick in enumerate(attrs.picks):
        if pick is not None:
            x = to.emit("Gather", [x, to.ints(*pick)], axis=axis)
    to.emit("Identity", [x], _out(to, node))


def _resize_bilinear(to: Exporter, node: Node, site: Site) -> None:
    attrs = resize.attrs_of(site)
    mode = "half_pixel" if attrs.half_pixel_centers else "asymmetric"
    n, _, _, channels = site.input().shape
    result = to.emit(
        "Resize",
        [to.operand(node, 0, TO_NCHW), "", "", to.ints(n, channels, *attrs.size)],
        mode="linear",
        coordinate_transformation_mode="align_corners" if attrs.align_corners else mode,
    )
    _on_map(to, node, result, "none")


def _resample(to: Exporter, node: Node, site: Site) -> None:
    """Sums along columns, then along rows, as products with matrices of the weights."""
    attrs = site.attrs
    assert isinstance(attrs, resample.Attrs)
    _, height, width, _ = site.input().shape
    rows, columns = _matrix(attrs.rows, height), _matrix(attrs.columns, width)
    x = to.operand(node, 0, TO_NCHW)
    result = to.emit("MatMul", [x, to.constant(np.ascontiguousarray(columns.T))])
    _on_map(to, node, to.emit("MatMul", [to.constant(rows), result]), "none")


def _matrix(taps: resample.Taps, size: int) -> npt.NDArray[np.float32]:
    matrix = np.zeros((len(taps.places), size), np.float32)
    for row, (places, weights) in enumerate(zip(taps.places, taps.weights, strict=True)):
        np.add.at(matrix[row], list(places), np.asarray(weights, np.float32))
    return matrix


def _arg_max(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, arg_max.Attrs)
    op = "ArgMin" if attrs.least else "ArgMax"
    result = to.emit(op, [to.operand(node, 0)], axis=attrs.axis, keepdims=0)
    to.emit("Cast", [result], _out(to, node), to=_ELEMENT[site.output.dtype])


def _batch_matmul(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, batch_matmul.Attrs)
    operands = []
    for position, swapped in ((0, attrs.adj_a), (1, attrs.adj_b)):
        rank = len(site.input(position).shape)
        perm = [*range(rank - 2), rank - 1, rank - 2] if swapped else None
        operands.append(to.operand(node, position, perm))
    to.emit("MatMul", operands, _out(to, node))


def _layer_norm(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, layer_norm.Attrs)
    depth = site.input().shape[-1]
    ones = to.constant(np.ones(depth, np.float32))
    scale = to.operand(node, 1, shape=(depth,)) if to.present(node, 1) else ones
    inputs = [to.operand(node, 0), scale]
    if to.present(node, 2):
        inputs.append(to.operand(node, 2, shape=(depth,)))
    to.emit("LayerNormalization", inputs, _out(to, node), axis=-1, epsilon=attrs.epsilon)


def _l2_norm(to: Exporter, node: Node, site: Site) -> None:
    """A root is at least that of TFLite's least sum of squares."""
    x = to.operand(node, 0)
    root = to.emit("ReduceL2", [x, to.ints(-1)], keepdims=1)
    least = to.constant(np.asarray(_LEAST_ROOT, np.float32))
    to.emit("Div", [x, to.emit("Max", [root, least])], _out(to, node))


def _select(to: Exporter, node: Node, site: Site) -> None:
    to.emit("Where", [to.operand(node, i) for i in range(3)], _out(to, node))


def _gather(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, gather.Attrs)
    operands = [to.operand(node, 0), to.operand(node, 1)]
    if attrs.several:
        wide = to.emit("Cast", [operands[1]], to=_ELEMENT[DType.S64])
        to.emit("GatherND", [operands[0], wide], _out(to, node), batch_dims=attrs.batch_dims)
    elif attrs.batch_dims:
        raise site.error("E210", "a gather with shared axes cannot be exported to ONNX")
    else:
        to.emit("Gather", operands, _out(to, node), axis=attrs.axis)


def _cast(to: Exporter, node: Node, site: Site) -> None:
    to.emit("Cast", [to.operand(node, 0)], _out(to, node), to=_ELEMENT[site.output.dtype])


def _quantize(to: Exporter, node: Node, site: Site) -> None:
    x = to.operand(node, 0)
    source, result = site.input(), site.output
    if source.quant is not None:
        x = to.dequantized(x, source.dtype, source.quant, source.quant.axis)
    assert result.quant is not None
    to.quantized(x, result.dtype, result.quant, _out(to, node))


def _dequantize(to: Exporter, node: Node, site: Site) -> None:
    source = site.input()
    x = node.inputs[0]
    assert x is not None
    if site.consts[0] is not None and node.outputs[0] not in to.graph.outputs:
        return  # written where it is read, in the layout wanted there
    if source.quant is None:
        to.emit("Cast", [to.operand(node, 0)], _out(to, node), to=_ELEMENT[site.output.dtype])
        return
    to.dequantized(
        to.operand(node, 0), source.dtype, source.quant, source.quant.axis, _out(to, node)
    )


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "add": _binary("Add"),
        "arg_max": _arg_max,
        "average_pool2d": _pool,
        "batch_matmul": _batch_matmul,
        "cast": _cast,
        "concatenation": _concatenation,
        "conv2d": _conv2d,
        "depthwise_conv2d": _conv2d,
        "dequantize": _dequantize,
        "fully_connected": _fully_connected,
        "gather": _gather,
        "l2_norm": _l2_norm,
        "layer_norm": _layer_norm,
        "log_softmax": _plain("LogSoftmax", axis=-1),
        "logistic": _plain("Sigmoid"),
        "max_pool2d": _pool,
        "mean": _mean,
        "mul": _binary("Mul"),
        "pad": _pad,
        "pairwise": _pairwise,
        "quantize": _quantize,
        "reduce": _reduce,
        "relu": _relu,
        "resample": _resample,
        "reshape": _reshape,
        "resize_bilinear": _resize_bilinear,
        "select": _select,
        "softmax": _softmax,
        "take": _take,
        "transpose": _transpose,
        "transpose_conv": _transpose_conv,
        "unary": _unary,
    }
)
