"""The inputs that stored outputs of real models were made of."""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType
from mcuc.ops.checks import integer_range


def seeded_inputs(graph: Graph, seed: int) -> list[Array]:
    """Of all inputs of a graph, from the seed that the file of the outputs names."""
    rng = np.random.default_rng(seed)
    result: list[Array] = []
    for v in graph.inputs:
        type_ = graph.type(v)
        if type_.dtype is DType.F32:
            result.append(rng.uniform(-1, 1, type_.shape).astype(np.float32))
        else:
            low, high = integer_range(type_.dtype)
            result.append(rng.integers(low, high + 1, type_.shape).astype(type_.dtype.numpy))
    return result
