"""Vectors of CUMSUM: every axis, exclusive, from the end, integers that wrap around."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import TensorType
from mcuc.ops.cumsum import DTYPES, Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand

SHAPES = ((7,), (2, 3, 4), (2, 3, 4, 5))


def cases() -> list[Case]:
    found = []
    for i, shape in enumerate(SHAPES):
        for axis in range(len(shape)):
            for dtype in DTYPES:
                k = len(found)
                attrs = Attrs(axis - len(shape) * (k % 2), bool(k % 3 == 0), bool(k % 5 < 2))
                x = Operand(TensorType(shape, dtype))
                name = f"{dtype.value}_{i}_{axis}"
                found.append(Case(name, "cumsum", attrs, (x,), (TensorType((), dtype),), seed=k))
    return found


def tflite(case: Case) -> TfliteOp:
    attrs = case.attrs
    assert isinstance(attrs, Attrs)
    options = {"exclusive": attrs.exclusive, "reverse": attrs.reverse}
    return TfliteOp("CUMSUM", options, (np.asarray(attrs.axis, np.int32),))
