"""A subgraph other than the main one, as an expression of its inputs."""

from __future__ import annotations

from collections.abc import Callable

from mcuc.frontends.tflite.schema import RawModel, RawOperator, operator_name
from mcuc.ir.graph import Array, Value


class Subgraph:
    """Looks up what computes a tensor.

    Attributes:
        inputs, outputs: Tensor indices.
        value: Type and, if stored, data of a tensor; None if it has a problem of its own.
    """

    def __init__(self, raw: RawModel, value: Callable[[int], Value | None]) -> None:
        self.inputs, self.outputs, self.value = raw.inputs, raw.outputs, value
        self._makers = {t: (op, k) for op in raw.operators for k, t in enumerate(op.outputs)}

    def const(self, tensor: int) -> Array | None:
        """The data of a stored tensor."""
        value = None if tensor < 0 else self.value(tensor)
        return None if value is None else value.const

    def argument(self, tensor: int) -> int | None:
        """Which of the inputs the tensor is."""
        return self.inputs.index(tensor) if tensor in self.inputs else None

    def operands(self, tensor: int, name: str) -> tuple[int, ...] | None:
        """Operands of the operator of that name that makes the tensor as its first result."""
        found = self.maker(tensor, name)
        return None if found is None or found[1] != 0 else found[0].inputs

    def maker(self, tensor: int, name: str) -> tuple[RawOperator, int] | None:
        """The operator of that name that makes the tensor, and as which of its results."""
        found = self._makers.get(tensor)
        return found if found is not None and operator_name(found[0]) == name else None

    def pair(self, tensor: int, name: str) -> tuple[int, int] | None:
        """Operands of ADD, MUL or another operator of two, without a fused activation."""
        found = self.maker(tensor, name)
        if found is None or len(found[0].inputs) != 2 or found[0].options.scalar(0, "i8") != 0:
            return None
        return found[0].inputs[0], found[0].inputs[1]
