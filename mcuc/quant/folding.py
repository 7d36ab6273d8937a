"""A QDQ graph while its pairs are folded: which integers stand for which real numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.errors import Loc, McucError, flatten
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import dequantize, quantize, spec_of
from mcuc.ops.problems import SAME_SCALE
from mcuc.ops.spec import Site
from mcuc.quant.qparams import Range, activation_quant, along, quantized_constant


class CannotFoldError(Exception):
    """The node stays float; the text says why."""


class Folding:
    """The state while one graph is folded.

    Attributes:
        graph: As it was.
        numerics: Rule set of the integer ops.
        values, nodes: As they become.
        integer: Float value -> the integers that it stands for.
        same: Integer value -> the one that it is.
        there: Float values that are computed.
    """

    def __init__(self, graph: Graph, numerics: str) -> None:
        self.graph = graph
        self.numerics = numerics
        self.values: dict[int, Value] = dict(graph.values)
        self.nodes: list[Node] = []
        self.integer: dict[int, int] = {}
        self.same: dict[int, int] = {}
        self.there: set[int] = set(graph.sources)
        self._requantized: dict[tuple[int, Quant], int] = {}
        self._next = max(graph.values, default=0) + 1

    def stored_constants(self) -> None:
        """Float constants whose type says which integers they were, as those integers."""
        for v, value in self.graph.values.items():
            quant, data = value.type.quant, value.const
            if data is None or quant is None or value.type.dtype is not DType.F32:
                continue
            scales, zeros = _along_axis(quant, data.ndim)
            steps = np.rint(data.astype(np.float64) / scales) + zeros
            if steps.min() >= -128 and steps.max() <= 127:
                type_ = replace(value.type, dtype=DType.S8)
                self.integer[v] = self.add(Value(type_, value.name, steps.astype(np.int8)))
                self.there.add(v)
            else:  # a bias: its real numbers say it all
                plain = replace(value.type, quant=None)
                self.values[v] = replace(value, type=plain)

    def alias(self, v: int) -> int:
        return self.same.get(v, v)

    def type(self, v: int) -> TensorType:
        return self.values[v].type

    def result(self, v: int) -> int:
        """A value for a reader that wants it as it is."""
        if v in self.integer:
            return self.real(v)
        return self.alias(v)

    def real(self, v: int) -> int:
        """A float value, dequantized where it is first wanted."""
        if v in self.integer and v not in self.there:
            q = self.integer[v]
            loc = replace(self.loc_of(v), tensor=self.values[v].name)
            self.nodes.append(Node("dequantize", (q,), (v,), dequantize.Attrs(), loc))
            self.there.add(v)
        return v

    def loc_of(self, v: int) -> Loc:
        return next(node.loc for node in self.graph.nodes if v in node.outputs)

    def real_constant(self, v: int | None) -> int | None:
        """An operand that stays float: of a stored constant's integers their real numbers."""
        if v is None or v in self.there or v not in self.integer:
            return v
        held = self.values[self.integer[v]]
        if held.const is None or held.type.quant is None or self.values[v].const is not None:
            return v
        scales, zeros = _along_axis(held.type.quant, held.const.ndim)
        data = ((held.const.astype(np.float64) - zeros) * scales).astype(np.float32)
        return self.add(Value(TensorType(data.shape, DType.F32), held.name, data))

    def requantized(self, node: Node, q: int, quant: Quant) -> int:
        type_ = self.type(q)
        assert type_.quant is not None
        if same_quant(type_.quant, quant):
            if type_.quant == quant:
                return q
            relabelled = replace(type_, quant=quant)
            if self.values[q].const is not None:
                return self.add(replace(self.values[q], type=relabelled))
        key = (q, quant)
        if key not in self._requantized:
            value = self.values[q]
            made = self.add(Value(replace(type_, quant=quant), f"{value.name}_requantized"))
            self.emit(node, quantize.Attrs(), "quantize", [q], self.type(made), made)
            self._requantized[key] = made
        return self._requantized[key]

    def constant(self, node: Node, position: int, dtype: DType, quant: Quant | None) -> int:
        """A float constant as integers."""
        v = node.inputs[position]
        assert v is not None
        known = self.integer.get(v)
        if known is not None and self.type(known).dtype is dtype:
            return self.requantized(node, known, quant) if quant else known
        data = self.values[v].const
        if data is None:
            raise CannotFoldError(f"operand {position} is not quantized")
        if quant is None:
            quant = activation_quant(Range(float(data.min()), float(data.max())), dtype)
        integers = quantized_constant(data, quant, dtype)
        return self.add(Value(TensorType(data.shape, dtype, quant), self.values[v].name, integers))

    def emit(
        self,
        node: Node,
        attrs: object,
        op: str,
        inputs: list[int | None],
        wanted: TensorType,
        made: int,
    ) -> None:
        """Appends an integer node if its op accepts the types."""
        known = [None if v is None else self.values[v] for v in inputs]
        site = Site(
            attrs,
            tuple(None if value is None else value.type for value in known),
            (wanted,),
            tuple(None if value is None else value.const for value in known),
            self.numerics,
            node.loc,
        )
        try:
            (type_,) = spec_of(op).infer(site)
        except McucError as error:
            raise CannotFoldError("; ".join(e.what for e in flatten(error))) from error
        self.values[made] = replace(self.values[made], type=type_)
        self.nodes.append(Node(op, tuple(inputs), (made,), attrs, node.loc))

    def add(self, value: Value) -> int:
        self.values[self._next] = value
        self._next += 1
        return self._next - 1


def _along_axis(quant: Quant, rank: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Scales and zero points, to broadcast with a tensor of that rank."""
    numbers = (np.asarray(n, np.float64) for n in (quant.scales, quant.zero_points))
    scales, zeros = (along(n, quant.axis or 0, rank) for n in numbers)
    return scales, zeros


def same_quant(a: Quant, b: Quant) -> bool:
    """Equal up to what no integer shows."""
    close = abs(a.scale - b.scale) <= SAME_SCALE * max(a.scale, b.scale)
    return close and a.zero_point == b.zero_point and not a.per_channel and not b.per_channel
