"""Vectors of GATHER and GATHER_ND: every axis, shared axes, indices outside of the tensor."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from mcuc.ops.gather import Attrs
from tests.support.binary_cases import Shape
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand
from tests.support.one_op import typed

X: Shape = (2, 3, 4, 5)
# Shape of the indices, attributes; all indices are below 2
PLACES: tuple[tuple[Shape, Attrs], ...] = (
    ((7,), Attrs(0)),
    ((2, 3), Attrs(1)),
    ((), Attrs(2)),
    ((1,), Attrs(3)),
    ((2, 4), Attrs(1, 1)),
    ((2, 4), Attrs(3, 1)),
    ((2, 3, 2), Attrs(2, 2)),
    ((2, 3, 4, 6), Attrs(3, 3)),
    ((6, 4), Attrs(several=True)),
    ((2, 3, 1), Attrs(several=True)),
    ((2,), Attrs(several=True)),
    ((1, 5, 3), Attrs(several=True)),
    ((2, 5, 2), Attrs(0, 1, True)),
)
DTYPES = (DType.S8, DType.F32, DType.S16, DType.S32, DType.S64, DType.BOOL)
OUTSIDE = "outside"


def cases() -> list[Case]:
    found = []
    for i, (shape, attrs) in enumerate(PLACES):
        found.append(_case(f"{i}", DTYPES[i % 6], shape, attrs, "below 2", i))
    found.append(_case("bytes", DType.U8, *PLACES[1], "below 2", 0))
    outside = [_case(f"{OUTSIDE}_{i}", DType.S8, *PLACES[i], "random", i) for i in (0, 4, 8, 12)]
    return [*found, *outside]


def _case(name: str, dtype: DType, shape: Shape, attrs: Attrs, pattern: str, seed: int) -> Case:
    wide = DType.S64 if seed % 2 else DType.S32
    x, indices = Operand(typed(X, dtype)), Operand(TensorType(shape, wide), pattern=pattern)
    return Case(name, "gather", attrs, (x, indices), (typed((), dtype),), seed=seed)


def tflite(case: Case) -> TfliteOp | None:
    """None for what the interpreter refuses: indices outside, shared axes of GATHER_ND."""
    attrs = case.attrs
    assert isinstance(attrs, Attrs)
    if case.name.startswith(OUTSIDE) or (attrs.several and attrs.batch_dims):
        return None
    if attrs.several:
        return TfliteOp("GATHER_ND")
    return TfliteOp("GATHER", {"axis": attrs.axis, "batch_dims": attrs.batch_dims})
