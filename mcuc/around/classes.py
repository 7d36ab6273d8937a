"""Classes: the best scores of a classifier with their labels (runtime_c/around/top.h)."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mcuc.around.fields import Fields
from mcuc.around.tensor import Tensor
from mcuc.ir.graph import Array

LEAST = -3.4028235e38


@dataclass(frozen=True)
class Classes:
    """A resolved `--postprocess top`.

    Attributes:
        tensor: The output with the scores.
        output: Its number.
        most: How many of the best are wanted.
        threshold: Real value that a score must reach; None = any.
    """

    tensor: Tensor
    output: int
    most: int
    threshold: float | None
    kind: ClassVar[str] = "top"

    @property
    def response_bytes(self) -> int:
        """Of all findings: `mcuc_class`."""
        return 8 * self.most

    @property
    def ram_bytes(self) -> int:
        """The list that an application gives."""
        return 8 * self.most

    def request(self, outputs: Sequence[Array]) -> bytes:
        """The bytes that the C reads of a run's outputs."""
        return np.ascontiguousarray(outputs[self.output]).tobytes()

    def findings(self, response: bytes, labels: Sequence[str]) -> list[dict[str, Any]]:
        """What the C returned."""
        return [
            {"index": index, "label": labels[index] if labels else None, "score": score}
            for index, score in struct.iter_unpack("<if", response)
        ]

    @property
    def least(self) -> float:
        """The threshold as a stored number of the output."""
        return LEAST if self.threshold is None else least_number(self.tensor, self.threshold)


def least_number(tensor: Tensor, threshold: float) -> float:
    """The smallest stored number whose real value reaches a threshold.

    float32 is taken as it is; for integers the C compares numbers, so that no score is converted.
    """
    if not tensor.integer:
        return threshold
    return float(math.ceil(threshold / tensor.scale - 1e-6) + tensor.zero_point)


def read_classes(fields: Fields, outputs: Sequence[Tensor], labels: Sequence[str]) -> Classes:
    """The specification of a classifier's output; problems are noted in `fields`."""
    output = fields.integer("output", 0, len(outputs) - 1, 0)
    tensor = outputs[output]
    threshold = fields.numbers("threshold", (1,))
    most = fields.integer("k", 1, min(64, tensor.type.elements), min(5, tensor.type.elements))
    fields.done()
    if not tensor.readable:
        fields.problem(f"the output {tensor} is neither float32 nor quantized", code="E131")
    if labels and len(labels) != tensor.type.elements:
        fields.problem(
            f"there are {len(labels)} labels and the output {tensor} has "
            f"{tensor.type.elements} scores",
            help="one label per line, in the order of the scores",
            code="E132",
        )
    return Classes(tensor, output, most, threshold[0] if threshold else None)
