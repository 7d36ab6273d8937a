"""How ops on feature maps are written in ONNX, between transposes to NCHW and back."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Node
from mcuc.ops import (
    resample,
)
from mcuc.ops import resize_bilinear as resize
from mcuc.ops import transpose_conv as upconv
from mcuc.ops.average_pool2d import Attrs as AverageAttrs
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS, attrs_of
from mcuc.ops.pooling import attrs_of as pool_attrs
from mcuc.ops.spec import Site
from mcuc.quant.onnx_export import TO_NCHW, TO_NHWC, Exporter, Handler


def _on_map(to: Exporter, node: Node, result: str, activation: str) -> None:
    """Ends an op on a map: activation, and back to NHWC."""
    active = to.activated(result, activation, None)
    to.emit("Transpose", [active], to.name(node.outputs[0]), perm=list(TO_NHWC))


def _conv2d(to: Exporter, node: Node, site: Site) -> None:
    depthwise = node.op == "depthwise_conv2d"
    attrs = attrs_of(site)
    channels = site.input(INPUT).shape[3]
    groups = channels if depthwise else channels // site.input(WEIGHTS).shape[3]
    inputs = [
        to.operand(node, INPUT, TO_NCHW),
        to.operand(node, WEIGHTS, (3, 0, 1, 2) if depthwise else TO_NCHW),
    ]
    if to.present(node, BIAS):
        inputs.append(to.operand(node, BIAS, shape=(-1,)))
    top, bottom, left, right = attrs.pad
    result = to.emit(
        "Conv",
        inputs,
        group=groups,
        strides=list(attrs.stride),
        dilations=list(attrs.dilation),
        pads=[top, left, bottom, right],
        kernel_shape=list(site.input(WEIGHTS).shape[1:3]),
    )
    _on_map(to, node, result, attrs.activation)


def _transpose_conv(to: Exporter, node: Node, site: Site) -> None:
    """What the output lacks at its end is cut off there, or filled up (`output_padding`)."""
    attrs = upconv.attrs_of(site)
    weights = site.input(WEIGHTS).shape
    sizes = site.input(INPUT).shape[1:3]
    over = [
        (size - 1) * stride + kernel - wanted - before
        for size, stride, kernel, wanted, before in zip(
            sizes, attrs.stride, weights[1:3], attrs.size, attrs.pad, strict=True
        )
    ]
    inputs = [to.operand(node, INPUT, TO_NCHW), to.operand(node, WEIGHTS, (3, 0, 1, 2))]
    if to.present(node, BIAS):
        inputs.append(to.operand(node, BIAS, shape=(-1,)))
    result = to.emit(
        "ConvTranspose",
        inputs,
        strides=list(attrs.stride),
        pads=[*attrs.pad, *(max(0, n) for n in over)],
        output_padding=[max(0, -n) for n in over],
        kernel_shape=list(weights[1:3]),
    )
    _on_map(to, node, result, attrs.activation)


def _pool(to: Exporter, node: Node, site: Site) -> None:
    attrs = pool_attrs(site)
    top, bottom, left, right = attrs.pad
    result = to.emit(
        "AveragePool" if isinstance(attrs, AverageAttrs) else "MaxPool",
        [to.operand(node, 0, TO_NCHW)],
        kernel_shape=list(attrs.filter),
        strides=list(attrs.stride),
        pads=[top, left, bottom, right],
    )
    _on_map(to, node, result, attrs.activation)


def _resize_bilinear(to: Exporter, node: Node, site: Site) -> None:
    attrs = resize.attrs_of(site)
    mode = "half_pixel" if attrs.half_pixel_centers else "asymmetric"
    n, _, _, channels = site.input().shape
    result = to.emit(
        "Resize",
        [to.operand(node, 0, TO_NCHW), "", "", to.ints(n, channels, *attrs.size)],
        mode="linear",
        coordinate_transformation_mode="align_corners" if attrs.align_corners else mode,
    )
    _on_map(to, node, result, "none")


def _resample(to: Exporter, node: Node, site: Site) -> None:
    """Sums along columns, then along rows, as products with matrices of the weights."""
    attrs = site.attrs
    assert isinstance(attrs, resample.Attrs)
    _, height, width, _ = site.input().shape
    rows, columns = _matrix(attrs.rows, height), _matrix(attrs.columns, width)
    x = to.operand(node, 0, TO_NCHW)
    result = to.emit("MatMul", [x, to.constant(np.ascontiguousarray(columns.T))])
    _on_map(to, node, to.emit("MatMul", [to.constant(rows), result]), "none")


def _matrix(taps: resample.Taps, size: int) -> npt.NDArray[np.float32]:
    matrix = np.zeros((len(taps.places), size), np.float32)
    for row, (places, weights) in enumerate(zip(taps.places, taps.weights, strict=True)):
        np.add.at(matrix[row], list(places), np.asarray(weights, np.float32))
    return matrix


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "average_pool2d": _pool,
        "conv2d": _conv2d,
        "depthwise_conv2d": _conv2d,
        "max_pool2d": _pool,
        "resample": _resample,
        "resize_bilinear": _resize_bilinear,
        "transpose_conv": _transpose_conv,
    }
)
