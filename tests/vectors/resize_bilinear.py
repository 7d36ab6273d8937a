"""Vectors of RESIZE_BILINEAR: up and down, whole and broken factors, all flags."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.resize_bilinear import Attrs
from mcuc.ops.windows import Pair
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8, s16

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
    kinds = [(t, p) for t in (DType.S8, DType.S16) for p in ("random", "extremes")]
    found = [
        _case(i, flags, dtype, pattern)
        for i in range(len(PLACES))
        for flags in FLAGS
        for dtype, pattern in (*kinds, (DType.F32, "random"))
    ]
    old = [case for case in found if case.name.startswith("s8")][::6]
    for case in old:
        assert isinstance(case.attrs, Attrs)
        attrs = replace(case.attrs, uint8=True)
        found.append(replace(case, name=f"u8_{case.name}", attrs=attrs))
    return found


def _case(i: int, flags: tuple[bool, bool], dtype: DType, pattern: str) -> Case:
    shape, size = PLACES[i]
    quants = {DType.S8: s8((), 0.1, -7).quant, DType.S16: s16(()).quant}
    quant = quants.get(dtype)
    x = Operand(TensorType(shape, dtype, quant), pattern=pattern)
    name = f"{dtype.value}_{i}_{pattern}{'_corners' * flags[0]}{'_centers' * flags[1]}"
    out = TensorType((), dtype, quant)
    return Case(name, "resize_bilinear", Attrs(size, *flags), (x,), (out,), seed=i)


def tflite(case: Case) -> TfliteOp | None:
    """Not those of uint8: tests/builtins/old_uint8.py."""
    assert isinstance(case.attrs, Attrs)
    if case.attrs.uint8:
        return None
    options = {
        "align_corners": case.attrs.align_corners,
        "half_pixel_centers": case.attrs.half_pixel_centers,
    }
    return TfliteOp("RESIZE_BILINEAR", options, (np.asarray(case.attrs.size, np.int32),))
