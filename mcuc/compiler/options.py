"""What a user may choose for a compilation."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcuc.errors import McucError, ModelError
from mcuc.ops.spec import NUMERICS
from mcuc.schedule.spec import Group
from mcuc_codegen.forms import FORMS

IO_MODES = ("stored", "quantized")
IO_LAYOUTS = ("nchw", "nhwc")
OPTIMIZE = ("size", "balanced", "speed")
INPUT_MODES = ("kept", "consumed", "streamed", "random")
OUTPUT_MODES = ("whole", "rows")
SCHEDULES = ("auto", "layer", "stream")
MINIMIZE = ("balanced", "sram", "latency")
PRECISIONS = ("auto", "int8", "int16", "float32")
CALIBRATION_METHODS = ("minmax", "percentile", "mse", "entropy")
_PATCH = re.compile(r"patch:([1-9]\d{0,4})x([1-9]\d{0,4})@(\d{1,9})")


@dataclass(frozen=True)
class Options:
    """Options of `compile` and of everything that compiles first.

    Attributes:
        board: Id, or path of a board.toml.
        io: "stored" keeps the file's input and output types; "quantized" drops QUANTIZE and
            DEQUANTIZE at the border.
        io_layout: Order of the axes of inputs and outputs of an ONNX model: "nchw" as in the file,
            or "nhwc", that of the layers inside, which then take them without a transposition.
        input_shapes: Sizes of inputs of an ONNX model by name, for those that the file leaves open.
        numerics: Rule set of the integer arithmetic (docs/numerics.md).
        optimize: What the C compiler optimises for.
        sram_bytes: Limit for arena + state + static + stack; None = what the board has.
        flash_bytes: Limit for the whole image; None = what the board has.
        name: Prefix of the generated C; "" = from the file name.
        input_mode: "kept" inputs survive a run, "consumed" ones are overwritten as they are read,
            a "streamed" one is pushed by the application in rows and never whole in memory, of a
            "random" one the model asks for the rows that it wants, some of them more than once.
        output_mode: "whole" outputs lie in the arena after a run; of one taken in "rows" the
            application gets each row as soon as it is made.
        schedule: "auto" takes a point of the front, "layer" runs layer by layer, "stream" streams
            all it can, "patch:HxW@INDEX" cuts the output of op INDEX into HxW patches.
        minimize: What "auto" takes: "balanced" the least memory that costs next to no time, or
            under a limit of memory the fastest that fits; "sram" the least memory; "latency" the
            fastest that fits.
        max_recompute: Percent by which "auto" may execute more MACs than layer by layer; math.inf =
            no limit (null in JSON).
        latency: Limit of the predicted instructions.
        sliding: Rows by which a window of the input moves from run to run: only they are given,
            and only what is new is computed; None = every run has its own input.
        point: Number of a point on the front that `mcuc schedule` shows; None = by `schedule`.
        preprocess, postprocess: What is made around the model (docs/around.md): a specification as
            `mcuc.around.fields` reads it; None = nothing.
        labels: Names of the classes.
        precision: Arithmetic of a float model: "auto" as stored, or "int8" where calibration data
            are given; "int8", "int16" (activations), "float32". Quantized models stay as they are.
        calibration: Samples that quantization takes ranges from: an .npz, an .npy, a folder of
            images, or "random"; "" = none.
        calibration_method: How a range follows from the samples.
        calibration_mean, calibration_std: real = (x - mean) / std, x = byte / 255 or another
            number; for all channels or for each; empty = numbers as they are.
        layer_precision: Pattern of layers' names and "int16" or "float32", which they get.
        auto_precision: Layers that int8 hurts most get int16 or float32, by measured loss.
        groups: Segments to stream or to cut into patches; all other nodes run layer by layer;
            with groups `schedule` is not looked at.
        project: Forms of what is written (`mcuc_codegen.forms.FORMS`); empty = by the board.
    """

    board: str = "qemu_m4"
    io: str = IO_MODES[0]
    io_layout: str = IO_LAYOUTS[0]
    input_shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    numerics: str = NUMERICS[0]
    optimize: str = OPTIMIZE[1]
    sram_bytes: int | None = None
    flash_bytes: int | None = None
    name: str = ""
    input_mode: str = INPUT_MODES[1]
    output_mode: str = OUTPUT_MODES[0]
    schedule: str = SCHEDULES[0]
    minimize: str = MINIMIZE[0]
    max_recompute: float = 0.0
    latency: int | None = None
    sliding: int | None = None
    point: int | None = None
    preprocess: Mapping[str, Any] | None = None
    postprocess: Mapping[str, Any] | None = None
    labels: tuple[str, ...] = ()
    precision: str = PRECISIONS[0]
    calibration: str = ""
    calibration_method: str = CALIBRATION_METHODS[0]
    calibration_mean: tuple[float, ...] = ()
    calibration_std: tuple[float, ...] = ()
    layer_precision: tuple[tuple[str, str], ...] = ()
    auto_precision: bool = False
    groups: tuple[Group, ...] = field(default=())
    project: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for option, value, allowed in (
            ("io", self.io, IO_MODES),
            ("io-layout", self.io_layout, IO_LAYOUTS),
            ("numerics", self.numerics, NUMERICS),
            ("optimize", self.optimize, OPTIMIZE),
            ("input-mode", self.input_mode, INPUT_MODES),
            ("output-mode", self.output_mode, OUTPUT_MODES),
            ("minimize", self.minimize, MINIMIZE),
            ("precision", self.precision, PRECISIONS),
            ("calibration-method", self.calibration_method, CALIBRATION_METHODS),
        ):
            if value not in allowed:
                raise usage(option, f"{value!r} is not one of {', '.join(allowed)}")
        if self.schedule not in SCHEDULES and self.patch is None:
            known = ", ".join(SCHEDULES)
            raise usage("schedule", f"{self.schedule!r} is not one of {known}, patch:HxW@INDEX")
        if not set(self.project) <= set(FORMS):
            raise usage("project", f"takes {', '.join(FORMS)}, not {', '.join(self.project)}")
        if {"platformio", "stm32cube"} <= set(self.project):
            raise usage("project", "platformio and stm32cube are two forms of one platformio.ini")
        for option, limit in (("sram", self.sram_bytes), ("flash", self.flash_bytes)):
            if limit is not None and limit <= 0:
                raise usage(option, f"{limit} is not a positive number of bytes")

        if self.sliding is not None and (self.sliding <= 0 or self.input_mode != "consumed"):
            raise usage("sliding", "takes a positive number of rows, and --input-mode consumed")
        if not all(math.isfinite(n) for n in (*self.calibration_mean, *self.calibration_std)):
            raise usage("calibration-mean", "is not a finite number")
        if not all(n > 0 for n in self.calibration_std):
            raise usage("calibration-std", "must be positive")
        if self.latency is not None and self.latency <= 0:
            raise usage("latency", f"{self.latency} is not a positive number of instructions")
        if not self.max_recompute >= 0:
            raise usage("max-recompute", f"{self.max_recompute} is not a percentage from 0 up")

    @property
    def patch(self) -> tuple[int, int, int] | None:
        """(patches vertically, horizontally, op index) of a schedule "patch:HxW@INDEX"."""
        match = _PATCH.fullmatch(self.schedule)
        if match is None:
            return None
        rows, columns, index = map(int, match.groups())
        return rows, columns, index

    def as_json(self) -> dict[str, Any]:
        """The options as the report records them; `from_json` reads them back."""
        return {
            "board": self.board,
            "io": self.io,
            "io_layout": self.io_layout,
            "input_shapes": [[name, list(shape)] for name, shape in self.input_shapes],
            "numerics": self.numerics,
            "optimize": self.optimize,
            "sram_bytes": self.sram_bytes,
            "flash_bytes": self.flash_bytes,
            "name": self.name,
            "input_mode": self.input_mode,
            "output_mode": self.output_mode,
            "schedule": self.schedule,
            "minimize": self.minimize,
            "max_recompute": None if math.isinf(self.max_recompute) else self.max_recompute,
            "latency": self.latency,
            "sliding": self.sliding,
            "point": self.point,
            "preprocess": None if self.preprocess is None else dict(self.preprocess),
            "postprocess": None if self.postprocess is None else dict(self.postprocess),
            "labels": list(self.labels),
            "precision": self.precision,
            "calibration": self.calibration,
            "calibration_method": self.calibration_method,
            "calibration_mean": list(self.calibration_mean),
            "calibration_std": list(self.calibration_std),
            "layer_precision": [list(pair) for pair in self.layer_precision],
            "auto_precision": self.auto_precision,
            "project": list(self.project),
            "groups": [
                {"kind": g.kind, "nodes": list(g.nodes), "grid": list(g.grid)} for g in self.groups
            ],
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Options:
        fields = dict(document)
        fields["groups"] = tuple(
            Group(g["kind"], tuple(g["nodes"]), (g["grid"][0], g["grid"][1]))
            for g in fields.get("groups", [])
        )
        fields["labels"] = tuple(fields.get("labels", ()))
        for name in ("calibration_mean", "calibration_std"):
            fields[name] = tuple(map(float, fields.get(name, ())))
        fields["input_shapes"] = tuple(
            (name, tuple(shape)) for name, shape in fields.get("input_shapes", ())
        )
        fields["layer_precision"] = tuple(
            (pattern, bits) for pattern, bits in fields.get("layer_precision", ())
        )
        fields["project"] = tuple(fields.get("project", ()))
        if "max_recompute" in fields and fields["max_recompute"] is None:
            fields["max_recompute"] = math.inf
        return cls(**fields)


def usage(option: str, what: str) -> McucError:
    """E109: an option has a value that it cannot have."""
    return ModelError("E109", f"option {option}: {what}")
