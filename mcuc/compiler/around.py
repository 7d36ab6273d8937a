"""What stands around a model, put together with it: planned and reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcuc.around.audio import Audio
from mcuc.around.image import Image
from mcuc.around.plan import Around, plan_around
from mcuc.around.tensor import Tensor
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import Lowered
from mcuc.errors import ModelError
from mcuc_codegen.project import Project

Json = dict[str, Any]


def around_of(lowered: Lowered, options: Options, named: Sequence[str] = ()) -> Around:
    """What the options ask for around a model.

    Args:
        lowered: The model.
        options: As given.
        named: Labels of the model file, taken where classes are wanted and no labels are given.

    Raises:
        ModelError: E130..E132, all problems at once.
    """
    graph = lowered.whole
    inputs = [Tensor(graph.values[v].name, graph.type(v)) for v in graph.inputs]
    outputs = [Tensor(graph.values[v].name, graph.type(v)) for v in graph.outputs]
    labels = options.labels
    if not labels and (options.postprocess or {}).get("kind") == "top":
        fits = any(tensor.type.shape[-1:] == (len(named),) for tensor in outputs)
        labels = tuple(named) if fits else ()
    around = plan_around(options.preprocess, options.postprocess, labels, inputs, outputs)
    if around.behind is not None and options.output_mode == "rows":
        raise ModelError("E131", "--postprocess reads whole outputs, not rows of one")
    before = around.before
    if isinstance(before, Image) and options.sliding is not None:
        raise ModelError("E131", "--preprocess image makes whole inputs, not those of --sliding")
    if isinstance(before, Audio) and options.input_mode == "random":
        raise ModelError("E131", "--preprocess audio makes one frame after the other, not any")
    if isinstance(before, Audio) and options.input_mode == "streamed":
        _, _, columns, channels = before.tensor.type.nhwc
        if columns * channels % before.features:
            raise ModelError(
                "E131", f"a row of the input is no whole number of {before.features} features"
            )
    return around


def around_facts(around: Around, project: Project) -> Json | None:
    """The report's `around`: what is made, and the memory that it takes."""
    if project.around is None:
        return None
    return {
        "preprocess": None if around.before is None else around.before.kind,
        "postprocess": None if around.behind is None else around.behind.kind,
        "labels": list(around.labels),
        "table_bytes": project.around.table_bytes,
        "ram_bytes": project.around.ram_bytes,
    }
