"""Shapes and quantizations that ADD and MUL share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.support.cases import Case, Operand, as_float, as_int16, s8

Shape = tuple[int, ...]

# Name -> shapes of both operands.
SHAPES: dict[str, tuple[Shape, Shape]] = {
    "same": ((1, 5, 3, 7), (1, 5, 3, 7)),
    "b50_channel_vector": ((1, 4, 5, 6), (6,)),
    "b50_channel_vector_left": ((6,), (1, 4, 5, 6)),
    "b50_scalar": ((1, 4, 5, 6), ()),
    "b50_scalar_left": ((), (2, 3)),
    "b50_one_element": ((1, 4, 5, 6), (1, 1, 1, 1)),
    "b58_squeeze_excite": ((1, 4, 5, 6), (1, 1, 1, 6)),
    "b58_squeeze_excite_left": ((1, 1, 1, 6), (1, 4, 5, 6)),
    "b50_one_channel": ((1, 5, 4, 1), (1, 5, 4, 64)),
    "b50_one_channel_right": ((1, 5, 4, 64), (1, 5, 4, 1)),
    "b50_row": ((1, 4, 5, 6), (1, 1, 5, 6)),
    "b50_column": ((1, 4, 5, 6), (1, 4, 1, 6)),
    "b50_crosswise": ((1, 4, 1, 6), (1, 1, 5, 6)),
    "b50_crosswise_channels": ((1, 4, 1, 1), (1, 1, 5, 6)),
    "b50_batch": ((3, 2, 3, 4), (1, 2, 3, 4)),
    "b50_batch_left": ((1, 2, 3, 4), (2, 2, 3, 4)),
    "b50_batch_crosswise": ((2, 1, 3, 1), (1, 4, 1, 5)),
    "b50_rank_3_to_4": ((2, 3, 4, 5), (3, 4, 5)),
    "b50_rank_2_to_4": ((2, 3, 4, 5), (4, 1)),
    "b50_rank_3": ((2, 3, 5), (1, 3, 1)),
    "b50_rank_2_to_3": ((3, 5), (2, 3, 5)),
    "b82_batch_2": ((2, 3, 2, 5), (2, 3, 2, 5)),
    "b82_batch_3": ((3, 1, 4, 3), (3, 1, 4, 3)),
    "rank_5": ((2, 3, 2, 4, 3), (3, 1, 1, 3)),
    "rank_5_crosswise": ((1, 3, 2, 1, 5), (2, 1, 1, 4, 5)),
    "rank_5_scalar_left": ((), (2, 1, 2, 4, 3)),
    "rank_1": ((17,), (17,)),
    "rank_2": ((3, 9), (3, 9)),
    "rank_3": ((2, 3, 9), (2, 3, 9)),
    "one_pixel": ((1, 1, 1, 13), (1, 1, 1, 13)),
}

# (scale, zero point) of both operands and the output.
QUANTS: tuple[tuple[tuple[float, int], tuple[float, int], tuple[float, int]], ...] = (
    ((0.05, -128), (0.05, -128), (0.1, -128)),
    ((0.05, 127), (0.03, 127), (0.08, 127)),
    ((0.02, -128), (0.5, 127), (0.4, 0)),
    ((1.0, 127), (0.01, -128), (0.7, -128)),
    ((0.5, 0), (0.5, 0), (0.5, 0)),
    ((0.25, 3), (0.125, -5), (0.0625, 11)),
    ((0.003, -7), (0.9, 9), (0.02, 127)),
    ((0.9, 9), (0.003, -7), (6.0, -128)),
)
ACTIVATIONS = ("none", "relu", "relu6", "relu_n1_to_1")


Make = Callable[[str], object]


def binary_cases(op: str, attrs: Make) -> list[Case]:
    """Every shape; constants on either side; every quantization once; all pairs of bytes."""
    cases = []
    for i, (name, (left, right)) in enumerate(SHAPES.items()):
        a, b = Operand(s8(left, 0.05, -3)), Operand(s8(right, 0.07, 11))
        attributes = attrs(ACTIVATIONS[i % 4])
        cases.append(Case(name, op, attributes, (a, b), (s8((), 0.09, 5),), seed=i))
    cases += [quant_case(op, attrs, i, i % 2 == 0) for i in range(len(QUANTS))]
    cases += constant_cases(op, attrs)
    cases += [twin(case) for twin in (as_float, as_int16) for case in list(cases)]
    x, y = s8((256, 1), 0.04, 1), s8((256,), 0.03, -2)
    every = Operand(x, pattern="ramp"), Operand(y, pattern="ramp")
    return [*cases, Case("all_pairs_of_bytes", op, attrs("none"), every, (s8((), 0.035, 3),))]


def further_binary_cases(op: str, attrs: Make) -> list[Case]:
    """The other half of quantizations and patterns, for the rule alone."""
    return [quant_case(op, attrs, i, i % 2 == 1) for i in range(len(QUANTS))]


def quant_case(op: str, attrs: Make, i: int, ramp: bool) -> Case:
    """Bytes at their limits on both sides, or all bytes against random ones."""
    qa, qb, qo = QUANTS[i]
    if ramp:
        a = Operand(s8((1, 32, 1, 8), *qa), pattern="ramp")
        b = Operand(s8((1, 1, 9, 8), *qb))
    else:
        a, b = (Operand(s8((1, 3, 4, 5), *q), pattern="extremes") for q in (qa, qb))
    name = f"quant_{i}_{'ramp' if ramp else 'extremes'}"
    return Case(name, op, attrs(ACTIVATIONS[i % 4]), (a, b), (s8((), *qo),), seed=i)


def constant_cases(op: str, attrs: Make) -> list[Case]:
    cases = []
    rng = np.random.default_rng(7)
    other = Operand(s8((1, 4, 5, 6), 0.04, 20))
    for shape in ((1, 4, 5, 6), (1, 1, 1, 6), (1,)):
        data = rng.integers(-128, 128, shape, np.int8)
        constant = Operand(s8(shape, 0.03, -20), data)
        for side, operands in (("right", (other, constant)), ("left", (constant, other))):
            name = f"constant_{side}_{'x'.join(map(str, shape))}"
            cases.append(Case(name, op, attrs("none"), operands, (s8((), 0.05, 0),)))
    return cases
