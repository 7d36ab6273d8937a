"""RNN, GRU, LSTM: one `recurrent` per direction. TopK and CumSum along an axis."""

from __future__ import annotations

import numpy as np

from mcuc.frontends.onnx.handlers.activations import along_last
from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.graph import Array
from mcuc.ir.types import DType
from mcuc.ops import cumsum, recurrent, top_k

_ACTIVATIONS = {
    "rnn": ("Tanh",),
    "gru": ("Sigmoid", "Tanh"),
    "lstm": ("Sigmoid", "Tanh", "Tanh"),
}
_LENGTHS, _FIRST_H, _FIRST_C, _PEEPHOLES = 4, 5, 6, 7


def _cell(cell: str) -> Handler:
    """X [T, B, D], W [dirs, G N, D], R [dirs, G N, N], B [dirs, 2 G N], lengths, h, c, peepholes.

    Results: every h [T, dirs, B, N], the last h [dirs, B, N], an LSTM's last c. With the attribute
    layout the batch comes first everywhere.
    """

    def handler(operator: Operator) -> Results:
        graph, x = operator.graph, operator.value()
        _check(operator, cell)
        batch_first = bool(operator.integer("layout", 0))
        if batch_first:
            x = graph.transpose(x, (1, 0, 2))
        steps = graph.shape(x)[0]
        directions = _directions(operator)
        every, last, cells = [], [], []
        for d, reverse in enumerate(directions):
            run = _run(operator, cell, x, d, reverse)
            _, batch, units = graph.shape(run)
            h = graph.take(run, (range(steps), None, None))
            every.append(graph.reshape(h, (steps, 1, batch, units)))
            place = 0 if reverse else steps - 1
            last.append(graph.take(run, (range(place, place + 1), None, None)))
            if cell == "lstm":
                cells.append(graph.take(run, (range(steps, steps + 1), None, None)))
        results = [graph.joined(every, 1), graph.joined(last, 0)]
        if cells:
            results.append(graph.joined(cells, 0))
        if batch_first:
            results = [
                graph.transpose(results[0], (2, 0, 1, 3)),
                *(graph.transpose(v, (1, 0, 2)) for v in results[1:]),
            ]
        return tuple(results)

    return handler


def _check(operator: Operator, cell: str) -> None:
    if len(operator.shape()) != 3:
        raise operator.error("E114", f"the input is {operator.shape()}; rank 3 is needed")
    if operator.integer("input_forget", 0):
        raise operator.error("E115", "coupled input and forget gates")
    names = operator.attribute("activations")
    usual = _ACTIVATIONS[cell] * len(_directions(operator))
    if names and tuple(name.decode("utf-8", "replace") for name in names) != usual:
        raise operator.error("E115", f"activations other than {', '.join(usual)}")
    if operator.has(_LENGTHS):
        steps = operator.shape()[1 if operator.integer("layout", 0) else 0]
        lengths = operator.integers(_LENGTHS, "sequence lengths")
        if any(length != steps for length in lengths):
            raise operator.error("E115", f"sequences of {lengths} of {steps} steps")


def _directions(operator: Operator) -> tuple[bool, ...]:
    """By direction: whether it is reversed."""
    name = operator.word("direction", "forward")
    known = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    if name not in known:
        raise operator.error("E115", f"the direction {name!r}")
    return known[name]


def _run(operator: Operator, cell: str, x: int, d: int, reverse: bool) -> int:
    """One direction: h of every step, and an LSTM's last c."""
    graph, gates = operator.graph, recurrent.GATES[cell]
    directions, (_, batch, depth) = len(_directions(operator)), graph.shape(x)
    held = operator.const(2, "recurrent weights")
    units = held.shape[-1] if held.ndim else 0

    def own(position: int, name: str, *shape: int) -> Array:
        """A constant [directions, ...], of this direction."""
        data = operator.const(position, name)
        if data.shape != (directions, *shape):
            wanted = (directions, *shape)
            raise operator.error("E111", f"the {name} are {data.shape}, not {wanted}")
        return np.asarray(data[d])

    weights = own(1, "weights", gates * units, depth)
    recurrence = own(2, "recurrent weights", gates * units, units)
    constants = [
        graph.constant(weights.reshape(gates, units, depth)),
        graph.constant(recurrence.reshape(gates, units, units)),
    ]
    twice = 2 * gates * units
    bias = own(3, "biases", twice) if operator.has(3) else np.zeros(twice)
    constants.append(graph.constant(bias.reshape(2, gates, units).astype(np.float32)))
    if cell == "lstm" and operator.has(_PEEPHOLES):
        peepholes = own(_PEEPHOLES, "peepholes", 3 * units)
        constants.append(graph.constant(peepholes.reshape(3, units)))
    positions = (_FIRST_H, _FIRST_C) if cell == "lstm" else (_FIRST_H,)
    shape = (directions, batch, units)
    states = [_state(operator, position, d, shape) for position in positions]
    attrs = recurrent.Attrs(
        cell,
        reverse,
        bool(operator.integer("linear_before_reset", 0)),
        operator.real("clip", 0.0),
    )
    return graph.add("recurrent", attrs, (x, graph.joined(states, 0), *constants))


def _state(operator: Operator, position: int, d: int, shape: tuple[int, ...]) -> int:
    """The state before the first step, zeros where none is given.

    Args:
        operator: The node.
        position: Of the states.
        d: The direction.
        shape: Of the states of all directions.
    """
    graph = operator.graph
    if not operator.has(position):
        return graph.constant(np.zeros((1, *shape[1:]), np.float32))
    held = operator.value(position)
    if operator.integer("layout", 0) and len(graph.shape(held)) == len(shape):
        held = graph.transpose(held, (1, 0, 2))
    if graph.shape(held) != shape:
        raise operator.error("E111", f"the first state is {graph.shape(held)}, not {shape}")
    return graph.take(held, (range(d, d + 1), None, None))


def top(operator: Operator) -> Results:
    """The k largest or smallest along an axis in order, and where they stand."""
    graph, x = operator.graph, operator.value()
    axis = operator.axis(operator.integer("axis", -1), len(operator.shape()))
    old = operator.opset < 10
    k = operator.integer("k", 0) if old else operator.whole(1, "number of elements")
    attrs = top_k.Attrs(k, not operator.integer("largest", 1))

    def places(last: int) -> int:
        return graph.add("top_k", attrs, (last,), DType.S64)

    found = along_last(operator, x, axis, places)
    if not operator.wants(0):
        return (None, found)

    def values(last: int) -> int:
        return graph.gather(last, places(last), len(graph.shape(last)) - 1, shared=True)

    return (along_last(operator, x, axis, values), found)


def cumulated(operator: Operator) -> Results:
    own = operator.axis(operator.whole(1, "axis"), len(operator.shape()))
    exclusive, reverse = (bool(operator.integer(name, 0)) for name in ("exclusive", "reverse"))
    attrs = cumsum.Attrs(own, exclusive, reverse)
    return (operator.graph.add("cumsum", attrs, (operator.value(),)),)


HANDLERS: dict[str, Handler] = {
    "RNN": _cell("rnn"),
    "GRU": _cell("gru"),
    "LSTM": _cell("lstm"),
    "TopK": top,
    "CumSum": cumulated,
}
