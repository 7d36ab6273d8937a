"""Feature maps: [N, C, H, W] of the file as [N, H, W, C] of the graph, and back.

Maps of one spatial axis [N, C, W] become maps of one row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcuc.frontends.onnx.operator import Operator
from mcuc.ops.windows import Pad, Pair

Ints = Sequence[int]


def on_map(operator: Operator, x: int, function: Callable[[int], int]) -> int:
    """A function of [N, H, W, C] for a value in the file's layout."""
    graph = operator.graph
    rank = len(graph.shape(x))
    if rank not in (3, 4):
        raise operator.error(
            "E114", f"the input has rank {rank}", "one or two spatial axes are supported"
        )
    last = graph.transpose(x, (0, *range(2, rank), 1))
    if rank == 3:
        n, w, c = graph.shape(last)
        last = graph.reshape(last, (n, 1, w, c))
    result = function(last)
    if rank == 3:
        n, _, w, c = graph.shape(result)
        result = graph.reshape(result, (n, w, c))
    return graph.transpose(result, (0, rank - 1, *range(1, rank - 1)))


@dataclass(frozen=True)
class Geometry:
    """Windows over a map of two spatial axes, one of which has one row for maps of one axis."""

    kernel: Pair
    stride: Pair
    dilation: Pair
    pad: Pad

    @property
    def extent(self) -> Pair:
        return (
            (self.kernel[0] - 1) * self.dilation[0] + 1,
            (self.kernel[1] - 1) * self.dilation[1] + 1,
        )


def geometry(operator: Operator, kernel: Ints, size: Ints) -> Geometry:
    """The attributes strides, dilations, pads and auto_pad.

    Args:
        kernel: By spatial axis.
        size: Of the map, by spatial axis.

    Raises:
        ModelError: E111, E115.
    """
    axes = len(size)
    stride = _per_axis(operator, "strides", axes, 1)
    dilation = _per_axis(operator, "dilations", axes, 1)
    if len(kernel) != axes or min((*stride, *dilation, *kernel)) < 1:
        what = f"kernel {tuple(kernel)}, strides {stride}, dilations {dilation} on {axes} axes"
        raise operator.error("E115", what)
    pads = padding(operator, kernel, stride, dilation, size)
    if axes == 1:
        return Geometry((1, kernel[0]), (1, stride[0]), (1, dilation[0]), (0, 0, *pads[0]))
    return Geometry(
        (kernel[0], kernel[1]),
        (stride[0], stride[1]),
        (dilation[0], dilation[1]),
        (*pads[0], *pads[1]),
    )


def _per_axis(operator: Operator, name: str, axes: int, default: int) -> tuple[int, ...]:
    found = operator.ints(name)
    values = (default,) * axes if found is None else found
    if len(values) != axes:
        raise operator.error("E111", f"attribute {name} is {values} for {axes} spatial axes")
    return values


def padding(
    operator: Operator, kernel: Ints, stride: Ints, dilation: Ints, size: Ints
) -> list[Pair]:
    """Elements before and after each spatial axis."""
    axes, mode = len(size), operator.word("auto_pad", "NOTSET")
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        pairs = []
        for n, k, s, d in zip(size, kernel, stride, dilation, strict=True):
            total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            less, more = total // 2, total - total // 2
            pairs.append((less, more) if mode == "SAME_UPPER" else (more, less))
        return pairs
    if mode not in ("NOTSET", "VALID", ""):
        raise operator.error("E115", f"auto_pad is {mode!r}")
    pads = operator.ints("pads")
    if pads is None or mode == "VALID":
        return [(0, 0)] * axes
    if len(pads) != 2 * axes or min(pads) < 0:
        raise operator.error("E115", f"the pads are {pads} for {axes} spatial axes")
    return [(pads[i], pads[i + axes]) for i in range(axes)]
