"""Vectors of LOGISTIC: all bytes under twenty quantizations (B38, B119), shapes."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.logistic import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, as_float, s8, s16
from tests.support.quant_pairs import PAIRS

SHAPES = ((1,), (3, 7), (2, 3, 5), (1, 3, 5, 7), (2, 3, 2, 5))


def cases() -> list[Case]:
    found = []
    for i, (scale, zero_point, out_scale, out_zero_point) in enumerate(PAIRS):
        operand = Operand(s8((1, 4, 4, 16), scale, zero_point), pattern="ramp")
        out = s8((), 1 / 256, out_zero_point)
        found.append(Case(f"b119_pair_{i}", "logistic", Attrs(), (operand,), (out,)))
        if out_scale < 0.03 and out_scale != 1 / 256:
            out = s8((), out_scale, out_zero_point)
            found.append(Case(f"b38_odd_scale_{i}", "logistic", Attrs(), (operand,), (out,)))
    for shape in SHAPES:
        name = f"shape_{'x'.join(map(str, shape))}"
        operand = Operand(s8(shape, 0.06, 4))
        found.append(Case(name, "logistic", Attrs(), (operand,), (s8((), 1 / 256, -128),)))
    wide = Operand(TensorType((1, 8, 16, 16), DType.F32), pattern="ramp")
    far = np.linspace(-100, 100, 1001, dtype=np.float32)
    reals = (wide, Operand(TensorType(far.shape, DType.F32), far))
    out = TensorType((), DType.F32)
    scales = (2.0**-12, 2.0**-11, 2.0**-9, 0.0003, 0.0011, 0.00024, 0.9, 1e-6)
    sixteen = [
        Case(f"s16_{i}", "logistic", Attrs(), (x,), (s16((), 1 / 32768),))
        for i, scale in enumerate(scales)
        for x in (Operand(s16((1, 16, 64, 64), scale), pattern="ramp"),)
    ]
    return [
        *found,
        *sixteen,
        *(as_float(case) for case in found[-len(SHAPES) :]),
        *(Case(f"f32_{i}", "logistic", Attrs(), (x,), (out,)) for i, x in enumerate(reals)),
    ]


def tflite(case: Case) -> TfliteOp | None:
    # The interpreter refuses any other output scale.
    return None if case.name.startswith("b38") else TfliteOp("LOGISTIC")
