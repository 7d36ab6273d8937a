"""Vectors of the reductions: the places of MEAN's vectors for each kind and element type."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.reduce import KINDS, Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8, s16
from tests.vectors.mean import PLACES


def cases() -> list[Case]:
    return [
        _case(kind, dtype, *place, seed=i)
        for i, place in enumerate(PLACES)
        for dtype, kinds in (
            (DType.S8, ("max", "min")),
            (DType.S16, ("max", "min")),
            (DType.F32, KINDS),
            (DType.S32, KINDS if i % 3 == 0 else ()),
            (DType.S64, KINDS if i % 3 == 2 else ()),
            (DType.BOOL, ("max", "min") if i % 3 == 1 else ()),
        )
        for kind in kinds
    ]


def _case(
    kind: str, dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...], keep: bool, seed: int
) -> Case:
    quants = {DType.S8: s8((), 0.05, -9).quant, DType.S16: s16((), 0.05).quant}
    quant = quants.get(dtype)
    name = f"{kind}_{dtype.value}_{seed}_{shape}_{axes}".replace(" ", "")
    x, out = Operand(TensorType(shape, dtype, quant)), TensorType((), dtype, quant)
    return Case(name, "reduce", Attrs(axes, keep, kind), (x,), (out,), seed=seed)


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    kind = case.attrs.kind
    name = "SUM" if kind == "sum" else f"REDUCE_{kind.upper()}"
    if case.operands[0].type.dtype is DType.BOOL:
        name = "REDUCE_ANY" if kind == "max" else "REDUCE_ALL"
    axes = np.asarray(case.attrs.axes, dtype=np.int32)
    return TfliteOp(name, {"keep_dims": case.attrs.keep_dims}, (axes,))
