"""WHILE, of which an LSTM is known: `mcuc/frontends/tflite/keras_lstm.py`."""

from __future__ import annotations

import numpy as np

from mcuc.frontends.tflite import keras_lstm
from mcuc.frontends.tflite.operator import AnyPart, Builtin, Known, Operator, Part, Parts
from mcuc.ir.types import DType, TensorType
from mcuc.ops import concatenation, recurrent, reshape, take

_REAL = TensorType((), DType.F32)


def while_(operator: Operator) -> Parts:
    """WhileOptions: cond_subgraph_index, body_subgraph_index."""
    cond, body = (operator.subgraph(operator.options.scalar(k, "i32")) for k in (0, 1))
    count = len(body.inputs)
    if len(operator.inputs) != count or len(operator.outputs) != count:
        raise operator.error("E104", f"the loop has {count} arguments, the operator not")
    try:
        loop = keras_lstm.read(cond, body)
    except keras_lstm.NoLstm as other:
        raise operator.error(
            "E102",
            "the operator WHILE is not supported",
            why=f"only the loop that Keras makes of an LSTM is known; in this one: {other}",
            help="export the model without control flow, for example with unrolled layers",
        ) from None
    _check(operator, loop)
    return _parts(operator, loop)


def _check(operator: Operator, loop: keras_lstm.Loop) -> None:
    """Requires that all steps run, from the first one."""
    starts = [operator.const(k, "start of a counter") for k in loop.counters]
    if any(start.any() for start in starts):
        raise operator.error("E115", "a counter of the loop does not begin at 0")
    steps = (loop.steps,)
    shapes = operator.shape(loop.x), operator.shape(loop.ys)
    if any(len(shape) != 3 or shape[:1] != steps for shape in shapes):
        raise operator.error(
            "E111", f"the loop has {loop.steps} steps, its sequences the shapes {shapes}"
        )


def _parts(operator: Operator, loop: keras_lstm.Loop) -> Parts:
    weights, steps = loop.weights, loop.steps
    units, (_, batch, _) = weights.recurrent.shape[2], operator.shape(loop.x)
    place = len(operator.inputs)
    hybrid = weights.scales is not None
    attrs = recurrent.Attrs("lstm", asymmetric=weights.asymmetric)
    kind = TensorType((), DType.S8 if hybrid else DType.F32)
    parts: list[AnyPart] = [
        Known(weights.forward, kind),
        Known(weights.recurrent, kind),
        Known(weights.bias, _REAL),
        Part("reshape", reshape.Attrs((1, batch, units)), (loop.h,), _REAL),
        Part("reshape", reshape.Attrs((1, batch, units)), (loop.c,), _REAL),
        Part("concatenation", concatenation.Attrs(0), (place + 3, place + 4), _REAL),
    ]
    operands: tuple[int | None, ...] = (loop.x, place + 5, place, place + 1, place + 2)
    if weights.scales is not None:
        parts.append(Known(weights.scales, _REAL))
        operands = (*operands, None, place + 6)
    run = place + len(parts)
    parts.append(Part("recurrent", attrs, operands, _REAL))

    def rows(first: int, end: int) -> take.Attrs:
        return take.attrs_of((steps + 1, batch, units), (range(first, end), None, None))

    one = reshape.Attrs((batch, units))
    parts += [
        Part("take", rows(0, steps), (run,), loop.ys),
        Part("take", rows(steps - 1, steps), (run,), _REAL),
        Part("reshape", one, (run + 2,), loop.h),
        Part("take", rows(steps, steps + 1), (run,), _REAL),
        Part("reshape", one, (run + 4,), loop.c),
        Part("reshape", reshape.Attrs(operator.shape(loop.x)), (loop.x,), loop.x),
        *(Known(np.asarray(steps, np.int32), k) for k in loop.counters),
    ]
    return tuple(parts)


BUILTINS = {"WHILE": Builtin(while_, "WhileOptions")}
