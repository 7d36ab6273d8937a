"""Images as a camera delivers them: the formats that generated preprocessing reads."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from mcuc.errors import ModelError
from mcuc.ir.graph import Array

Bytes = npt.NDArray[np.uint8]


def encode_frame(image: Array, format: str) -> bytes:
    """A frame as boards/common/around.c takes it: width, height, stride, lines, pixels.

    Args:
        image: [H, W], [H, W, 1] gray or [H, W, 3] RGB, uint8.
        format: A key of `mcuc.around.image.FORMATS`. What it cannot hold is lost, as in a camera.

    Raises:
        ModelError: E121.
    """
    shape = image.shape
    channels = shape[2] if len(shape) == 3 else 1
    if (
        image.dtype != np.uint8
        or len(shape) not in (2, 3)
        or channels not in (1, 3)
        or not min(shape)
    ):
        raise ModelError(
            "E121",
            f"{image.dtype} data of shape {list(shape)} are no image",
            help="images are uint8: [H, W], [H, W, 1] gray, or [H, W, 3] RGB",
        )
    pixels = image.astype(np.uint8).reshape(shape[0], shape[1], channels)
    lines = _ENCODERS[format.removesuffix("_le").removesuffix("_be")](pixels, format)
    facts = (shape[1], shape[0], lines.shape[1], shape[0])
    return struct.pack("<4i", *facts) + lines.tobytes()


def encode_samples(sound: Array) -> bytes:
    """Sound as boards/common/around.c takes it.

    Args:
        sound: [N] or [N, 1], int16.

    Raises:
        ModelError: E121.
    """
    if sound.dtype != np.int16 or sound.size != len(sound) or sound.size == 0:
        raise ModelError(
            "E121",
            f"{sound.dtype} data of shape {list(sound.shape)} are no sound",
            help="sound is int16, one channel: a .wav file of 16 bits, or an array [N]",
        )
    return sound.astype("<i2").tobytes()


def _rgb(pixels: Bytes) -> Bytes:
    return np.broadcast_to(pixels, (*pixels.shape[:2], 3)) if pixels.shape[2] == 1 else pixels


def _gray8(pixels: Bytes, format: str) -> Bytes:
    if pixels.shape[2] == 1:
        return pixels[:, :, 0]
    weights = np.array([19595, 38470, 7471], np.int64)  # 0.299, 0.587, 0.114
    gray: Bytes = ((pixels @ weights + 32768) >> 16).astype(np.uint8)
    return gray


def _rgb888(pixels: Bytes, format: str) -> Bytes:
    order = _rgb(pixels)
    if format == "bgr888":
        order = order[:, :, ::-1]
    return np.ascontiguousarray(order).reshape(len(pixels), -1)


def _rgb565(pixels: Bytes, format: str) -> Bytes:
    red, green, blue = np.moveaxis(_rgb(pixels).astype(np.uint16), 2, 0)
    words = (red >> 3 << 11) | (green >> 2 << 5) | (blue >> 3)
    order = "<u2" if format.endswith("le") else ">u2"
    return np.frombuffer(words.astype(order).tobytes(), np.uint8).reshape(len(pixels), -1)


def _yuyv(pixels: Bytes, format: str) -> Bytes:
    """BT.601, full range; two pixels share the colour of their mean."""
    if pixels.shape[1] % 2:
        pixels = np.concatenate([pixels, pixels[:, -1:]], axis=1)
    red, green, blue = np.moveaxis(_rgb(pixels).astype(np.float64), 2, 0)
    y = 0.299 * red + 0.587 * green + 0.114 * blue
    u, v = (blue - y) / 1.772 + 128, (red - y) / 1.402 + 128
    pair = [(c[:, 0::2] + c[:, 1::2]) / 2 for c in (u, v)]
    words = np.stack([y[:, 0::2], pair[0], y[:, 1::2], pair[1]], axis=2)
    result: Bytes = np.clip(np.rint(words), 0, 255).astype(np.uint8)
    return result.reshape(len(pixels), -1)


_ENCODERS = {
    "gray8": _gray8,
    "rgb888": _rgb888,
    "bgr888": _rgb888,
    "rgb565": _rgb565,
    "yuyv": _yuyv,
}
