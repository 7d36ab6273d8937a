"""Takes an activation function into the op before it.

    y = relu(op(x))   ->   y = op with activation relu (x)

where op has a fused activation, which is "none", and nothing else reads op(x). Exact on float32:
both clamp the same sum. So a layer is quantized once, behind its activation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType
from mcuc.ops import concatenation, relu


def fuse_activation(graph: Graph) -> Graph:
    """The graph without such RELUs; the very same object if there are none."""
    consumers = graph.consumers()
    producers = graph.producers()
    nodes: list[Node | None] = list(graph.nodes)
    for index, node in enumerate(graph.nodes):
        if not isinstance(node.attrs, relu.Attrs) or node.inputs[0] is None:
            continue
        x = node.inputs[0]
        producer = producers.get(x)
        if producer is None or x in graph.results or len(consumers[x]) > 1:
            continue
        before = nodes[producer]
        if before is None or graph.type(x).dtype is not DType.F32 or not _takes(before.attrs):
            continue
        attrs: Any = before.attrs
        fused = replace(attrs, activation=node.attrs.activation)
        nodes[producer] = replace(before, outputs=node.outputs, attrs=fused)
        producers[node.outputs[0]] = producer
        nodes[index] = None
    return graph.with_left(nodes)


def _takes(attrs: object) -> bool:
    none = getattr(attrs, "activation", None) == "none"
    return none and not isinstance(attrs, concatenation.Attrs)
