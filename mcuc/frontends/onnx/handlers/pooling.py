"""AveragePool, MaxPool, LpPool and the global ones."""

from __future__ import annotations

from mcuc.frontends.onnx.handlers.maps import Geometry, geometry, on_map
from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ops import average_pool2d, max_pool2d
from mcuc.ops.windows import Pad


def max_pool(operator: Operator) -> Results:
    if operator.wants(1):
        raise operator.error("E115", "the indices of a MaxPool are not supported")
    places = _windows(operator)
    attrs = max_pool2d.Attrs(places.kernel, places.stride, places.pad, dilation=places.dilation)
    return (_pooled(operator, "max_pool2d", attrs),)


def average_pool(operator: Operator) -> Results:
    """With count_include_pad the padding is put around the map; ceil_mode's rows never count."""
    places = _windows(operator)
    if places.dilation != (1, 1):
        raise operator.error("E115", f"an AveragePool with the dilation {places.dilation}")
    if not operator.integer("count_include_pad", 0):
        attrs = average_pool2d.Attrs(places.kernel, places.stride, places.pad)
        return (_pooled(operator, "average_pool2d", attrs),)
    graph = operator.graph
    own = geometry(operator, _kernel(operator), operator.shape()[2:]).pad
    past = (0, places.pad[1] - own[1], 0, places.pad[3] - own[3])
    attrs = average_pool2d.Attrs(places.kernel, places.stride, past)

    def function(x: int) -> int:
        grown = graph.pad(x, ((0, 0), own[:2], own[2:], (0, 0)))
        return graph.add("average_pool2d", attrs, (grown,), quant=graph.type(x).quant)

    return (on_map(operator, operator.value(), function),)


def _kernel(operator: Operator) -> tuple[int, ...]:
    kernel = operator.ints("kernel_shape")
    if kernel is None:
        raise operator.error("E112", "attribute kernel_shape is missing")
    return kernel


def _windows(operator: Operator) -> Geometry:
    """With what ceil_mode adds below and to the right."""
    places = geometry(operator, _kernel(operator), operator.shape()[2:])
    size = (1, *operator.shape()[2:])[-2:]
    top, bottom, left, right = places.pad
    if operator.integer("ceil_mode", 0):
        bottom = _ceiled(places, size[0], 0, (top, bottom))
        right = _ceiled(places, size[1], 1, (left, right))
    pad: Pad = (top, bottom, left, right)
    return Geometry(places.kernel, places.stride, places.dilation, pad)


def _ceiled(places: Geometry, size: int, axis: int, pad: tuple[int, int]) -> int:
    """Padding behind an axis so that the last window, though it overhangs, is there.

    A window that would begin in the padding behind the map is none.
    """
    stride, extent = places.stride[axis], places.extent[axis]
    out = -(-(size + sum(pad) - extent) // stride) + 1
    if (out - 1) * stride >= size + pad[0]:
        out -= 1
    return max((out - 1) * stride + extent - size - pad[0], pad[1])


def _pooled(operator: Operator, op: str, attrs: object) -> int:
    graph, x = operator.graph, operator.value()
    quant = graph.type(x).quant
    return on_map(operator, x, lambda last: graph.add(op, attrs, (last,), quant=quant))


def _global(kind: str) -> Handler:
    def handler(operator: Operator) -> Results:
        axes = range(2, len(operator.shape()))
        if not axes:
            return (operator.value(),)
        return (operator.reduced(kind, operator.value(), axes, keep=True),)

    return handler


HANDLERS: dict[str, Handler] = {
    "AveragePool": average_pool,
    "MaxPool": max_pool,
    "GlobalAveragePool": _global("mean"),
    "GlobalMaxPool": _global("max"),
}
