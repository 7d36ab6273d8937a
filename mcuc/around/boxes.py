"""Boxes: what an object detector found (runtime_c/around/detect.h), and heat maps (heat.h)."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mcuc.around.classes import least_number
from mcuc.around.fields import Fields
from mcuc.around.tensor import Tensor
from mcuc.ir.graph import Array

DECODES = ("ssd", "linear", "yolo_v3", "yolo_v5", "center", "corners")
ANCHORED = DECODES[:4]
BOX_BYTES = 24
MOST = 256


@dataclass(frozen=True)
class Level:
    """A grid of cells with anchors; without sizes a list of rows.

    Attributes:
        rows, columns: Of the grid.
        step: (y, x) from cell to cell, as parts of the input.
        sizes: (height, width) of the anchors, as parts of the input; empty = one of no size.
        boxes, scores: Numbers of the outputs that hold them.
    """

    rows: int
    columns: int
    step: tuple[float, float]
    sizes: tuple[tuple[float, float], ...]
    boxes: int
    scores: int

    @property
    def anchors(self) -> int:
        return max(1, len(self.sizes))

    @property
    def count(self) -> int:
        """Boxes of the level."""
        return self.rows * self.columns * self.anchors


class _Found:
    """What findings of boxes have in common."""

    most: int
    tensors: tuple[Tensor, ...]
    outputs: tuple[int, ...]

    @property
    def response_bytes(self) -> int:
        return BOX_BYTES * self.most

    @property
    def ram_bytes(self) -> int:
        """The list that an application gives."""
        return BOX_BYTES * self.most

    def request(self, outputs: Sequence[Array]) -> bytes:
        """The bytes that the C reads of a run's outputs, each at a multiple of 16."""
        parts = [np.ascontiguousarray(outputs[i]).tobytes() for i in self.outputs]
        return b"".join(part + bytes(-len(part) % 16) for part in parts)

    def findings(self, response: bytes, labels: Sequence[str]) -> list[dict[str, Any]]:
        """What the C returned."""
        names = ("top", "left", "bottom", "right")
        return [
            {
                "index": index,
                "label": labels[index] if index < len(labels) else None,
                "score": score,
                **dict(zip(names, box, strict=True)),
            }
            for *box, score, index in struct.iter_unpack("<5fi", response)
        ]


@dataclass(frozen=True)
class Boxes(_Found):
    """A resolved `--postprocess boxes`.

    Attributes:
        tensors: The outputs that are read.
        outputs: Their numbers in the model.
        levels: Grids; `boxes` and `scores` of them are places in `tensors`.
        decode: How four numbers are a box, see docs/around.md.
        planar: Tensors are [fields, N], not [N, fields].
        yx: Numbers are y, x, height, width.
        together: Scores stand behind the box in the same row.
        object: There is a score of the object.
        classes: Scores of classes in a row, background included.
        box_fields: Numbers in a row of the boxes' tensors.
        skipped: Classes of background at the front.
        sigmoid: Scores are put through it.
        agnostic: Boxes of any class suppress each other.
        factors: Of the four numbers, in the order y, x, height, width.
        threshold, iou, most: As given.
    """

    tensors: tuple[Tensor, ...]
    outputs: tuple[int, ...]
    levels: tuple[Level, ...]
    decode: str
    planar: bool
    yx: bool
    together: bool
    object: bool
    classes: int
    box_fields: int
    skipped: int
    sigmoid: bool
    agnostic: bool
    factors: tuple[float, float, float, float]
    threshold: float
    iou: float
    most: int
    kind: ClassVar[str] = "boxes"

    @property
    def fields(self) -> int:
        """Numbers in a row of the scores' tensor."""
        return self.classes + self.object + (4 if self.together else 0)

    def least(self, level: Level) -> float:
        """Stored number below which no score of a level reaches the threshold, with some room."""
        real = self.threshold
        if self.sigmoid:
            # in float32 the sigmoid of 17 and more is 1
            real = min(15.0, math.log(real / (1 - real)) if 0 < real < 1 else 1e30 * (real - 0.5))
        tensor = self.tensors[level.scores]
        if not tensor.integer:
            return real - 1e-3 * abs(real) - 1e-6
        return max(-65536.0, min(65536.0, least_number(tensor, real) - 1))


@dataclass(frozen=True)
class Heat(_Found):
    """A resolved `--postprocess heat`: a map [rows, columns, classes] of scores.

    Attributes:
        tensors, outputs: The map and its number.
        rows, columns, classes: Of the map.
        skipped: Classes of background at the front.
        threshold, most: As given.
    """

    tensors: tuple[Tensor, ...]
    outputs: tuple[int, ...]
    rows: int
    columns: int
    classes: int
    skipped: int
    threshold: float
    most: int
    kind: ClassVar[str] = "heat"

    @property
    def least(self) -> float:
        return least_number(self.tensors[0], self.threshold)


def read_heat(fields: Fields, outputs: Sequence[Tensor]) -> Heat:
    """The specification of a heat map; problems are noted in `fields`."""
    output = fields.integer("output", 0, len(outputs) - 1, 0)
    tensor = outputs[output]
    shape = tensor.type.shape[1:] if len(tensor.type.shape) == 4 else tensor.type.shape
    skipped = int(fields.flag("background", True))
    if len(shape) != 3 or shape[2] <= skipped or not tensor.readable:
        fields.problem(f"the output {tensor} is no map [rows, columns, classes]", code="E131")
        shape = (1, 1, 2)
    heat = Heat(
        tensors=(tensor,),
        outputs=(output,),
        rows=shape[0],
        columns=shape[1],
        classes=shape[2],
        skipped=skipped,
        threshold=fields.number("threshold", -1e6, 1e6, 0.5),
        most=fields.integer("most", 1, MOST, 16),
    )
    fields.done()
    return heat


def read_boxes(fields: Fields, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Boxes:
    """The specification of a detector; problems are noted in `fields`."""
    decode = fields.choice("decode", DECODES)
    boxes = _numbers(fields, "boxes", len(outputs), (0,))
    scores = _numbers(fields, "scores", len(outputs), boxes)
    used = tuple(dict.fromkeys((*boxes, *scores)))
    tensors = tuple(outputs[i] for i in used)
    for tensor in tensors:
        if not tensor.readable:
            fields.problem(f"the output {tensor} is neither float32 nor quantized", code="E131")
    planar = fields.choice("fields", ("last", "first"), "last") == "first"
    size = _size(fields, inputs)
    grids = _levels(fields, decode, size, outputs[boxes[0]], planar)
    levels = _placed(fields, grids, [used.index(b) for b in boxes], [used.index(s) for s in scores])
    together = boxes == scores
    object_ = fields.flag("object", decode.startswith("yolo"))
    skipped = int(fields.flag("background", False))
    others = (4 if together else 0) + object_
    box_fields = _row(fields, levels, tensors, planar, "boxes")
    classes = _row(fields, levels, tensors, planar, "scores") - others
    if levels and (box_fields < 4 or classes <= skipped):
        fields.problem(
            f"rows of {box_fields} numbers for a box and {classes} classes are too short",
            code="E131",
        )
    if planar and len(tensors) > 1:
        fields.problem("fields=first goes with one output only")
    made = Boxes(
        tensors=tensors,
        outputs=used,
        levels=levels,
        decode=decode,
        planar=planar,
        yx=fields.choice("order", ("xy", "yx"), "xy") == "yx",
        together=together,
        object=object_,
        classes=classes,
        box_fields=box_fields,
        skipped=skipped,
        sigmoid=fields.flag("sigmoid", decode.startswith("yolo")),
        agnostic=fields.flag("agnostic", False),
        factors=_factors(fields, decode, size),
        threshold=fields.number("threshold", 0.0, 1.0, 0.5),
        iou=fields.number("iou", 0.0, 1.0, 0.5),
        most=fields.integer("most", 1, MOST, 32),
    )
    fields.done()
    return made


def _numbers(fields: Fields, key: str, count: int, default: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of outputs."""
    given = fields.numbers(key, (), default) or default
    if any(n != int(n) or not 0 <= n < count for n in given):
        fields.problem(f"{key} {list(given)}: the outputs are 0..{count - 1}")
        return (0,)
    return tuple(int(n) for n in given)


def _size(fields: Fields, inputs: Sequence[Tensor]) -> tuple[int, int]:
    """(height, width) of the model's input in pixels."""
    shape = inputs[0].type.shape if inputs else ()
    known = None
    if len(shape) == 4:
        known = shape[1:3] if shape[3] in (1, 3) else shape[2:4]
    size = fields.numbers("size", (2,), known)
    if size is None or any(s != int(s) or s < 1 for s in size):
        fields.problem("size height/width of the input in pixels is not known")
        return 1, 1
    return int(size[0]), int(size[1])


def _factors(
    fields: Fields, decode: str, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    height, width = size
    if decode in ("ssd", "linear"):
        default = (0.1, 0.2) if decode == "ssd" else (1.0, 1.0)
        centre, extent = fields.numbers("variances", (2,), default) or default
        return centre, centre, extent, extent
    if decode in ("center", "corners") and fields.flag("pixels", False):
        return 1 / height, 1 / width, 1 / height, 1 / width
    return 1.0, 1.0, 1.0, 1.0


def _levels(
    fields: Fields, decode: str, size: tuple[int, int], tensor: Tensor, planar: bool
) -> list[Level]:
    """The grids, without their outputs."""
    given = fields.take("levels")
    if decode not in ANCHORED:
        if given is not None:
            fields.problem(f"levels: decode={decode} has none")
        shape = tensor.type.shape
        rows = shape[-1] if planar else shape[-2] if len(shape) > 1 else 1
        return [Level(rows, 1, (0.0, 0.0), (), 0, 0)]
    if not isinstance(given, list) or not given:
        fields.problem(
            "levels is missing",
            help="a .toml file with [[levels]], each with stride and sizes, see docs/around.md",
        )
        return []
    return [level for raw in given if (level := _level(fields, raw, size)) is not None]


def _level(fields: Fields, raw: object, size: tuple[int, int]) -> Level | None:
    """One of `levels`: stride, sizes [width, height] or squares, rows and columns."""
    inner = Fields(raw if isinstance(raw, dict) else {}, fields.option)
    inner.kind, inner.problems = f"{fields.kind} levels", fields.problems
    stride = inner.integer("stride", 1, 32767)
    rows = inner.integer("rows", 1, 4096, -(-size[0] // stride))
    columns = inner.integer("columns", 1, 4096, -(-size[1] // stride))
    sizes = inner.take("sizes")
    listed = sizes if isinstance(sizes, list) else []
    pairs = [(s, s) if isinstance(s, int | float) else s for s in listed]
    good = (
        isinstance(sizes, list)
        and pairs
        and all(
            isinstance(p, list | tuple)
            and len(p) == 2
            and all(isinstance(n, int | float) and 0 < n < 1e6 for n in p)
            for p in pairs
        )
    )
    inner.done()
    if not good:
        inner.problem(f"sizes {sizes!r} are no widths or [width, height] in pixels")
        return None
    height, width = size
    step = stride / height, stride / width
    return Level(rows, columns, step, tuple((h / height, w / width) for w, h in pairs), 0, 0)


def _placed(
    fields: Fields, grids: list[Level], boxes: list[int], scores: list[int]
) -> tuple[Level, ...]:
    """The levels with their tensors: one for all, or one for each."""
    if len(boxes) != len(scores) or (len(boxes) not in (1, len(grids)) and grids):
        fields.problem(
            f"there are {len(boxes)} boxes, {len(scores)} scores and {len(grids)} levels",
            help="one output for all levels, or one for each, of boxes and of scores",
        )
        return ()
    spread = len(grids) if len(boxes) == 1 else 1
    return tuple(
        Level(g.rows, g.columns, g.step, g.sizes, b, s)
        for g, b, s in zip(grids, boxes * spread, scores * spread, strict=True)
    )


def _row(
    fields: Fields,
    levels: tuple[Level, ...],
    tensors: tuple[Tensor, ...],
    planar: bool,
    role: str,
) -> int:
    """Numbers in a row of the tensors of boxes or scores; E131 where their rows are not those."""
    lengths = set()
    for place, tensor in enumerate(tensors):
        rows = sum(level.count for level in levels if getattr(level, role) == place)
        if rows == 0:
            continue
        length, rest = divmod(tensor.type.elements, rows)
        if rest or (planar and tensor.type.shape[-1] != rows):
            fields.problem(f"the output {tensor} does not hold {rows} boxes", code="E131")
        lengths.add(length)
    if len(lengths) > 1:
        fields.problem(f"the outputs of {role} have rows of {sorted(lengths)}", code="E131")
    return max(lengths, default=1)
