"""Resize and Upsample: nearest by lists of indices; linear and cubic by lists of weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from mcuc.frontends.onnx.handlers.maps import on_map
from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ops import resample, resize_bilinear, take

Floats = npt.NDArray[np.float64]


_ROUNDINGS: dict[str, Callable[[Floats], Floats]] = {
    "floor": lambda x: np.floor(x),
    "ceil": lambda x: np.ceil(x),
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
}


def resize(operator: Operator) -> Results:
    scales, sizes = _sizes(operator)
    mode = operator.word("mode", "nearest")
    shape = operator.shape()
    if max(sizes) > take.MAX_SIZE:
        raise operator.error("E117", f"a result of shape {sizes}")
    if mode == "nearest":
        picks = [
            None if n == m and s == 1 else _nearest(operator, n, m, s)
            for n, m, s in zip(shape, sizes, scales, strict=True)
        ]
        return (operator.graph.take(operator.value(), picks),)
    if mode not in ("linear", "cubic"):
        raise operator.error("E115", f"a Resize of the mode {mode!r} is not supported")
    if operator.integer("antialias", 0):
        raise operator.error("E115", "a Resize with antialias")
    if shape[:2] != tuple(sizes[:2]) or len(shape) not in (3, 4):
        raise operator.error("E115", f"a Resize of the shape {shape} to {sizes} ({mode})")
    flags = _bilinear(operator, mode, shape, sizes, scales)
    attrs: object
    if flags is not None:
        op, attrs = "resize_bilinear", resize_bilinear.Attrs((sizes[2], sizes[3]), *flags)
    else:
        op, taps = "resample", [resample.whole(1)]
        for n, m, s in zip(shape[2:], sizes[2:], scales[2:], strict=True):
            taps.append(_taps(operator, n, m, s, mode))
        attrs = resample.Attrs(*taps[-2:])

    def function(x: int) -> int:
        return operator.graph.add(op, attrs, (x,))

    return (on_map(operator, operator.value(), function),)


def _taps(operator: Operator, size: int, out: int, scale: float, mode: str) -> resample.Taps:
    """How an axis is read."""
    at = [float(x) for x in _places(operator, size, out, scale)]
    if mode == "linear":
        return resample.linear(at, size)
    outside = not operator.integer("exclude_outside", 0)
    return resample.cubic(at, size, operator.real("cubic_coeff_a", -0.75), outside)


def _sizes(operator: Operator) -> tuple[list[float], list[int]]:
    """Scale and size of every axis."""
    shape = operator.shape()
    if operator.proto.op_type == "Upsample" or operator.opset < 11:
        found = operator.attribute("scales") or operator.const(1, "scales").ravel().tolist()
        scales = [float(s) for s in found]
        axes = tuple(range(len(shape)))
        sizes = None
    else:
        axes = operator.ints("axes") or tuple(range(len(shape)))
        axes = tuple(operator.axis(axis, len(shape)) for axis in axes)
        sizes = operator.integers(3, "sizes") if operator.has(3) else None
        scales = []
        if sizes is None:
            scales = [float(s) for s in operator.const(2, "scales").ravel()]
    given = scales if sizes is None else sizes
    fine = len(given) == len(axes) and all(math.isfinite(n) and n > 0 for n in given)
    if not fine:
        raise operator.error("E111", f"{list(given)} for the axes {axes} of {shape}")
    return _by_axis(operator, axes, scales, None if sizes is None else list(sizes))


def _by_axis(
    operator: Operator, axes: tuple[int, ...], scales: list[float], sizes: list[int] | None
) -> tuple[list[float], list[int]]:
    shape = operator.shape()
    all_scales, all_sizes = [1.0] * len(shape), list(shape)
    policy = operator.word("keep_aspect_ratio_policy", "stretch")
    if sizes is not None and policy != "stretch":
        ratios = [m / shape[axis] for m, axis in zip(sizes, axes, strict=True)]
        one = min(ratios) if policy == "not_larger" else max(ratios)
        for axis in axes:
            all_scales[axis] = one
            all_sizes[axis] = math.floor(one * shape[axis] + 0.5)
        return all_scales, all_sizes
    for i, axis in enumerate(axes):
        if sizes is None:
            all_scales[axis] = scales[i]
            all_sizes[axis] = math.floor(shape[axis] * scales[i])
        else:
            all_scales[axis], all_sizes[axis] = sizes[i] / shape[axis], sizes[i]
    if min(all_sizes) < 1:
        raise operator.error("E105", f"the result has the shape {all_sizes}")
    return all_scales, all_sizes


def _places(operator: Operator, size: int, out: int, scale: float) -> Floats:
    """Where each output element lies in the input."""
    mode = operator.word("coordinate_transformation_mode", "half_pixel")
    if operator.proto.op_type == "Upsample" or operator.opset < 11:
        mode = "asymmetric"
    at = np.arange(out, dtype=np.float64)
    if mode == "half_pixel":
        return (at + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (at + 0.5) / scale - 0.5 if out > 1 else np.zeros(1)
    if mode == "half_pixel_symmetric":
        adjustment = out / (scale * size)
        center = size / 2
        return center * (1 - adjustment) + (at + 0.5) / scale - 0.5
    if mode == "align_corners":
        length = scale * size  # which need not be whole
        return at * (size - 1) / (length - 1) if length > 1 else np.zeros(out)
    if mode == "asymmetric":
        return at / scale
    raise operator.error("E115", f"a Resize with the coordinates {mode!r} is not supported")


def _nearest(operator: Operator, size: int, out: int, scale: float) -> list[int]:
    at = _places(operator, size, out, scale)
    if operator.proto.op_type == "Upsample" or operator.opset < 11:
        mode = "floor"
    else:
        mode = operator.word("nearest_mode", "round_prefer_floor")
    if mode not in _ROUNDINGS:
        raise operator.error("E115", f"nearest_mode is {mode!r}")
    return [int(i) for i in np.clip(_ROUNDINGS[mode](at), 0, size - 1)]


def _bilinear(
    operator: Operator, mode: str, shape: Sequence[int], sizes: list[int], scales: list[float]
) -> tuple[bool, bool] | None:
    """The flags (align_corners, half_pixel_centers) of the op for maps, where it computes this."""
    exact = all(m == n * s for n, m, s in zip(shape, sizes, scales, strict=True))
    if mode != "linear" or len(shape) != 4 or sizes[:2] != list(shape[:2]) or not exact:
        return None
    way = operator.word("coordinate_transformation_mode", "half_pixel")
    if operator.proto.op_type == "Upsample" or operator.opset < 11:
        way = "asymmetric"
    if way == "pytorch_half_pixel" and min(sizes[2:]) > 1:
        way = "half_pixel"
    return {
        "half_pixel": (False, True),
        "align_corners": (True, False),
        "asymmetric": (False, False),
    }.get(way)


HANDLERS: dict[str, Handler] = {"Resize": resize, "Upsample": resize}
