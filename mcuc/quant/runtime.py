"""What is computed in float on the host, for calibration and measurements: by ONNX Runtime.

One thread and no reordering of sums: the same samples give the same ranges on the same machine.
Graphs that ONNX has no words for (state, recurrent layers) run in our references, which is slower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mcuc.errors import ToolchainError
from mcuc.ir.graph import Array, Graph
from mcuc.ops.interpret import run_reference
from mcuc.ops.spec import NUMERICS
from mcuc.quant.onnx_export import Exporter
from mcuc.quant.onnx_ops import HANDLERS
from mcuc.quant.qparams import along

Samples = Sequence[Sequence[Array]]

MEASURED = 16  # samples that decisions and the figures of layers are measured on


def spread(samples: Samples, count: int = MEASURED) -> Samples:
    """Up to `count` samples, evenly spread."""
    return samples[:: max(1, len(samples) // count)][:count]


def run_values(
    graph: Graph, samples: Samples, values: Sequence[int], numerics: str = NUMERICS[0]
) -> Iterator[dict[int, Array]]:
    """Runs a float or QDQ graph on each sample.

    Args:
        graph: See `onnx_export`.
        samples: One array per input each.
        values: What is wanted of every run.
        numerics: Rule set.

    Yields:
        By value id, for each sample.

    Raises:
        ToolchainError: E543 without ONNX Runtime.
    """
    if graph.states or any(node.op not in HANDLERS for node in graph.nodes):
        yield from _by_reference(graph, samples, values, numerics)
        return
    wanted = [v for v in dict.fromkeys(values) if v not in graph.inputs]
    exporter = Exporter(graph, numerics)
    model = exporter.model([v for v in wanted if graph.values[v].const is None])
    session = _session(model.SerializeToString())
    names = [exporter.names[v] for v in wanted]
    feeds = [i.name for i in session.get_inputs()]
    for sample in samples:
        results = session.run(names, dict(zip(feeds, sample, strict=True))) if names else []
        found = dict(zip(wanted, results, strict=True))
        given = dict(zip(graph.inputs, sample, strict=True))
        yield {**found, **{v: given[v] for v in values if v in given}}


def _by_reference(
    graph: Graph, samples: Samples, values: Sequence[int], numerics: str
) -> Iterator[dict[int, Array]]:
    memory: dict[int, Array] = {}
    known = _without_stored_integers(graph)
    for sample in samples:
        found = run_reference(known, list(sample), numerics, keep_all=True, memory=memory)
        yield {v: found[v] for v in values}


def _without_stored_integers(graph: Graph) -> Graph:
    """The graph with the real numbers of constants behind a `dequantize`."""
    values = dict(graph.values)
    nodes = []
    for node in graph.nodes:
        x = node.inputs[0] if node.op == "dequantize" else None
        held = None if x is None else values[x]
        if held is None or held.const is None or held.type.quant is None:
            nodes.append(node)
            continue
        quant = held.type.quant
        scales, zeros = (
            along(np.asarray(n, np.float64), quant.axis or 0, held.const.ndim)
            for n in (quant.scales, quant.zero_points)
        )
        real = ((held.const.astype(np.float64) - zeros) * scales).astype(np.float32)
        (y,) = node.outputs
        values[y] = replace(values[y], const=real.reshape(held.const.shape))
    return graph.with_nodes(tuple(nodes), values)


def _session(model: bytes) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ToolchainError(
            "E543",
            "ONNX Runtime is not installed",
            why="calibration and measurements of quantization run the float model with it",
            help="pip install 'mcuc[verify]'",
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def sqnr_db(wanted: Array, got: Array) -> float:
    """Signal to quantization noise, 10 log10(sum a^2 / sum (a - b)^2); 200 where there is none."""
    a, b = wanted.astype(np.float64), got.astype(np.float64)
    return ratio_db(float((a * a).sum()), float(((a - b) ** 2).sum()))


def ratio_db(signal: float, noise: float) -> float:
    """As `sqnr_db`, from the sums of squares."""
    if noise <= 0.0:
        return LARGEST_DB
    if signal <= 0.0:
        return -LARGEST_DB
    return float(np.clip(10.0 * np.log10(signal / noise), -LARGEST_DB, LARGEST_DB))


LARGEST_DB = 200.0
