"""Products of matrices, choices, gathers, orders, sequences: refused with the right code."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.errors import McucError, flatten
from mcuc.ir.types import DType, TensorType
from mcuc.ops import (
    average_pool2d,
    batch_matmul,
    cumsum,
    gather,
    layer_norm,
    recurrent,
    resample,
    select,
    spec_of,
    top_k,
)
from mcuc.ops.spec import Site
from tests.support.cases import s8, s16

F32, S32, BOOL = DType.F32, DType.S32, DType.BOOL
X, OTHER = s8((2, 4, 4, 8), 0.1, 3), s8((2, 4, 4, 8), 0.2, 3)


def real(*shape: int) -> TensorType:
    return TensorType(shape, F32)


MAP = real(1, 4, 4, 2)
MATRIX, LONG = real(3, 5), s16((1, (1 << 16) + 1))
LSTM, WEIGHTS = recurrent.Attrs("lstm"), (real(4, 3, 2), real(4, 3, 3))
SEQUENCE = (real(5, 1, 2), real(2, 1, 3))
TAPS = resample.Taps(((0,), (4,)), ((1.0,), (1.0,)))
WHERE = TensorType((8,), BOOL)
# Op, attributes, operands, result, code
REFUSALS = {
    "gaps": ("average_pool2d", average_pool2d.Attrs((2, 2), dilation=(2, 2)), (MAP,), MAP, "E115"),
    "depths": ("batch_matmul", batch_matmul.Attrs(), (MATRIX, MATRIX), MATRIX, "E111"),
    "line": ("batch_matmul", batch_matmul.Attrs(), (real(5), real(5, 3)), MATRIX, "E114"),
    "batches": ("batch_matmul", batch_matmul.Attrs(), (real(2, 3, 5), real(3, 5, 1)), X, "E111"),
    "mixed": ("batch_matmul", batch_matmul.Attrs(), (MATRIX, X), MATRIX, "E110"),
    "long sum": ("batch_matmul", batch_matmul.Attrs(False, True), (LONG, LONG), LONG, "E117"),
    "condition": ("select", select.Attrs(), (X, X, X), X, "E110"),
    "scales": ("select", select.Attrs(), (WHERE, X, OTHER), X, "E207"),
    "shapes": ("select", select.Attrs(), (WHERE, MAP, MAP), MAP, "E111"),
    "axis": ("gather", gather.Attrs(4), (MAP, TensorType((3,), S32)), MAP, "E115"),
    "shared": ("gather", gather.Attrs(1, 1), (MAP, TensorType((3,), S32)), MAP, "E115"),
    "deep": ("gather", gather.Attrs(several=True), (MAP, TensorType((5,), S32)), MAP, "E115"),
    "rescaled": ("gather", gather.Attrs(1), (X, TensorType((3,), S32)), OTHER, "E207"),
    "sum of int8": ("cumsum", cumsum.Attrs(1), (X,), X, "E110"),
    "sum's axis": ("cumsum", cumsum.Attrs(-5), (MAP,), MAP, "E115"),
    "too many": ("top_k", top_k.Attrs(3), (MAP,), TensorType((), S32), "E115"),
    "indices": ("top_k", top_k.Attrs(1), (MAP,), MAP, "E110"),
    "scale": ("layer_norm", layer_norm.Attrs(), (MAP, real(3)), MAP, "E111"),
    "epsilon": ("layer_norm", layer_norm.Attrs(-1.0), (MAP,), MAP, "E115"),
    "normalized int32": ("layer_norm", layer_norm.Attrs(), (TensorType((3,), S32),), X, "E110"),
    "many": ("layer_norm", layer_norm.Attrs(), (s8((1, 1 << 16), 0.1),), X, "E117"),
    "tiny": ("layer_norm", layer_norm.Attrs(), (X,), s8((2, 4, 4, 8), 1e-30), "E206"),
    "outside": ("resample", resample.Attrs(TAPS, TAPS), (MAP,), MAP, "E115"),
    "uneven": ("resample", resample.Attrs(resample.Taps(((0,),), ()), TAPS), (MAP,), MAP, "E115"),
    "cell": ("recurrent", recurrent.Attrs("elman"), (*SEQUENCE, *WEIGHTS), MAP, "E115"),
    "weights": ("recurrent", LSTM, (*SEQUENCE, *WEIGHTS[::-1]), MAP, "E111"),
    "state": ("recurrent", LSTM, (SEQUENCE[0], real(1, 1, 3), *WEIGHTS), MAP, "E111"),
    "clip": ("recurrent", recurrent.Attrs("gru", clip=-1.0), (*SEQUENCE, *WEIGHTS), MAP, "E115"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_the_code(name: str) -> None:
    op, attrs, inputs, output, code = REFUSALS[name]
    spec = spec_of(op)
    consts = tuple(
        np.zeros(type_.shape, np.float32) if operand.const else None
        for operand, type_ in zip(spec.operands, inputs, strict=False)
    )
    result = TensorType((), output.dtype, output.quant)
    with pytest.raises(McucError) as caught:
        spec.infer(Site(attrs, inputs, (result,), consts))
    assert code in [problem.code for problem in flatten(caught.value)]
