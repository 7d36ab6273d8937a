"""What is asked for around a model, checked against its inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcuc.around.audio import Audio, read_audio
from mcuc.around.boxes import Boxes, Heat, read_boxes, read_heat
from mcuc.around.classes import Classes, read_classes
from mcuc.around.fields import Fields, Spec
from mcuc.around.image import Image, read_image
from mcuc.around.tensor import Tensor
from mcuc.errors import raise_all

Before = Image | Audio
Behind = Classes | Boxes | Heat

BEFORE = ("image", "audio")
BEHIND = ("top", "boxes", "heat")


@dataclass(frozen=True)
class Around:
    """The functions that are made around a model.

    Attributes:
        before: Makes an input of the model; None = the application does.
        input: Number of that input.
        behind: Reads the outputs; None = the application does.
        labels: Names of the classes, empty = unknown.
    """

    before: Before | None = None
    input: int = 0
    behind: Behind | None = None
    labels: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.before is not None or self.behind is not None or bool(self.labels)


def plan_around(
    preprocess: Spec | None,
    postprocess: Spec | None,
    labels: Sequence[str],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
) -> Around:
    """Resolves the specifications.

    Raises:
        ModelError: E130 a specification is wrong, E131 it does not fit the model, E132 labels; all
            problems at once.
    """
    before, behind, number = None, None, 0
    problems = []
    if preprocess is not None:
        fields = Fields(preprocess, "preprocess")
        if _known(fields, BEFORE, len(inputs)):
            number = fields.integer("input", 0, len(inputs) - 1, None if len(inputs) > 1 else 0)
            read = read_image if fields.kind == "image" else read_audio
            before = read(fields, inputs[number])
        problems += fields.problems
    if postprocess is not None:
        fields = Fields(postprocess, "postprocess")
        if _known(fields, BEHIND, len(outputs)):
            behind = _behind(fields, inputs, outputs, labels)
        problems += fields.problems
    raise_all(problems)
    return Around(before, number, behind, tuple(labels))


def _behind(
    fields: Fields, inputs: Sequence[Tensor], outputs: Sequence[Tensor], labels: Sequence[str]
) -> Behind:
    if fields.kind == "top":
        return read_classes(fields, outputs, labels)
    found = (
        read_heat(fields, outputs) if fields.kind == "heat" else read_boxes(fields, inputs, outputs)
    )
    classes = found.classes - found.skipped
    if labels and len(labels) != classes:
        fields.problem(
            f"there are {len(labels)} labels and the model has {classes} classes",
            help="one label per line, in the order of the scores, without one for background",
            code="E132",
        )
    return found


def _known(fields: Fields, kinds: Sequence[str], tensors: int) -> bool:
    if fields.kind not in kinds:
        fields.problem(f"{fields.kind!r} is none of the known kinds: {', '.join(kinds)}")
        return False
    if tensors == 0:
        fields.problem("the model has no such tensor", code="E131")
    return tensors > 0
