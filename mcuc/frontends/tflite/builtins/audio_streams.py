"""TFLM's custom operators that join the calls of a stream: delays, frames, stacks, overlaps.

What they remember becomes state; most is only moved, by joining what was kept and what is new, and
taking the parts.
"""

from __future__ import annotations

import numpy as np

from mcuc.frontends.tflite.operator import AnyPart, Known, Operator, Part, Parts, Remember, Source
from mcuc.ir.types import DType, TensorType
from mcuc.ops import concatenation, pairwise, reshape, select, signal, take

_BOOL = TensorType((), DType.BOOL)
_JOINED = concatenation.Attrs(-1)


def numbers(operator: Operator, *names: str) -> list[int]:
    """Options by their names, all of which must be there and not negative."""
    missing = [name for name in names if name not in operator.custom]
    if missing:
        raise operator.error("E112", f"the options have no {', '.join(missing)}")
    found = [operator.custom[name] for name in names]
    if min(found) < 0 or max(found) > signal.MOST:
        raise operator.error("E115", f"the options {dict(zip(names, found, strict=True))}")
    return found


class _Made:
    """Parts as they are made; methods return the positions of their results."""

    def __init__(self, operator: Operator, results: int) -> None:
        if len(operator.inputs) != 1 or len(operator.outputs) != results:
            found = len(operator.inputs), len(operator.outputs)
            raise operator.error("E104", f"operands and results are {found}, not (1, {results})")
        self.parts: list[AnyPart] = []
        self._first = 1

    def add(self, part: AnyPart) -> int:
        self.parts.append(part)
        return self._first + len(self.parts) - 1

    def source(self, shape: tuple[int, ...], dtype: DType) -> int:
        return self.add(Source(TensorType(shape, dtype)))

    def joined(self, a: int, b: int, dtype: DType) -> int:
        return self.add(Part("concatenation", _JOINED, (a, b), TensorType((), dtype)))

    def taken(
        self, x: int, shape: tuple[int, ...], picks: list[int], result: int | TensorType
    ) -> int:
        """Of the last axis."""
        lists = [None] * (len(shape) - 1)
        return self.add(Part("take", take.attrs_of(shape, [*lists, picks]), (x,), result))

    def end(self, *remembered: tuple[int, int]) -> Parts:
        return (*self.parts, *(Remember(source, value) for source, value in remembered))


def _shape(operator: Operator) -> tuple[int, ...]:
    shape = operator.shape()
    if not 1 <= len(shape) <= 4:
        raise operator.error("E114", f"the input is {shape}; rank 1 to 4 is supported")
    _limit(operator, operator.type().elements)
    return shape


def _limit(operator: Operator, size: int) -> None:
    """Refuses lists that no microcontroller could hold."""
    if size > signal.MOST:
        raise operator.error("E117", f"{size} elements; the most is {signal.MOST}")


def delay(operator: Operator) -> Parts:
    """What came `delay_length` elements before, zeros at first."""
    made, (*lead, size) = _Made(operator, 1), _shape(operator)
    (length,) = numbers(operator, "delay_length")
    if length == 0:
        return (Part("reshape", reshape.Attrs((*lead, size)), (0,)),)
    kept = made.source((*lead, length), DType.S16)
    both, shape = made.joined(kept, 0, DType.S16), (*lead, length + size)
    made.taken(both, shape, [*range(size)], 0)
    rest = made.taken(both, shape, [*range(size, length + size)], TensorType((), DType.S16))
    return made.end((kept, rest))


def framer(operator: Operator) -> Parts:
    """Frames that overlap. Results: the frames, and whether there were enough elements for them."""
    made, (*lead, size) = _Made(operator, 2), _shape(operator)
    frame, step, prefill = numbers(operator, "frame_size", "frame_step", "prefill")
    if step < 1 or frame < step or size % step or size < step:
        raise operator.error("E115", f"frames of {frame} every {step} elements of {size}")
    count, needed = size // step, -(-frame // step)
    _limit(operator, count * frame)
    before = frame - step if prefill else (needed - 1) * step
    calls = 0 if prefill else -(-(needed - 1) // count)  # without a valid result
    picks = [k * step + i for k in range(count) for i in range(frame)]
    both, kept, shape = 0, None, (*lead, before + size)
    if before:
        kept = made.source((*lead, before), DType.S16)
        both = made.joined(kept, 0, DType.S16)
    frames = made.taken(both, shape, picks, TensorType((), DType.S16))
    made.add(Part("reshape", reshape.Attrs((*lead, count, frame)), (frames,), 0))
    pairs = []
    if kept is not None:
        last = [*range(size, before + size)]
        pairs.append((kept, made.taken(both, shape, last, TensorType((), DType.S16))))
    return made.end(*pairs, *_valid_after(made, calls))


def _valid_after(made: _Made, calls: int) -> list[tuple[int, int]]:
    """Result 1: false for so many calls, then true; the state that this needs."""
    if calls == 0:
        made.add(Known(np.ones((), np.bool_), 1))
        return []
    kept = made.source((calls,), DType.BOOL)
    flags = _pushed(made, kept)
    first = made.taken(flags, (calls + 1,), [0], _BOOL)
    made.add(Part("reshape", reshape.Attrs(()), (first,), 1))
    return [(kept, made.taken(flags, (calls + 1,), [*range(1, calls + 1)], _BOOL))]


def _pushed(made: _Made, kept: int) -> int:
    """Flags with one that is true behind them."""
    true = made.add(Known(np.ones(1, np.bool_), _BOOL))
    return made.joined(kept, true, DType.BOOL)


def stacker(operator: Operator) -> Parts:
    """The last frames side by side; before the first one it counts as repeated to the left.

    Results: the stack, and whether it is one: the first when the frames to the right are there,
    then every `stacker_step` calls.
    """
    made, shape = _Made(operator, 2), _shape(operator)
    names = ("num_channels", "stacker_left_context", "stacker_right_context", "stacker_step")
    channels, left, right, step = numbers(operator, *names)
    if shape != (channels,) or not 1 <= step <= left + right + 1 or channels < 1:
        raise operator.error("E115", f"stacks of {left} + 1 + {right} frames {shape} every {step}")
    before = (left + right) * channels
    _limit(operator, before)
    both, kept, pairs = 0, None, []
    if before:
        kept = made.source((before,), DType.S16)
        started = made.source((1,), DType.BOOL)
        flags = _pushed(made, started)
        pairs.append((started, made.taken(flags, (2,), [1], _BOOL)))
        repeated = [k % channels for k in range(before)]
        first = made.taken(0, shape, repeated, TensorType((), DType.S16))
        chosen = Part("select", select.Attrs(), (started, kept, first), TensorType((), DType.S16))
        both = made.joined(made.add(chosen), 0, DType.S16)
    made.add(Part("reshape", reshape.Attrs((before + channels,)), (both,), 0))
    if kept is not None:
        rest = [*range(channels, before + channels)]
        wanted = TensorType((), DType.S16)
        pairs.append((kept, made.taken(both, (before + channels,), rest, wanted)))
    if step == 1:
        return made.end(*pairs, *_valid_after(made, right))
    return made.end(*pairs, *_valid_every(made, right, step))


def _valid_every(made: _Made, calls: int, step: int) -> list[tuple[int, int]]:
    """Result 1: true once after so many calls, then every `step` calls; the state of this."""
    kept, last = made.source((calls + 1,), DType.BOOL), made.source((step,), DType.BOOL)
    flags = _pushed(made, kept)
    shape = (calls + 2,)
    was, now = (made.taken(flags, shape, [k], _BOOL) for k in (0, 1))
    begins = made.add(Part("pairwise", pairwise.Attrs("not_equal"), (was, now), _BOOL))
    again = made.taken(last, (step,), [0], _BOOL)
    valid = made.add(Part("pairwise", pairwise.Attrs("logical_or"), (begins, again), _BOOL))
    made.add(Part("reshape", reshape.Attrs(()), (valid,), 1))
    rest = made.taken(last, (step,), [*range(1, step)], _BOOL)
    return [
        (kept, made.taken(flags, shape, [*range(1, calls + 2)], _BOOL)),
        (last, made.joined(rest, valid, DType.BOOL)),
    ]


def overlap_add(operator: Operator) -> Parts:
    """Frames [.., N, frame] added up where they overlap: [.., N step]."""
    made, shape = _Made(operator, 1), _shape(operator)
    (step,) = numbers(operator, "frame_step")
    dtype = operator.type().dtype
    if len(shape) < 2 or not 1 <= step <= shape[-1]:
        raise operator.error("E115", f"frames {shape} every {step} elements")
    *lead, count, frame = shape
    outer = int(np.prod(lead))
    wide = (outer, count * step + frame - step)
    kind = "overlap_add" if dtype is DType.S16 else "overlap_add_f32"
    kept = made.source((outer, frame - step), dtype) if frame > step else None
    if kept is None:
        return (Part("reshape", reshape.Attrs((*lead, count * step)), (0,)),)
    total = made.add(
        Part("signal", signal.Attrs(kind, (frame, step)), (0, kept), TensorType((), dtype))
    )
    found = made.taken(total, wide, [*range(count * step)], TensorType((), dtype))
    made.add(Part("reshape", reshape.Attrs((*lead, count * step)), (found,), 0))
    rest = made.taken(total, wide, [*range(count * step, wide[1])], TensorType((), dtype))
    return made.end((kept, rest))
