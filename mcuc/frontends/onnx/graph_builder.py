"""Builds the nodes of a graph one after another, with the type of each result at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mcuc.errors import Loc, ModelError
from mcuc.ir.graph import Array, Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import (
    batch_matmul,
    concatenation,
    dequantize,
    gather,
    pad,
    quantize,
    reshape,
    spec_of,
    take,
    transpose,
)
from mcuc.ops.spec import NUMERICS, Site

MAX_ELEMENTS = 1 << 27
# Constants that are computed while the file is read may be larger than their operands by so much.
_MAX_GROWTH = 1 << 16


class GraphBuilder:
    """Values and nodes so far; `loc` is where the nodes that are added next come from."""

    def __init__(self, numerics: str = NUMERICS[0]) -> None:
        self.values: dict[int, Value] = {}
        self.nodes: list[Node] = []
        self.loc = Loc()
        # int16 values whose integers are not those of the file: the zero point is 0 here.
        self.moved_zero: set[int] = set()
        self._numerics = numerics
        self._known: dict[tuple[bytes, tuple[int, ...], str], int] = {}

    def type(self, value: int) -> TensorType:
        return self.values[value].type

    def shape(self, value: int) -> tuple[int, ...]:
        return self.values[value].type.shape

    def const(self, value: int) -> Array | None:
        return self.values[value].const

    def source(self, type_: TensorType, name: str) -> int:
        """A run-time value that no node computes."""
        return self._enter(Value(type_, name))

    def constant(self, data: Array, name: str = "", quant: Quant | None = None) -> int:
        """A constant; equal ones without quantization are one value."""
        array = np.ascontiguousarray(data).reshape(np.shape(data))
        key = (array.tobytes(), array.shape, array.dtype.name)
        if quant is None and array.size <= 64 and key in self._known:
            return self._known[key]
        value = self._enter(
            Value(TensorType(array.shape, DType.of(array.dtype), quant), name, array)
        )
        if quant is None and array.size <= 64:
            self._known[key] = value
        return value

    def scalar(self, number: float) -> int:
        """A float32 constant of rank 0."""
        return self.constant(np.asarray(number, np.float32))

    def add(
        self,
        op: str,
        attrs: object,
        inputs: Sequence[int | None],
        dtype: DType | None = None,
        quant: Quant | None = None,
    ) -> int:
        """A node's result; computed at once where all operands are constants.

        Args:
            op: Registry name.
            attrs: The op's Attrs.
            inputs: Operands by position.
            dtype: Of the result; None = that of the first operand.
            quant: Of the result.

        Raises:
            McucError: what the op's `infer` finds.
        """
        operands = [None if v is None else self.values[v] for v in inputs]
        first = operands[0]
        kind = dtype or (DType.F32 if first is None else first.type.dtype)
        site = Site(
            attrs=attrs,
            inputs=tuple(None if v is None else v.type for v in operands),
            outputs=(TensorType((), kind, quant),),
            consts=tuple(None if v is None else v.const for v in operands),
            numerics=self._numerics,
            loc=self.loc,
        )
        spec = spec_of(op)
        (result,) = spec.infer(site)
        if result.elements > MAX_ELEMENTS:
            raise site.error("E105", f"the result of shape {result.shape} is too large")
        if result.elements == 0:
            raise site.error("E105", f"the result of shape {result.shape} has no elements")
        known = [v for v in operands if v is not None]
        size = sum(v.type.size_bytes for v in known)
        if all(v.const is not None for v in known) and result.size_bytes <= size + _MAX_GROWTH:
            (data,) = spec.ref(replace(site, outputs=(result,)), *site.consts)
            return self.constant(data, quant=result.quant)
        value = self._enter(Value(result, self.loc.tensor))
        self.nodes.append(Node(op, tuple(inputs), (value,), attrs, self.loc))
        return value

    def reshape(self, value: int, shape: Sequence[int]) -> int:
        """The same elements in another shape; the value itself where it has it already."""
        if self.shape(value) == tuple(shape):
            return value
        kept = self._keep(value)
        return self.add("reshape", reshape.Attrs(tuple(map(int, shape))), (value,), quant=kept)

    def transpose(self, value: int, perm: Sequence[int]) -> int:
        """Axis i of the result is axis perm[i]; the value itself where nothing moves."""
        if list(perm) == list(range(len(perm))):
            return value
        if self.const(value) is not None:
            return self._moved_constant(value, perm)
        kept = self._keep(value)
        return self.add("transpose", transpose.Attrs(tuple(perm)), (value,), quant=kept)

    def take(self, value: int, picks: Sequence[Sequence[int] | None]) -> int:
        """Elements by lists of indices, one list per axis; None = the whole axis."""
        attrs = take.attrs_of(self.shape(value), picks)
        if all(pick is None for pick in attrs.picks):
            return value
        return self.add("take", attrs, (value,), quant=self._keep(value))

    def reshape_constant(self, value: int, shape: Sequence[int]) -> int:
        """A constant in another shape, its scales per channel with it (their axis must stay)."""
        held = self.values[value]
        if held.const is None:
            return self.reshape(value, shape)
        return self.constant(held.const.reshape(shape), held.name, held.type.quant)

    def pad(self, value: int, pairs: Sequence[tuple[int, int]], fill: float = 0.0) -> int:
        """Constant elements before and after each axis."""
        if not any(any(pair) for pair in pairs):
            return value
        if max(map(max, pairs)) > MAX_ELEMENTS:
            raise self.error("E105", f"a padding by {max(map(max, pairs))} elements is too large")
        paddings = self.constant(np.asarray(pairs, np.int32).reshape(-1, 2))
        operands = [value, paddings]
        if fill:
            operands.append(self.constant(np.asarray([fill], self.type(value).dtype.numpy)))
        return self.add("pad", pad.Attrs(), operands, quant=self._keep(value))

    def joined(self, values: Sequence[int], axis: int) -> int:
        """Values one behind the other along an axis."""
        if len(values) == 1:
            return values[0]
        kept = self._keep(values[0])
        return self.add("concatenation", concatenation.Attrs(axis), values, quant=kept)

    def dequantized_port(self, value: int, quant: Quant, dtype: DType) -> int:
        """Real values of an input's integers; uint8 goes through int8 of the same meaning."""
        held = self.values[value]
        shift = 128 if held.type.dtype is DType.U8 else 0
        zeros = tuple(z + shift for z in quant.zero_points)
        if held.type.quant is None:
            own = replace(held.type, quant=replace(quant, zero_points=zeros))
            self.values[value] = replace(held, type=own)
        if shift:
            value = self.add("quantize", quantize.Attrs(), (value,), dtype, quant)
        return self.add("dequantize", dequantize.Attrs(), (value,), DType.F32)

    def matmul(self, a: int, b: int) -> int:
        """The matrix product of two run-time values."""
        return self.add("batch_matmul", batch_matmul.Attrs(), (a, b))

    def gather(self, value: int, indices: int, axis: int, shared: bool = False) -> int:
        """Elements along an axis by run-time indices; `shared`: with lists of their own for all
        places of the axes before it.
        """
        attrs = gather.Attrs(axis, axis if shared else 0)
        return self.add("gather", attrs, (value, indices), quant=self._keep(value))

    def _moved_constant(self, value: int, perm: Sequence[int]) -> int:
        """A constant with its axes moved, and the axis of its scales with them."""
        held = self.values[value]
        assert held.const is not None
        quant = held.type.quant
        if quant is not None and quant.axis is not None:
            quant = replace(quant, axis=list(perm).index(quant.axis))
        return self.constant(np.transpose(held.const, perm), held.name, quant)

    def _keep(self, value: int) -> Quant | None:
        """The quantization of a result that has its operand's elements."""
        quant = self.type(value).quant
        return None if quant is None or quant.axis is not None else quant

    def error(self, code: str, what: str, why: str = "", help: str = "") -> ModelError:
        """A ModelError that points at the node being read."""
        return ModelError(code, what, loc=self.loc, why=why, help=help)

    def _enter(self, value: Value) -> int:
        self.values[len(self.values)] = value
        return len(self.values) - 1
