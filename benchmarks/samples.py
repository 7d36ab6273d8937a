"""Inputs from data sets: images and spoken words, brought to a model's input."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from benchmarks.models import data_folder
from mcuc.inputs.vectors import to_inputs
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType, Quant
from mcuc.numerics import int8

# Model -> (data set with x and y, factor: real value = factor * stored number, None = as stored).
LABELLED = {
    "repo/mlperf_ic01_resnet8_int8": ("mlperf_tiny_ic01", 1.0),
    "repo/mlperf_kws01_dscnn_int8": ("mlperf_tiny_kws01", None),
}
_IMAGES = "cifar10_test2k"
_WORDS = "mlperf_tiny_kws01"


@functools.cache
def data_set(name: str) -> dict[str, Array]:
    """The arrays of a data set."""
    path = data_folder() / "datasets" / f"{name}.npz"
    with np.load(path, allow_pickle=False) as stored:
        return {key: stored[key] for key in ("x", "y")}


def labelled(name: str, graph: Graph) -> tuple[list[list[Array]], Array]:
    """All samples of a model's own data set, one set of inputs each, and their labels."""
    source, factor = LABELLED[name]
    stored = data_set(source)
    type_ = graph.type(graph.inputs[0])
    inputs = to_inputs(stored["x"], type_, factor, 0.0)
    return [[sample.reshape(type_.shape)] for sample in inputs], stored["y"]


def real_inputs(graph: Graph, count: int) -> list[list[Array]]:
    """Up to `count` sets of inputs that look like the real thing; none for models of other kinds.

    Pictures are scaled to the model's size without interpolation, grey where it has one channel,
    and their 256 levels go to the 256 levels of the quantized input.
    """
    if len(graph.inputs) != 1:
        return []
    shape = graph.type(graph.inputs[0]).shape
    if shape == (1, 49, 10, 1):
        words = data_set(_WORDS)["x"]
        return [[_quantized(x.reshape(shape).astype(np.int16), graph)] for x in words[:count]]
    if len(shape) != 4 or shape[0] != 1 or shape[3] not in (1, 3):
        return []
    pictures = data_set(_IMAGES)["x"][:count]
    return [[_quantized(_scaled(p, shape), graph)] for p in pictures]


def realistic_inputs(graph: Graph, count: int) -> list[list[Array]]:
    """`count` sets of inputs from data sets, or signals that change slowly where none suits."""
    found = real_inputs(graph, count)
    rng = np.random.default_rng(2)
    while len(found) < count:
        found.append([_quantized(_walk(rng, graph, v), graph, v) for v in graph.inputs])
    return found


def _walk(rng: np.random.Generator, graph: Graph, value: int) -> Array:
    """A random walk through all elements, from one end of the levels to the other."""
    shape = graph.type(value).shape
    walk = np.cumsum(rng.normal(size=int(np.prod(shape))))
    low, high = walk.min(), walk.max()
    levels = np.rint((walk - low) / ((high - low) or 1.0) * 255.0 - 128.0)
    return levels.astype(np.int16).reshape(shape)


def _scaled(picture: Array, shape: Sequence[int]) -> Array:
    """A [32, 32, 3] uint8 picture as levels -128..127 of the given NHWC shape."""
    _, height, width, channels = shape
    rows = np.arange(height) * picture.shape[0] // height
    columns = np.arange(width) * picture.shape[1] // width
    scaled: Array = picture[rows][:, columns].astype(np.int16) - np.int16(128)
    if channels == 1:
        scaled = (scaled.sum(axis=2, keepdims=True, dtype=np.int32) // 3).astype(np.int16)
    return scaled.reshape(tuple(shape))


def _quantized(levels: Array, graph: Graph, value: int | None = None) -> Array:
    """Levels -128..127 as a model's input: int8 as they are, uint8 shifted, int16 times 256, float
    as what is quantized behind the input, or from -1 to 1.
    """
    value = graph.inputs[0] if value is None else value
    dtype = graph.type(value).dtype
    if dtype is DType.S8:
        return levels.astype(np.int8)
    if dtype is DType.U8:
        return (levels + 128).astype(np.uint8)
    if dtype is DType.S16:
        return (levels * 256).astype(np.int16)
    if dtype is not DType.F32:
        raise ValueError(f"no levels for {dtype.value}")
    quant = _quant_behind(graph, value)
    if quant is None:
        return levels.astype(np.float32) / np.float32(128)
    return int8.dequantize(levels, quant.scale, quant.zero_point)


def _quant_behind(graph: Graph, value: int) -> Quant | None:
    """The quantization that a float input is brought to first."""
    for node in graph.nodes:
        quant = graph.type(node.outputs[0]).quant
        if node.op == "quantize" and node.inputs[0] == value and quant is not None:
            return quant
    return None
