"""Images: how a frame of a camera becomes the input of a model (runtime_c/around/image.h).

The C replaces every 8-bit number by a table of 256: what mean, standard deviation and the input's
quantization make of it is computed here, once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mcuc.around.fields import Fields
from mcuc.around.tensor import Tensor
from mcuc.ir.graph import Array
from mcuc.numerics import int8
from mcuc.ops.checks import integer_range

# Format -> bytes of a line of so many pixels.
FORMATS = {
    "gray8": 1,
    "rgb888": 3,
    "bgr888": 3,
    "rgb565_le": 2,
    "rgb565_be": 2,
    "yuyv": 2,
}
FITS = ("stretch", "crop", "letterbox")
RESIZES = ("bilinear", "nearest")
# What the real values of an image's numbers 0..255 are, in words: mean and standard deviation.
RANGES = {"0..1": (0.0, 255.0), "-1..1": (127.5, 127.5), "0..255": (0.0, 1.0)}
LARGEST = 32767


@dataclass(frozen=True)
class Image:
    """A resolved `--preprocess image`.

    Attributes:
        tensor: The model's input.
        rows, columns, channels: Of the input.
        planar: The input's channels lie one after another: [C, H, W].
        format: Of the frames, see `FORMATS`.
        color: "gray", "rgb" or "bgr": the input's channels.
        fit: How proportions are kept, see docs/around.md.
        resize: "bilinear" or "nearest".
        part: (x, y, width, height) of the frame; None = all of it.
        bar: Number beside a letterboxed image.
        mean, std: Real value = (number - mean) / std, by channel or for all.
    """

    tensor: Tensor
    rows: int
    columns: int
    channels: int
    planar: bool
    format: str
    color: str
    fit: str
    resize: str
    part: tuple[int, int, int, int] | None
    bar: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    kind: ClassVar[str] = "image"

    @property
    def ram_bytes(self) -> int:
        """What an application gives besides its frame and the input."""
        return 0

    @property
    def table(self) -> Array:
        """Elements of the input by number, [channels or 1, 256]."""
        numbers = np.arange(256, dtype=np.float64)
        rows = [(numbers - m) / s for m, s in zip(self.mean, self.std, strict=True)]
        real = np.array(rows).astype(np.float32)
        if len(rows) > 1 and (real == real[0]).all():
            real = real[:1]
        type_ = self.tensor.type
        if not self.tensor.integer:
            return real
        limits = integer_range(type_.dtype)
        numbers_ = int8.quantize(real, self.tensor.scale, self.tensor.zero_point, limits)
        return numbers_.astype(type_.dtype.numpy)


def read_image(fields: Fields, tensor: Tensor) -> Image:
    """The specification of an image for an input; problems are noted in `fields`."""
    rows, columns, channels, planar = _layout(fields, tensor)
    colors = ("gray",) if channels == 1 else ("rgb", "bgr")
    mean, std = _normalization(fields, channels)
    image = Image(
        tensor=tensor,
        rows=rows,
        columns=columns,
        channels=channels,
        planar=planar,
        format=fields.choice("format", tuple(FORMATS)),
        color=fields.choice("color", colors, colors[0]),
        fit=fields.choice("fit", FITS, FITS[0]),
        resize=fields.choice("resize", RESIZES, RESIZES[0]),
        part=_part(fields),
        bar=fields.integer("bar", 0, 255, 114),
        mean=mean,
        std=std,
    )
    fields.done()
    if not tensor.readable:
        fields.problem(f"the input {tensor} is neither float32 nor quantized", code="E131")
    return image


def _layout(fields: Fields, tensor: Tensor) -> tuple[int, int, int, bool]:
    """Rows, columns, channels of an input, and whether channels come first."""
    shape = tensor.type.shape
    layout = fields.choice("layout", ("nhwc", "nchw"), "nhwc")
    if len(shape) == 3:
        shape = (1, *shape)
    if len(shape) == 4 and shape[0] == 1:
        _, a, b, c = shape
        rows, columns, channels = (a, b, c) if layout == "nhwc" else (b, c, a)
        if channels in (1, 3) and max(rows, columns) <= LARGEST:
            return rows, columns, channels, layout == "nchw"
    fields.problem(
        f"the input {tensor} is no {layout} image of one or three channels",
        help="choose layout=nhwc or nchw; other inputs are filled by the application",
        code="E131",
    )
    return 1, 1, 1, False


def _normalization(fields: Fields, channels: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation, from `values` or `mean` and `std`."""
    counts = (1,) if channels == 1 else (1, channels)
    given = fields.has("mean"), fields.has("std")
    mean, std = fields.numbers("mean", counts), fields.numbers("std", counts)
    values = fields.take("values")
    if values is not None and any(given):
        fields.problem("values and mean, std say the same: give one of them")
    elif values is not None and str(values) not in RANGES:
        fields.problem(f"values {values!r} is none of the known: {', '.join(RANGES)}")
    elif values is not None:
        mean, std = ((n,) for n in RANGES[str(values)])
    elif not all(given):
        fields.problem(
            "what the model's real values are is not said",
            help="values=0..1, -1..1 or 0..255, or mean=... and std=... in units of 0..255, as the "
            "model was trained",
        )
    if std is not None and any(s <= 0 for s in std):
        fields.problem(f"std {list(std)} must be positive")
        std = None
    mean, std = mean or (0.0,), std or (1.0,)
    length = max(len(mean), len(std))
    return _spread(mean, length), _spread(std, length)


def _spread(numbers: tuple[float, ...], length: int) -> tuple[float, ...]:
    return numbers if len(numbers) == length else numbers * length


def _part(fields: Fields) -> tuple[int, int, int, int] | None:
    numbers = fields.numbers("part", (4,))
    if numbers is None:
        return None
    x, y, width, height = (int(n) for n in numbers)
    whole = all(n == int(n) for n in numbers)
    if not whole or min(x, y) < 0 or min(width, height) < 1 or max(numbers) > LARGEST:
        fields.problem(f"part wants x/y/width/height in pixels, not {list(numbers)}")
        return None
    return x, y, width, height
