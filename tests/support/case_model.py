"""Writes cases of single ops as one `.tflite` file, so that the interpreter can judge them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import TensorType
from mcuc.ops import spec_of
from mcuc.ops.spec import Site
from tests.support.cases import Case
from tests.support.tflite_build import ModelBuilder, OptionValue


@dataclass(frozen=True)
class TfliteOp:
    """A case's operator in the file.

    Attributes:
        name: Builtin operator.
        options: Its builtin options.
        constants: Operands behind the case's own that are attributes here (axes, permutation).
    """

    name: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    constants: tuple[Array, ...] = ()


def model_of(cases: Sequence[tuple[Case, TfliteOp]]) -> bytes:
    """One file with an operator for each case; inputs and outputs in the order of the cases."""
    model = ModelBuilder()
    inputs: list[int] = []
    outputs: list[int] = []
    for i, (case, op) in enumerate(cases):
        graph = case.graph()
        operands = []
        for position, value in graph.values.items():
            if position in graph.outputs:
                continue
            index = _tensor(model, f"c{i}_x{position}", value.type, value.const)
            operands.append(index)
            if value.const is None:
                inputs.append(index)
        operands += [model.const(f"c{i}_k{k}", data) for k, data in enumerate(op.constants)]
        results = [_tensor(model, f"c{i}_y{v}", graph.type(v)) for v in graph.outputs]
        model.op(op.name, operands, results, op.options)
        outputs += results
    return model.build(inputs, outputs)


def reference(case: Case, vector: Sequence[Array]) -> tuple[Array, ...]:
    """The results of the op's own `ref` for one set of run-time operands."""
    graph: Graph = case.graph()
    (node,) = graph.nodes
    feed = dict(zip(graph.inputs, vector, strict=True))
    operands = [None if v is None else feed.get(v, graph.values[v].const) for v in node.inputs]
    results = spec_of(case.op).ref(Site.of(graph, node, case.numerics), *operands)
    for result, v in zip(results, graph.outputs, strict=True):
        type_ = graph.type(v)
        assert result.shape == type_.shape and result.dtype == type_.dtype.numpy, case.name
    return results


def _tensor(model: ModelBuilder, name: str, type_: TensorType, data: Array | None = None) -> int:
    quant: dict[str, Any] = {}
    if type_.quant is not None:
        quant = {
            "scale": type_.quant.scales,
            "zero_point": type_.quant.zero_points,
            "quantized_dimension": type_.quant.axis or 0,
        }
    dtype = np.dtype(type_.dtype.numpy).name
    return model.tensor(name, type_.shape, dtype, data=data, **quant)
