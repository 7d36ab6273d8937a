"""The C around a model: `<name>_around.c`, and what of it stands in the model's header."""

from __future__ import annotations

from dataclasses import dataclass, field

import jinja2
import numpy as np
import numpy.typing as npt

from mcuc.around.audio import LOGS, Audio
from mcuc.around.boxes import Boxes, Heat, Level
from mcuc.around.classes import Classes
from mcuc.around.image import Image
from mcuc.around.plan import Around
from mcuc.around.tensor import Tensor
from mcuc.data import data_dir
from mcuc.ir.types import DType
from mcuc.version import __version__
from mcuc_codegen.literals import array_initializer, c_type, integer, real
from mcuc_codegen.ports import PortView
from mcuc_codegen.sources import with_includes

_TYPES = {DType.S8: "MCUC_S8", DType.U8: "MCUC_U8", DType.S16: "MCUC_S16", DType.F32: "MCUC_F32"}


@dataclass
class _Tables:
    """Constant arrays of the file, by name."""

    name: str
    texts: list[str] = field(default_factory=list)
    size_bytes: int = 0

    def add(self, what: str, array: npt.NDArray[np.generic]) -> str:
        """Name of a table that holds an array."""
        symbol = f"{self.name}_{what}"
        flat = np.ascontiguousarray(array).reshape(-1)
        # a list of numbers, not a string: newer compilers warn of strings without room for a zero
        listed = flat.astype(np.int16) if flat.itemsize == 1 else flat
        type_, text = c_type(flat), array_initializer(listed)
        self.texts.append(f"static const {type_} {symbol}[{flat.size}] = {text};")
        self.size_bytes += flat.nbytes
        return symbol


@dataclass(frozen=True)
class AroundCode:
    """The generated texts.

    Attributes:
        files: Path -> text; the source and the runtime files that it includes.
        includes: Headers that the model's header needs.
        declarations: For the model's header.
        functions: What applications call, for the stack bound.
        table_bytes: Constant tables, labels not counted.
        ram_bytes: RAM that applications give besides the model's and what they read from.
        image, audio: Facts of what is before the model for the templates, or None.
        classes, boxes: Facts of what is found, or None.
        glue: C source that calls it for a test program (boards/common/around.c).
    """

    files: dict[str, str]
    includes: tuple[str, ...]
    declarations: str
    functions: tuple[str, ...]
    table_bytes: int
    ram_bytes: int
    image: dict[str, object] | None
    audio: dict[str, object] | None
    classes: dict[str, object] | None
    boxes: dict[str, object] | None
    glue: str


def generate_around(
    around: Around,
    name: str,
    inputs: list[PortView],
    outputs: list[PortView],
    environment: jinja2.Environment,
) -> AroundCode:
    """The C of everything that is asked for around a model."""
    tables = _Tables(name)
    before, behind = around.before, around.behind
    port = inputs[around.input] if before else None
    image = _image(before, port, tables) if isinstance(before, Image) and port else None
    audio = _audio(before, port, tables) if isinstance(before, Audio) and port else None
    classes, boxes = None, None
    if isinstance(behind, Classes):
        classes = _classes(behind, outputs[behind.output])
    elif behind is not None:
        boxes = _boxes(behind, outputs, tables)
    headers, public = _headers(around)
    context: dict[str, object] = {
        "name": name,
        "NAME": name.upper(),
        "version": __version__,
        "labels": [_string(label) for label in around.labels],
        "image": image,
        "audio": audio,
        "classes": classes,
        "boxes": boxes,
        "tables": tables.texts,
        "headers": list(map(_flat, headers)),
    }

    def render(template: str) -> str:
        return environment.get_template(f"around/{template}").render(context)

    runtime = {_flat(path): _text(path) for path in [*headers, *public]}
    files = with_includes(runtime, data_dir("runtime_c"))
    files[f"{name}_around.c"] = render("around.c.j2")
    functions = (("preprocess", before), ("postprocess", behind))
    return AroundCode(
        files=files,
        includes=tuple(map(_flat, public)),
        declarations=render("around.h.j2"),
        functions=tuple(f"{name}_{function}" for function, wanted in functions if wanted),
        table_bytes=tables.size_bytes,
        ram_bytes=sum(part.ram_bytes for part in (before, behind) if part),
        image=image,
        audio=audio,
        classes=classes,
        boxes=boxes,
        glue=render("glue.c.j2"),
    )


def _headers(around: Around) -> tuple[list[str], list[str]]:
    """The runtime headers that the source includes, and those that the model's header does."""
    own: list[str] = []
    public: list[str] = []
    if around.before is not None:
        image = isinstance(around.before, Image)
        own.append("around/image.h" if image else "around/audio.h")
        public += ["around/frame.h"] if image else []
    kinds = {Classes: ("top", "class"), Boxes: ("detect", "box"), Heat: ("heat", "box")}
    if around.behind is not None:
        source, header = kinds[type(around.behind)]
        own.append(f"around/{source}.h")
        public.append(f"around/{header}.h")
    return own, public


def _flat(path: str) -> str:
    """Where a runtime file lies in the generated folder."""
    return f"mcuc/{path.rpartition('/')[2]}"


def _text(path: str) -> str:
    return (data_dir("runtime_c") / path).read_text(encoding="utf-8")


def _image(image: Image, port: PortView, tables: _Tables) -> dict[str, object]:
    table = image.table
    mean, std = ("/".join(f"{n:g}" for n in numbers) for numbers in (image.mean, image.std))
    shown = image.tensor.type.shape
    return {
        "port": port,
        "spec": image,
        "means": f"real value = (number - {mean}) / {std}",
        "shape": " x ".join(map(str, shown)),
        "table": tables.add("numbers", table),
        "channel_table": 256 if len(table) > 1 else 0,
        "pixel_step": 1 if image.planar else image.channels,
        "channel_step": image.rows * image.columns if image.planar else 1,
        "row_step": image.columns * (1 if image.planar else image.channels),
        "part": image.part or (0, 0, 0, 0),
        "element_bytes": image.tensor.type.dtype.size_bytes,
    }


def _audio(audio: Audio, port: PortView, tables: _Tables) -> dict[str, object]:
    places, weights = audio.bands
    frames = port.elements // audio.features
    return {
        "port": port,
        "spec": audio,
        "window": tables.add("window", audio.window_table),
        "factors": tables.add("fft", audio.factors),
        "bands": tables.add("bands", places),
        "weights": tables.add("weights", weights),
        "cosines": tables.add("cosines", audio.cosines) if audio.coefficients else "0",
        "offset": real(audio.offset),
        "log_factor": real(LOGS[audio.log]),
        "gain": real(audio.gain) if audio.gain else "",
        "mean": real(audio.mean),
        "std": real(audio.std),
        "scale": _scale(audio.tensor),
        "total_bytes": audio.tensor.type.size_bytes,
        "row_frames": port.row_elements // audio.features if port.outside else frames,
    }


def _classes(classes: Classes, port: PortView) -> dict[str, object]:
    return {
        "port": port,
        "most": classes.most,
        "least": real(classes.least),
        "threshold": classes.threshold,
        "scale": _scale(classes.tensor),
    }


def _boxes(found: Boxes | Heat, outputs: list[PortView], tables: _Tables) -> dict[str, object]:
    ports = [outputs[i] for i in found.outputs]
    facts: dict[str, object] = {
        "spec": found,
        "ports": ports,
        "arguments": ", ".join(f"const {port.c_type} *{port.name}" for port in ports),
        "heat": isinstance(found, Heat),
    }
    if isinstance(found, Heat):
        return facts | {"scale": _scale(found.tensors[0]), "least": real(found.least)}
    box_rows = _rows(found.planar, found.box_fields, ports[found.levels[0].boxes], 0)
    first = 4 if found.together else 0
    score_rows = _rows(found.planar, found.fields, ports[found.levels[0].scores], first)
    return facts | {
        "levels": [_level(found, level, i, tables) for i, level in enumerate(found.levels)],
        "boxes_of": ", ".join(ports[level.boxes].name for level in found.levels),
        "scores_of": ", ".join(ports[level.scores].name for level in found.levels),
        "box_rows": box_rows,
        "score_rows": score_rows,
        "factors": ", ".join(map(real, found.factors)),
        "threshold": real(found.threshold),
        "iou": real(found.iou),
    }


def _rows(planar: bool, fields: int, port: PortView, first: int) -> str:
    """Initializer of an mcuc_rows."""
    steps = (1, port.elements // fields) if planar else (fields, 1)
    return f"{{{steps[0]}, {steps[1]}, {first}}}"


def _level(found: Boxes, level: Level, index: int, tables: _Tables) -> str:
    """Initializer of an mcuc_level."""
    sizes = "0"
    if level.sizes:
        sizes = tables.add(f"anchors_{index}", np.array(level.sizes, np.float32))
    steps = ", ".join(map(real, level.step))
    scales = ", ".join(_scale(found.tensors[i]) for i in (level.boxes, level.scores))
    counts = f"{level.rows}, {level.columns}, {level.anchors}"
    return f"{{{counts}, {steps}, {sizes}, {scales}, {real(found.least(level))}}}"


def _scale(tensor: Tensor) -> str:
    """Initializer of an mcuc_scale."""
    number = integer(tensor.zero_point)
    return f"{{{real(tensor.scale)}, {number}, {_TYPES[tensor.type.dtype]}}}"


def _string(text: str) -> str:
    """A C string of any text: UTF-8, escaped where C would read something else."""
    shown = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "replace")
    )
    return f'"{shown}"'
