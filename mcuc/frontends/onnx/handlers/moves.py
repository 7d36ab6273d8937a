"""Operators that take, repeat or join elements as they are: lists of indices per axis (`take`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ops import take

Picks = list[Sequence[int] | None]
_MOST_AXES = 32  # of any numpy


def _whole(operator: Operator) -> Picks:
    return [None] * len(operator.shape())


def _check(operator: Operator, size: int) -> None:
    if size > take.MAX_SIZE:
        raise operator.error("E117", f"{size} elements of an axis; at most {take.MAX_SIZE}")


def slice_(operator: Operator) -> Results:
    """Attributes before operator set 10, operands from it on."""
    shape = operator.shape()
    if operator.opset < 10:
        starts, ends = operator.ints("starts"), operator.ints("ends")
        axes, steps = operator.ints("axes"), None
    else:
        starts, ends = operator.integers(1, "starts"), operator.integers(2, "ends")
        axes = operator.integers(3, "axes") if operator.has(3) else None
        steps = operator.integers(4, "steps") if operator.has(4) else None
    if starts is None or ends is None:
        raise operator.error("E112", "starts or ends are missing")
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise operator.error("E115", f"starts {starts}, ends {ends}, axes {axes}, steps {steps}")
    picks = _whole(operator)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        place = operator.axis(axis, len(shape))
        size = shape[place]
        if step < 0 and end < -size:  # up to the first element, and it too
            found = range(*slice(start, None, step).indices(size))
        else:
            found = range(*slice(start, end, step).indices(size))
        if not found:
            raise operator.error("E105", f"the slice of axis {place} has no elements")
        picks[place] = found
    return (operator.graph.take(operator.value(), picks),)


def split(operator: Operator) -> Results:
    """Sizes as an attribute before operator set 13; equal parts, the last one smaller, without."""
    axis = operator.axis(operator.integer("axis", 0), len(operator.shape()))
    size, count = operator.shape()[axis], max(1, operator.results)
    sizes = operator.list_of("split", 1, 13)
    if sizes is None:
        each = -(-size // count)
        sizes = (each,) * (count - 1) + (size - each * (count - 1),)
    if len(sizes) != count or sum(sizes) != size or min(sizes) < 1:
        raise operator.error("E111", f"{sizes} are not the {count} parts of {size} elements")
    parts: list[int | None] = []
    start = 0
    for result, length in enumerate(sizes):
        picks = _whole(operator)
        picks[axis] = range(start, start + length)
        wanted = operator.wants(result)
        parts.append(operator.graph.take(operator.value(), picks) if wanted else None)
        start += length
    return tuple(parts)


def concat(operator: Operator) -> Results:
    graph = operator.graph
    operands = [operator.value(i) for i in range(len(operator.inputs))]
    axis = operator.axis(operator.integer("axis", 1), len(operator.shape()))
    return (graph.joined(operands, axis),)


def gather(operator: Operator) -> Results:
    """By constant indices of any shape; those below 0 count from the end."""
    graph, shape = operator.graph, operator.shape()
    axis = operator.axis(operator.integer("axis", 0), len(shape))
    if graph.const(operator.value(1)) is None:
        return (graph.gather(operator.value(), operator.value(1), axis),)
    indices = operator.const(1, "list of indices")
    _check(operator, indices.size)
    found = [i + shape[axis] if i < 0 else i for i in map(int, indices.ravel())]
    if not all(0 <= i < shape[axis] for i in found):
        raise operator.error("E115", f"an index is outside of the {shape[axis]} elements")
    picks = _whole(operator)
    picks[axis] = found
    taken = graph.take(operator.value(), picks)
    return (graph.reshape(taken, (*shape[:axis], *indices.shape, *shape[axis + 1 :])),)


def expand(operator: Operator) -> Results:
    wanted = operator.integers(1, "shape")
    if len(wanted) > _MOST_AXES:
        raise operator.error("E114", f"a shape of {len(wanted)} axes")
    try:
        target = np.broadcast_shapes(operator.shape(), wanted)
    except ValueError:
        what = f"a tensor of shape {operator.shape()} cannot become {wanted}"
        raise operator.error("E111", what) from None
    return (broadcast(operator, operator.value(), target),)


def broadcast(operator: Operator, x: int, target: Sequence[int]) -> int:
    """A value repeated along axes of size 1."""
    graph = operator.graph
    for size in target:
        _check(operator, size)
    shape = (1,) * (len(target) - len(graph.shape(x))) + graph.shape(x)
    picks: Picks = [None if n == m else [0] * m for n, m in zip(shape, target, strict=True)]
    return graph.take(graph.reshape(x, shape), picks)


def tile(operator: Operator) -> Results:
    times = operator.integers(1, "repeats")
    shape = operator.shape()
    if len(times) != len(shape) or min(times, default=1) < 1:
        raise operator.error("E111", f"repeats {times} for the shape {shape}")
    picks: Picks = []
    for size, count in zip(shape, times, strict=True):
        _check(operator, size * count)
        picks.append(None if count == 1 else [*range(size)] * count)
    return (operator.graph.take(operator.value(), picks),)


def pad(operator: Operator) -> Results:
    """Pads are an attribute before operator set 11. Negative ones cut off."""
    graph, x, shape = operator.graph, operator.value(), operator.shape()
    pads = operator.list_of("pads", 1, 11)
    axes = operator.integers(3, "axes") if operator.has(3) else tuple(range(len(shape)))
    if pads is None or len(pads) != 2 * len(axes):
        raise operator.error("E111", f"pads {pads} for the axes {axes} of the shape {shape}")
    pairs = [(0, 0)] * len(shape)
    for i, axis in enumerate(axes):
        pairs[operator.axis(axis, len(shape))] = (pads[i], pads[i + len(axes)])
    picks: Picks = [
        range(max(0, -before), size - max(0, -after)) if min(before, after) < 0 else None
        for size, (before, after) in zip(shape, pairs, strict=True)
    ]
    if any(pick is not None and not pick for pick in picks):
        raise operator.error("E105", f"pads {pads} leave nothing of the shape {shape}")
    x = graph.take(x, picks)
    grown = [(max(0, before), max(0, after)) for before, after in pairs]
    mode = operator.word("mode", "constant")
    if mode == "constant":
        return (graph.pad(x, grown, _fill(operator)),)
    return (_repeated(operator, x, grown, mode),)


def _fill(operator: Operator) -> float:
    if operator.opset < 11:
        return operator.real("value", 0.0)
    return operator.number(2, "padding value", 0.0)


_MODES = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}


def _repeated(operator: Operator, x: int, pairs: Sequence[tuple[int, int]], mode: str) -> int:
    if mode not in _MODES:
        raise operator.error("E115", f"a Pad of the mode {mode!r} is not supported")
    picks: Picks = []
    for size, pair in zip(operator.graph.shape(x), pairs, strict=True):
        _check(operator, size + sum(pair))
        if size == 1 and mode == "reflect" and any(pair):
            raise operator.error("E115", "a Pad cannot reflect an axis of one element")
        places = np.pad(np.arange(size), pair, mode)  # type: ignore[call-overload]
        picks.append(places.tolist() if any(pair) else None)
    return operator.graph.take(x, picks)


HANDLERS: dict[str, Handler] = {
    "Slice": slice_,
    "Split": split,
    "Concat": concat,
    "Gather": gather,
    "Expand": expand,
    "Tile": tile,
    "Pad": pad,
}
