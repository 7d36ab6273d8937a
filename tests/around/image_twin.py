"""What runtime_c/around/image.h computes, in numpy and written apart from it: docs/around.md."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Setup:
    """A frame's format and how it becomes rows x columns of an input."""

    rows: int
    columns: int
    format: str = "rgb888"
    color: str = "rgb"
    fit: str = "stretch"
    resize: str = "bilinear"
    part: tuple[int, int, int, int] | None = None
    bar: int = 114


def decode(frame: np.ndarray, format: str, width: int) -> np.ndarray:
    """Lines of bytes [H, stride] -> RGB [H, width, 3]."""
    raw = frame.astype(np.int64)
    if format == "gray8":
        return np.repeat(raw[:, :width, None], 3, 2)
    if format in ("rgb888", "bgr888"):
        rgb = raw[:, : 3 * width].reshape(len(raw), width, 3)
        return rgb if format == "rgb888" else rgb[:, :, ::-1]
    if format.startswith("rgb565"):
        pairs = raw[:, : 2 * width].reshape(len(raw), width, 2)
        high, low = (1, 0) if format.endswith("le") else (0, 1)
        word = 256 * pairs[:, :, high] + pairs[:, :, low]
        red, green, blue = word // 2048, word // 32 % 64, word % 32
        return np.stack([red * 8 + red // 4, green * 4 + green // 16, blue * 8 + blue // 4], axis=2)
    x = np.arange(width)
    y, u, v = (raw[:, at] for at in (2 * x, 4 * (x // 2) + 1, 4 * (x // 2) + 3))
    u, v = u - 128, v - 128
    rgb = [y * 65536 + 91881 * v, y * 65536 - 22554 * u - 46802 * v, y * 65536 + 116130 * u]
    return np.clip(np.stack([(c + 32768) // 65536 for c in rgb], axis=2), 0, 255)


def channels_of(rgb: np.ndarray, frame: np.ndarray, setup: Setup) -> np.ndarray:
    if setup.color == "gray":
        if setup.format == "yuyv":
            return frame[:, 0 : 2 * rgb.shape[1] : 2, None].astype(np.int64)
        if setup.format == "gray8":
            return rgb[:, :, :1]
        return ((rgb @ np.array([19595, 38470, 7471]) + 32768) // 65536)[:, :, None]
    return rgb if setup.color == "rgb" else rgb[:, :, ::-1]


def _half_up(value: Fraction) -> int:
    return max(1, int((value + Fraction(1, 2)).__floor__()))


def areas(setup: Setup, width: int, height: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(x, y, width, height) of the source and of the target."""
    x, y, w, h = setup.part or (0, 0, width, height)
    w, h = min(w, width - x), min(h, height - y)
    target = (0, 0, setup.columns, setup.rows)
    wide = Fraction(w, h) > Fraction(setup.columns, setup.rows)
    if setup.fit == "crop":
        if wide:
            own = _half_up(Fraction(h * setup.columns, setup.rows))
            x, w = x + (w - own) // 2, own
        else:
            own = _half_up(Fraction(w * setup.rows, setup.columns))
            y, h = y + (h - own) // 2, own
    elif setup.fit == "letterbox":
        if wide:
            own = _half_up(Fraction(h * setup.columns, w))
            target = (0, (setup.rows - own) // 2, setup.columns, own)
        else:
            own = _half_up(Fraction(w * setup.rows, h))
            target = ((setup.columns - own) // 2, 0, own, setup.rows)
    return (x, y, w, h), target


def _taps(count: int, size: int, resize: str) -> list[tuple[int, int, int]]:
    taps = []
    for i in range(count):
        centre = Fraction((2 * i + 1) * size, 2 * count)  # of a number, corners at 0
        if resize == "nearest":
            taps.append((int(centre.__floor__()),) * 2 + (0,))
            continue
        place = max(Fraction(0), centre - Fraction(1, 2))
        first = int(place.__floor__())
        taps.append((first, min(first + 1, size - 1), int((256 * (place - first)).__floor__())))
    return taps


def preprocess(frame: np.ndarray, width: int, setup: Setup) -> np.ndarray:
    """Numbers 0..255 [rows, columns, channels] of a frame [H, stride] uint8."""
    image = channels_of(decode(frame, setup.format, width), frame, setup)
    (x, y, w, h), (left, top, columns, rows) = areas(setup, width, len(frame))
    part = image[y : y + h, x : x + w]
    down, across = _taps(rows, h, setup.resize), _taps(columns, w, setup.resize)
    y0, y1, fy = (np.array(t)[:, None, None] for t in zip(*down, strict=True))
    x0, x1, fx = (np.array(t)[None, :, None] for t in zip(*across, strict=True))
    c = np.arange(part.shape[2])[None, None, :]
    total = (
        part[y0, x0, c] * (256 - fx) * (256 - fy)
        + part[y0, x1, c] * fx * (256 - fy)
        + part[y1, x0, c] * (256 - fx) * fy
        + part[y1, x1, c] * fx * fy
    )
    result = np.full((setup.rows, setup.columns, part.shape[2]), setup.bar, np.int64)
    result[top : top + rows, left : left + columns] = (total + 32768) // 65536
    return result.astype(np.uint8)
