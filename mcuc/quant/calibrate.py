"""Runs the float graph on samples and takes down what its tensors hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.errors import QuantError
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType
from mcuc.quant.qparams import Range
from mcuc.quant.ranges import BINS, choose_range
from mcuc.quant.rules import rule_of
from mcuc.quant.runtime import Samples, run_values

Doubles = npt.NDArray[np.float64]

# Of a range's limits are kept so many digits: what ONNX Runtime rounds otherwise on another machine
# moves few scales.
_DIGITS = 5


@dataclass(frozen=True)
class Statistics:
    """What the tensors of a float graph held.

    Attributes:
        ranges: By value: its range by the method asked for.
        peaks: By value: largest magnitude of each channel (last axis).
        means: By value that a layer with weights reads: mean of each element.
        samples: Their number.
        method: As asked for.
    """

    ranges: Mapping[int, Range]
    peaks: Mapping[int, Doubles]
    means: Mapping[int, Doubles]
    samples: int
    method: str


def float_values(graph: Graph) -> list[int]:
    """All float values that a run has: inputs and results."""
    ids = [*graph.inputs, *(v for node in graph.nodes for v in node.outputs)]
    return [v for v in ids if graph.type(v).dtype is DType.F32]


def calibrate(graph: Graph, samples: Samples, method: str = "minmax") -> Statistics:
    """Statistics over all samples.

    Args:
        graph: Float.
        samples: One array per input each; at least one.
        method: One of `ranges.METHODS`.

    Raises:
        QuantError: E211 where a tensor is NaN or infinite.
        ToolchainError: E543 without ONNX Runtime.
    """
    values = float_values(graph)
    read = _read_by_weights(graph)
    low: dict[int, float] = dict.fromkeys(values, 0.0)
    high: dict[int, float] = dict.fromkeys(values, 0.0)
    peaks: dict[int, Doubles] = {}
    means: dict[int, Doubles] = {}
    for found in run_values(graph, samples, values):
        for v in values:
            array = found[v]
            smallest, largest = float(array.min()), float(array.max())
            if not np.isfinite([smallest, largest]).all():
                raise _not_finite(graph, v)
            low[v], high[v] = min(low[v], smallest), max(high[v], largest)
            peak = _channels(array)
            peaks[v] = np.maximum(peaks[v], peak) if v in peaks else peak
            if v in read:
                part = array.astype(np.float64) / len(samples)
                means[v] = means[v] + part if v in means else part
    seen = {v: Range(_rounded(low[v]), _rounded(high[v])) for v in values}
    if method != "minmax":
        counts = _histograms(graph, samples, seen)
        seen = {v: choose_range(method, seen[v], counts[v]) for v in values}
        seen = {v: Range(_rounded(r.low), _rounded(r.high)) for v, r in seen.items()}
    return Statistics(seen, peaks, means, len(samples), method)


def _channels(array: Array) -> Doubles:
    flat = np.abs(array.reshape(-1, array.shape[-1] if array.ndim else 1))
    result: Doubles = flat.max(axis=0).astype(np.float64)
    return result


def _read_by_weights(graph: Graph) -> frozenset[int]:
    found = set()
    for node in graph.nodes:
        rule = rule_of(node)
        if rule is not None and rule.kind == "weights" and node.inputs[0] is not None:
            found.add(node.inputs[0])
    return frozenset(found)


def _histograms(graph: Graph, samples: Samples, seen: Mapping[int, Range]) -> dict[int, Doubles]:
    counts = {v: np.zeros(BINS) for v in seen}
    for found in run_values(graph, samples, list(seen)):
        for v, range_ in seen.items():
            if range_.high > range_.low:
                limits = (range_.low, range_.high)
                counts[v] += np.histogram(np.clip(found[v], *limits), BINS, limits)[0]
    return counts


def _rounded(limit: float) -> float:
    """Away from 0 at the last digit kept, so that nothing seen is cut off."""
    if limit == 0.0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(abs(limit))) - _DIGITS + 1)
    return float(f"{np.copysign(np.ceil(abs(limit) / unit - 1e-6) * unit, limit):.{_DIGITS}g}")


def _not_finite(graph: Graph, v: int) -> QuantError:
    producer = next((n for n in graph.nodes if v in n.outputs), None)
    return QuantError(
        "E211",
        f"the tensor {graph.values[v].name!r} is NaN or infinite on a sample",
        loc=None if producer is None else producer.loc,
        help="check the samples: their scale, and that they hold numbers only",
    )
