"""Geometry of ops that slide a window over a feature map: padding, sizes, the region rule.

Source of the padding rule: TFLite `kernels/padding.h`, `ComputePaddingWithOffset`: of an odd total
the larger half goes behind the map (below, to the right).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.program import Box, Window
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Hwc

Pair = tuple[int, int]
Pad = tuple[int, int, int, int]  # rows above, rows below, columns left, columns right


def map_size(shape: tuple[int, ...]) -> Pair:
    """Rows and columns of an NHWC shape, or of OHWI weights."""
    return shape[1], shape[2]


def same_padding(size: int, kernel: int, stride: int, dilation: int = 1) -> Pair:
    """Padding (before, after) of SAME along one axis: ceil(size / stride) outputs."""
    out = -(-size // stride)
    extent = (kernel - 1) * dilation + 1
    total = max((out - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def explicit_pad(
    padding: str, size: Pair, kernel: Pair, stride: Pair, dilation: Pair = (1, 1)
) -> Pad:
    """The explicit padding that TFLite's "SAME" or "VALID" stands for.

    Args:
        padding: "SAME" or "VALID".
        size: Rows and columns of the map.
        kernel: Rows and columns of the window.
        stride: (vertical, horizontal), at least 1.
        dilation: (vertical, horizontal), at least 1.
    """
    if padding == "VALID":
        return 0, 0, 0, 0
    if padding != "SAME":
        raise ValueError(f"unknown padding {padding!r}")
    top, bottom = same_padding(size[0], kernel[0], stride[0], dilation[0])
    left, right = same_padding(size[1], kernel[1], stride[1], dilation[1])
    return top, bottom, left, right


def output_size(size: Pair, window: Window, pad: Pad) -> Pair:
    """Output rows and columns; below 1 where the padded map is smaller than the window."""
    rows = size[0] + pad[0] + pad[1] - window.extent[0]
    columns = size[1] + pad[2] + pad[3] - window.extent[1]
    return rows // window.stride[0] + 1, columns // window.stride[1] + 1


def check_geometry(problems: Problems, size: Pair, window: Window, pad: Pad) -> Pair | None:
    """The output size, or None with the problem recorded."""
    fine = [
        problems.at_least("the kernel size", window.kernel, 1),
        problems.at_least("the stride", window.stride, 1),
        problems.at_least("the dilation", window.dilation, 1),
        problems.at_least("the padding", pad, 0),
    ]
    if not all(fine):
        return None
    out = output_size(size, window, pad)
    if min(out) < 1:
        extent = window.extent
        problems.add(
            "E111",
            f"the window of {extent[0]}x{extent[1]} does not fit into the map of "
            f"{size[0]}x{size[1]} with padding {pad}",
        )
        return None
    return out


def check_no_empty_window(problems: Problems, size: Pair, out: Pair, window: Window) -> None:
    """Requires that each window of a pool sees at least one element of the map."""
    for axis, name in ((0, "row"), (1, "column")):
        first_end = window.kernel[axis] - window.pad[axis]
        last_start = (out[axis] - 1) * window.stride[axis] - window.pad[axis]
        if first_end < 1 or last_start >= size[axis]:
            index = 0 if first_end < 1 else out[axis] - 1
            problems.add(
                "E115",
                f"the windows of output {name} {index} lie entirely in the padding",
                why="the average or maximum of no elements is not defined",
                help="use less padding",
            )


def window_region(out: Box, window: Window, in_shape: Hwc, channels: Pair) -> Box | None:
    """The part of the input map [H, W, C] that the windows of an output box cover.

    Args:
        out: Box of output pixels, not empty.
        window: Geometry.
        in_shape: Of the input; the result is clipped to it.
        channels: Input channels needed, half-open.

    Returns:
        None if only padding is covered.
    """
    y0, y1 = _covered(out.y0, out.y1, window, 0, in_shape[0])
    x0, x1 = _covered(out.x0, out.x1, window, 1, in_shape[1])
    if y0 >= y1 or x0 >= x1:
        return None
    return Box(y0, y1, x0, x1, channels[0], channels[1])


def _covered(first: int, end: int, window: Window, axis: int, size: int) -> Pair:
    stride, pad, extent = window.stride[axis], window.pad[axis], window.extent[axis]
    return max(first * stride - pad, 0), min((end - 1) * stride - pad + extent, size)


def padded(x: npt.NDArray[np.generic], pad: Pad, value: float) -> npt.NDArray[np.generic]:
    """A map [N, H, W, C] with `value` around it."""
    widths = ((0, 0), (pad[0], pad[1]), (pad[2], pad[3]), (0, 0))
    return np.pad(x, widths, constant_values=value)


def taps(x: npt.NDArray[np.generic], window: Window, out: Pair) -> npt.NDArray[np.generic]:
    """All windows of a padded map [N, H, W, C] as a view [N, OH, OW, C, KH, KW]."""
    views = np.lib.stride_tricks.sliding_window_view(x, window.extent, axis=(1, 2))
    strided = views[:, :: window.stride[0], :: window.stride[1]]
    dilated = strided[..., :: window.dilation[0], :: window.dilation[1]]
    result: npt.NDArray[np.generic] = dilated[:, : out[0], : out[1]]
    return result
