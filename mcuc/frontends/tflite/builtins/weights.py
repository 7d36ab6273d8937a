"""CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED, BATCH_MATMUL."""

from __future__ import annotations

from typing import Any

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator, Part, Parts
from mcuc.frontends.tflite.schema import enum_names
from mcuc.ops import batch_matmul, conv2d, depthwise_conv2d, fully_connected, transpose_conv
from mcuc.ops.windows import explicit_pad


def _geometry(operator: Operator, dilation: tuple[int, int]) -> dict[str, Any]:
    """Stride, dilation and padding; `dilation`: its fields, which differ between the options."""
    stride = operator.pair(2, 1)
    factors = operator.pair(*dilation, default=1)
    padding = operator.padding(0)
    pad = (0, 0, 0, 0)
    if min(stride + factors) > 0:  # else the op's own check reports it
        pad = explicit_pad(padding, operator.size(0), operator.size(1), stride, factors)
    return {"stride": stride, "dilation": factors, "pad": pad}


def conv_2d(operator: Operator) -> Mapped:
    """Conv2DOptions: padding, stride_w, stride_h, activation, dilation_w, dilation_h."""
    attrs = conv2d.Attrs(**_geometry(operator, (5, 4)), activation=operator.activation(3))
    return Mapped("conv2d", attrs)


def depthwise_conv_2d(operator: Operator) -> Mapped:
    """DepthwiseConv2DOptions: as CONV_2D with depth_multiplier before the activation.

    The multiplier is what the shapes say, as in TFLite, which ignores the field.
    """
    geometry = _geometry(operator, (6, 5))
    attrs = depthwise_conv2d.Attrs(**geometry, activation=operator.activation(4))
    return Mapped("depthwise_conv2d", attrs)


def transpose_conv_(operator: Operator) -> Parts:
    """TransposeConvOptions: padding, stride_w, stride_h, activation.

    Operands: output shape, weights, input, bias. The padding is that of the convolution which leads
    from the output's size back to the input's.
    """
    shape, kernel = operator.integers(0, "output shape"), operator.size(1)
    stride = operator.pair(2, 1)
    if len(shape) != 4:
        raise operator.error("E114", f"the output shape is {shape}; rank 4 is needed")
    size = (shape[1], shape[2])
    pad = (0, 0, 0, 0)
    if min(stride) > 0:  # else the op's own check reports it
        pad = explicit_pad(operator.padding(0), size, kernel, stride)
    attrs = transpose_conv.Attrs(size, stride, (pad[0], pad[2]), operator.activation(3))
    return (Part("transpose_conv", attrs, (2, 1, *range(3, len(operator.inputs)))),)


def fully_connected_(operator: Operator) -> Mapped:
    """FullyConnectedOptions: activation, format, keep_num_dims, asymmetric_quantize_inputs."""
    layout = operator.options.scalar(1, "i8")
    if layout != 0:
        name = enum_names("FullyConnectedOptionsWeightsFormat").get(layout, str(layout))
        raise operator.error(
            "E115",
            f"the weights have the format {name}; only DEFAULT is supported",
            help="export the model without shuffled weights",
        )
    keep = operator.options.scalar(2, "bool", False)
    return Mapped(
        "fully_connected",
        fully_connected.Attrs(
            keep_num_dims=keep,
            activation=operator.activation(0),
            asymmetric=operator.options.scalar(3, "bool", False),
        ),
    )


def batch_matmul_(operator: Operator) -> Mapped:
    """BatchMatMulOptions: adj_x, adj_y, asymmetric_quantize_inputs."""
    adjoint = (operator.options.scalar(k, "bool", False) for k in (0, 1))
    return Mapped("batch_matmul", batch_matmul.Attrs(*adjoint))


BUILTINS = {
    "CONV_2D": Builtin(conv_2d, "Conv2DOptions"),
    "DEPTHWISE_CONV_2D": Builtin(depthwise_conv_2d, "DepthwiseConv2DOptions"),
    "TRANSPOSE_CONV": Builtin(transpose_conv_, "TransposeConvOptions"),
    "BATCH_MATMUL": Builtin(batch_matmul_, "BatchMatMulOptions"),
    "FULLY_CONNECTED": Builtin(fully_connected_, "FullyConnectedOptions"),
}
