"""uint8 tensors read as int8: the same real numbers.

q (uint8) with zero point z   ->   q - 128 (int8) with zero point z - 128
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.errors import Loc
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import quantize


def as_int8(value: Value) -> Value:
    """A uint8 tensor read as int8; any other as it is."""
    type_, const = value.type, value.const
    if type_.dtype is not DType.U8:
        return value
    if const is not None:
        const = (const.astype(np.int16) - 128).astype(np.int8)
    return Value(_moved(type_, DType.S8, -128), value.name, const)


def _moved(type_: TensorType, dtype: DType, by: int) -> TensorType:
    quant = type_.quant
    if quant is not None:
        quant = replace(quant, zero_points=tuple(zero + by for zero in quant.zero_points))
    return TensorType(type_.shape, dtype, quant)


def with_uint8_ports(graph: Graph, ports: frozenset[int]) -> Graph:
    """The graph with uint8 inputs and outputs again.

    Args:
        graph: As loaded, with int8 in place of uint8.
        ports: Values that are uint8 in the file.
    """
    values = dict(graph.values)
    moved: dict[int, int] = {}
    before: list[Node] = []
    after: list[Node] = []
    for v in dict.fromkeys((*graph.inputs, *graph.outputs)):
        if v not in ports:
            continue
        value = values[v]
        new = moved[v] = max(values) + 1
        values[new] = Value(_moved(value.type, DType.U8, 128), value.name)
        loc = Loc(graph.nodes[0].loc.file if graph.nodes else "", tensor=value.name)
        if v in graph.inputs:
            before.append(Node("quantize", (new,), (v,), quantize.Attrs(), loc))
        else:
            after.append(Node("quantize", (v,), (new,), quantize.Attrs(), loc))
    return replace(
        graph,
        nodes=(*before, *graph.nodes, *after),
        values=values,
        inputs=tuple(moved.get(v, v) for v in graph.inputs),
        outputs=tuple(moved.get(v, v) for v in graph.outputs),
    )
