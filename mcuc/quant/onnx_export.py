"""A `Graph` as an ONNX model, for ONNX Runtime: float ops, and `quantize` / `dequantize` as QDQ.

Graphs are NHWC and ONNX is NCHW: ops on maps stand between transposes, which ONNX Runtime moves and
cancels by itself. Names of tensors are the values' labels, made unique. Integer ops have no
counterpart in ONNX: export the graph before `fold_qdq`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mcuc.errors import ModelError
from mcuc.ir.graph import Array, Graph, Node
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.spec import NUMERICS, Site

if TYPE_CHECKING:
    import onnx

OPSET = 20
OPSET_16_BITS = 21  # the first whose QuantizeLinear gives int16
IR_VERSION = 10
TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)

ELEMENT = {  # element types of ONNX (TensorProto.DataType)
    DType.F32: 1,
    DType.U8: 2,
    DType.S8: 3,
    DType.S16: 5,
    DType.S32: 6,
    DType.S64: 7,
    DType.BOOL: 9,
    DType.F16: 10,
    DType.U32: 12,
    DType.U64: 13,
}


class Exporter:
    """Collects nodes and initializers; the handlers of `onnx_ops` fill it in."""

    def __init__(self, graph: Graph, numerics: str = NUMERICS[0]) -> None:
        self.graph = graph
        self.numerics = numerics
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._constants: dict[tuple[object, ...], str] = {}
        self._producers = graph.producers()
        for v in (*graph.inputs, *graph.outputs):
            self.name(v)

    def name(self, v: int) -> str:
        """The tensor that holds a value."""
        if v not in self.names:
            self.names[v] = self.unique(self.graph.values[v].name or f"value_{v}")
        return self.names[v]

    def result(self, node: Node) -> str:
        """The tensor that holds a node's result."""
        return self.name(node.outputs[0])

    def unique(self, wish: str) -> str:
        """A name that nothing has yet."""
        name, count = wish, 1
        while name in self._taken:
            name, count = f"{wish}_{count}", count + 1
        self._taken.add(name)
        return name

    def emit(
        self, op: str, inputs: Sequence[str], output: str | None = None, **attributes: Any
    ) -> str:
        """Adds a node of one output and gives that output's name."""
        from onnx import helper

        result = self.unique(op.lower()) if output is None else output
        self.nodes.append(
            helper.make_node(
                op, list(inputs), [result], name=self.unique(f"{op}_{result}"), **attributes
            )
        )
        return result

    def constant(self, array: Array, name: str = "") -> str:
        """An initializer; equal ones that nobody named are stored once."""
        from onnx import numpy_helper

        key = (array.shape, array.dtype.str, array.tobytes(), name)
        if key not in self._constants:
            unique = self.unique(name or "constant")
            self._constants[key] = unique
            stored = np.ascontiguousarray(array).reshape(array.shape)
            self.initializers.append(numpy_helper.from_array(stored, unique))
        return self._constants[key]

    def ints(self, *numbers: int) -> str:
        """A constant list of int64."""
        return self.constant(np.asarray(numbers, np.int64))

    def operand(
        self, node: Node, position: int, perm: Sequence[int] | None = None, shape: Any = None
    ) -> str:
        """An operand, of constants with axes permuted and reshaped here instead of at run time.

        Args:
            node: Which reads it.
            position: Of the operand.
            perm: New order of axes.
            shape: New shape, after `perm`.
        """
        v = node.inputs[position]
        assert v is not None
        if self._is_constant(v):
            return self._permuted(v, perm, shape)
        result = self.name(v)
        if perm is not None and list(perm) != sorted(perm):
            result = self.emit("Transpose", [result], perm=list(perm))
        if shape is not None:
            result = self.emit("Reshape", [result, self.ints(*shape)])
        return result

    def present(self, node: Node, position: int) -> bool:
        """Whether an optional operand is there."""
        return len(node.inputs) > position and node.inputs[position] is not None

    def _is_constant(self, v: int) -> bool:
        """A constant, or a constant behind a `dequantize`."""
        if self.graph.values[v].const is not None:
            return True
        producer = self._producers.get(v)
        if producer is None or self.graph.nodes[producer].op != "dequantize":
            return False
        (source,) = self.graph.nodes[producer].inputs
        return source is not None and self.graph.values[source].const is not None

    def _permuted(self, v: int, perm: Sequence[int] | None, shape: Any) -> str:
        value = self.graph.values[v]
        if value.const is not None:
            return self.constant(_moved(value.const, perm, shape), value.name)
        (source,) = self.graph.nodes[self._producers[v]].inputs
        assert source is not None
        stored = self.graph.values[source]
        assert stored.const is not None and stored.type.quant is not None
        if stored.type.dtype is DType.S64:  # a bias of an int16 layer: ONNX has none of 64 bits
            real = stored.const * np.asarray(stored.type.quant.scales)
            return self.constant(_moved(real.astype(np.float32), perm, shape), value.name)
        axis = stored.type.quant.axis
        if axis is not None and perm is not None:
            axis = list(perm).index(axis)
        data = self.constant(_moved(stored.const, perm, shape), stored.name)
        return self.dequantized(data, stored.type.dtype, stored.type.quant, axis)

    def dequantized(
        self, data: str, dtype: DType, quant: Quant, axis: int | None, output: str | None = None
    ) -> str:
        """A DequantizeLinear."""
        return self.emit(
            "DequantizeLinear",
            [data, *self.parameters(quant, dtype)],
            output,
            **({"axis": axis} if quant.per_channel else {}),
        )

    def quantized(self, x: str, dtype: DType, quant: Quant, output: str | None = None) -> str:
        """A QuantizeLinear per tensor."""
        return self.emit("QuantizeLinear", [x, *self.parameters(quant, dtype)], output)

    def parameters(self, quant: Quant, dtype: DType) -> list[str]:
        """Scale and zero point as constants."""
        scales = np.asarray(quant.scales, np.float32)
        zeros = np.asarray(quant.zero_points, dtype.numpy.name)
        if not quant.per_channel:
            scales, zeros = scales[0].reshape(()), zeros[0].reshape(())
        return [self.constant(scales), self.constant(zeros)]

    def activated(self, x: str, activation: str, output: str | None) -> str:
        """A fused activation as a node of its own, or the tensor itself."""
        if activation == "none":
            return x if output is None else self.emit("Identity", [x], output)
        if activation == "relu":
            return self.emit("Relu", [x], output)
        low, high = {"relu6": (0.0, 6.0), "relu_n1_to_1": (-1.0, 1.0)}[activation]
        limits = [self.constant(np.asarray(limit, np.float32)) for limit in (low, high)]
        return self.emit("Clip", [x, *limits], output)

    def model(self, extra_outputs: Sequence[int] = ()) -> onnx.ModelProto:
        """The whole graph as a model.

        Args:
            extra_outputs: Values that are outputs too (of calibration).
        """
        from onnx import helper

        from mcuc.quant.onnx_ops import HANDLERS

        graph = self.graph
        if graph.states:
            raise ModelError(
                "E210",
                "a model that keeps state from run to run cannot be exported to ONNX",
                help="quantize it where it was trained",
            )
        for node in graph.nodes:
            if node.op not in HANDLERS:
                raise ModelError(
                    "E210", f"{node.op} cannot be exported to ONNX", loc=node.loc, help="see --help"
                )
            HANDLERS[node.op](self, node, Site.of(graph, node, self.numerics))
        outputs = list(dict.fromkeys((*graph.outputs, *extra_outputs)))
        for v in outputs:
            const = graph.values[v].const
            if const is not None:
                self.emit("Identity", [self.constant(const)], self.name(v))
            elif v in graph.inputs:
                self.names[v] = self.emit("Identity", [self.name(v)])
        inputs = [self._port(v) for v in graph.inputs]
        made = helper.make_graph(
            self.nodes,
            graph.name or "model",
            inputs,
            [self._port(v) for v in outputs],
            self.initializers,
        )
        wide = any(v.type.dtype is DType.S16 for v in graph.values.values())
        opsets = [helper.make_opsetid("", OPSET_16_BITS if wide else OPSET)]
        return helper.make_model(
            made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="mcuc"
        )

    def _port(self, v: int) -> Any:
        from onnx import helper

        type_: TensorType = self.graph.type(v)
        return helper.make_tensor_value_info(self.names[v], ELEMENT[type_.dtype], list(type_.shape))


# Writes one node.
Handler = Callable[[Exporter, Node, Site], None]


def _moved(array: Array, perm: Sequence[int] | None, shape: Any) -> Array:
    moved = array if perm is None else array.transpose(tuple(perm))
    return moved if shape is None else moved.reshape(shape)


def export_onnx(
    graph: Graph, extra_outputs: Sequence[int] = (), numerics: str = NUMERICS[0]
) -> onnx.ModelProto:
    """The graph as an ONNX model.

    Args:
        graph: Float ops, `quantize` and `dequantize`.
        extra_outputs: Values that are outputs too.
        numerics: Rule set, for what the ops say of themselves.

    Raises:
        ModelError: E210 for ops without a counterpart.
    """
    return Exporter(graph, numerics).model(extra_outputs)
