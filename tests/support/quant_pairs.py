"""Twenty (input, output) quantizations for exhaustive tests of unary ops on bytes."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, Quant, TensorType

# (input scale, input zero point, output scale, output zero point) of int8 tensors: all corners of
# the zero points, scales that shrink, keep and stretch the range, 1/256 and its roundings.
PAIRS = (
    (0.05, -128, 0.05, -128),
    (0.05, -128, 1 / 256, 127),
    (0.05, 127, 0.02, -128),
    (0.05, 127, 0.1, 127),
    (0.1, 0, 1 / 256, -128),
    (0.1, 0, 0.00392, -128),
    (0.1, 0, 0.0039, -128),
    (0.0235294, -1, 0.0235294, -1),
    (0.0235294, -1, 0.047, 3),
    (0.0235294, 5, 0.012, -128),
    (1.0, 0, 1.0, 0),
    (1.0, -128, 0.5, -128),
    (0.5, 127, 2.0, -1),
    (3.7, 17, 0.9, -77),
    (0.9, -77, 3.7, 17),
    (0.001, 100, 0.0011, -100),
    (0.0011, -100, 0.001, 100),
    (0.2, -28, 0.0078125, 0),
    (0.0078125, 0, 0.2, 28),
    (0.33333334, 64, 0.14285715, -64),
)


def byte_type(shape: tuple[int, ...], dtype: DType, scale: float, zero_point: int) -> TensorType:
    """A type of int8, or of uint8 with the zero point moved along with the range."""
    shift = 128 if dtype is DType.U8 else 0
    return TensorType(shape, dtype, Quant((float(np.float32(scale)),), (zero_point + shift,)))
