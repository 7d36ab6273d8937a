"""Divisions by constants become products, for which there is arithmetic on integers.

    x / c   ->   x (1 / c)

Numerics: bounded: 1 / c is rounded to float32 once, exactly nothing where c is a power of two.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType
from mcuc.ops import mul, pairwise


def multiply_by_reciprocals(graph: Graph) -> Graph:
    """The graph without such divisions; the very same object if there are none."""
    values = dict(graph.values)
    nodes: list[Node] = []
    for node in graph.nodes:
        attrs = node.attrs
        divisor = node.inputs[1] if len(node.inputs) > 1 else None
        data = None if divisor is None else values[divisor].const
        is_division = isinstance(attrs, pairwise.Attrs) and attrs.function == "div"
        if not is_division or data is None or data.dtype != np.float32 or not data.all():
            nodes.append(node)
            continue
        assert isinstance(attrs, pairwise.Attrs) and divisor is not None
        new = max(values) + 1
        inverse = np.divide(np.float32(1), data, dtype=np.float32)
        type_ = replace(values[divisor].type, dtype=DType.F32, quant=None)
        values[new] = replace(values[divisor], const=inverse, type=type_)
        product = mul.Attrs(attrs.activation)
        nodes.append(replace(node, op="mul", attrs=product, inputs=(node.inputs[0], new)))
    if all(a is b for a, b in zip(nodes, graph.nodes, strict=True)):
        return graph
    return graph.with_nodes(tuple(nodes), values)
