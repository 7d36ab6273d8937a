"""Vectors of unary functions: all bytes under 20 quantizations (B119), floats of every size."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.numerics.unary import TABLES
from mcuc.ops.unary import ARCS, BENDS, BY_FLOAT, FLOATS, SERIES, Attrs
from mcuc.ops.unary_int16 import FUNCTIONS as BY_RULE
from mcuc.ops.unary_whole import BY_DTYPE
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8, s16
from tests.support.tflite_build import OptionValue

QUANTS = 20
ON_INT16 = (*BY_RULE, *BY_DTYPE[DType.S16])
# alpha and beta of the functions that have them
NUMBERS = {
    "leaky_relu": (0.3,),
    "hard_sigmoid": (0.2, 0.45),
    "thresholded_relu": (0.7,),
    "clip": (-0.3, 0.8),
    "elu": (1.3,),
    "selu": (1.6732632423543772, 1.0507009873554805),
    "celu": (0.7,),
}
# What BUILTIN_REF has no operator for
ONNX_ONLY = (
    *("ceil", "round", "reciprocal", "softsign", "hard_sigmoid", "thresholded_relu", "clip"),
    *BENDS,
    *ARCS,
)
# TFLite fails for some or all inputs below zero
FROM_ZERO = ("sqrt", "rsqrt", "log")


def cases() -> list[Case]:
    found = [_int8(function, k) for function in TABLES for k in range(2)]
    found += [_int8(function, 0) for function in BY_FLOAT]
    found += [_int16(name, k, (1, 4, 8, 33)) for name in sorted(ON_INT16) for k in range(2)]
    for dtype in (DType.S32, DType.S64):
        for pattern in ("random", "extremes", "below 5"):
            found += [_whole(function, dtype, pattern) for function in BY_DTYPE[dtype]]
    for function in FLOATS:
        if function in FROM_ZERO:
            found.append(_float(f"{function}_f32", function, (1, 16, 16, 16), "positive"))
            continue
        found.append(_float(f"{function}_f32", function, (1, 7, 9, 5)))
        found.append(_float(f"{function}_f32_line", function, (2048,), "ramp"))
        if function not in (*SERIES, *BENDS, *ARCS):
            found.append(_float(f"{function}_f32_wide", function, (64,), "wide"))
    return found


def reference_only() -> list[Case]:
    int16 = [_int16(name, k, (1, 1 << 16)) for name in sorted(ON_INT16) for k in range(2, 5)]
    return [*int16, *(_int8(function, k) for function in TABLES for k in range(2, QUANTS))]


def _int16(function: str, k: int, shape: tuple[int, ...]) -> Case:
    """All int16, where the shape has room for them."""
    scale, out_scale = ((2e-4, 3e-4), (7e-5, 5e-5), (2**-12, 2**-11), (1e-3, 4e-3), (3e-5, 1e-5))[k]
    out = s16((), 1 / 32768 if function == "tanh" else out_scale)
    pattern = "ramp" if len(shape) == 2 else "random"
    if function == "rsqrt":
        pattern = "below 32767"  # TFLite fails below zero
    if function == "neg":
        out = s16((), scale)
    x = Operand(s16(shape, scale), pattern=pattern)
    return Case(f"{function}_s16_{k}", "unary", attrs_with_numbers(function), (x,), (out,), seed=k)


def _whole(function: str, dtype: DType, pattern: str) -> Case:
    kind = TensorType((1, 3, 5, 4), dtype)
    x = Operand(kind, pattern=pattern)
    return Case(f"{function}_{dtype.value}_{pattern}", "unary", Attrs(function), (x,), (kind,))


def _int8(function: str, k: int) -> Case:
    rng = np.random.default_rng(k)
    scale, out_scale = (2.0 ** rng.uniform(-8, -2) for _ in range(2))
    zero_point, out_zero = (int(rng.integers(-128, 128)) for _ in range(2))
    if function in FROM_ZERO and function != "log":
        zero_point = -128
    if function == "tanh":
        out_scale, out_zero = 1 / 128, 0
    if function == "neg":
        zero_point, out_scale, out_zero = 0, scale, 0
    if function == "hard_swish":
        out_scale = max(out_scale, scale / 100)
    x = Operand(s8((1, 8, 4, 8), scale, zero_point), pattern="ramp")
    out = s8((), out_scale, out_zero)
    return Case(f"{function}_s8_{k}", "unary", attrs_with_numbers(function), (x,), (out,), seed=k)


def attrs_with_numbers(function: str) -> Attrs:
    return Attrs(function, *(float(np.float32(n)) for n in NUMBERS.get(function, ())))


def _float(name: str, function: str, shape: tuple[int, ...], pattern: str = "random") -> Case:
    x = Operand(TensorType(shape, DType.F32), pattern=pattern)
    return Case(name, "unary", attrs_with_numbers(function), (x,), (TensorType((), DType.F32),))


def tflite(case: Case) -> TfliteOp | None:
    assert isinstance(case.attrs, Attrs)
    if case.attrs.function in ONNX_ONLY:
        return None
    return TfliteOp(*operator(case.attrs))


def operator(attrs: Attrs) -> tuple[str, dict[str, OptionValue]]:
    """Name and options of the TFLite operator."""
    if attrs.function == "leaky_relu":
        return "LEAKY_RELU", {"alpha": attrs.alpha}
    if attrs.function in ("gelu", "gelu_tanh"):
        return "GELU", {"approximate": attrs.function == "gelu_tanh"}
    return attrs.function.upper(), {}
