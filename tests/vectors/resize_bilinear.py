"""Vectors of RESIZE_BILINEAR: up and down, whole and broken factors, all flags."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.resize_bilinear import Attrs
from mcuc.ops.windows import Pair
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8

PLACES: tuple[tuple[tuple[int, ...], Pair], ...] = (
    ((1, 4, 5, 3), (8, 10)),
    ((1, 4, 5, 3), (7, 13)),
    ((1, 9, 8, 2), (3, 4)),
    ((1, 9, 8, 2), (4, 3)),
    ((1, 1, 1, 5), (4, 4)),
    ((1, 3, 3, 1), (1, 1)),
    ((2, 3, 4, 2), (6, 5)),
    ((1, 5, 5, 7), (5, 5)),
)
FLAGS = ((False, False), (True, False), (False, True))


def cases() -> list[Case]:
    return [
        _case(i, flags, dtype, pattern)
        for i in range(len(PLACES))
        for flags in FLAGS
        for dtype, pattern in ((DType.S8, "random"), (DType.S8, "extremes"), (DType.F32, "random"))
    ]


def _case(i: int, flags: tuple[bool, bool], dtype: DType, pattern: str) -> Case:
    shape, size = PLACES[i]
    quant = s8((), 0.1, -7).quant if dtype is DType.S8 else None
    x = Operand(TensorType(shape, dtype, quant), pattern=pattern)
    name = f"{dtype.value}_{i}_{pattern}{'_corners' * flags[0]}{'_centers' * flags[1]}"
    out = TensorType((), dtype, quant)
    return Case(name, "resize_bilinear", Attrs(size, *flags), (x,), (out,), seed=i)


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    options = {
        "align_corners": case.attrs.align_corners,
        "half_pixel_centers": case.attrs.half_pixel_centers,
    }
    return TfliteOp("RESIZE_BILINEAR", options, (np.asarray(case.attrs.size, np.int32),))
