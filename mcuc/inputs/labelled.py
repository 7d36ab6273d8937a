"""Labelled samples: an .npz with x and y, or a folder with a folder of images for every class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcuc.errors import ModelError
from mcuc.inputs.vectors import IMAGES, SOUND, read_arrays
from mcuc.ir.graph import Array

Samples = tuple[Sequence[Array], Array]


def read_samples(path: Path, labels: Sequence[str], limit: int | None) -> Samples:
    """Samples as they are stored, and the number of each one's class.

    Raises:
        ModelError: E120 unreadable, E121 no labelled samples.
    """
    return _folder(path, labels, limit) if path.is_dir() else _file(path, limit)


def _file(path: Path, limit: int | None) -> Samples:
    arrays = read_arrays(path)
    if "x" not in arrays or "y" not in arrays:
        raise ModelError(
            "E121",
            f"{path.name} must hold the arrays x and y",
            why=f"it holds {', '.join(arrays) or 'nothing'}",
            help="save samples and labels with numpy.savez(file, x=..., y=...)",
        )
    x, y = arrays["x"][:limit], arrays["y"][:limit]
    if x.ndim == 0 or len(x) == 0 or y.shape != (len(x),) or y.dtype.kind not in "iu":
        raise ModelError(
            "E121",
            f"x has shape {list(x.shape)}, y {list(y.shape)} of type {y.dtype}",
            help="x holds one sample per row and y as many labels, integers",
        )
    return list(x), y


def _folder(path: Path, labels: Sequence[str], limit: int | None) -> Samples:
    classes = sorted(p for p in path.iterdir() if p.is_dir())
    numbers = {name: i for i, name in enumerate(labels)}
    unknown = [p.name for p in classes if p.name not in numbers and not p.name.isdecimal()]
    if unknown or not classes:
        raise ModelError(
            "E121",
            f"{path} holds no folder per class",
            why=f"{unknown[0]!r} is neither a label nor a number" if unknown else "it has none",
            help="name the folders like the lines of --labels FILE, or by the classes' numbers",
        )
    files = [
        (file, numbers.get(p.name, -1) if p.name in numbers else int(p.name))
        for p in classes
        for file in sorted(p.iterdir())
        if file.suffix.lower() in (*IMAGES, SOUND, ".npy")
    ][:limit]
    if not files:
        raise ModelError(
            "E121", f"{path} holds no samples", help=f"{', '.join(IMAGES)}, .wav or .npy"
        )
    return [next(iter(read_arrays(file).values())) for file, _ in files], np.array(
        [label for _, label in files]
    )
