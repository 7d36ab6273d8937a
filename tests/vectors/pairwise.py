"""Vectors of the functions of two operands: every broadcast, constants, limits of the types."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.pairwise import FUNCTIONS, RESCALED, Attrs
from tests.support.binary_cases import ACTIVATIONS, QUANTS, SHAPES, Shape
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8, s16

# Broadcasts that every function and element type goes through
FEW: tuple[str, ...] = (
    "same",
    "b50_channel_vector",
    "b50_one_channel",
    "b50_crosswise",
    "b50_scalar_left",
)
FUSED = ("sub", "div")
DIVIDED = np.array([0.0, -0.0, 1.0, -1.5, 3e-45, -1e-40, 7.3e37, -3.4e38, 0.1], np.float32)
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
WHOLE = (DType.S32, DType.S64)
# Whole and broken, small and large
POWERS = np.array([0, 1, 2, 3, -1, -2, 0.5, 1.7, -0.3, 32, 33], np.float32)


def cases() -> list[Case]:
    found = []
    for name in FUNCTIONS:
        for dtype in FUNCTIONS[name].dtypes:
            places = SHAPES if name == "sub" else FEW[:2] if name == "prelu" else FEW
            for i, place in enumerate(places):
                found.append(_case(name, dtype, place, *SHAPES[place], seed=i))
    numbers = (0, 1, -1, 7, -8, 2**31 - 1, -(2**31))
    column = np.array(numbers, np.int32).reshape(7, 1)
    limits = Operand(TensorType(column.shape, DType.S32), column)
    extremes = Operand(TensorType((9,), DType.S32), pattern="extremes")
    for name in (name for name in FUNCTIONS if DType.S32 in FUNCTIONS[name].dtypes):
        out = _result(name, DType.S32)
        safe = FUNCTIONS[name].to_bool or name in ("maximum", "minimum")
        word = "ends" if safe else "limits"
        for title, operands in ((word, (limits, extremes)), (f"by_{word}", (extremes, limits))):
            found.append(Case(f"{name}_{title}", "pairwise", Attrs(name), operands, (out,), seed=3))
    for i, scales in enumerate(((0.001, 0.0007, 0.0013), (0.02, 0.0001, 0.004))):
        x, y, out = (s16((1, 4, 5, 6), scale) for scale in scales)
        for pattern in ("random", "extremes"):
            pair = (Operand(x, pattern=pattern), Operand(y, pattern=pattern))
            attrs = Attrs("sub", ACTIVATIONS[i % 4])
            found.append(Case(f"sub_s16_{i}_{pattern}", "pairwise", attrs, pair, (out,)))
    wide = Operand(TensorType((32, 8), DType.F32), pattern="positive")
    ramp = Operand(TensorType((2048, 1), DType.F32), pattern="ramp")
    exponents = Operand(TensorType((11,), DType.F32), POWERS)
    for title, x, b in (("bases", ramp, exponents), ("wide", wide, Operand(wide.type))):
        out = _result("pow", DType.F32)
        found.append(Case(f"pow_{title}", "pairwise", Attrs("pow"), (x, b), (out,)))
    several = Operand(TensorType((9,), DType.F32), DIVIDED)
    out = _result("floor_mod", DType.F32)
    for title, pair in (("ramp", (ramp, several)), ("by_ramp", (several, ramp))):
        found.append(Case(f"floor_mod_{title}", "pairwise", Attrs("floor_mod"), pair, (out,)))
    for i in range(len(QUANTS)):
        for pattern in ("extremes", "random"):
            x = Operand(s8((1, 3, 4, 5), *QUANTS[i][0]), pattern=pattern)
            y = Operand(s8((1, 1, 4, 5), *QUANTS[i][1]), pattern=pattern)
            for name in RESCALED:
                activation = ACTIVATIONS[i % 4] if name == "sub" else "none"
                attrs, out = Attrs(name, activation), s8((), *QUANTS[i][2])
                title = f"{name}_quant_{i}_{pattern}"
                found.append(Case(title, "pairwise", attrs, (x, y), (out,), seed=i))
    # TFLite rounds to 1/256 before it compares: steps finer than that, and scales that differ
    for i, (left, right) in enumerate((((0.003, 4), (0.003, 4)), ((0.1, -128), (0.0004, 127)))):
        for name in COMPARISONS:
            sides = (
                Operand(s8((256, 1), *left), pattern="ramp"),
                Operand(s8((256,), *right), pattern="ramp"),
            )
            out = TensorType((), DType.BOOL)
            found.append(Case(f"{name}_scaled_{i}", "pairwise", Attrs(name), sides, (out,)))
    near = (
        Operand(s16((512, 1), 0.001), pattern="ramp"),
        Operand(s16((64,), 0.0012), pattern="ramp"),
    )
    for name in ("equal", "not_equal"):
        out = TensorType((), DType.BOOL)
        found.append(Case(f"{name}_scaled_s16", "pairwise", Attrs(name), near, (out,)))
    slopes = Operand(s8((256,), 0.05, 3), pattern="ramp")
    every = Operand(s8((3, 256), 0.05, 3), pattern="ramp")
    out = s8((), 0.07, -9)
    found.append(Case("prelu_ramps", "pairwise", Attrs("prelu"), (every, slopes), (out,)))
    ramps = tuple(Operand(s8(shape, 0.05, 3), pattern="ramp") for shape in ((256, 1), (256,)))
    for name in ("sub", "squared_difference", "minimum", "less", "equal", "greater_equal"):
        out = _result(name, DType.S8)
        found.append(Case(f"{name}_all_pairs", "pairwise", Attrs(name), ramps, (out,)))
    return found


def _result(name: str, dtype: DType) -> TensorType:
    if FUNCTIONS[name].to_bool:
        return TensorType((), DType.BOOL)
    return _type((), dtype, name)


def _type(shape: Shape, dtype: DType, name: str = "") -> TensorType:
    if name.startswith("floor"):
        return TensorType(shape, dtype)  # integers without a scale
    small = {DType.S8: s8(shape, 0.05, 3), DType.S16: s16(shape, 0.0003)}
    return small.get(dtype, TensorType(shape, dtype))


def _case(name: str, dtype: DType, place: str, left: Shape, right: Shape, seed: int) -> Case:
    # whole numbers of a few values, so that some are equal; the interpreter divides by none of them
    pattern = "below 7" if dtype in WHOLE and FUNCTIONS[name].to_bool else "random"
    operands = tuple(
        Operand(_type(shape, dtype, name), pattern="random" if dtype.size_bytes < 4 else pattern)
        for shape in (left, right)
    )
    fused = name in FUSED and dtype not in WHOLE
    attrs = Attrs(name, ACTIVATIONS[seed % 4] if fused else "none")
    title = f"{name}_{dtype.value}_{place}"
    return Case(title, "pairwise", attrs, operands, (_result(name, dtype),), seed=seed)


def tflite(case: Case) -> TfliteOp | None:
    assert isinstance(case.attrs, Attrs)
    name = case.attrs.function
    if case.name.endswith("_limits"):  # where C++ overflows, and fails by 0
        return None
    fused = {"fused_activation_function": case.attrs.activation.upper()} if name in FUSED else {}
    return TfliteOp(name.upper(), fused)
