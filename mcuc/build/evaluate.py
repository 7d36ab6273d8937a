"""Accuracy on labelled samples, and whether two places agree sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcuc.around.classes import Classes
from mcuc.build.around import postprocess, preprocess
from mcuc.build.compile import Compiled
from mcuc.build.places import outputs_on
from mcuc.build.labelled import read_samples
from mcuc.build.vectors import require_no_factor, to_inputs
from mcuc.device.tflite_oracle import run_tflite
from mcuc.errors import ModelError
from mcuc.ir.graph import Array
from mcuc.numerics.agreement import agree
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
    x, y = read_samples(path, compiled.options.labels, limit)
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
) -> Json:
    """Top-1 accuracy of the first output in each place.

    Args:
        against: "tflite" also runs TFLite's interpreter and counts equal outputs.

    Returns:
        The report with `accuracy` filled in: of the last place, with all places beside it.
    """
    first: list[list[Array]] | None = None
    result: Json = {}
    differing = 0
    by_place = {}
    for place in places:
        outputs = outputs_on(compiled, place, samples)
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
        found = postprocess(compiled, first)
        result["top_k"] = {
            "k": compiled.around.behind.most,
            "correct": sum(
                any(c["index"] == label for c in run)
                for run, label in zip(found, labels.tolist(), strict=True)
            ),
        }
    if against == "tflite" and first is not None:
        theirs = run_tflite(compiled.model_bytes, samples)
        result["tflite_correct"] = int(
            (np.array([int(np.argmax(vector[0])) for vector in theirs]) == labels).sum()
        )
        result["samples_that_differ_from_tflite"] = sum(
            not all(agree(a, np.asarray(b)) for a, b in zip(x, y, strict=True))
            for x, y in zip(first, theirs, strict=True)
        )
    return {**compiled.report, "accuracy": result}


def _differing(a: Sequence[Sequence[Array]], b: Sequence[Sequence[Array]]) -> int:
    return sum(
        any(p.tobytes() != np.ascontiguousarray(q).tobytes() for p, q in zip(x, y, strict=True))
        for x, y in zip(a, b, strict=True)
    )
