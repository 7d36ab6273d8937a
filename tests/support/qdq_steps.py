"""QDQ files: our integers against ONNX Runtime's, each layer fed ONNX Runtime's own."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcuc.compiler.compile import load_model
from mcuc.compiler.options import Options
from mcuc.compiler.quantize import in_arithmetic
from mcuc.ir.graph import Array, Graph
from mcuc.ops import spec_of
from mcuc.ops.spec import Site


@dataclass(frozen=True)
class Layer:
    """One integer node: its name and op, how many results differ by how many steps."""

    name: str
    op: str
    steps: Counter[int]


def runtime_integers(path: Path, sample: list[Array]) -> dict[str, Array]:
    """What every QuantizeLinear of a file gives in ONNX Runtime, signed, by the node's name.

    Without optimisations: each operator in float, as QDQ means it.
    """
    import onnx
    import onnxruntime

    model = onnx.load(path)
    quantized = [n for n in model.graph.node if n.op_type == "QuantizeLinear"]
    known = {o.name for o in model.graph.output}
    for node in quantized:
        if node.output[0] not in known:
            model.graph.output.append(onnx.ValueInfoProto(name=node.output[0]))
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    feeds = {i.name: x for i, x in zip(session.get_inputs(), sample, strict=True)}
    results = session.run([n.output[0] for n in quantized], feeds)
    return {n.name: _signed(x) for n, x in zip(quantized, results, strict=True)}


def _signed(x: Array) -> Array:
    shift = {"uint8": 128, "uint16": 32768}.get(x.dtype.name, 0)
    kind = {"uint8": np.int8, "uint16": np.int16}.get(x.dtype.name, x.dtype)
    return (x.astype(np.int32) - shift).astype(kind)


def compare(path: Path, seed: int = 0) -> list[Layer]:
    """Each integer node whose inputs and result ONNX Runtime has too."""
    options = Options()
    loaded = load_model(path, path.read_bytes(), options)
    graph = in_arithmetic(loaded, path, options).graph
    rng = np.random.default_rng(seed)
    types = [graph.type(v) for v in graph.inputs]
    sample = [rng.uniform(-1, 1, t.shape).astype(np.float32) for t in types]
    theirs = runtime_integers(path, sample)
    known: dict[int, Array] = {v: x.const for v, x in graph.values.items() if x.const is not None}
    known.update(zip(graph.inputs, sample, strict=True))
    layers = []
    for node in graph.nodes:
        (result,) = node.outputs
        operands = [None if v is None else known[v] for v in node.inputs]
        (ours,) = spec_of(node.op).ref(Site.of(graph, node), *operands)
        wanted = _theirs(graph, result, theirs, ours)
        if wanted is None:
            known[result] = ours  # a move, a requantization, float: made of ONNX Runtime's numbers
            continue
        steps = np.abs(ours.astype(np.int64) - wanted).ravel().tolist()
        layers.append(Layer(graph.values[result].name, node.op, Counter(steps)))
        known[result] = wanted
    return layers


def _theirs(graph: Graph, v: int, theirs: dict[str, Array], ours: Array) -> Any:
    """ONNX Runtime's result for an integer value, in our order of axes.

    Where several orders fit the shape (a cube), it is the one that is nearest to ours: a wrong one
    differs everywhere.
    """
    value = graph.values[v]
    found = theirs.get(value.name)
    if found is None or value.type.quant is None:
        return None
    turned = [found.transpose(order) for order in itertools.permutations(range(found.ndim))]
    fitting = [x for x in turned if x.shape == value.type.shape]
    return min(fitting, key=lambda x: np.abs(ours.astype(np.int64) - x).sum(), default=None)
