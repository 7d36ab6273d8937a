"""Writes a `Graph` as a `.tflite` file: the inverse of `mcuc.frontends.tflite`.

So any graph can be put to the TFLite interpreter, and read back. TFLite knows the paddings SAME and
VALID only: a convolution with others gets a PAD in front, which `fuse_pad` takes away again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.frontends.tflite.builtins import BUILTINS
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import (
    add,
    arg_max,
    average_pool2d,
    batch_matmul,
    concatenation,
    cumsum,
    fully_connected,
    gather,
    l2_norm,
    mean,
    mul,
    pairwise,
    pooling,
    reduce,
    relu,
    reshape,
    resize_bilinear,
    softmax,
    transpose,
    transpose_conv,
    unary,
)
from mcuc.ops.convolution import ConvAttrs
from mcuc.ops.windows import explicit_pad
from tests.support.tflite_build import ModelBuilder

Options = dict[str, Any]
NO_PAD = (0, 0, 0, 0)


class CannotExportError(Exception):
    """TFLite has no operator for the node."""


def export(graph: Graph) -> bytes:
    """The graph as a file. Tensor names are the values' names."""
    return _Export(graph).build()


def merge(graphs: Sequence[Graph]) -> Graph:
    """One graph that computes all graphs side by side; inputs and outputs in their order."""
    values: dict[int, Value] = {}
    nodes: list[Node] = []
    inputs: list[int] = []
    outputs: list[int] = []
    for graph in graphs:
        first = max(values, default=-1) + 1
        values.update({first + v: value for v, value in graph.values.items()})
        inputs += [first + v for v in graph.inputs]
        outputs += [first + v for v in graph.outputs]
        nodes += [
            replace(
                node,
                inputs=tuple(None if v is None else first + v for v in node.inputs),
                outputs=tuple(first + v for v in node.outputs),
            )
            for node in graph.nodes
        ]
    return Graph(tuple(nodes), values, tuple(inputs), tuple(outputs), "merged")


class _Export:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.model = ModelBuilder()
        self.tensors = {v: self.tensor(value) for v, value in graph.values.items()}

    def build(self) -> bytes:
        for node in self.graph.nodes:
            _WRITERS.get(node.op, _plain)(self, node)
        return self.model.build(
            [self.tensors[v] for v in self.graph.inputs],
            [self.tensors[v] for v in self.graph.outputs],
        )

    def tensor(self, value: Value) -> int:
        type_ = value.type
        quant: Options = {}
        if type_.quant is not None:
            quant = {
                "scale": type_.quant.scales,
                "zero_point": type_.quant.zero_points,
                "quantized_dimension": type_.quant.axis or 0,
            }
        dtype = type_.dtype.numpy.name
        return self.model.tensor(value.name, type_.shape, dtype, data=value.const, **quant)

    def integers(self, name: str, numbers: Sequence[Any]) -> int:
        return self.model.const(name, np.asarray(numbers, np.int32))

    def operands(self, node: Node) -> list[int]:
        return [-1 if v is None else self.tensors[v] for v in node.inputs]

    def write(
        self, name: str, node: Node, options: Options | None = None, extra: Sequence[int] = ()
    ) -> None:
        operands = [*self.operands(node), *extra]
        self.model.op(name, operands, [self.tensors[v] for v in node.outputs], options)

    def padded(self, node: Node, pad: tuple[int, ...]) -> int:
        """The node's input behind a PAD."""
        (source, *_) = node.inputs
        assert source is not None
        value = self.graph.values[source]
        n, height, width, channels = value.type.shape
        shape = (n, height + pad[0] + pad[1], width + pad[2] + pad[3], channels)
        type_ = TensorType(shape, value.type.dtype, value.type.quant)
        out = self.tensor(Value(type_, f"{value.name}_padded"))
        paddings = self.integers(f"{value.name}_pads", [[0, 0], pad[:2], pad[2:], [0, 0]])
        self.model.op("PAD", [self.tensors[source], paddings], [out])
        return out


def _activation(name: str) -> Options:
    return {"fused_activation_function": name.upper()}


def _convolution(export: _Export, node: Node) -> None:
    attrs = node.attrs
    assert isinstance(attrs, ConvAttrs)
    if attrs.uint8:
        raise CannotExportError("the rules of a convolution that was uint8")
    x, weights = export.graph.operand_types(node)[:2]
    assert x is not None and weights is not None
    size, kernel = _size(x), _size(weights)
    same = explicit_pad("SAME", size, kernel, attrs.stride, attrs.dilation)
    operands = export.operands(node)
    if attrs.pad not in (same, NO_PAD):
        operands[0] = export.padded(node, attrs.pad)
    if len(operands) < 3 or operands[2] < 0:  # the interpreter wants a bias
        kind = {DType.F32: np.float32, DType.S16: np.int64}.get(x.dtype, np.int32)
        zeros: npt.NDArray[Any] = np.zeros(export.graph.type(node.outputs[0]).shape[3], kind)
        operands[2:] = [export.model.const("zero_bias", zeros)]
    options = {
        "padding": "SAME" if attrs.pad == same and any(same) else "VALID",
        "stride_h": attrs.stride[0],
        "stride_w": attrs.stride[1],
        "dilation_h_factor": attrs.dilation[0],
        "dilation_w_factor": attrs.dilation[1],
        **_activation(attrs.activation),
    }
    if node.op == "depthwise_conv2d":
        options["depth_multiplier"] = weights.shape[3] // x.shape[3]
    name = "CONV_2D" if node.op == "conv2d" else "DEPTHWISE_CONV_2D"
    export.model.op(name, operands, [export.tensors[v] for v in node.outputs], options)


def _transpose_conv(export: _Export, node: Node) -> None:
    attrs = node.attrs
    assert isinstance(attrs, transpose_conv.Attrs)
    out, weights = export.graph.type(node.outputs[0]), export.graph.operand_types(node)[1]
    assert weights is not None
    same = explicit_pad("SAME", attrs.size, _size(weights), attrs.stride)
    x, w, *bias = export.operands(node)
    options = {
        "padding": "SAME" if attrs.pad == (same[0], same[2]) and any(same) else "VALID",
        "stride_h": attrs.stride[0],
        "stride_w": attrs.stride[1],
        **_activation(attrs.activation),
    }
    operands = [export.integers("output_shape", out.shape), w, x, *bias]
    results = [export.tensors[v] for v in node.outputs]
    export.model.op("TRANSPOSE_CONV", operands, results, options, version=4)


def _size(type_: TensorType) -> tuple[int, int]:
    return type_.shape[1], type_.shape[2]


def _pool(export: _Export, node: Node) -> None:
    attrs = node.attrs
    assert isinstance(attrs, pooling.PoolAttrs)
    if attrs.dilation != (1, 1):
        raise CannotExportError("TFLite has no pool over windows with gaps")
    size = _size(export.graph.type(node.inputs[0]))  # type: ignore[arg-type]
    same = explicit_pad("SAME", size, attrs.filter, attrs.stride)
    if attrs.pad not in (same, NO_PAD):
        raise CannotExportError(f"a pool with the padding {attrs.pad}")
    if isinstance(attrs, average_pool2d.Attrs) and attrs.rounding != "half_away":
        raise CannotExportError("an int8 average pool that rounds halves up")
    options = {
        "padding": "SAME" if attrs.pad == same and any(same) else "VALID",
        "stride_h": attrs.stride[0],
        "stride_w": attrs.stride[1],
        "filter_height": attrs.filter[0],
        "filter_width": attrs.filter[1],
        **_activation(attrs.activation),
    }
    export.write("MAX_POOL_2D" if node.op == "max_pool2d" else "AVERAGE_POOL_2D", node, options)


def _fully_connected(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, fully_connected.Attrs)
    options = {
        "keep_num_dims": node.attrs.keep_num_dims,
        "asymmetric_quantize_inputs": node.attrs.asymmetric,
        **_activation(node.attrs.activation),
    }
    export.write("FULLY_CONNECTED", node, options)


def _binary(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, (add.Attrs, mul.Attrs))
    options = _activation(node.attrs.activation)
    if node.op == "add":
        options["pot_scale_int16"] = False
    export.write(node.op.upper(), node, options)


def _concatenation(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, concatenation.Attrs)
    options = {"axis": node.attrs.axis, **_activation(node.attrs.activation)}
    export.write("CONCATENATION", node, options)


def _mean(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, mean.Attrs)
    axes = export.integers("axes", node.attrs.axes)
    export.write("MEAN", node, {"keep_dims": node.attrs.keep_dims}, [axes])


def _reduce(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, reduce.Attrs)
    kind = node.attrs.kind
    name = "SUM" if kind == "sum" else f"REDUCE_{kind.upper()}"
    if export.graph.type(node.outputs[0]).dtype is DType.BOOL:
        name = "REDUCE_ANY" if kind == "max" else "REDUCE_ALL"
    axes = export.integers("axes", node.attrs.axes)
    export.write(name, node, {"keep_dims": node.attrs.keep_dims}, [axes])


def _reshape(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, reshape.Attrs)
    export.write("RESHAPE", node, extra=[export.integers("shape", node.attrs.shape)])


def _transpose(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, transpose.Attrs)
    export.write("TRANSPOSE", node, extra=[export.integers("perm", node.attrs.perm)])


def _relu(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, relu.Attrs)
    export.write(node.attrs.activation.upper(), node)


def _softmax(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, softmax.Attrs)
    export.write("SOFTMAX", node, {"beta": node.attrs.beta})


def _pad(export: _Export, node: Node) -> None:
    export.write("PADV2" if len(node.inputs) > 2 else "PAD", node)


def _resize_bilinear(export: _Export, node: Node) -> None:
    attrs = node.attrs
    assert isinstance(attrs, resize_bilinear.Attrs)
    if attrs.uint8:
        raise CannotExportError("the rule of uint8")
    options = {
        "align_corners": attrs.align_corners,
        "half_pixel_centers": attrs.half_pixel_centers,
    }
    export.write("RESIZE_BILINEAR", node, options, [export.integers("size", attrs.size)])


def _arg_max(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, arg_max.Attrs)
    wide = export.graph.type(node.outputs[0]).dtype is DType.S64
    axis = export.integers("axis", [node.attrs.axis])
    name = "ARG_MIN" if node.attrs.least else "ARG_MAX"
    export.write(name, node, {"output_type": 4 if wide else 2}, [axis])


def _batch_matmul(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, batch_matmul.Attrs)
    options = {"adj_x": node.attrs.adj_a, "adj_y": node.attrs.adj_b}
    export.write("BATCH_MATMUL", node, options)


def _cumsum(export: _Export, node: Node) -> None:
    attrs = node.attrs
    assert isinstance(attrs, cumsum.Attrs)
    options = {"exclusive": attrs.exclusive, "reverse": attrs.reverse}
    export.write("CUMSUM", node, options, [export.integers("axis", attrs.axis)])


def _l2_norm(export: _Export, node: Node) -> None:
    if node.attrs != l2_norm.Attrs():
        raise CannotExportError("the rule of a normalization that was uint8")
    export.write("L2_NORMALIZATION", node, _activation("none"))


def _gather(export: _Export, node: Node) -> None:
    attrs = node.attrs
    assert isinstance(attrs, gather.Attrs)
    if not attrs.several:
        export.write("GATHER", node, {"axis": attrs.axis, "batch_dims": attrs.batch_dims})
        return
    if attrs.batch_dims:
        raise CannotExportError("GATHER_ND of TFLite has no shared axes")
    export.write("GATHER_ND", node)


def _select(export: _Export, node: Node) -> None:
    export.write("SELECT_V2", node)


def _pairwise(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, pairwise.Attrs)
    name = node.attrs.function
    fused = _activation(node.attrs.activation) if name in ("sub", "div") else None
    export.write(name.upper(), node, fused)


def _unary(export: _Export, node: Node) -> None:
    assert isinstance(node.attrs, unary.Attrs)
    function, options = node.attrs.function, {}
    if function.upper() not in BUILTINS and not function.startswith("gelu"):
        raise CannotExportError(f"TFLite has no {function.upper()}")
    if function == "leaky_relu":
        options = {"alpha": node.attrs.alpha}
    if function.startswith("gelu"):
        options, function = {"approximate": function == "gelu_tanh"}, "gelu"
    export.write(function.upper(), node, options)


def _without_operator(export: _Export, node: Node) -> None:
    raise ValueError(f"no builtin operator is what {node.op} is")


def _plain(export: _Export, node: Node) -> None:
    """An op without options, called as TFLite's operator is."""
    export.write(node.op.upper(), node)


_WRITERS: dict[str, Callable[[_Export, Node], None]] = {
    "conv2d": _convolution,
    "depthwise_conv2d": _convolution,
    "transpose_conv": _transpose_conv,
    "fully_connected": _fully_connected,
    "average_pool2d": _pool,
    "max_pool2d": _pool,
    "add": _binary,
    "mul": _binary,
    "concatenation": _concatenation,
    "mean": _mean,
    "reduce": _reduce,
    "reshape": _reshape,
    "transpose": _transpose,
    "relu": _relu,
    "softmax": _softmax,
    "pad": _pad,
    "lstm": _without_operator,
    "batch_matmul": _batch_matmul,
    "gather": _gather,
    "select": _select,
    "layer_norm": _without_operator,
    "recurrent": _without_operator,
    "svdf_feature": _without_operator,
    "svdf_time": _without_operator,
    "signal": _without_operator,
    "resample": _without_operator,
    "top_k": _without_operator,
    "cumsum": _cumsum,
    "l2_norm": _l2_norm,
    "unary": _unary,
    "arg_max": _arg_max,
    "resize_bilinear": _resize_bilinear,
    "pairwise": _pairwise,
}
