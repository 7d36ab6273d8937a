"""Top-1 accuracy of a float model in ONNX Runtime, and of the integer model made of it."""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from mcuc.quant.measure import Json
from mcuc.quant.ptq import Quantized
from mcuc.quant.runtime import Samples, run_values


def float_and_integer(made: Quantized, samples: Samples, labels: Array, numerics: str) -> Json:
    """Top-1 accuracy of the float model, and of the integer one in the reference."""
    integers = [
        int(np.argmax(run_reference(made.graph, list(sample), numerics)[0])) for sample in samples
    ]
    return accuracy_of(float_classes(made, samples), integers, labels)


def float_classes(made: Quantized, samples: Samples) -> list[int]:
    """The class that the float model gives each sample."""
    output = made.source.outputs[0]
    return [int(np.argmax(found[output])) for found in run_values(made.source, samples, [output])]


def accuracy_of(floats: list[int], integers: list[int], labels: Array) -> Json:
    """Figures of two lists of classes."""
    count = len(labels)
    float_correct = int((np.asarray(floats) == labels).sum())
    integer_correct = int((np.asarray(integers) == labels).sum())
    return {
        "samples": count,
        "float_correct": float_correct,
        "integer_correct": integer_correct,
        "float_top1": float_correct / count,
        "integer_top1": integer_correct / count,
        "drop_points": round(100.0 * (float_correct - integer_correct) / count, 4),
        "same_class": int((np.asarray(floats) == np.asarray(integers)).sum()),
    }
