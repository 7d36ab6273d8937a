"""The audio front-end refuses numbers and tables that its kernels could not follow."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.errors import McucError, flatten
from mcuc.ir.graph import Array
from mcuc.ir.types import DType, TensorType
from mcuc.ops import spec_of
from mcuc.ops.signal import KINDS, Attrs
from mcuc.ops.spec import Site

X = TensorType((32,), DType.S16)
POWER = TensorType((32,), DType.U32)
LONG = TensorType((32,), DType.U64)
FEW = TensorType((7,), DType.U32)
TWO = TensorType((2,), DType.S32)


def table(*numbers: int) -> Array:
    return np.asarray(numbers, np.int16)


GOOD = [table(*[1] * 9), table(*[2] * 9), table(0, 3, 6), table(0, 3, 6), table(3, 3, 3)]
# Attributes, run-time operands, constants, code
REFUSALS = {
    "dtype": (Attrs("window", (12,)), (POWER,), [table(*[1] * 32)], "E110"),
    "width": (Attrs("window", (12,)), (X,), [table(1, 2)], "E111"),
    "shift": (Attrs("window", (32,)), (X,), [table(*[1] * 32)], "E115"),
    "length": (Attrs("rfft", (48,)), (X,), [], "E115"),
    "short": (Attrs("rfft", (16,)), (X,), [], "E115"),
    "range": (Attrs("energy", (3, 17)), (X,), [], "E115"),
    "lists": (Attrs("filter_bank", (3,)), (POWER,), GOOD, "E111"),
    "weights": (Attrs("filter_bank", (2,)), (POWER,), [*GOOD[:4], table(3, 3, 4)], "E115"),
    "bank": (Attrs("filter_bank", (2,)), (POWER,), [*GOOD[:2], table(0, 3, 30), *GOOD[3:]], "E115"),
    "sign": (Attrs("filter_bank", (2,)), (POWER,), [table(*[-1] * 9), *GOOD[1:]], "E115"),
    "bits": (Attrs("root"), (LONG, TWO), [], "E111"),
    "channels": (Attrs("noise", (0, 0, 0, 0, 1, 1, 1, 0)), (POWER, FEW), [], "E111"),
    "gain": (Attrs("pcan", (6,)), (POWER, POWER), [table(1, 2, 3)], "E111"),
    "scale": (Attrs("log", (-1, 3)), (POWER,), [], "E115"),
}


def infer(attrs: Attrs, types: tuple[TensorType, ...], constants: list[Array]) -> None:
    given = tuple(TensorType(a.shape, DType.S16) for a in constants)
    consts = (*(None for _ in types), *constants)
    result = TensorType((), KINDS[attrs.kind].result)
    spec_of("signal").infer(Site(attrs, (*types, *given), (result,), consts))


def test_the_good_bank_is_taken() -> None:
    infer(Attrs("filter_bank", (2,)), (POWER,), GOOD)


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_the_code(name: str) -> None:
    attrs, types, constants, code = REFUSALS[name]
    with pytest.raises(McucError) as caught:
        infer(attrs, types, constants)
    assert code in [problem.code for problem in flatten(caught.value)]
