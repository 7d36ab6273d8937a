"""What is known of an input or output of a compiled model."""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.types import DType, TensorType


@dataclass(frozen=True)
class Tensor:
    """An input or output.

    Attributes:
        label: Name in the model file.
        type: Shape, element type, quantization.
    """

    label: str
    type: TensorType

    @property
    def scale(self) -> float:
        """Real value = scale * (number - zero_point)."""
        return 1.0 if self.type.quant is None or not self.integer else self.type.quant.scale

    @property
    def zero_point(self) -> int:
        return 0 if self.type.quant is None or not self.integer else self.type.quant.zero_point

    @property
    def integer(self) -> bool:
        return self.type.dtype is not DType.F32

    @property
    def readable(self) -> bool:
        """Whether its numbers have real values: float32, or quantized integers."""
        known = (DType.S8, DType.U8, DType.S16)
        return self.type.dtype is DType.F32 or (
            self.type.dtype in known and self.type.quant is not None
        )

    def __str__(self) -> str:
        return f"{self.label!r} {self.type.dtype.value} {list(self.type.shape)}"
