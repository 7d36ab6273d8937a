"""Inputs for runs: seeded random, or from .npy, .npz and image files, as the model wants them."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcuc.errors import ModelError
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops.checks import integer_range

SOUND = ".wav"
IMAGES = (".png", ".jpg", ".jpeg", ".bmp")


def random_vectors(graph: Graph, count: int, seed: int = 0) -> list[list[Array]]:
    """`count` sets of inputs: integers over their whole range, floats over what quantizes."""
    rng = np.random.default_rng(seed)
    return [[_random(rng, graph, v) for v in graph.inputs] for _ in range(count)]


def _random(rng: np.random.Generator, graph: Graph, value: int) -> Array:
    type_ = graph.type(value)
    dtype = type_.dtype.numpy
    if type_.dtype is not DType.F32:
        info = np.iinfo(dtype.name)
        return rng.integers(info.min, info.max, type_.shape, dtype.name, endpoint=True)
    for node in graph.nodes:  # a float input that is quantized: fill that range and a bit more
        quant = graph.type(node.outputs[0]).quant
        if node.op == "quantize" and node.inputs[0] == value and quant is not None:
            steps = rng.uniform(-140.0, 140.0, type_.shape)
            return ((steps - quant.zero_point) * quant.scale).astype(dtype)
    return rng.uniform(-1.0, 1.0, type_.shape).astype(dtype)


def load_inputs(path: Path, graph: Graph, factor: float | None, offset: float) -> list[Array]:
    """One set of inputs from a file.

    An .npy or image is the only input; an .npz holds them by tensor name, or in order.

    Args:
        factor, offset: real value = factor * stored value + offset; None takes data of the
            model's own type as it is, and other numbers as real values.

    Raises:
        ModelError: E120 unreadable, E121 wrong number, shape or range.
    """
    arrays = read_arrays(path)
    names = [graph.values[v].name for v in graph.inputs]
    if set(names) <= set(arrays):
        chosen = [arrays[name] for name in names]
    else:
        chosen = list(arrays.values())
    if len(chosen) != len(names):
        raise ModelError(
            "E121",
            f"{path.name} holds {len(chosen)} arrays and the model has {len(names)} inputs",
            why=f"inputs: {', '.join(names)}; arrays: {', '.join(arrays)}",
            help="store one array per input under the input's name",
        )
    return [
        to_input(array, graph.type(v), factor, offset)
        for array, v in zip(chosen, graph.inputs, strict=True)
    ]


def require_no_factor(factor: float | None, offset: float) -> None:
    """E109 where the model's own preprocessing says what numbers mean."""
    if factor is not None or offset != 0.0:
        raise ModelError(
            "E109",
            "options factor, offset: --preprocess says what the numbers mean",
            help="leave them out, or compile without --preprocess",
        )


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of an .npy, .npz, .wav or image file; pickled objects are refused.

    Raises:
        ModelError: E120.
    """
    try:
        if path.suffix.lower() in IMAGES:
            return {"image": _image(path)}
        if path.suffix.lower() == SOUND:
            return {"sound": _sound(path)}
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {path.stem: loaded}
        return {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError, KeyError) as error:
        raise ModelError(
            "E120",
            f"cannot read {path}",
            why=str(error) or type(error).__name__,
            help="give an .npy, .npz or image file",
        ) from error


def _sound(path: Path) -> Array:
    """Samples [N], or [N, channels], of a file of 16 bits."""
    try:
        with wave.open(str(path), "rb") as file:
            if file.getsampwidth() != 2:
                raise ValueError(f"{8 * file.getsampwidth()} bits per sample, not 16")
            raw = file.readframes(file.getnframes())
            samples = np.frombuffer(raw, "<i2").astype(np.int16)
            channels = file.getnchannels()
            return samples if channels == 1 else samples.reshape(-1, channels)
    except wave.Error as error:
        raise ValueError(str(error)) from error


def _image(path: Path) -> Array:
    try:
        from PIL import Image
    except ImportError as error:
        raise ModelError(
            "E120", f"{path.name} needs the Pillow package", help="pip install 'mcuc[images]'"
        ) from error
    with Image.open(path) as image:
        return np.asarray(image)


def to_input(array: Array, type_: TensorType, factor: float | None, offset: float) -> Array:
    """An array as a model input: shape checked, numbers quantized where the model wants that.

    Raises:
        ModelError: E121.
    """
    if array.size != type_.elements or _squeezed(array.shape) != _squeezed(type_.shape):
        raise ModelError(
            "E121",
            f"the data have shape {list(array.shape)} and the input wants {list(type_.shape)}",
            help="resize or crop the data to the input's shape (NHWC)",
        )
    return to_inputs(array.reshape(type_.shape), type_, factor, offset)


def to_inputs(array: Array, type_: TensorType, factor: float | None, offset: float) -> Array:
    """The numbers of an array (any leading axes) as the model's element type.

    Raises:
        ModelError: E121 for numbers that the type cannot hold.
    """
    plain = factor is None and offset == 0.0
    if plain and array.dtype == type_.dtype.numpy:
        return np.ascontiguousarray(array)
    if array.dtype.kind not in "biuf":
        raise ModelError("E121", f"data of type {array.dtype} are not numbers")
    real = array.astype(np.float32)
    if not plain:
        real = (real * np.float32(1.0 if factor is None else factor) + np.float32(offset)).astype(
            np.float32
        )
    if type_.dtype is DType.F32:
        return real
    if type_.quant is None or type_.dtype not in (DType.S8, DType.U8, DType.S16):
        raise ModelError("E121", f"{array.dtype} data cannot become {type_.dtype.value}")
    if not np.isfinite(real).all():
        raise ModelError("E121", "the data hold NaN or infinity")
    limits = integer_range(type_.dtype)
    quantized = int8.quantize(real, type_.quant.scale, type_.quant.zero_point, limits)
    return quantized.astype(type_.dtype.numpy)


def _squeezed(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)
