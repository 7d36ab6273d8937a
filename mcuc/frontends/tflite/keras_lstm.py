"""The loop that Keras makes of an LSTM: a WHILE over the steps of a sequence, recognised exactly.

    for t in 0 .. T - 1:    z = x[t] W' + h R' + b,   i, f, g, o = four equal parts of z
                            c = s(f) c + s(i) tanh(g),   h = s(o) tanh(c),   ys[t] = h

Arguments of the loop are counters from 0, h and c before a step, the sequence x [T, B, D], and the
results ys [T, B, N], in any order. A step writes to ys by cutting it in three. Whatever else a loop
does makes it another loop: `read` says which part is not as above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from mcuc.frontends.tflite.subgraph import Subgraph
from mcuc.ir.graph import Array
from mcuc.ir.types import DType
from mcuc.ops.checks import quant_of

_ORDER = (0, 3, 1, 2)  # Keras has i, f, g, o; the op i, o, f, c
_DEEPEST = 8  # of the sum in front of the gates, which has three or four summands


class NoLstm(Exception):
    """A part of the loop that an LSTM does not have."""


@dataclass(frozen=True)
class Weights:
    """[4, N, D], [4, N, N], [2, 4, N], of int8 weights scales [2, 4, N]; by gate as in the op."""

    forward: Array
    recurrent: Array
    bias: Array
    scales: Array | None
    asymmetric: bool


@dataclass(frozen=True)
class Loop:
    """Positions of the loop's arguments by their meaning, how often it runs, and its weights."""

    steps: int
    counters: tuple[int, ...]
    x: int
    h: int
    c: int
    ys: int
    weights: Weights


def read(cond: Subgraph, body: Subgraph) -> Loop:
    """The LSTM that a loop is.

    Raises:
        NoLstm: says what it does otherwise.
    """
    try:
        return _Reader(cond, body).loop()
    except IndexError:
        raise NoLstm("has operators without their operands") from None


class _Reader:
    """A loop while it is compared."""

    def __init__(self, cond: Subgraph, body: Subgraph) -> None:
        self.cond, self.body = cond, body
        count = len(body.inputs)
        if not len(cond.inputs) == count == len(body.outputs):
            raise NoLstm("its subgraphs have different numbers of arguments")
        self.counters = tuple(k for k in range(count) if self._is_counted(body.outputs[k], k))

    def loop(self) -> Loop:
        steps = self._steps()
        kept = [k for k, t in enumerate(self.body.outputs) if t == self.body.inputs[k]]
        rest = set(range(len(self.body.inputs))) - {*self.counters, *kept}
        for h in sorted(rest):
            if (cell := self._of_output(self.body.outputs[h])) is not None:
                break
        else:
            raise NoLstm("no result is sigmoid(o) tanh(c)")
        opened, inside = cell
        c, gates = self._cell(inside)
        if self.body.outputs[c] != inside:
            raise NoLstm("the cell is not kept")
        z = self._gates((*gates, opened))
        x, time, weights = self._sum(z, h)
        others = rest - {h, c}
        if len(others) != 1 or kept != [x]:
            raise NoLstm("it has arguments beside counters, sequence, state and results")
        (ys,) = others
        self._written(self.body.outputs[ys], ys, time, self.body.outputs[h])
        return Loop(steps, self.counters, x, h, c, ys, weights)

    # Counters and the condition

    def _is_counted(self, tensor: int, argument: int) -> bool:
        """Whether the tensor is an argument plus 1."""
        found = self.body.pair(tensor, "ADD")
        if found is None:
            return False
        ways = (found, found[::-1])
        return any(self.body.argument(a) == argument and self._is(b, 1) for a, b in ways)

    def _is(self, tensor: int, number: int) -> bool:
        data = self.body.const(tensor)
        return data is not None and data.size == 1 and data.dtype.kind == "i" and data == number

    def _steps(self) -> int:
        (result,) = self.cond.outputs if len(self.cond.outputs) == 1 else (-1,)
        both = self.cond.operands(result, "LOGICAL_AND")
        limits = [self._limit(tensor) for tensor in (both or (result,))]
        return min(limits)

    def _limit(self, tensor: int) -> int:
        found = self.cond.operands(tensor, "LESS")
        limit = None if found is None else self.cond.const(found[1])
        counter = None if found is None else self.cond.argument(found[0])
        if limit is None or limit.size != 1 or counter not in self.counters:
            raise NoLstm("it does not run while counters are less than a constant")
        return int(limit.ravel()[0])

    # The cell

    def _of_output(self, tensor: int) -> tuple[int, int] | None:
        """Of sigmoid(o) tanh(c): o and c."""
        return next(self._product(tensor, "LOGISTIC", "TANH"), None)

    def _product(self, tensor: int, left: str, right: str) -> Iterator[tuple[int, int]]:
        """Operands of the two functions whose product, in any order, a tensor is."""
        found = self.body.pair(tensor, "MUL")
        for a, b in (found, found[::-1]) if found else ():
            first, second = self.body.operands(a, left), self.body.operands(b, right)
            if first is not None and second is not None:
                yield first[0], second[0]

    def _cell(self, tensor: int) -> tuple[int, tuple[int, int, int]]:
        """Of s(f) c + s(i) tanh(g): which argument c is, and i, f, g."""
        found = self.body.pair(tensor, "ADD")
        for old, new in (found, found[::-1]) if found else ():
            kept = self.body.pair(old, "MUL")
            for f, c in (kept, kept[::-1]) if kept else ():
                forget, argument = self.body.operands(f, "LOGISTIC"), self.body.argument(c)
                for i, g in self._product(new, "LOGISTIC", "TANH"):
                    if forget is not None and argument is not None:
                        return argument, (i, forget[0], g)
        raise NoLstm("the cell is not sigmoid(f) c + sigmoid(i) tanh(g)")

    def _gates(self, gates: tuple[int, int, int, int]) -> int:
        """The tensor whose four parts the gates i, f, g, o are."""
        found = [self.body.maker(gate, "SPLIT") for gate in gates]
        first = found[0]
        if first is None or any(g is None or g[0] is not first[0] for g in found):
            raise NoLstm("the gates are not parts of one tensor")
        axis = self.body.const(first[0].inputs[0])
        value = self.body.value(first[0].inputs[1])
        last = value is not None and len(value.type.shape) == 2
        places = tuple(g[1] for g in found if g is not None)
        four = len(first[0].outputs) == 4 and places == (0, 1, 2, 3)
        if axis is None or not last or not four or int(axis.ravel()[0]) not in (1, -1):
            raise NoLstm("the gates are not the four parts of the last axis in the order of Keras")
        return first[0].inputs[1]

    # Products with the weights

    def _sum(self, z: int, h: int) -> tuple[int, int, Weights]:
        """Of x[t] W' + h R' + b: the arguments x and t, and the weights."""
        forward: tuple[int, int, int] | None = None
        back: int | None = None
        biases: list[int] = []
        for term in self._terms(z):
            product = self.body.maker(term, "FULLY_CONNECTED")
            if product is None:
                biases.append(term)
                continue
            operands, options = product[0].inputs, product[0].options
            if options.scalar(0, "i8") or options.scalar(1, "i8"):
                raise NoLstm("a product has an activation, or shuffled weights")
            biases += [b for b in operands[2:] if b >= 0]
            step = self._step(operands[0])
            if step is not None and forward is None:
                forward = (*step, term)
            elif self.body.argument(operands[0]) == h and back is None:
                back = term
            else:
                raise NoLstm("a product is neither of the step of a sequence nor of h")
        if forward is None or back is None:
            raise NoLstm("the gates lack a product with the weights")
        return forward[0], forward[1], self._weights(forward[2], back, biases)

    def _terms(self, tensor: int, depth: int = 0) -> list[int]:
        """What is added up, reshapes aside."""
        if depth > _DEEPEST:
            raise NoLstm("the gates have too many summands")
        moved = self.body.operands(tensor, "RESHAPE")
        if moved is not None:
            return self._terms(moved[0], depth + 1)
        found = self.body.pair(tensor, "ADD")
        if found is None:
            return [tensor]
        return [t for operand in found for t in self._terms(operand, depth + 1)]

    def _step(self, tensor: int) -> tuple[int, int] | None:
        """Of x[t]: the arguments x and t."""
        found = self.body.maker(tensor, "GATHER")
        if found is None or found[0].options.scalar(0, "i32") or found[0].options.scalar(1, "i32"):
            return None
        x, t = (self.body.argument(k) for k in found[0].inputs)
        return None if x is None or t not in self.counters else (x, t)

    def _weights(self, forward: int, back: int, biases: list[int]) -> Weights:
        makers = [self.body.maker(term, "FULLY_CONNECTED") for term in (forward, back)]
        operators = [maker[0] for maker in makers if maker is not None]
        values = [self.body.value(operator.inputs[1]) for operator in operators]
        stored = [value for value in values if value is not None and value.const is not None]
        types = [value.type for value in stored]
        if len(types) != 2 or types[0].dtype is not types[1].dtype or len(types[0].shape) != 2:
            raise NoLstm("the weights are not constants of one type")
        hybrid = stored[0].type.dtype is DType.S8
        if hybrid and any(t.quant is None for t in types):
            raise NoLstm("the weights have no scale")
        if not hybrid and stored[0].type.dtype is not DType.F32:
            raise NoLstm(f"the weights are {stored[0].type.dtype.value}")
        four, depth = stored[0].type.shape
        units = four // 4
        if four % 4 or stored[1].type.shape != (four, units):
            raise NoLstm("the weights are not those of four gates")
        constants = [self.body.const(b) for b in biases]
        total = np.zeros(four, np.float32)
        for data in constants:
            if data is None or data.dtype != np.float32 or data.size != four:
                raise NoLstm("a summand of the gates is not constant")
            total = total + np.asarray(data, np.float32).ravel()
        kinds = {operator.options.scalar(3, "bool", False) for operator in operators}
        if hybrid and len(kinds) != 1:
            raise NoLstm("one product is quantized with a zero point, the other without")
        scales = [np.asarray(quant_of(t).scales, np.float32) for t in types] if hybrid else []
        arrays = [np.asarray(value.const) for value in stored]
        return Weights(
            by_gate(arrays[0], (4, units, depth)),
            by_gate(arrays[1], (4, units, units)),
            np.stack([np.zeros((4, units), np.float32), by_gate(total, (4, units))]),
            np.stack([by_gate(np.broadcast_to(s, four), (4, units)) for s in scales])
            if hybrid
            else None,
            kinds == {True},
        )

    # Results of the steps

    def _written(self, tensor: int, ys: int, time: int, h: int) -> None:
        """Requires ys[: t], h, ys[t + 1 :]."""
        parts = self.body.maker(tensor, "CONCATENATION")
        options = None if parts is None else parts[0].options
        if parts is None or options is None or len(parts[0].inputs) != 3:
            raise NoLstm("a step does not write its result into those of all steps")
        first, middle, last = parts[0].inputs
        moved = self.body.operands(middle, "RESHAPE")
        whole = options.scalar(0, "i32") == 0 and options.scalar(1, "i8") == 0
        before, behind = self._slice(first, ys), self._slice(last, ys)
        placed = (
            before is not None
            and behind is not None
            and self._all(before[0], 0)
            and self._index(before[1], lambda t: self.body.argument(t) == time, -1)
            and self._index(behind[0], lambda t: self._is_counted(t, time), 0)
            and self._all(behind[1], -1)
        )
        if not (whole and placed and moved is not None and moved[0] == h):
            raise NoLstm("a step does not write its result at its own place")

    def _slice(self, tensor: int, ys: int) -> tuple[int, int] | None:
        """Begin and size of a SLICE of ys."""
        found = self.body.operands(tensor, "SLICE")
        if found is None or self.body.argument(found[0]) != ys:
            return None
        return found[1], found[2]

    def _all(self, tensor: int, number: int) -> bool:
        data = self.body.const(tensor)
        return data is not None and bool((data == number).all())

    def _index(self, tensor: int, first: Callable[[int], bool], others: int) -> bool:
        """Whether a list of numbers begins with one that `first` knows, then has `others`."""
        found = self.body.operands(tensor, "CONCATENATION")
        if found is None or len(found) != 2:
            return False
        one = self.body.operands(found[0], "RESHAPE")
        return one is not None and first(one[0]) and self._all(found[1], others)


def by_gate(data: Array, shape: tuple[int, ...]) -> Array:
    """Rows of i, f, g, o as gates in the order of the op."""
    return np.ascontiguousarray(data.reshape(shape)[list(_ORDER)])
