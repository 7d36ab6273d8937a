"""Brings a QDQ graph into the form that `fold_qdq` reads. Each step keeps what is computed.

* uint8 with a zero point z is int8 with z - 128; inputs and outputs of the model stay uint8.
* x / constant              becomes   a product.
* x -> op -> activation   becomes   x -> op with that activation.
* x -> move -> Q          becomes   x -> Q -> DQ -> move -> Q: what is moved or compared may be
  quantized before.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import dequantize, quantize
from mcuc.ops.uint8 import as_int8, with_uint8_ports
from mcuc.quant.fuse_activation import fuse_activation
from mcuc.quant.reciprocal import multiply_by_reciprocals
from mcuc.quant.rules import rule_of


def prepare_qdq(graph: Graph) -> Graph:
    """The graph, ready to be folded."""
    plain = multiply_by_reciprocals(_without_uint8(graph))
    return _quantize_before_moves(fuse_activation(plain))


def _without_uint8(graph: Graph) -> Graph:
    """Quantized uint8 values as int8."""
    found = {
        v
        for v, value in graph.values.items()
        if value.type.dtype is DType.U8 and value.type.quant is not None
    }
    if not found:
        return graph
    values = {v: as_int8(x) if v in found else x for v, x in graph.values.items()}
    ports = frozenset(found.intersection((*graph.inputs, *graph.outputs)))
    return with_uint8_ports(replace(graph, values=values), ports)


def _quantize_before_moves(graph: Graph) -> Graph:
    """Backwards, so that chains of moves take the pair up to what computes."""
    values = dict(graph.values)
    nodes = list(graph.nodes)
    for index in reversed(range(len(nodes))):
        current = graph.with_nodes(tuple(nodes), values)
        quantized = _asked_of_move(current, nodes[index])
        if quantized is None:
            continue
        made: list[Node] = []
        node = nodes[index]
        inputs = list(node.inputs)
        producers = current.producers()
        for p in _positions(node):
            v = inputs[p]
            assert v is not None
            producer = producers.get(v)
            paired = producer is not None and nodes[producer].op == "dequantize"
            if paired or values[v].const is not None:
                continue
            q, d = max(values) + 1, max(values) + 2
            shape = values[v].type.shape
            values[q] = Value(replace(quantized, shape=shape), values[v].name)
            values[d] = Value(TensorType(shape, DType.F32), f"{values[v].name}_dequantized")
            made.append(Node("quantize", (v,), (q,), quantize.Attrs(), node.loc))
            made.append(Node("dequantize", (q,), (d,), dequantize.Attrs(), node.loc))
            inputs[p] = d
        if made:
            nodes[index : index + 1] = [*made, replace(node, inputs=tuple(inputs))]
    return graph.with_nodes(tuple(nodes), values)


def _positions(node: Node) -> tuple[int, ...]:
    rule = rule_of(node)
    return () if rule is None else rule.activations(node)


def _asked_of_move(graph: Graph, node: Node) -> TensorType | None:
    """The type that all readers of a move's result quantize it to."""
    rule = rule_of(node)
    (result, *rest) = node.outputs
    if rule is None or not rule.exact or rest or result in graph.results:
        return None
    if graph.type(result).dtype is not DType.F32:
        return None
    readers = [graph.nodes[i] for i in graph.consumers().get(result, ())]
    types = {
        (graph.type(r.outputs[0]).dtype, graph.type(r.outputs[0]).quant)
        for r in readers
        if r.op == "quantize"
    }
    if len(types) != 1 or any(r.op != "quantize" for r in readers):
        return None
    return graph.type(readers[0].outputs[0])
