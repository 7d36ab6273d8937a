"""Models of the old uint8 quantization, read as int8.

    q (uint8) with zero point z   ->   q - 128 (int8) with zero point z - 128

holds for every tensor inside; the model's own inputs and outputs stay uint8 behind a QUANTIZE that
moves them by 128. The arithmetic of all operators is that of int8 but for two rules, which become
attributes: docs/numerics.md, "uint8 models".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.errors import Loc, ModelError
from mcuc.frontends.tflite.operator import AnyPart, Part
from mcuc.frontends.tflite.schema import RawModel, enum_names, operator_name
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import average_pool2d, quantize
from mcuc.ops.convolution import ConvAttrs

# Operators that convert or move uint8 and compute nothing: an int8 model has them at its border.
_MOVES = frozenset(
    (
        "QUANTIZE",
        "DEQUANTIZE",
        "CONCATENATION",
        "RESHAPE",
        "SQUEEZE",
        "EXPAND_DIMS",
        "TRANSPOSE",
        "SPLIT",
        "SPLIT_V",
        "SLICE",
        "STRIDED_SLICE",
        "GATHER",
        "PACK",
        "UNPACK",
        "TILE",
        "CAST",
    )
)


def is_uint8(model: RawModel) -> bool:
    """Whether an operator computes with uint8, not only moves or converts it."""
    code = {name: number for number, name in enum_names("TensorType").items()}["UINT8"]
    return any(
        model.tensors[index].type_code == code
        for operator in model.operators
        if operator_name(operator) not in _MOVES
        for index in operator.outputs
    )


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


# Ops whose rule on uint8 is another than that on int8, or has not been compared with TFLite's.
_REFUSED = ("cast", "resize_bilinear", "transpose_conv", "unary")


def with_rules(part: AnyPart, loc: Loc) -> AnyPart:
    """The node with the rules of uint8 where they are not those of int8."""
    if not isinstance(part, Part):
        return part
    if part.op in _REFUSED:
        raise ModelError(
            "E110",
            "this operator is not supported in a uint8 model",
            loc=loc,
            help="quantize the model to int8",
        )
    attrs = part.attrs
    if isinstance(attrs, ConvAttrs):
        return replace(part, attrs=replace(attrs, uint8=True))
    if isinstance(attrs, average_pool2d.Attrs):
        return replace(part, attrs=replace(attrs, rounding="half_up"))
    return part


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
