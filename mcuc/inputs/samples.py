"""Samples for calibration: from .npz, .npy, folders of images, or made up.

Arrays hold one sample per row. Pictures and bytes become real numbers by (x / 255 - mean) / std
where mean or std is given; other numbers by (x - mean) / std; without both they are taken as they
are. Where the model wants [C, H, W] and the data are [H, W, C], or the other way, they are turned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mcuc.errors import ModelError
from mcuc.inputs.vectors import IMAGES, read_arrays
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType, TensorType

MOST = 256  # of more samples as many are taken, evenly spread
RANDOM = "random"
_RANDOM_COUNT = 32


@dataclass(frozen=True)
class Scaling:
    """How stored numbers become real ones; one number for all channels, or one for each."""

    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()

    @property
    def given(self) -> bool:
        return bool(self.mean or self.std)


def load_samples(source: str, graph: Graph, scaling: Scaling = Scaling()) -> list[list[Array]]:
    """Sets of inputs of a float model.

    Args:
        source: Path of an .npz, an .npy, an image or a folder of images; or RANDOM: numbers from
            -1 to 1, the same ones each time.
        graph: The float model.
        scaling: Of stored numbers.

    Raises:
        ModelError: E120 unreadable, E121 when the data do not fit the model.
    """
    wanted = [graph.type(v) for v in graph.inputs]
    if source == RANDOM:
        rng = np.random.default_rng(0)
        return [[_random(rng, type_) for type_ in wanted] for _ in range(_RANDOM_COUNT)]
    path = Path(source)
    is_folder = path.is_dir()
    arrays = [_folder(path, graph)] if is_folder else _by_input(read_arrays(path), path, graph)
    counts = {len(array) for array in arrays}
    if len(counts) != 1 or not counts.pop():
        raise ModelError("E121", f"{path.name} holds no samples, or not as many for each input")
    picked = np.linspace(0, len(arrays[0]) - 1, min(MOST, len(arrays[0]))).round().astype(int)
    inputs = [
        [_real(array[i], type_, scaling, path.name) for i in picked]
        for array, type_ in zip(arrays, wanted, strict=True)
    ]
    return [list(sample) for sample in zip(*inputs, strict=True)]


def _random(rng: np.random.Generator, type_: TensorType) -> Array:
    if type_.dtype is not DType.F32:
        return rng.integers(0, 2, type_.shape).astype(type_.dtype.numpy)
    return rng.uniform(-1, 1, type_.shape).astype(np.float32)


def _by_input(arrays: dict[str, Array], path: Path, graph: Graph) -> list[Array]:
    """One array per input: by its name, or `x`, or the only ones there are."""
    names = [graph.values[v].name for v in graph.inputs]
    if set(names) <= set(arrays):
        return [arrays[name] for name in names]
    if len(names) == 1 and "x" in arrays:
        return [arrays["x"]]
    if path.suffix.lower() in IMAGES:
        arrays = {name: array[np.newaxis] for name, array in arrays.items()}
    if len(arrays) == len(names):
        return list(arrays.values())
    raise ModelError(
        "E121",
        f"{path.name} holds {len(arrays)} arrays and the model has {len(names)} inputs",
        why=f"inputs: {', '.join(names)}; arrays: {', '.join(arrays)}",
        help="store [N, ...] samples per input under the input's name, or x for a single input",
    )


def _folder(path: Path, graph: Graph) -> Array:
    """All images below a folder in the order of their names, in the size of the only input."""
    files = sorted(p for p in path.rglob("*") if p.suffix.lower() in IMAGES)
    if not files or len(graph.inputs) != 1:
        raise ModelError(
            "E120" if not files else "E121",
            f"{path} holds no images" if not files else "a folder of images is for one input",
            help=f"give a folder with {', '.join(IMAGES)}, or an .npz",
        )
    shape = graph.type(graph.inputs[0]).shape
    if len(shape) not in (3, 4) or not {shape[-1], shape[-3]} & {1, 3}:
        raise ModelError("E121", f"an input of shape {list(shape)} is no image")
    last = shape[-1] in (1, 3)
    size, channels = (shape[-3:-1], shape[-1]) if last else (shape[-2:], shape[-3])
    step = max(1, len(files) // MOST)
    return np.stack([_image(p, size[0], size[1], channels) for p in files[::step]])


def _image(path: Path, height: int, width: int, channels: int) -> Array:
    try:
        from PIL import Image
    except ImportError as error:
        raise ModelError(
            "E120", "images need the Pillow package", help="pip install 'mcuc[images]'"
        ) from error
    try:
        with Image.open(path) as image:
            mode = "L" if channels == 1 else "RGB"
            small = image.convert(mode).resize((width, height), Image.Resampling.BILINEAR)
            return np.asarray(small).reshape(height, width, channels)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise ModelError("E120", f"cannot read {path}", why=str(error)) from error


def _real(sample: Array, type_: TensorType, scaling: Scaling, name: str) -> Array:
    """A sample in the input's shape and type."""
    if sample.dtype.kind not in "biuf":
        raise ModelError("E121", f"data of type {sample.dtype} are not numbers")
    data = _turned(sample, type_.shape, name)
    if type_.dtype is not DType.F32:
        return data.astype(type_.dtype.numpy)
    real = data.astype(np.float32)
    if scaling.given:
        if sample.dtype == np.uint8:
            real = real / np.float32(255)
        channels = _channel_axis(type_.shape)
        real = real - _along(scaling.mean or (0.0,), real.ndim, channels, type_.shape)
        real = real / _along(scaling.std or (1.0,), real.ndim, channels, type_.shape)
    if not np.isfinite(real).all():
        raise ModelError("E121", f"{name} holds NaN or infinity")
    return np.ascontiguousarray(real, np.float32)


def _squeezed(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _turned(sample: Array, shape: tuple[int, ...], name: str) -> Array:
    flat = min(len(_squeezed(sample.shape)), len(_squeezed(shape))) <= 1
    if _squeezed(sample.shape) == _squeezed(shape) or (flat and sample.size == math.prod(shape)):
        return sample.reshape(shape)
    for perm in ((2, 0, 1), (1, 2, 0)):  # to [C, H, W], to [H, W, C]
        if sample.ndim == 3:
            turned = sample.transpose(perm)
            if _squeezed(turned.shape) == _squeezed(shape):
                return turned.reshape(shape)
    raise ModelError(
        "E121",
        f"a sample of {name} has the shape {list(sample.shape)}, the input {list(shape)}",
        help="store one sample per row, each of the input's shape",
    )


def _channel_axis(shape: tuple[int, ...]) -> int:
    """Of [N, C, H, W] with few channels the second axis, else the last."""
    if len(shape) == 4 and shape[1] in (1, 3) and shape[3] not in (1, 3):
        return 1
    return len(shape) - 1


def _along(
    numbers: Sequence[float], rank: int, axis: int, shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    if len(numbers) not in (1, shape[axis]):
        raise ModelError("E121", f"{len(numbers)} numbers for {shape[axis]} channels")
    sizes = [1] * rank
    sizes[axis] = len(numbers)
    return np.asarray(numbers, np.float32).reshape(sizes)


def labelled_samples(
    path: Path, graph: Graph, scaling: Scaling = Scaling()
) -> tuple[list[list[Array]], Array]:
    """All samples `x` of an .npz for a model of one input, and their labels `y`.

    Raises:
        ModelError: E120 unreadable, E121 when they do not fit the model.
    """
    arrays = read_arrays(path)
    x, y = arrays.get("x"), arrays.get("y")
    if x is None or y is None or len(graph.inputs) != 1 or y.ndim != 1 or not 0 < len(x) == len(y):
        raise ModelError(
            "E121",
            f"{path.name} must hold samples x and as many labels y, for a model with one input",
            why=f"it holds {', '.join(f'{k} {list(v.shape)}' for k, v in arrays.items())}",
            help="save them with numpy.savez(file, x=..., y=...)",
        )
    type_ = graph.type(graph.inputs[0])
    return [[_real(sample, type_, scaling, path.name)] for sample in x], y
