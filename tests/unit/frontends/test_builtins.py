"""What the builtin operators become: options, defaults, and operands that turn into attributes.

The rest of the mapping is checked by tests/e2e/test_ops_against_tflite.py, which reads every vector
of every op back from a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite import load_tflite
from mcuc.frontends.tflite.builtins import BUILTINS
from mcuc.frontends.tflite.schema import enum_names
from mcuc.ir.graph import Node
from mcuc.ops import add, conv2d, max_pool2d, mean, reshape, softmax, transpose
from tests.support.tflite_build import ModelBuilder

Q = {"scale": 0.5, "zero_point": 3}


class Single:
    """A model of one operator."""

    def __init__(self, name: str, x: tuple[int, ...], y: tuple[int, ...], **options: Any) -> None:
        self.model = ModelBuilder()
        self.name = name
        self.options = options
        self.x = self.model.tensor("x", x, "int8", **Q)
        self.y = self.model.tensor("y", y, "int8", **Q)
        self.operands = [self.x]

    def const(self, data: Any, dtype: str = "int32", **quant: Any) -> Single:
        self.operands.append(self.model.const("c", np.asarray(data, dtype), **quant))
        return self

    def node(self) -> Node:
        self.model.op(self.name, self.operands, [self.y], self.options)
        (node,) = load_tflite(Path("m"), self.model.build([self.x], [self.y])).nodes
        return node

    def refused(self, code: str) -> None:
        with pytest.raises(McucError) as caught:
            self.node()
        assert code in {problem.code for problem in flatten(caught.value)}


def test_builtins_exist_in_the_schema() -> None:
    builtin = {name for name in BUILTINS if not name.startswith("CUSTOM:Signal")}
    assert builtin <= set(enum_names("BuiltinOperator").values())
    options = {builtin.options for builtin in BUILTINS.values()} - {""}
    assert options <= set(enum_names("BuiltinOptions").values())
    assert len(BUILTINS) >= 22


def test_same_padding_puts_the_larger_half_behind() -> None:
    case = Single(
        "CONV_2D", (1, 6, 5, 1), (1, 3, 3, 1), padding="SAME", stride_h=2, stride_w=2
    ).const(np.ones((1, 3, 3, 1)), "int8", scale=0.5)
    case.const(np.zeros(1))
    assert case.node().attrs == conv2d.Attrs((2, 2), (1, 1), (0, 1, 1, 1), "none")


@pytest.mark.parametrize("stride", [0, -1])
def test_strides_that_make_no_sense(stride: int) -> None:
    case = Single("CONV_2D", (1, 4, 4, 1), (1, 4, 4, 1), stride_h=stride, stride_w=1)
    case.const(np.ones((1, 1, 1, 1)), "int8", scale=0.5).const(np.zeros(1)).refused("E115")


def test_pool_fields_are_not_mixed_up() -> None:
    case = Single(
        "MAX_POOL_2D",
        (1, 9, 10, 1),
        (1, 4, 2, 1),
        padding="VALID",
        stride_h=2,
        stride_w=5,
        filter_height=3,
        filter_width=4,
        fused_activation_function="RELU6",
    )
    assert case.node().attrs == max_pool2d.Attrs((3, 4), (2, 5), (0, 0, 0, 0), "relu6")


def test_unsupported_activation_is_named() -> None:
    case = Single("ADD", (1, 2), (1, 2), fused_activation_function="TANH")
    case.operands.append(case.x)
    with pytest.raises(McucError, match="tanh"):
        case.node()


def test_options_may_be_missing() -> None:
    case = Single("ADD", (1, 2), (1, 2))
    case.operands.append(case.x)
    assert case.node().attrs == add.Attrs("none")


def test_softmax_without_beta_is_refused() -> None:
    Single("SOFTMAX", (1, 2), (1, 2)).refused("E115")


def test_softmax() -> None:
    case = Single("SOFTMAX", (1, 2), (1, 2), beta=2.0)
    case.y = case.model.tensor("z", (1, 2), "int8", scale=1 / 256, zero_point=-128)
    assert case.node().attrs == softmax.Attrs(2.0)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_axes_of_either_width(dtype: str) -> None:
    node = Single("MEAN", (1, 4, 4, 2), (1, 1, 1, 2), keep_dims=True).const([1, 2], dtype).node()
    assert node.attrs == mean.Attrs((1, 2), True) and node.inputs == (0,)


def test_a_single_axis_may_be_a_scalar() -> None:
    node = Single("MEAN", (1, 4, 2), (1, 2)).const(1).node()
    assert node.attrs == mean.Attrs((1,), False)


def test_transpose() -> None:
    node = Single("TRANSPOSE", (1, 2, 3), (3, 1, 2)).const([2, 0, 1]).node()
    assert node.attrs == transpose.Attrs((2, 0, 1)) and node.inputs == (0,)


def test_reshape_by_operand_and_by_option() -> None:
    by_operand = Single("RESHAPE", (2, 3), (3, 2), new_shape=[9, 9]).const([3, -1]).node()
    assert by_operand.attrs == reshape.Attrs((3, -1)) and by_operand.inputs == (0,)
    by_option = Single("RESHAPE", (2, 3), (6,), new_shape=[6]).node()
    assert by_option.attrs == reshape.Attrs((6,))
    Single("RESHAPE", (2, 3), (6,)).refused("E112")
    Single("RESHAPE", (2, 3), (7,), new_shape=[7]).refused("E111")


def test_reshape_to_a_scalar() -> None:
    by_operand = Single("RESHAPE", (1, 1), ()).const(np.zeros(0)).node()
    assert by_operand.attrs == reshape.Attrs(())
    assert Single("RESHAPE", (1, 1), (), new_shape=[0]).node().attrs == reshape.Attrs(())


def test_reshape_by_a_tensor_that_is_computed() -> None:
    case = Single("RESHAPE", (2, 3), (6,))
    case.operands.append(case.x)
    case.refused("E113")


@pytest.mark.parametrize(
    ("dims", "shape"), [([], (3, 2)), ([0], (3, 1, 2, 1)), ([-1, 2], (1, 3, 2))]
)
def test_squeeze(dims: list[int], shape: tuple[int, ...]) -> None:
    node = Single("SQUEEZE", (1, 3, 1, 2, 1), shape, squeeze_dims=dims).node()
    assert node.op == "reshape" and node.attrs == reshape.Attrs(shape)


@pytest.mark.parametrize("dims", [[1], [5], [-6]])
def test_squeeze_of_other_axes(dims: list[int]) -> None:
    Single("SQUEEZE", (1, 3, 1, 2, 1), (3, 2), squeeze_dims=dims).refused("E115")


@pytest.mark.parametrize(("axis", "shape"), [(0, (1, 3, 2)), (-1, (3, 2, 1)), (1, (3, 1, 2))])
def test_expand_dims(axis: int, shape: tuple[int, ...]) -> None:
    node = Single("EXPAND_DIMS", (3, 2), shape).const([axis]).node()
    assert node.attrs == reshape.Attrs(shape) and node.inputs == (0,)


@pytest.mark.parametrize("axis", [[3], [-4], [0, 1]])
def test_expand_dims_at_no_place(axis: list[int]) -> None:
    Single("EXPAND_DIMS", (3, 2), (1, 3, 2)).const(axis).refused("E115")


def test_shuffled_weights_are_refused() -> None:
    case = Single("FULLY_CONNECTED", (1, 4), (1, 2), weights_format=1)
    case.const(np.ones((2, 4)), "int8", scale=0.5).refused("E115")


def test_options_of_another_operator() -> None:
    case = Single("ADD", (1, 2), (1, 2), fused_activation_function="RELU")
    case.operands.append(case.x)
    case.model.op("ADD", case.operands, [case.y], case.options)
    data = bytearray(case.model.build([case.x], [case.y]))
    import tflite

    operator = tflite.Model.GetRootAs(data, 0).Subgraphs(0).Operators(0)
    data[operator._tab.Pos + operator._tab.Offset(10)] = tflite.BuiltinOptions.MulOptions
    with pytest.raises(McucError, match="E101"):
        load_tflite(Path("m"), bytes(data))
