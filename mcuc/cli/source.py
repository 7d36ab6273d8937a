"""What `run`, `verify` and `evaluate` work on: a model file, or a folder that `compile` wrote."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcuc.errors import McucError, ModelError

if TYPE_CHECKING:
    from mcuc.compiler.compile import Compiled
    from mcuc.compiler.options import Options

FIELDS = {"sram": "sram_bytes", "flash": "flash_bytes"}
# Options that decide how a model is quantized.
QUANTIZATION = (
    "numerics",
    "precision",
    "calibration",
    "calibration_method",
    "calibration_mean",
    "calibration_std",
    "layer_precision",
    "auto_precision",
)


def options_of(given: dict[str, Any], stored: dict[str, Any]) -> Options:
    """Options from the command line over those of a report."""
    from mcuc.around.fields import read_spec
    from mcuc.around.labels import read_labels
    from mcuc.compiler.options import Options

    chosen = {FIELDS.get(k, k): v for k, v in given.items() if v is not None and v != ()}
    for name, read in (
        ("preprocess", read_spec),
        ("postprocess", read_spec),
        ("labels", read_labels),
    ):
        if name in chosen:
            chosen[name] = read(chosen[name])
    return Options.from_json({**stored, **chosen})


def compiled_source(path: Path, given: dict[str, Any]) -> Compiled:
    """Compiles a model file, or takes a folder: its model, its options and its C files as they are.

    With other options than the folder's, its model is compiled anew and the folder left alone.

    Raises:
        ModelError: E108 when the folder is not one of ours.
    """
    from mcuc.compiler.compile import compile_with

    try:
        is_folder = path.is_dir()
    except OSError as error:  # a name that is too long, a parent that may not be entered
        raise _unreadable(path, error) from error
    if not is_folder:
        return compile_with(path, options_of(given, {}))
    model, stored, recipe = _recorded(path)
    options = options_of(given, stored)
    if any(options.as_json()[name] != stored.get(name) for name in QUANTIZATION):
        recipe = None
    compiled = compile_with(model, options, recipe)
    if options.as_json() != stored:
        click.echo(f"note: other options than those of {path}: compiled anew, not saved", err=True)
        return compiled
    return replace(compiled, project=_as_on_disk(path, compiled), directory=path)


def _recorded(path: Path) -> tuple[Path, dict[str, Any], dict[str, Any] | None]:
    """The model in a folder, the options that it was compiled with, and how it was quantized."""
    from mcuc.compiler.compile import BOARD_FILE, MODEL_FOLDER
    from mcuc.compiler.quantize import RECIPE
    from mcuc.device.boards import board_file

    try:
        report = json.loads((path / "report.json").read_text(encoding="utf-8"))
        stored = {**report["options"], "name": report["model"]["name"]}
        if board_file(stored["board"]):  # the user's own, wherever its file was
            stored["board"] = str(path / BOARD_FILE)
        models = [p for p in (path / MODEL_FOLDER).iterdir() if p.name != RECIPE]
        recipe = path / MODEL_FOLDER / RECIPE
        quantized = json.loads(recipe.read_text(encoding="utf-8")) if recipe.exists() else None
        if len(models) != 1:
            raise ValueError(
                f"its folder {MODEL_FOLDER} holds {len(models)} files instead of the model"
            )
        model = models[0]
        digest = hashlib.sha256(model.read_bytes()).hexdigest()
        if digest != report["model"]["sha256"]:
            raise ValueError(f"{model.name} is not the model that it was compiled from")
        if options_of({}, stored).as_json() != stored:
            raise ValueError("report.json was written by another version")
    except McucError as error:
        raise _not_a_folder(path, error.what) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise _not_a_folder(path, "its report.json is not one of mcuc's") from error
    except (OSError, ValueError) as error:
        raise _not_a_folder(path, str(error)) from error
    return model, stored, quantized


def _not_a_folder(path: Path, why: str) -> ModelError:
    return ModelError(
        "E108",
        f"{path} is not a folder that mcuc compile wrote",
        why=why,
        help="give a model file, or the folder of an earlier mcuc compile",
    )


def _unreadable(path: Path, error: OSError) -> ModelError:
    return ModelError("E108", f"cannot read {path}", why=error.strerror or str(error))


def _as_on_disk(path: Path, compiled: Compiled) -> Any:
    """The generated project with the texts that stand in the folder, edited or not."""
    files = {}
    for name in compiled.project.files:
        file = path / compiled.place(name)
        try:
            files[name] = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(
                "E108",
                f"{file} cannot be read",
                why=str(error),
                help="compile again",
            ) from error
    return replace(compiled.project, files=files)


def save_report(compiled: Compiled, report: dict[str, Any]) -> None:
    """Puts a report with new measurements into the folder that was run, if it was one.

    What was measured there before and not this time is kept.
    """
    if compiled.directory is None:
        return
    from mcuc.compiler.output import replace_files
    from mcuc.report.html import write_html

    report = _with_earlier(report, compiled.directory / "report.json")
    texts = {
        "report.json": json.dumps(report, indent=2, allow_nan=False) + "\n",
        "report.html": write_html(report),
    }
    replace_files(compiled.directory, texts)


def _with_earlier(report: dict[str, Any], stored: Path) -> dict[str, Any]:
    earlier = json.loads(stored.read_text(encoding="utf-8"))
    merged = {**report, "layers": [dict(layer) for layer in report["layers"]]}
    for key in ("run", "verify", "accuracy", "evidence"):
        merged[key] = report[key] if report[key] is not None else earlier.get(key)
    layers = earlier.get("layers", [])
    if report["run"] is None and len(layers) == len(merged["layers"]):
        for layer, before in zip(merged["layers"], layers, strict=True):
            layer["instructions"] = before.get("instructions")
    return merged
