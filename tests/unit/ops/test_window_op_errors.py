"""What the convolutions, FULLY_CONNECTED, pools and PAD refuse, by error code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mcuc.errors import McucError, McucErrors, flatten
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import conv2d
from mcuc.ops import pad as pad_op
from tests.support.cases import Case, Operand, s8
from tests.support.weighted_cases import conv, dense, depthwise, pool

CONV = conv("good", (1, 6, 6, 4), (3, 3, 3, 4))
DEPTHWISE = depthwise("good_depthwise", (1, 6, 6, 4), (3, 3))
DENSE = dense("good_dense", (2, 8), 3, 8)
MAX = pool("good_max", "max_pool2d", (1, 6, 6, 2), (2, 2), (2, 2))
AVERAGE = pool("good_average", "average_pool2d", (1, 6, 6, 2), (2, 2), (2, 2))


def pad_case(
    paddings: Any, x: tuple[int, ...] = (1, 2, 2, 1), value: Operand | None = None
) -> Case:
    data = np.asarray(paddings, np.int32)
    table = Operand(TensorType(data.shape, DType.S32), data)
    operands = (Operand(s8(x)), table, *([value] if value else []))
    return Case("pad", "pad", pad_op.Attrs(), operands, (s8(()),))


PAD = pad_case([[0, 0], [1, 1], [1, 1], [0, 0]])


def with_operand(case: Case, position: int, **changes: Any) -> Case:
    """The case with fields of an operand's type changed; `data` replaces the data."""
    operands = list(case.operands)
    operand = operands[position]
    assert operand is not None
    data = changes.pop("data", operand.data)
    operands[position] = Operand(replace(operand.type, **changes), data)
    return replace(case, operands=tuple(operands))


def without(case: Case, position: int) -> Case:
    operands = list(case.operands)
    operands[position] = None
    return replace(case, operands=tuple(operands))


def with_output(case: Case, **changes: Any) -> Case:
    return replace(case, outputs=(replace(case.outputs[0], **changes),))


def with_attrs(case: Case, **changes: Any) -> Case:
    return replace(case, attrs=replace(case.attrs, **changes))  # type: ignore[type-var]


def quant(*scales: float, zero: int = 0, axis: int | None = None) -> Quant:
    return Quant(scales, (zero,) * len(scales), axis)


BAD: dict[str, tuple[Case, str]] = {
    "float_input": (with_operand(CONV, 0, dtype=DType.F32), "E110"),
    "uint8_weights": (with_operand(CONV, 1, dtype=DType.U8), "E110"),
    "float_output": (with_output(CONV, dtype=DType.F32), "E110"),
    "int64_bias": (with_operand(CONV, 2, dtype=DType.S64), "E110"),
    "channels": (with_operand(CONV, 0, shape=(1, 6, 6, 6)), "E111"),
    "groups": (with_operand(CONV, 0, shape=(1, 6, 6, 8)), "E111"),
    "bias_size": (with_operand(CONV, 2, shape=(4,), data=np.zeros(4, np.int32)), "E111"),
    "no_room": (with_operand(CONV, 0, shape=(1, 2, 6, 4)), "E111"),
    "no_input": (without(CONV, 0), "E112"),
    "no_filter": (without(CONV, 1), "E112"),
    "runtime_filter": (with_operand(CONV, 1, data=None), "E113"),
    "runtime_bias": (with_operand(CONV, 2, data=None), "E113"),
    "rank_3": (with_operand(CONV, 0, shape=(6, 6, 4)), "E114"),
    "stride_0": (with_attrs(CONV, stride=(0, 1)), "E115"),
    "dilation_0": (with_attrs(CONV, dilation=(1, 0)), "E115"),
    "negative_pad": (with_attrs(CONV, pad=(0, -1, 0, 0)), "E115"),
    "tanh": (with_attrs(CONV, activation="tanh"), "E115"),
    "empty_input": (with_operand(CONV, 0, shape=(0, 6, 6, 4)), "E116"),
    "input_not_quantized": (with_operand(CONV, 0, quant=None), "E201"),
    "output_not_quantized": (with_output(CONV, quant=None), "E201"),
    "weights_not_quantized": (with_operand(CONV, 1, quant=None), "E201"),
    "scale_0": (with_operand(CONV, 1, quant=quant(0.1, 0.0, 0.1, axis=0)), "E202"),
    "scale_nan": (with_operand(CONV, 0, quant=quant(float("nan"))), "E202"),
    "scale_negative": (with_output(CONV, quant=quant(-1.0)), "E202"),
    "weights_zero_point": (with_operand(CONV, 1, quant=quant(0.1, zero=4)), "E203"),
    "bias_zero_point": (
        with_operand(CONV, 2, quant=quant(0.1, zero=4), data=np.zeros(3, np.int32)),
        "E203",
    ),
    "input_zero_point": (with_operand(CONV, 0, quant=quant(0.1, zero=200)), "E203"),
    "channels_on_wrong_axis": (with_operand(CONV, 1, quant=quant(0.1, 0.1, 0.1, axis=3)), "E204"),
    "number_of_scales": (with_operand(CONV, 1, quant=quant(0.1, 0.1, axis=0)), "E204"),
    "input_per_channel": (with_operand(CONV, 0, quant=quant(*[0.1] * 4, axis=3)), "E204"),
    "output_scale_tiny": (
        with_attrs(with_output(CONV, quant=quant(1e-12)), activation="relu6"),
        "E206",
    ),
    "b80_bias_scale": (
        with_operand(CONV, 2, quant=quant(1.0), data=np.full(3, 1000, np.int32)),
        "E208",
    ),
    "depthwise_first_axis": (
        with_operand(DEPTHWISE, 1, shape=(2, 3, 3, 4), data=np.zeros((2, 3, 3, 4), np.int8)),
        "E111",
    ),
    "depthwise_channels": (with_operand(DEPTHWISE, 0, shape=(1, 6, 6, 3)), "E111"),
    "depthwise_axis": (with_operand(DEPTHWISE, 1, quant=quant(0.1, 0.1, axis=0)), "E204"),
    "dense_depth": (with_operand(DENSE, 0, shape=(2, 7)), "E111"),
    "dense_keep_dims": (
        with_attrs(with_operand(DENSE, 0, shape=(8, 2)), keep_num_dims=True),
        "E111",
    ),
    "b62_dense_runtime_weights": (with_operand(DENSE, 1, data=None), "E113"),
    "dense_per_channel_zero_point": (
        with_operand(DENSE, 1, quant=quant(0.1, 0.1, 0.1, zero=1, axis=0)),
        "E203",
    ),
    "pool_in_padding": (with_attrs(MAX, pad=(2, 0, 0, 0)), "E115"),
    "pool_ends_in_padding": (with_attrs(AVERAGE, pad=(0, 0, 0, 4)), "E115"),
    "pool_filter_0": (with_attrs(MAX, filter=(2, 0)), "E115"),
    "pool_too_large": (with_attrs(MAX, filter=(7, 1)), "E111"),
    "b43_pool_rescales": (with_output(AVERAGE, quant=quant(0.003, zero=3)), "E207"),
    "pool_zero_points": (with_output(MAX, quant=quant(0.03, zero=4)), "E207"),
    "pool_rounding": (with_attrs(AVERAGE, rounding="down"), "E115"),
    "pad_negative": (pad_case([[0, 0], [-1, 0], [0, 0], [0, 0]]), "E115"),
    "pad_rows": (pad_case([[0, 0], [1, 0]]), "E111"),
    "pad_rank_6": (pad_case([[0, 0]] * 6, x=(1,) * 6), "E114"),
    "pad_runtime": (with_operand(PAD, 1, data=None), "E113"),
    "pad_rescales": (with_output(PAD, quant=quant(0.3)), "E207"),
    "pad_value_scale": (
        pad_case([[0, 0]] * 4, value=Operand(s8((1,), 0.3), np.zeros(1, np.int8))),
        "E207",
    ),
    "pad_values": (
        pad_case([[0, 0]] * 4, value=Operand(s8((2,)), np.zeros(2, np.int8))),
        "E111",
    ),
}


@pytest.mark.parametrize("case", [CONV, DEPTHWISE, DENSE, MAX, AVERAGE, PAD], ids=lambda c: c.name)
def test_the_cases_are_good_before_they_are_changed(case: Case) -> None:
    case.graph()


@pytest.mark.parametrize("name", BAD)
def test_refused_with_its_code(name: str) -> None:
    case, code = BAD[name]
    with pytest.raises(McucError) as caught:
        case.graph()
    assert {error.code for error in flatten(caught.value)} == {code}


def test_all_problems_at_once() -> None:
    case = with_output(with_operand(CONV, 1, quant=quant(0.1, zero=4)), quant=None)
    case = with_attrs(case, stride=(0, 0))
    with pytest.raises(McucErrors) as caught:
        case.graph()
    assert {error.code for error in flatten(caught.value)} == {"E115", "E201", "E203"}


def test_kernels_are_guarded() -> None:
    """B8: a kernel made for a special shape is not offered for any other."""
    from mcuc.ir.target import HOST
    from mcuc.ops.spec import Site

    def pointwise(case: Case) -> bool:
        graph = case.graph()
        return conv2d.is_pointwise(Site.of(graph, graph.nodes[0]), HOST)

    x, w = (1, 4, 4, 8), (4, 1, 1, 8)
    assert pointwise(conv("a", x, w))
    assert not pointwise(conv("a", x, w, stride=(2, 2)))
    assert not pointwise(conv("a", x, w, stride=(1, 2)))
    assert not pointwise(conv("a", x, w, pad=(0, 1, 0, 0)))
    assert not pointwise(conv("a", x, (4, 3, 1, 8)))
    assert not pointwise(conv("a", x, (4, 1, 1, 4)))
