"""What quantization cost, layer by layer: the integer graph against the float one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.errors import Loc
from mcuc.ir.graph import Array, Graph, Node
from mcuc.ir.types import DType, TensorType
from mcuc.ops.interpret import run_reference
from mcuc.ops.spec import NUMERICS
from mcuc.quant.ptq import Quantized
from mcuc.quant.qparams import real_limits
from mcuc.quant.rules import rule_of
from mcuc.quant.runtime import Samples, ratio_db, run_values

Doubles = npt.NDArray[np.float64]
Json = dict[str, Any]

# A channel whose peak is so many times the median's takes the range from the others.
OUTLIER = 16.0


@dataclass(frozen=True)
class Layer:
    """One node of the float graph.

    Attributes:
        loc: Where it came from.
        op: Its op.
        activation_bits, weight_bits: 32 = float32; None: it has no weights.
        sqnr_db: Of its result against float, with the noise of all layers before it.
        seen: Least and greatest number of the float result.
        limits: What the integers can hold; None in float.
        levels: Share of the integers between the least and the greatest that occurred.
        saturated: Share of numbers beyond the limits.
        dead_channels: Channels whose result never changed.
        outlier_channels: Channels with a peak of more than OUTLIER times the median's.
        is_output: It is an output of the model.
        reason: Why it is computed in float; "" = it is not.
    """

    loc: Loc
    op: str
    activation_bits: int
    weight_bits: int | None
    sqnr_db: float
    seen: tuple[float, float]
    limits: tuple[float, float] | None
    levels: float | None
    saturated: float
    dead_channels: int
    outlier_channels: int
    is_output: bool = False
    reason: str = ""

    def as_json(self) -> Json:
        """As in the report."""
        return {
            "index": self.loc.op_index,
            "op": self.op,
            "name": self.loc.tensor,
            "activation_bits": self.activation_bits,
            "weight_bits": self.weight_bits,
            "sqnr_db": round(self.sqnr_db, 2),
            "seen": [round_to(n) for n in self.seen],
            "limits": None if self.limits is None else [round_to(n) for n in self.limits],
            "levels": None if self.levels is None else round(self.levels, 4),
            "saturated": round(self.saturated, 6),
            "dead_channels": self.dead_channels,
            "outlier_channels": self.outlier_channels,
            "is_output": self.is_output,
            "float_because": self.reason or None,
        }


def round_to(number: float, digits: int = 6) -> float:
    """A number with so many digits: reports need no more."""
    return float(f"{number:.{digits}g}")


class _Sums:
    """What is summed up over the samples for one value."""

    def __init__(self, channels: int) -> None:
        self.signal = self.noise = 0.0
        self.low, self.high = np.inf, -np.inf
        self.outside = self.count = 0
        self.least = np.full(channels, np.inf)
        self.most = np.full(channels, -np.inf)
        self.peak = np.zeros(channels)

    def add(self, wanted: Array, got: Array, real: Doubles, limits: tuple[float, float]) -> None:
        a = wanted.astype(np.float64)
        self.signal += float((a * a).sum())
        self.noise += float(((a - real) ** 2).sum())
        self.low, self.high = min(self.low, a.min()), max(self.high, a.max())
        self.outside += int(((a < limits[0]) | (a > limits[1])).sum())
        self.count += a.size
        rows = got.reshape(-1, len(self.least))
        self.least = np.minimum(self.least, rows.min(axis=0))
        self.most = np.maximum(self.most, rows.max(axis=0))
        self.peak = np.maximum(self.peak, np.abs(a.reshape(rows.shape)).max(axis=0))


def measure_layers(
    quantized: Quantized, samples: Samples, numerics: str = NUMERICS[0]
) -> list[Layer]:
    """All float layers of a model, in order.

    Args:
        quantized: The model.
        samples: One array per input each, at least one.
        numerics: Rule set.
    """
    source, graph = quantized.source, quantized.graph
    compared = {
        v: quantized.integers.get(v, v)
        for node in source.nodes
        for v in node.outputs
        if source.type(v).dtype is DType.F32 and quantized.integers.get(v, v) in graph.values
    }
    sums = {v: _Sums(_channels(source.type(v))) for v in compared}
    wanted = run_values(source, samples, list(compared))
    for found, sample in zip(wanted, samples, strict=True):
        got = run_reference(graph, list(sample), numerics, keep_all=True)
        for v, q in compared.items():
            if q in got:
                limits = _limits(graph.type(q)) or (-np.inf, np.inf)
                # Of a half step more than the last integer nothing is lost.
                sums[v].add(found[v], got[q], _real(got[q], graph.type(q)), limits)
    return [_layer(quantized, node, sums) for node in source.nodes if node.outputs[0] in compared]


def _channels(type_: TensorType) -> int:
    return type_.shape[-1] if type_.shape else 1


def _real(array: Array, type_: TensorType) -> Doubles:
    wide: Doubles = array.astype(np.float64)
    if type_.quant is None:
        return wide
    return (wide - type_.quant.zero_point) * type_.quant.scale


def _limits(type_: TensorType) -> tuple[float, float] | None:
    """Numbers that are rounded to an integer, not cut off: half a step beyond the outermost."""
    if type_.quant is None:
        return None
    range_ = real_limits(type_.quant, type_.dtype)
    half = type_.quant.scale / 2
    return range_.low - half, range_.high + half


def _layer(quantized: Quantized, node: Node, sums: dict[int, _Sums]) -> Layer:
    v = node.outputs[0]
    graph: Graph = quantized.graph
    type_ = graph.type(quantized.integers.get(v, v))
    found = sums[v]
    reason = quantized.floats.get(v, "")
    rule = rule_of(node)
    on_integers = not reason and type_.dtype is not DType.F32
    has_weights = rule is not None and rule.kind == "weights"
    bits = 8 * type_.dtype.size_bytes if on_integers else 32
    used = found.most.max() - found.least.min()
    info = np.iinfo(type_.dtype.numpy.name) if on_integers else None
    typical = float(np.median(found.peak))
    return Layer(
        loc=node.loc,
        op=node.op,
        activation_bits=bits,
        weight_bits=(8 if on_integers else 32) if has_weights else None,
        sqnr_db=ratio_db(found.signal, found.noise),
        seen=(float(found.low), float(found.high)),
        limits=_limits(type_),
        levels=None if info is None else float(used / (int(info.max) - int(info.min))),
        saturated=found.outside / max(1, found.count),
        dead_channels=int((found.least == found.most).sum()),
        outlier_channels=int((found.peak > OUTLIER * typical).sum()) if typical > 0 else 0,
        is_output=v in quantized.source.outputs,
        reason=reason,
    )
