"""Cases of pad: which axes, ranks, index types, values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.pad import Attrs
from tests.support.cases import Case, Operand, as_float, as_int16, s8
from tests.support.weighted_cases import seed_of


def _case(
    name: str,
    x: Sequence[int],
    paddings: Sequence[tuple[int, int]],
    *,
    zero: int = 17,
    value: int | None = None,
    index: DType = DType.S32,
) -> Case:
    table = np.asarray(paddings).astype(index.numpy)
    operands = [Operand(s8(x, 0.1, zero)), Operand(TensorType(table.shape, index), table)]
    if value is not None:
        operands.append(Operand(s8((1,), 0.1, zero), np.array([value], np.int8)))
    return Case(name, "pad", Attrs(), tuple(operands), (s8((), 0.1, zero),), seed_of(name))


_INTEGER: list[Case] = [
    _case("rows_and_columns", (1, 4, 5, 3), [(0, 0), (1, 1), (2, 2), (0, 0)], zero=-128),
    _case("rows_only", (1, 3, 5, 4), [(0, 0), (2, 0), (0, 0), (0, 0)], zero=127),
    _case("columns_only", (1, 3, 5, 1), [(0, 0), (0, 0), (0, 3), (0, 0)]),
    _case("asymmetric", (1, 4, 4, 5), [(0, 0), (0, 1), (1, 0), (0, 0)]),
    _case("wider_than_map", (1, 1, 2, 17), [(0, 0), (5, 4), (3, 6), (0, 0)]),
    _case("nothing", (1, 3, 3, 2), [(0, 0)] * 4),
    _case("b82_batch_2_rows_and_columns", (2, 3, 4, 3), [(0, 0), (1, 2), (2, 1), (0, 0)]),
    _case("channels", (1, 3, 4, 5), [(0, 0), (0, 0), (0, 0), (1, 2)]),
    _case("channels_shortcut", (1, 4, 4, 8), [(0, 0), (0, 0), (0, 0), (4, 4)], zero=-4),
    _case("batch", (2, 3, 2, 3), [(1, 1), (0, 0), (0, 0), (0, 0)]),
    _case("all_axes", (2, 2, 3, 2), [(1, 0), (0, 2), (2, 1), (1, 1)]),
    _case("all_axes_int64", (1, 2, 3, 2), [(0, 1), (1, 2), (2, 1), (0, 1)], index=DType.S64),
    _case("rows_int64", (1, 2, 3, 2), [(0, 0), (1, 2), (2, 1), (0, 0)], index=DType.S64),
    _case("value", (1, 3, 3, 2), [(0, 0), (1, 1), (1, 1), (0, 0)], value=-128),
    _case("value_channels", (1, 3, 3, 2), [(0, 0), (1, 1), (1, 1), (3, 0)], value=99),
    _case("rank_1", (5,), [(2, 3)]),
    _case("rank_2_first", (3, 4), [(1, 2), (0, 0)]),
    _case("rank_2_last", (3, 4), [(0, 0), (2, 1)]),
    _case("rank_3_middle", (2, 3, 4), [(0, 0), (1, 2), (0, 0)]),
    _case("rank_3_first", (2, 3, 4), [(1, 1), (0, 0), (0, 0)]),
    _case("rank_3_all", (2, 3, 4), [(1, 1), (0, 3), (2, 0)]),
    _case("rank_5_map", (1, 2, 3, 4, 2), [(0, 0), (0, 0), (1, 1), (0, 2), (0, 0)]),
    _case("rank_5_all", (1, 2, 3, 2, 2), [(1, 0), (0, 1), (1, 1), (0, 2), (1, 0)]),
    _case("b97_row_over_65535_bytes", (1, 1, 1030, 64), [(0, 0), (1, 0), (1, 1), (0, 0)]),
]


def _of_type(case: Case, dtype: DType) -> Case:
    """The same places, of elements without quantization."""
    x, paddings = case.operands
    plain = Operand(TensorType(x.type.shape, dtype)), paddings
    name = f"{case.name}_{dtype.value}"
    return Case(name, "pad", Attrs(), plain, (TensorType((), dtype),), case.seed)


CASES: list[Case] = [
    *_INTEGER,
    *(as_float(c) for c in _INTEGER),
    *(as_int16(c) for c in _INTEGER),
    *(_of_type(c, dtype) for c in _INTEGER[:13:4] for dtype in (DType.S32, DType.S64, DType.BOOL)),
]
