"""Model file -> everything: graph, program, plan, C, sizes, report. Also `mcuc.compile`."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcuc.around.plan import Around
from mcuc.compiler.around import around_facts, around_of
from mcuc.compiler.bench import Unit
from mcuc.compiler.choose import Chosen
from mcuc.compiler.options import Options, usage
from mcuc.compiler.output import write_folder
from mcuc.compiler.pipeline import Lowered, lower_and_plan
from mcuc.compiler.project import build_project, forms_for, project_files
from mcuc.compiler.quantize import RECIPE, Arithmetic, in_arithmetic, quantization_figures
from mcuc.device.application import Application
from mcuc.device.board import Board
from mcuc.device.boards import board_file, load_board
from mcuc.errors import MemoryBudgetError, ModelError, ToolchainError
from mcuc.frontends.loaded import Loaded
from mcuc.frontends.tflite.load import read_tflite
from mcuc.frontends.tflite.metadata import read_metadata
from mcuc.passes.left_over import left_over
from mcuc.plan.problem import Problem as MemoryProblem
from mcuc.plan.problem import does_not_fit
from mcuc.report.document import Footprint, Json, Origin, document
from mcuc.report.html import write_html
from mcuc.version import __version__
from mcuc_codegen.forms import USER_FILES, place
from mcuc_codegen.literals import identifier
from mcuc_codegen.project import Project, generate

MODEL_FOLDER = "model"
BOARD_FILE = "board.toml"  # of a board that does not ship with mcuc
# The linkers' words: "region `flash' overflowed by" (GNU), "region 'flash': overflowed by" (lld).
OVERFLOW = re.compile(r"region [`'](\w+)':? overflowed by (\d+) bytes")
UNKNOWN = Footprint(None, None, None, None, {}, "")


@dataclass(frozen=True)
class Compiled:
    """The result of a compilation; the same for the command line and the Python API.

    Attributes:
        lowered: Graph, program and memory plan.
        project: The generated C.
        report: The document of report.json.
        options: As used.
        board: The board compiled for.
        model_name: File name of the model.
        model_bytes: Its contents.
        around: What is made around the model.
        arithmetic: The arithmetic chosen for it, and what that cost.
        directory: Where the output was written, or None.
        kept: Files in it that the user had changed, left as they are.
    """

    lowered: Lowered
    project: Project
    report: Json
    options: Options
    board: Board
    model_name: str
    model_bytes: bytes
    around: Around
    arithmetic: Arithmetic
    directory: Path | None = None
    kept: tuple[str, ...] = ()

    @property
    def unit(self) -> Unit:
        """What the test bench needs."""
        return Unit(self.lowered.program, self.lowered.plan, self.project)

    @property
    def forms(self) -> tuple[str, ...]:
        """Forms of the project that is written."""
        return forms_for(self.options.project, self.board)

    def place(self, path: str) -> str:
        """Where a file of `project.files` lies in the output folder."""
        return place(path, self.project.name, self.forms)

    def files(self) -> dict[str, str | bytes]:
        """Everything that belongs into the output folder."""
        optimize = self.options.optimize
        own = board_file(self.options.board)
        recipe: dict[str, str | bytes] = {}
        if self.arithmetic.document is not None:
            text = json.dumps(self.arithmetic.document, indent=2, allow_nan=False) + "\n"
            recipe[f"{MODEL_FOLDER}/{RECIPE}"] = text
        return {
            **({BOARD_FILE: own.read_bytes()} if own else {}),
            **project_files(self.project, self.forms, self.board, optimize, self.model_name),
            **{self.place(path): text for path, text in self.project.files.items()},
            **recipe,
            f"{MODEL_FOLDER}/{self.model_name}": self.model_bytes,
            "report.json": json.dumps(self.report, indent=2, allow_nan=False) + "\n",
            "report.html": write_html(self.report),
        }


def compile_model(
    model: str | Path,
    *,
    out: str | Path | None = None,
    sram: int | None = None,
    flash: int | None = None,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    **options: Any,
) -> Compiled:
    """Compiles a model for a board.

    Args:
        model: A `.tflite` or `.onnx` file.
        out: Folder to write; None writes nothing.
        sram: Limit in bytes for arena + state + static + stack.
        flash: Limit in bytes for the whole image.
        input_shapes: Sizes of inputs of an ONNX model, by name.
        options: All others of `Options`: `board`, `schedule`, `precision` ...

    Raises:
        McucError: see docs/errors.md; the class tells whose problem it is.
        TypeError: An option that there is not.
    """
    shapes = tuple((k, tuple(map(int, v))) for k, v in (input_shapes or {}).items())
    for key, kind in (
        ("groups", tuple),
        ("project", tuple),
        ("labels", tuple),
        ("calibration", str),
    ):
        if key in options:
            options[key] = kind(options[key])
    chosen = Options(sram_bytes=sram, flash_bytes=flash, input_shapes=shapes, **options)
    compiled = compile_with(Path(model), chosen)
    return compiled if out is None else write(compiled, Path(out))


def load_model(path: Path, data: bytes, options: Options) -> Loaded:
    """The graph of a model file of any supported kind."""
    if path.suffix.lower() == ".onnx":
        from mcuc.frontends.onnx.load import read_onnx

        return read_onnx(path, data, options.numerics, dict(options.input_shapes))
    if options.input_shapes:
        raise usage("input-shape", "is for .onnx models; the sizes of a .tflite are fixed")
    return read_tflite(path, data, options.numerics)


def read_model(path: Path) -> bytes:
    """The bytes of a model file.

    Raises:
        ModelError: E108 when it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError("E108", f"cannot read {path}", why=error.strerror or str(error)) from error


def compile_with(path: Path, options: Options, recipe: Json | None = None) -> Compiled:
    """Compiles a model file without writing anything to the user's folders.

    Args:
        path: The model file.
        options: All choices.
        recipe: What an earlier compilation with these options decided on quantization.
    """
    board = load_board(options.board)
    data = read_model(path)
    arithmetic = in_arithmetic(load_model(path, data, options), path, options, recipe)
    return compile_graph(path, data, arithmetic, board, options)


def compile_graph(
    path: Path, data: bytes, arithmetic: Arithmetic, board: Board, options: Options
) -> Compiled:
    """Compiles a loaded model for a board.

    Args:
        path: Of the model file; only its name is used.
        data: The file's contents.
        arithmetic: As loaded from them, in the arithmetic asked for.
        board: Taken instead of what the options name.
        options: All others.
    """
    forms_for(options.project, board)
    lowered = lower_and_plan(arithmetic.graph, board.target, options)
    name = identifier(options.name or path.stem)
    metadata = read_metadata(data)
    around = around_of(lowered, options, metadata.labels)
    project = generate(lowered.program, lowered.plan, name, path.name, around, metadata.lines())
    application = _application(project, lowered, board, options)
    footprint = _footprint(project, application)
    origin = Origin(
        file=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        name=name,
        board=board.id,
        core=board.core,
        options=options.as_json(),
        version=__version__,
        clock=_clock(board),
    )
    report = document(
        origin,
        lowered.source,
        lowered.program,
        lowered.plan,
        project.weights_bytes,
        project.state_bytes,
        footprint,
        _schedule(lowered.chosen),
    )
    report["quantization"] = quantization_figures(arithmetic)
    report["notes"] += [*arithmetic.notes, *left_over(lowered.graph)]
    if application is None:
        report["notes"].append("no compiler for this board: code, static and stack are not known")
    _check_budget(report, lowered, board, options)
    report["around"] = around_facts(around, project)
    return Compiled(lowered, project, report, options, board, path.name, data, around, arithmetic)


def write(compiled: Compiled, directory: Path) -> Compiled:
    """Writes the output folder, whole or not at all; files that the user changed are kept."""
    kept = write_folder(directory, compiled.files(), USER_FILES)
    return replace(compiled, directory=directory, kept=kept)


def _clock(board: Board) -> Json:
    """What a measurement on a real board depends on besides the code."""
    if board.clock is None:
        return {}
    return {
        "clock_hz": board.clock.hz,
        "clock_origin": board.clock.origin,
        "flash_wait_states": board.clock.flash_wait_states,
        "caches": list(board.startup.caches),
    }


def _schedule(chosen: Chosen) -> Json:
    """Kind and front of the report's `schedule`."""
    return {
        "kind": chosen.kind,
        "point": chosen.point,
        "front": [
            {"ram_bytes": p.ram_bytes, "instructions": p.instructions, "macs": p.macs}
            for p in chosen.front
        ],
    }


def _application(
    project: Project, lowered: Lowered, board: Board, options: Options
) -> Application | None:
    """The linked example application, or None without a compiler."""
    with tempfile.TemporaryDirectory(prefix="mcuc-build-") as temporary:
        try:
            return build_project(project, board, options.optimize, Path(temporary))
        except ToolchainError as error:
            if error.code == "E501":
                return None
            if error.code == "E506":
                raise _too_large(lowered, board, error) from error
            raise


def _too_large(lowered: Lowered, board: Board, error: ToolchainError) -> MemoryBudgetError:
    """The linker's complaint about too little memory as E402 or E403, with need and have."""
    words = str(error.data.get("stderr", ""))
    over: dict[str, int] = {}  # lld reports every section, each with the excess so far
    for region, excess in OVERFLOW.findall(words):
        over[region] = max(over.get(region, 0), int(excess))
    sizes = {f"ram_{region.name}": region.size_bytes for region in board.target.regions}
    ram = sum(excess for region, excess in over.items() if region in sizes)
    why = next((line for line in words.splitlines() if "overflowed by" in line), words[-200:])
    if ram:
        have = sum(sizes.values())
        base = does_not_fit(MemoryProblem.of(lowered.program), lowered.plan.arena_bytes)
        return MemoryBudgetError(
            "E402",
            f"the program needs {have + ram:,} bytes of RAM and there are {have:,}",
            why=f"{why.strip()}; {base.why}",
            help=base.help,
            data={**base.data, "need_bytes": have + ram, "have_bytes": have},
        )
    constants = "rodata" in over and board.rodata is not None
    have = board.rodata.size_bytes if constants and board.rodata else board.flash.size_bytes
    need = have + over.get("rodata" if constants else "flash", 0)
    memory = "flash for constants" if constants else "flash"
    return MemoryBudgetError(
        "E403",
        f"the program needs {need:,} bytes of {memory} and there are {have:,}",
        why=why.strip(),
        help="use a board with more flash, a smaller model, or --optimize size",
        data={"need_bytes": need, "have_bytes": have},
    )


def _footprint(project: Project, application: Application | None) -> Footprint:
    if application is None:
        return UNKNOWN
    return Footprint(
        stack_bytes=application.stack_bytes,
        static_bytes=application.static_bytes,
        code_bytes=application.flash_bytes - project.weights_bytes,
        total_bytes=application.flash_bytes,
        symbols=dict(list(application.symbols.items())[:40]),
        compiler=application.compiler,
    )


def _check_budget(report: Json, lowered: Lowered, board: Board, options: Options) -> None:
    """E402 for RAM, E403 for flash: need and have, with what is largest.

    Raises:
        MemoryBudgetError: exit code 4.
    """
    need = report["memory"]["total_bytes"]
    have = sum(region.size_bytes for region in board.target.regions)
    if options.sram_bytes is not None:
        have = min(have, options.sram_bytes)
    report["memory"]["limit_bytes"] = have
    if need > have:
        base = does_not_fit(MemoryProblem.of(lowered.program), lowered.plan.arena_bytes)
        parts: dict[str, Any] = {
            key: report["memory"][key]
            for key in ("arena_bytes", "state_bytes", "static_bytes", "stack_bytes")
        }
        listed = ", ".join(f"{k.removesuffix('_bytes')} {v or 0:,}" for k, v in parts.items())
        raise MemoryBudgetError(
            "E402",
            f"the program needs {need:,} bytes of RAM and there are {have:,}",
            why=f"{listed}; {base.why}",
            help=base.help,
            data={**base.data, "need_bytes": need, "have_bytes": have, **parts},
        )
    limit = options.flash_bytes or board.target.flash_bytes
    report["flash"]["limit_bytes"] = limit
    weights = report["flash"]["weights_bytes"]
    total = report["flash"]["total_bytes"] or weights
    if total > limit:
        raise MemoryBudgetError(
            "E403",
            f"the program needs {total:,} bytes of flash and there are {limit:,}",
            why=f"weights and tables of constants take {weights:,}, code and the rest "
            f"{total - weights:,}",
            help="use a board with more flash, a smaller model, or --optimize size",
            data={"need_bytes": total, "have_bytes": limit, "weights_bytes": weights},
        )
