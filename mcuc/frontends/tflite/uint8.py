"""Models of the old uint8 quantization, read as int8.

    q (uint8) with zero point z   ->   q - 128 (int8) with zero point z - 128

holds for every tensor inside; the model's own inputs and outputs stay uint8 behind a QUANTIZE that
moves them by 128. The arithmetic of all operators is that of int8 but for two rules, which become
attributes: docs/numerics.md, "uint8 models".
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.errors import Loc, ModelError
from mcuc.frontends.tflite.operator import AnyPart, Part
from mcuc.frontends.tflite.schema import RawModel, enum_names, operator_name
from mcuc.ops import average_pool2d, l2_norm, pairwise, resize_bilinear, unary
from mcuc.ops.convolution import ConvAttrs

# Operators that convert or move uint8 and compute nothing: an int8 model has them at its border.
_MOVES = frozenset(
    (
        "QUANTIZE",
        "DEQUANTIZE",
        "CONCATENATION",
        "RESHAPE",
        "SQUEEZE",
        "EXPAND_DIMS",
        "TRANSPOSE",
        "SPLIT",
        "SPLIT_V",
        "SLICE",
        "STRIDED_SLICE",
        "GATHER",
        "PACK",
        "UNPACK",
        "TILE",
        "CAST",
        "SHAPE",
    )
)


def is_uint8(model: RawModel) -> bool:
    """Whether an operator computes with uint8, not only moves or converts it."""
    code = {name: number for number, name in enum_names("TensorType").items()}["UINT8"]
    return any(
        model.tensors[index].type_code == code
        for operator in model.operators
        if operator_name(operator) not in _MOVES
        for index in (*operator.inputs, *operator.outputs)
        if index >= 0
    )


# Ops whose rule on uint8 is another than that on int8, or has not been compared with TFLite's.
_REFUSED = ("batch_matmul", "cast", "transpose_conv")
# Functions with the rule of int8 on uint8 too.
_UNARY = ("gelu", "gelu_tanh", "hard_swish", "leaky_relu", "relu_0_to_1", "tanh")


def with_rules(part: AnyPart, loc: Loc) -> AnyPart:
    """The node with the rules of uint8 where they are not those of int8."""
    if not isinstance(part, Part):
        return part
    attrs = part.attrs
    function = attrs.function if isinstance(attrs, (unary.Attrs, pairwise.Attrs)) else ""
    other = function not in _UNARY if part.op == "unary" else function == "squared_difference"
    if part.op in _REFUSED or other:
        raise ModelError(
            "E110",
            "this operator is not supported in a uint8 model",
            loc=loc,
            help="quantize the model to int8",
        )
    if isinstance(attrs, (l2_norm.Attrs, resize_bilinear.Attrs)):
        return replace(part, attrs=replace(attrs, uint8=True))
    if isinstance(attrs, ConvAttrs):
        return replace(part, attrs=replace(attrs, uint8=True))
    if isinstance(attrs, average_pool2d.Attrs):
        return replace(part, attrs=replace(attrs, rounding="half_up"))
    return part
