"""Vectors of ARG_MAX and ARG_MIN: every axis, ties, both types of indices."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.arg_max import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8

PLACES = (((1, 10), 1), ((1, 10), -1), ((2, 3, 4, 5), 0), ((2, 3, 4, 5), 1), ((2, 3, 4, 5), 2),
          ((2, 3, 4, 5), 3), ((1, 6, 5, 3), -1), ((7,), 0), ((3, 1, 2), 1))  # fmt: skip


def cases() -> list[Case]:
    found = []
    for i, (shape, axis) in enumerate(PLACES):
        for least in (False, True):
            for dtype in (DType.S8, DType.F32, DType.S32, DType.BOOL):
                quant = s8((), 0.1, 4).quant if dtype is DType.S8 else None
                pattern = "extremes" if dtype is DType.S8 and i % 2 else "random"
                x = Operand(TensorType(shape, dtype, quant), pattern=pattern)
                out = TensorType((), (DType.S32, DType.S64)[i % 2])
                name = f"{'min' if least else 'max'}_{dtype.value}_{i}_axis{axis}"
                found.append(Case(name, "arg_max", Attrs(axis, least), (x,), (out,), seed=i))
    return found


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    wide = case.outputs[0].dtype is DType.S64
    options = {"output_type": 4 if wide else 2}
    axis = np.asarray(case.attrs.axis, np.int32)
    return TfliteOp("ARG_MIN" if case.attrs.least else "ARG_MAX", options, (axis,))
