"""Operators with state in variable tensors: LSTMs, RNNs, SVDF."""

from __future__ import annotations

from mcuc.frontends.tflite.builtins.float_sequences import float_lstm, float_rnn
from mcuc.frontends.tflite.operator import Builtin, Operator, Part, Parts, Remember, Source
from mcuc.ir.types import DType, TensorType
from mcuc.ops import lstm, reshape, svdf_feature, svdf_time, take
from mcuc.ops.checks import quant_of

_TANH = 4  # ActivationFunctionType
# Operands: input, 4 + 4 weights, 3 peepholes, 4 biases, 2 of a projection, 2 states, 4 norms.
_RECURRENT, _PEEPHOLE, _BIAS, _PROJECTION, _OUTPUT, _CELL, _NORM = 5, 9, 12, 16, 18, 19, 20
_COUNT = 24
_HIDDEN = 4  # of the intermediates: what the output gate and the cell make


def lstm_(operator: Operator) -> Parts:
    """UnidirectionalSequenceLSTMOptions: activation, cell_clip, proj_clip, time_major, asymmetric.

    On int8 one sequence, whose state is joined to one tensor (mcuc/ops/lstm.py).
    """
    _check_lstm(operator)
    major = operator.options.scalar(3, "bool", False)
    if operator.type().dtype is DType.F32:
        clip, asymmetric = operator.options.scalar(1, "f32"), operator.options.scalar(4, "bool")
        return float_lstm(operator, major, clip, bool(asymmetric))
    x, out_state, cell = (operator.type(k) for k in (0, _OUTPUT, _CELL))
    if x.dtype is not DType.S8 or cell.dtype is not DType.S16 or cell.quant is None:
        raise operator.error("E110", "an LSTM is supported on float32, and int8 with an int16 cell")
    if len(x.shape) != 3 or not out_state.shape or x.shape[1 if major else 0] != 1:
        raise operator.error("E114", f"the input is {x.shape}; one sequence is supported")
    hidden = operator.intermediates[_HIDDEN] if len(operator.intermediates) > _HIDDEN else None
    if hidden is None or hidden.quant is None or any(hidden.quant.zero_points):
        raise operator.error("E201", "the LSTM's hidden tensor needs a scale, and no zero point")
    return _parts(operator, x, out_state, (quant_of(cell).scale, hidden.quant.scale))


def _check_lstm(operator: Operator) -> None:
    """Refuses what no LSTM here has."""
    inputs = (*operator.inputs, *(None,) * (_COUNT - len(operator.inputs)))
    real = inputs[0] is not None and inputs[0].type.dtype is DType.F32
    peepholes = () if real else tuple(range(_PEEPHOLE, _BIAS))
    absent = (*peepholes, _PROJECTION, _PROJECTION + 1, *range(_NORM, _COUNT))
    if any(inputs[k] is not None for k in absent) or any(inputs[k] is None for k in range(1, 9)):
        raise operator.error(
            "E115", "an LSTM with projection, layer norm, coupled gates, or peepholes on integers"
        )
    if operator.options.scalar(0, "i8") != _TANH:
        raise operator.error("E115", "the activation of an LSTM must be TANH")


def one_lstm(operator: Operator) -> Parts:
    """LSTMOptions: activation, cell_clip, proj_clip, kernel_type, asymmetric. A step of an LSTM."""
    if operator.options.scalar(3, "i8") != 0 or len(operator.outputs) != 1:
        raise operator.error("E115", "an LSTM of the kernel type BASIC")
    if operator.type().dtype is not DType.F32:
        raise operator.error("E110", "a step of an LSTM is supported on float32")
    _check_lstm(operator)
    clip, asymmetric = operator.options.scalar(1, "f32"), operator.options.scalar(4, "bool")
    return float_lstm(operator, False, clip, bool(asymmetric))


def rnn_(operator: Operator) -> Parts:
    """SequenceRNNOptions: time_major, activation."""
    major = operator.options.scalar(0, "bool", False)
    return float_rnn(operator, major, operator.options.scalar(1, "i8"))


def one_rnn(operator: Operator) -> Parts:
    """RNNOptions: activation. A step of an RNN."""
    return float_rnn(operator, False, operator.options.scalar(0, "i8"))


def _parts(
    operator: Operator, x: TensorType, out_state: TensorType, scales: tuple[float, float]
) -> Parts:
    major = operator.options.scalar(3, "bool", False)
    steps, depth = x.shape[0 if major else 1], x.shape[2]
    units = out_state.shape[-1]
    attrs = lstm.Attrs(*scales, operator.options.scalar(1, "f32", 0.0))
    place = len(operator.inputs)
    state, flat, run = place, place + 1, place + 2
    quant = out_state.quant
    weights = (*range(1, _PEEPHOLE), *range(_BIAS, _PROJECTION))
    sequence = TensorType((steps, units), DType.S8, quant)

    def rows(first: int, end: int) -> take.Attrs:
        return take.attrs_of((steps + 2, units), (range(first, end), None))

    shape = (steps, 1, units) if major else (1, steps, units)
    return (
        Source(TensorType((3, units), DType.S8, quant)),
        Part("reshape", reshape.Attrs((steps, depth)), (0,), x),
        Part("lstm", attrs, (flat, state, *weights), TensorType((), DType.S8, quant)),
        Part("take", rows(0, steps), (run,), sequence),
        Part("reshape", reshape.Attrs(shape), (run + 1,)),
        Part("take", rows(steps - 1, steps + 2), (run,), TensorType((), DType.S8, quant)),
        Remember(state, run + 3),
    )


def svdf_(operator: Operator) -> Parts:
    """SVDFOptions: rank, activation. Operands: input, weights by feature and by time, bias, state.

    The state becomes [filters, memory].
    """
    inputs = (*operator.inputs, *(None,) * (5 - len(operator.inputs)))
    weights, state = operator.type(2), operator.type(4)
    if len(weights.shape) != 2 or state.shape != (1, weights.elements):
        raise operator.error(
            "E114", f"the state is {state.shape}, the time weights {weights.shape}; one sequence"
        )
    attrs = svdf_time.Attrs(operator.options.scalar(0, "i32"), operator.activation(1))
    kept = TensorType(weights.shape, state.dtype, state.quant)
    place = len(operator.inputs)
    bias = 3 if inputs[3] is not None else None
    return (
        Source(kept),
        Part("svdf_feature", svdf_feature.Attrs(), (0, place, 1), kept),
        Part("svdf_time", attrs, (place + 1, 2, bias)),
        Remember(place, place + 1),
    )


BUILTINS = {
    "SVDF": Builtin(svdf_, "SVDFOptions", keeps_state=True),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Builtin(
        lstm_, "UnidirectionalSequenceLSTMOptions", keeps_state=True
    ),
    "LSTM": Builtin(one_lstm, "LSTMOptions", keeps_state=True),
    "UNIDIRECTIONAL_SEQUENCE_RNN": Builtin(rnn_, "SequenceRNNOptions", keeps_state=True),
    "RNN": Builtin(one_rnn, "RNNOptions", keeps_state=True),
}
