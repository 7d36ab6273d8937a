"""Recurrent operators of float32, also with int8 weights: one `recurrent` with its state kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcuc.frontends.tflite.operator import AnyPart, Known, Operator, Part, Parts, Remember, Source
from mcuc.ir.graph import Array
from mcuc.ir.types import DType, TensorType
from mcuc.ops import recurrent, reshape, take, transpose
from mcuc.ops.checks import quant_of

_REAL = TensorType((), DType.F32)
_TANH = 4  # ActivationFunctionType
# Operands of an LSTM by gate i, f, c, o; the op has them as i, o, f, c, peepholes as i, o, f.
_ORDER = (0, 3, 1, 2)
_FORWARD, _RECURRENT, _PEEPHOLE, _BIAS, _STATES = 1, 5, 9, 12, (18, 19)


def float_lstm(operator: Operator, major: bool, clip: float, asymmetric: bool) -> Parts:
    """An LSTM whose absent operands have been checked; `clip`: of the cell."""
    biases = [operator.const(_BIAS + g, "bias").ravel() for g in _ORDER]
    units = len(biases[0])
    sizes = [operator.type(k).shape for k in _STATES]
    if any(len(size) != 2 or size != sizes[0] or size[1] != units for size in sizes):
        raise operator.error("E111", "the states of the LSTM have other sizes than its biases")
    forward, back = _gates(operator, _FORWARD), _gates(operator, _RECURRENT)
    hybrid = operator.type(_FORWARD).dtype is DType.S8
    constants: list[Array | None] = [
        forward,
        back,
        np.stack([np.stack(biases), np.zeros((4, units), np.float32)]).astype(np.float32),
    ]
    held = [k for k in range(3) if operator.inputs[_PEEPHOLE + k] is not None]
    if held or hybrid:
        constants.append(_peepholes(operator) if held else None)
    if hybrid:
        constants.append(np.stack([_scales(operator, k, units) for k in (_FORWARD, _RECURRENT)]))
    attrs = recurrent.Attrs("lstm", asymmetric=asymmetric, cell_clip=clip)
    return _run(operator, attrs, constants, major)


def _gates(operator: Operator, first: int) -> Array:
    found = [operator.const(first + g, "weights") for g in _ORDER]
    if len({(array.shape, array.dtype) for array in found}) != 1:
        raise operator.error("E111", "the weights of the gates differ in shape or type")
    return np.stack(found)


def _peepholes(operator: Operator) -> Array:
    found = [operator.const(_PEEPHOLE + k, "peephole").ravel() for k in (0, 2, 1)]
    if len({(array.shape, array.dtype) for array in found}) != 1:
        raise operator.error("E111", "the peepholes differ in shape or type")
    return np.stack(found)


def _scales(operator: Operator, first: int, units: int) -> Array:
    """[4, N]: of int8 weights, which have one scale each."""
    if any(operator.type(first + g).quant is None for g in _ORDER):
        raise operator.error("E115", "int8 weights of an LSTM without a scale")
    quants = [quant_of(operator.type(first + g)) for g in _ORDER]
    if any(quant.per_channel or quant.zero_point for quant in quants):
        raise operator.error("E209", "weights of an LSTM with zero points or a scale per channel")
    scales = np.asarray([quant.scale for quant in quants], np.float32)
    return np.ascontiguousarray(np.broadcast_to(scales[:, np.newaxis], (4, units)))


def float_rnn(operator: Operator, major: bool, activation: int) -> Parts:
    """An RNN. Operands: input, weights [N, D] and [N, N], bias, state."""
    if activation != _TANH:
        raise operator.error("E115", "the activation of an RNN must be TANH")
    if operator.type().dtype is not DType.F32 or operator.type(1).dtype is not DType.F32:
        raise operator.error("E110", "an RNN is supported on float32, with weights of float32")
    bias = operator.const(3, "bias").reshape(1, 1, -1)
    constants = [
        operator.const(1, "weights")[np.newaxis],
        operator.const(2, "recurrent weights")[np.newaxis],
        np.concatenate([bias, np.zeros_like(bias)]),
    ]
    return _run(operator, recurrent.Attrs("rnn"), constants, major)


def _run(
    operator: Operator, attrs: recurrent.Attrs, constants: Sequence[Array | None], major: bool
) -> Parts:
    """Sequences [T, B, D] if `major`, else [B, T, D]; or a single step [B, D]."""
    shape = operator.shape()
    if len(shape) not in (2, 3):
        raise operator.error("E114", f"the input is {shape}; rank 2 or 3 is needed")
    steps, batch = 1, shape[0]
    if len(shape) == 3:
        steps, batch = shape[:2] if major else shape[1::-1]
    units = constants[1].shape[-1] if constants[1] is not None else 0
    states = 2 if attrs.cell == "lstm" else 1
    parts: list[AnyPart] = [Source(TensorType((states, batch, units), DType.F32))]
    place = len(operator.inputs)
    parts.append(_to_steps(shape, (steps, batch, shape[-1]), major))
    operands: list[int | None] = [place + 1, place]
    for data in constants:
        operands.append(None if data is None else place + len(parts))
        if data is not None:
            parts.append(Known(data, TensorType((), DType.of(data.dtype))))
    run = place + len(parts)

    def rows(first: int, end: int) -> take.Attrs:
        picks = (range(first, end), None, None)
        return take.attrs_of((steps + states - 1, batch, units), picks)

    parts += [
        Part("recurrent", attrs, tuple(operands), _REAL),
        Part("take", rows(0, steps), (run,), _REAL),
        _from_steps(shape, (steps, batch, units), major, run + 1),
        Part("take", rows(steps - 1, steps + states - 1), (run,), _REAL),
        Remember(place, run + 3),
    ]
    return tuple(parts)


def _to_steps(shape: tuple[int, ...], wanted: tuple[int, ...], major: bool) -> Part:
    if len(shape) == 3 and not major and wanted[1] > 1:
        return Part("transpose", transpose.Attrs((1, 0, 2)), (0,), _REAL)
    return Part("reshape", reshape.Attrs(wanted), (0,), _REAL)


def _from_steps(shape: tuple[int, ...], given: tuple[int, ...], major: bool, of: int) -> Part:
    if len(shape) == 3 and not major and given[1] > 1:
        return Part("transpose", transpose.Attrs((1, 0, 2)), (of,))
    result = given[1:] if len(shape) == 2 else given
    if len(shape) == 3 and not major:
        result = (given[1], given[0], given[2])
    return Part("reshape", reshape.Attrs(result), (of,))
