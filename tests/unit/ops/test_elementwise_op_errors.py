"""Element-wise and shape ops refuse what they cannot compute exactly, with the right code."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from mcuc.errors import Loc, McucError, QuantError, flatten
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import add, concatenation, mean, mul, quantize, relu, reshape, softmax, spec_of
from mcuc.ops import dequantize as dequantize_op
from mcuc.ops import logistic as logistic_op
from mcuc.ops import transpose as transpose_op
from mcuc.ops.spec import Site
from tests.support.cases import s8, s16

X = s8((1, 4, 4, 8), 0.1, 3)
F32 = TensorType((1, 4, 4, 8), DType.F32)
U8 = TensorType((1, 4, 4, 8), DType.U8, X.quant)
BARE = TensorType((1, 4, 4, 8), DType.S8)
PROBABILITY = s8((1, 4, 4, 8), 1 / 256, -128)


def quantized(scale: float, zero_point: int = 0) -> TensorType:
    return replace(X, quant=Quant((scale,), (zero_point,)))


@dataclass(frozen=True)
class Refusal:
    op: str
    attrs: object
    inputs: tuple[TensorType | None, ...]
    output: TensorType
    codes: tuple[str, ...]


S16 = s16((1, 4, 4, 8), 0.001)
REFUSALS = {
    "int16 and int8": Refusal("add", add.Attrs(), (S16, X), S16, ("E110",)),
    "int16 to int8": Refusal("mul", mul.Attrs(), (S16, S16), X, ("E110",)),
    "int16 zero point": Refusal(
        "relu", relu.Attrs(), (replace(S16, quant=Quant((0.1,), (5,))),), S16, ("E203",)
    ),
    "int16 relu_n1_to_1": Refusal("relu", relu.Attrs("relu_n1_to_1"), (S16,), S16, ("E110",)),
    "int16 softmax scale": Refusal("softmax", softmax.Attrs(), (S16,), S16, ("E205",)),
    "int16 logistic scale": Refusal("logistic", logistic_op.Attrs(), (S16,), S16, ("E205",)),
    "int16 to uint8": Refusal("quantize", quantize.Attrs(), (S16,), U8, ("E110",)),
    "float operand": Refusal("add", add.Attrs(), (X, F32), X, ("E110",)),
    "float result": Refusal("mul", mul.Attrs(), (X, X), F32, ("E110",)),
    "shapes": Refusal("add", add.Attrs(), (X, s8((1, 4, 3, 8))), X, ("E111",)),
    "missing operand": Refusal("mul", mul.Attrs(), (X, None), X, ("E112",)),
    "one operand": Refusal("mul", mul.Attrs(), (X,), X, ("E112",)),
    "rank 5 broadcast": Refusal(
        "add", add.Attrs(), (s8((2, 1, 2, 1, 2)), s8((1, 2, 1, 2, 1))), X, ("E114",)
    ),
    "empty": Refusal("add", add.Attrs(), (s8((1, 0, 4, 8)), X), X, ("E116",)),
    "activation": Refusal("add", add.Attrs("tanh"), (X, X), X, ("E115",)),
    "no quantization": Refusal("add", add.Attrs(), (X, BARE), X, ("E201",)),
    "all at once": Refusal(
        "add", add.Attrs("tanh"), (BARE, F32), quantized(0.0), ("E110", "E201", "E202")
    ),
    "scale 0": Refusal("mul", mul.Attrs(), (quantized(0.0), X), X, ("E202",)),
    "scale nan": Refusal("mul", mul.Attrs(), (quantized(float("nan")), X), X, ("E202",)),
    "zero point": Refusal("mul", mul.Attrs(), (quantized(0.1, 200), X), X, ("E203",)),
    "per channel": Refusal(
        "add", add.Attrs(), (replace(X, quant=Quant((0.1, 0.2), (0, 0), 3)), X), X, ("E204",)
    ),
    "add scales": Refusal("add", add.Attrs(), (X, X), quantized(1e-8), ("E206",)),
    "relu6 scale": Refusal("relu", relu.Attrs("relu6"), (X,), quantized(1e-12), ("E206",)),
    "relu kind": Refusal("relu", relu.Attrs("none"), (X,), X, ("E115",)),
    "mean axis": Refusal("mean", mean.Attrs((4,)), (X,), X, ("E115",)),
    "mean no axis": Refusal("mean", mean.Attrs(()), (X,), X, ("E115",)),
    "mean loops": Refusal("mean", mean.Attrs((0, 2, 4, 6)), (s8((2,) * 7),), X, ("E114",)),
    "mean count": Refusal("mean", mean.Attrs((1, 2)), (s8((1, 4096, 4096, 1)),), X, ("E117",)),
    "softmax result": Refusal("softmax", softmax.Attrs(), (X,), X, ("E205",)),
    "softmax beta": Refusal("softmax", softmax.Attrs(-1.0), (X,), PROBABILITY, ("E115",)),
    "softmax scalar": Refusal("softmax", softmax.Attrs(), (s8(()),), PROBABILITY, ("E114",)),
    "softmax depth": Refusal("softmax", softmax.Attrs(), (s8((1, 9000)),), PROBABILITY, ("E117",)),
    "softmax scale": Refusal(
        "softmax", softmax.Attrs(), (quantized(1e-9),), PROBABILITY, ("E206",)
    ),
    "logistic uint8": Refusal("logistic", logistic_op.Attrs(), (U8,), X, ("E110",)),
    "quantize to float": Refusal("quantize", quantize.Attrs(), (F32,), F32, ("E110",)),
    "quantize bare": Refusal("quantize", quantize.Attrs(), (F32,), BARE, ("E201",)),
    "dequantize bare": Refusal("dequantize", dequantize_op.Attrs(), (BARE,), F32, ("E201",)),
    "dequantize to int8": Refusal("dequantize", dequantize_op.Attrs(), (X,), X, ("E110",)),
    "b47 scales": Refusal(
        "concatenation",
        concatenation.Attrs(3),
        (s8((1, 4, 4, 8), 0.0468, -1), s8((1, 4, 4, 8), 0.00392, -128)),
        s8((), 0.0468, -1),
        ("E207",),
    ),
    "b47 scale 0": Refusal(
        "concatenation", concatenation.Attrs(3), (quantized(0.0),), quantized(0.0), ("E202", "E202")
    ),
    "concat shapes": Refusal(
        "concatenation", concatenation.Attrs(3), (X, s8((1, 4, 5, 8), 0.1, 3)), X, ("E111",)
    ),
    "concat axis": Refusal("concatenation", concatenation.Attrs(4), (X, X), X, ("E115",)),
    "concat nothing": Refusal("concatenation", concatenation.Attrs(0), (), X, ("E112",)),
    "concat types": Refusal("concatenation", concatenation.Attrs(3), (X, U8), X, ("E110",)),
    "concat fused": Refusal("concatenation", concatenation.Attrs(3, "relu"), (X, X), X, ("E115",)),
    "concat rank": Refusal(
        "concatenation", concatenation.Attrs(0), (s8((1, 1, 2, 2, 2), 0.1, 3),), X, ("E114",)
    ),
    "reshape count": Refusal("reshape", reshape.Attrs((1, 127)), (X,), X, ("E111",)),
    "reshape -1": Refusal("reshape", reshape.Attrs((-1, 127)), (X,), X, ("E111",)),
    "reshape two": Refusal("reshape", reshape.Attrs((-1, -1)), (X,), X, ("E115",)),
    "reshape zero": Refusal("reshape", reshape.Attrs((0, 128)), (X,), X, ("E115",)),
    "perm short": Refusal("transpose", transpose_op.Attrs((0, 1, 2)), (X,), X, ("E115",)),
    "perm twice": Refusal("transpose", transpose_op.Attrs((0, 1, 2, 2)), (X,), X, ("E115",)),
    "perm far": Refusal("transpose", transpose_op.Attrs((0, 1, 2, 7)), (X,), X, ("E115",)),
    "perm rank": Refusal(
        "transpose", transpose_op.Attrs((5, 4, 3, 2, 1, 0)), (s8((2,) * 6),), X, ("E114",)
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_code_and_place(name: str) -> None:
    bad = REFUSALS[name]
    site = Site(
        attrs=bad.attrs,
        inputs=bad.inputs,
        outputs=(bad.output,),
        consts=(None,) * len(bad.inputs),
        loc=Loc("model.tflite", 7, bad.op.upper()),
    )
    with pytest.raises(McucError) as caught:
        spec_of(bad.op).infer(site)
    errors = flatten(caught.value)
    assert tuple(sorted(error.code for error in errors)) == bad.codes
    for error in errors:
        assert error.loc.op_index == 7
        assert isinstance(error, QuantError) == error.code.startswith("E2")


def test_equal_softmax_scale_within_the_tolerance_of_the_interpreter_is_fine() -> None:
    out = s8((), 1 / 256 * 1.0005, -128)
    site = Site(softmax.Attrs(), (X,), (out,), (None,))
    assert spec_of("softmax").infer(site)[0].shape == X.shape


@pytest.mark.parametrize(
    ("shape", "perm", "expected"),
    [
        ((1, 4, 1, 6), (0, 2, 1, 3), True),
        ((1, 1, 5, 6), (2, 0, 1, 3), True),
        ((1, 4, 5, 6), (0, 1, 2, 3), True),
        ((1, 4, 5, 6), (0, 2, 1, 3), False),
        ((2, 1, 2, 1), (2, 1, 0, 3), False),
    ],
)
def test_is_reshape(shape: tuple[int, ...], perm: tuple[int, ...], expected: bool) -> None:
    site = Site(transpose_op.Attrs(perm), (s8(shape),), (s8(()),), (None,))
    assert transpose_op.is_reshape(site) == expected
