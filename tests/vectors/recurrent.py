"""Vectors of RNN, GRU and LSTM: one step and many, several sequences, every attribute.

TFLite has no such operators: tests/numerics/test_recurrent.py compares them with ONNX's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.recurrent import GATES, Attrs
from tests.support.cases import Case, Operand

# Name, attributes, (steps, batch, depth, units), whether there are biases and peepholes
PLACES: tuple[tuple[str, Attrs, tuple[int, int, int, int], bool, bool], ...] = (
    ("rnn", Attrs("rnn"), (4, 2, 3, 5), True, False),
    ("rnn_reverse_clip", Attrs("rnn", True, clip=0.5), (3, 1, 4, 2), False, False),
    ("gru", Attrs("gru"), (5, 2, 3, 4), True, False),
    ("gru_linear", Attrs("gru", linear_before_reset=True), (5, 1, 3, 4), True, False),
    ("gru_reverse", Attrs("gru", True, clip=0.7), (3, 2, 2, 3), False, False),
    ("lstm", Attrs("lstm"), (5, 2, 3, 4), True, False),
    ("lstm_reverse", Attrs("lstm", True), (4, 1, 6, 3), False, False),
    ("lstm_peephole", Attrs("lstm", clip=0.8), (3, 2, 2, 3), True, True),
    ("lstm_long", Attrs("lstm"), (28, 1, 8, 7), True, False),
    ("lstm_cell_clip", Attrs("lstm", cell_clip=0.3), (4, 1, 3, 5), True, False),
    ("lstm_one", Attrs("lstm"), (1, 1, 1, 1), True, True),
)
# The same with int8 weights
HYBRID: tuple[tuple[str, Attrs, tuple[int, int, int, int], bool, bool], ...] = (
    ("lstm_symmetric", Attrs("lstm"), (5, 2, 3, 4), True, False),
    ("lstm_asymmetric", Attrs("lstm", asymmetric=True), (7, 1, 9, 5), True, False),
    ("lstm_hybrid_reverse", Attrs("lstm", True, clip=0.8), (3, 2, 2, 3), False, True),
)


def cases() -> list[Case]:
    found = [_case(*place, seed=i) for i, place in enumerate(PLACES)]
    return [*found, *(with_int8(_case(*place, seed=i)) for i, place in enumerate(HYBRID))]


def with_int8(case: Case) -> Case:
    """The case with weights of int8, each row with a scale of its own."""
    scales, weights = [], []
    for operand in case.operands[2:4]:
        assert operand is not None and operand.data is not None
        scale = np.abs(operand.data).max(axis=2, keepdims=True) / np.float32(127)
        scales.append(scale[..., 0])
        data = np.rint(operand.data / scale).astype(np.int8)
        weights.append(Operand(TensorType(data.shape, DType.S8), data))
    steps = np.asarray(scales, np.float32)
    last = Operand(TensorType(steps.shape, DType.F32), steps)
    return replace(case, operands=(*case.operands[:2], *weights, *case.operands[4:], last))


def _case(
    name: str,
    attrs: Attrs,
    sizes: tuple[int, int, int, int],
    biased: bool,
    peepholes: bool,
    seed: int,
) -> Case:
    steps, batch, depth, units = sizes
    gates = GATES[attrs.cell]
    rng = np.random.default_rng(seed)

    def constant(*shape: int) -> Operand:
        data = rng.uniform(-1, 1, shape).astype(np.float32)
        return Operand(TensorType(shape, DType.F32), data)

    states = 2 if attrs.cell == "lstm" else 1
    operands = (
        Operand(TensorType((steps, batch, depth), DType.F32)),
        Operand(TensorType((states, batch, units), DType.F32)),
        constant(gates, units, depth),
        constant(gates, units, units),
        constant(2, gates, units) if biased else None,
        constant(3, units) if peepholes else None,
    )
    return Case(name, "recurrent", attrs, operands, (TensorType((), DType.F32),), seed=seed)
