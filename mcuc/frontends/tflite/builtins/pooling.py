"""AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D."""

from __future__ import annotations

from typing import Any

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator, Part, Parts
from mcuc.ir.types import DType
from mcuc.ops import average_pool2d, max_pool2d, unary
from mcuc.ops.windows import explicit_pad


def _geometry(operator: Operator) -> dict[str, Any]:
    """Pool2DOptions: padding, stride_w, stride_h, filter_width, filter_height, activation."""
    stride, kernel = operator.pair(2, 1), operator.pair(4, 3)
    padding = operator.padding(0)
    pad = (0, 0, 0, 0)
    if min(stride) > 0:  # else the op's own check reports it
        pad = explicit_pad(padding, operator.size(0), kernel, stride)
    activation = operator.activation(5)
    return {"filter": kernel, "stride": stride, "pad": pad, "activation": activation}


def average_pool_2d(operator: Operator) -> Mapped:
    return Mapped("average_pool2d", average_pool2d.Attrs(**_geometry(operator)))


def max_pool_2d(operator: Operator) -> Mapped:
    return Mapped("max_pool2d", max_pool2d.Attrs(**_geometry(operator)))


def l2_pool_2d(operator: Operator) -> Parts:
    """The root of the mean of the squares; float32 alone."""
    geometry = _geometry(operator)
    if operator.type().dtype is not DType.F32 or geometry["activation"] != "none":
        raise operator.error("E110", "L2_POOL_2D is supported on f32, without an activation")
    pool = average_pool2d.Attrs(**geometry)
    first = len(operator.inputs)
    return (
        Part("unary", unary.Attrs("square"), (0,), operator.type()),
        Part("average_pool2d", pool, (first,), operator.outputs[0].type),
        Part("unary", unary.Attrs("sqrt"), (first + 1,)),
    )


BUILTINS = {
    "AVERAGE_POOL_2D": Builtin(average_pool_2d, "Pool2DOptions"),
    "L2_POOL_2D": Builtin(l2_pool_2d, "Pool2DOptions"),
    "MAX_POOL_2D": Builtin(max_pool_2d, "Pool2DOptions"),
}
