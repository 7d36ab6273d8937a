"""Element types, quantization and tensor types."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import numpy as np


class DType(enum.Enum):
    """Element type of a tensor. The value is the name used in reports and kernels."""

    S8 = "s8"
    U8 = "u8"
    S16 = "s16"
    S32 = "s32"
    S64 = "s64"
    U32 = "u32"
    U64 = "u64"
    F16 = "f16"
    F32 = "f32"
    BOOL = "bool"

    @property
    def size_bytes(self) -> int:
        return int(self.numpy.itemsize)

    @property
    def numpy(self) -> np.dtype[np.generic]:
        return np.dtype(_NUMPY[self])

    @property
    def c_type(self) -> str:
        return _C_TYPE[self]

    @classmethod
    def of(cls, dtype: np.dtype[np.generic]) -> DType:
        """The element type of a numpy array's dtype; KeyError when there is none."""
        return _BY_NUMPY[np.dtype(dtype).name]


_NUMPY = {
    DType.S8: "int8",
    DType.U8: "uint8",
    DType.S16: "int16",
    DType.S32: "int32",
    DType.S64: "int64",
    DType.U32: "uint32",
    DType.U64: "uint64",
    DType.F16: "float16",
    DType.F32: "float32",
    DType.BOOL: "bool",
}
_BY_NUMPY = {name: dtype for dtype, name in _NUMPY.items()}
_C_TYPE = {
    DType.S8: "int8_t",
    DType.U8: "uint8_t",
    DType.S16: "int16_t",
    DType.S32: "int32_t",
    DType.S64: "int64_t",
    DType.U32: "uint32_t",
    DType.U64: "uint64_t",
    DType.F16: "uint16_t",
    DType.F32: "float",
    DType.BOOL: "uint8_t",
}


@dataclass(frozen=True)
class Quant:
    """Affine quantization: real = scale * (q - zero_point).

    Attributes:
        scales: float32 values held as Python floats; one, or one per channel.
        zero_points: As many as scales.
        axis: The channel axis for per-channel scales, else None.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None = None

    @property
    def scale(self) -> float:
        """The scale of a per-tensor quantization."""
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The zero point of a per-tensor quantization."""
        return self.zero_points[0]

    @property
    def per_channel(self) -> bool:
        return len(self.scales) > 1


@dataclass(frozen=True)
class TensorType:
    """Shape, element type and quantization. Feature maps are NHWC; shapes are static."""

    shape: tuple[int, ...]
    dtype: DType
    quant: Quant | None = None

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        return self.elements * self.dtype.size_bytes

    @property
    def nhwc(self) -> tuple[int, int, int, int]:
        """The shape seen as a batch of feature maps [N, H, W, C].

        Rank 4 is taken as it is; lower ranks become one row per leading index: [C] -> [1,1,1,C],
        [N, C] -> [1, 1, N, C], [N, W, C] -> [N, 1, W, C]. Higher ranks fold into N.
        """
        shape = self.shape
        if len(shape) == 2:
            return (1, 1, shape[0], shape[1])
        if len(shape) == 3:
            return (shape[0], 1, shape[1], shape[2])
        padded = (1,) * (4 - len(shape)) + shape
        return (math.prod(padded[:-3]), padded[-3], padded[-2], padded[-1])

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.shape)) or 'scalar'} {self.dtype.value}"
