"""Accuracy on labelled samples, and whether two places agree sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcuc.around.classes import Classes
from mcuc.compiler.compile import Compiled
from mcuc.device.tflite_oracle import run_tflite
from mcuc.errors import ModelError
from mcuc.inputs.labelled import read_samples
from mcuc.inputs.vectors import require_no_factor, to_inputs
from mcuc.ir.graph import Array, Graph
from mcuc.numerics import int8
from mcuc.numerics.agreement import agree
from mcuc.proof.around import postprocess, preprocess
from mcuc.proof.float_accuracy import accuracy_of, float_classes
from mcuc.proof.places import Access, outputs_on
from mcuc.report.document import Json


def load_samples(
    path: Path, compiled: Compiled, factor: float | None, offset: float, limit: int | None
) -> tuple[list[list[Array]], Array]:
    """Labelled samples as inputs of the model, made by its own C where it has `--preprocess`.

    Raises:
        ModelError: E120 unreadable, E121 when they do not fit the model.
    """
    graph = compiled.lowered.whole
    if len(graph.inputs) != 1:
        raise ModelError("E121", f"the model has {len(graph.inputs)} inputs; evaluate takes one")
    behind = compiled.around.behind
    if behind is not None and not isinstance(behind, Classes):
        raise ModelError(
            "E131",
            f"--postprocess {behind.kind} finds boxes, and evaluate counts right classes",
            help="`mcuc run --input` shows what is found in one image",
        )
    x, y = read_samples(path, compiled.around.labels, limit)
    if compiled.around.before is not None:
        require_no_factor(factor, offset)
        return [[made] for made in preprocess(compiled, x)], y
    type_ = graph.type(graph.inputs[0])
    if any(sample.size != type_.elements for sample in x):
        raise ModelError(
            "E121",
            f"a sample has shape {list(x[0].shape)} and the input wants {list(type_.shape)}",
            help="give samples of that shape, or let --preprocess make them",
        )
    inputs = to_inputs(np.stack([s.reshape(type_.shape) for s in x]), type_, factor, offset)
    return [[sample] for sample in inputs], y


def evaluate_model(
    compiled: Compiled,
    places: Sequence[str],
    samples: Sequence[Sequence[Array]],
    labels: Array,
    against: str = "",
    access: Access | None = None,
) -> Json:
    """Top-1 accuracy of the first output in each place.

    Args:
        against: "tflite" also runs TFLite's interpreter and counts equal outputs; "float" the
            float model that this one was quantized from, in ONNX Runtime.
        access: How the device is reached.

    Returns:
        The report with `accuracy` filled in: of the last place, with all places beside it.
    """
    if against == "tflite" and compiled.arithmetic.quantized is not None:
        raise ModelError(
            "E109",
            "option against: TFLite computes the model as stored, in float32",
            help="use --against float",
        )
    first: list[list[Array]] | None = None
    result: Json = {}
    differing = 0
    by_place = {}
    for place in places:
        outputs = outputs_on(compiled, place, samples, access)
        predicted = np.array([int(np.argmax(vector[0])) for vector in outputs])
        correct = int((predicted == labels).sum())
        by_place[place] = correct
        result = {
            "on": compiled.board.id if place == "qemu" else place,
            "samples": len(samples),
            "correct": correct,
            "top1": correct / len(samples),
        }
        if first is None:
            first = outputs
        else:
            differing += _differing(first, outputs)
    result["correct_by_place"] = by_place
    result["samples_that_differ_between_places"] = differing
    if isinstance(compiled.around.behind, Classes) and first is not None:
        result["top_k"] = _top_k(compiled, first, labels)
    if against == "tflite" and first is not None:
        theirs = run_tflite(compiled.model_bytes, samples)
        result["tflite_correct"] = int(
            (np.array([int(np.argmax(vector[0])) for vector in theirs]) == labels).sum()
        )
        result["samples_that_differ_from_tflite"] = sum(
            not all(agree(a, np.asarray(b)) for a, b in zip(x, y, strict=True))
            for x, y in zip(first, theirs, strict=True)
        )
    if against == "float" and first is not None:
        result["float"] = _against_float(compiled, samples, labels, first)
    return {**compiled.report, "accuracy": result}


def _top_k(compiled: Compiled, outputs: Sequence[Sequence[Array]], labels: Array) -> Json:
    """How often the label is among the classes that the generated C finds."""
    behind = compiled.around.behind
    assert isinstance(behind, Classes)
    found = [{c["index"] for c in run} for run in postprocess(compiled, outputs)]
    correct = sum(label in run for run, label in zip(found, labels.tolist(), strict=True))
    return {"k": behind.most, "correct": correct}


def _against_float(
    compiled: Compiled,
    samples: Sequence[Sequence[Array]],
    labels: Array,
    outputs: Sequence[Sequence[Array]],
) -> Json:
    """Top-1 of the float model beside that of the integers, which take the same real numbers."""
    made = compiled.arithmetic.quantized
    if made is None:
        raise ModelError(
            "E109",
            "option against: the model was not quantized by mcuc",
            help="give a float model with --calibration, or an output folder of such a one",
        )
    real = [[_as_real(x, compiled, made.source, k) for k, x in enumerate(s)] for s in samples]
    floats = float_classes(made, real)
    integers = [int(np.argmax(vector[0])) for vector in outputs]
    return accuracy_of(floats, integers, labels)


def _as_real(x: Array, compiled: Compiled, source: Graph, position: int) -> Array:
    """An input of the compiled model as the float model's: `--io quantized` made integers of it."""
    graph = compiled.lowered.whole
    type_ = graph.type(graph.inputs[position])
    shape = source.type(source.inputs[position]).shape
    if type_.quant is not None:
        quant = type_.quant
        x = int8.dequantize(x, quant.scale, quant.zero_point)
    if len(shape) == 4 and type_.shape != shape:  # --io-layout nhwc
        x = x.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(x.reshape(shape))


def _differing(a: Sequence[Sequence[Array]], b: Sequence[Sequence[Array]]) -> int:
    return sum(
        any(p.tobytes() != np.ascontiguousarray(q).tobytes() for p, q in zip(x, y, strict=True))
        for x, y in zip(a, b, strict=True)
    )
