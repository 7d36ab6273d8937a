"""Makes the int8 tensors behind and before conversions the model's inputs and outputs.

    input x, v = quantize(x)          ->  input v
    y = dequantize(v), output y       ->  output v        (also y = quantize(v) to another type)

where x (y) is float32 or uint8, v is int8, and x (y) has no other reader. The order of inputs and
outputs stays, and v takes the name of x (y), unless v is an input or output already. A conversion
between two int8 tensors is part of the model and stays.

Numerics: exact for the int8 tensors, but the model's interface changes: this pass runs only when
the user asks for it (`--io quantized`).
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph
from mcuc.ir.types import DType
from mcuc.passes.spec import Pass


def strip_io_quantize(graph: Graph) -> Graph:
    """The graph with int8 inputs and outputs where that is possible."""
    return _strip_outputs(_strip_inputs(graph))


def _strip_inputs(graph: Graph) -> Graph:
    consumers = graph.consumers()
    moved: dict[int, int] = {}
    for v in graph.inputs:
        readers = consumers.get(v, ())
        if len(readers) != 1 or v in graph.results:
            continue
        node = graph.nodes[readers[0]]
        if node.op == "quantize" and _converts(graph, v, node.outputs[0]):
            moved[v] = node.outputs[0]
    removed = set(moved.values())
    return _replaced(graph, moved, removed)


def _strip_outputs(graph: Graph) -> Graph:
    consumers, producers = graph.consumers(), graph.producers()
    moved: dict[int, int] = {}
    kept = {state.result for state in graph.states}
    for v in dict.fromkeys(graph.outputs):
        if v not in producers or v in consumers or v in kept:
            continue
        node = graph.nodes[producers[v]]
        source = node.inputs[0]
        if node.op not in ("dequantize", "quantize") or source is None:
            continue
        if _converts(graph, v, source):
            moved[v] = source
    return _replaced(graph, moved, set(moved))


def _converts(graph: Graph, edge: int, inner: int) -> bool:
    return graph.type(edge).dtype is not DType.S8 and graph.type(inner).dtype is DType.S8


def _replaced(graph: Graph, moved: dict[int, int], removed: set[int]) -> Graph:
    """The graph with other ports, without the nodes that compute `removed`."""
    if not moved:
        return graph
    values = dict(graph.values)
    named = {*graph.inputs, *graph.outputs}
    for old, new in moved.items():
        edge = values.pop(old)
        if new not in named:
            values[new] = replace(values[new], name=edge.name)
            named.add(new)
    return replace(
        graph,
        nodes=tuple(node for node in graph.nodes if removed.isdisjoint(node.outputs)),
        values=values,
        inputs=tuple(moved.get(v, v) for v in graph.inputs),
        outputs=tuple(moved.get(v, v) for v in graph.outputs),
    )


STRIP_IO_QUANTIZE = Pass("strip-io-quantize", strip_io_quantize, "exact")
