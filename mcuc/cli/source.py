"""What `run`, `verify` and `evaluate` work on: a model file, or a folder that `compile` wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcuc.errors import ModelError

if TYPE_CHECKING:
    from mcuc.build.compile import Compiled
    from mcuc.build.options import Options

FIELDS = {"sram": "sram_bytes", "flash": "flash_bytes"}


def options_of(given: dict[str, Any], stored: dict[str, Any]) -> Options:
    """Options from the command line over those of a report."""
    from mcuc.build.options import Options

    chosen = {FIELDS.get(k, k): v for k, v in given.items() if v is not None}
    return Options.from_json({**stored, **chosen})


def compiled_source(path: Path, given: dict[str, Any]) -> Compiled:
    """Compiles a model file, or takes a folder: its model, its options and its C files as they are.

    Raises:
        ModelError: E108 when the folder is not one of ours.
    """
    from mcuc.build.compile import MODEL_FOLDER, compile_with

    if not path.is_dir():
        return compile_with(path, options_of(given, {}))
    try:
        report = json.loads((path / "report.json").read_text(encoding="utf-8"))
        stored = report["options"]
        (model,) = (path / MODEL_FOLDER).iterdir()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            "E108",
            f"{path} is not a folder that mcuc compile wrote",
            why=str(error),
            help="give a model file, or the folder of an earlier mcuc compile",
        ) from error
    stored["name"] = report["model"]["name"]
    compiled = compile_with(model, options_of(given, stored))
    if compiled.options.as_json() != stored:
        return replace(compiled, directory=path)  # other options: other C
    return replace(compiled, project=_as_on_disk(path, compiled), directory=path)


def _as_on_disk(path: Path, compiled: Compiled) -> Any:
    """The generated project with the texts that stand in the folder, edited or not."""
    files = {}
    for name in compiled.project.files:
        try:
            files[name] = (path / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(
                "E108", f"{path / name} cannot be read", why=str(error), help="compile again"
            ) from error
    return replace(compiled.project, files=files)


def save_report(compiled: Compiled, report: dict[str, Any]) -> None:
    """Puts a report with new measurements into the folder that was run, both files or none."""
    from mcuc.report.html import write_html

    assert compiled.directory is not None
    texts = {
        "report.json": json.dumps(report, indent=2, allow_nan=False) + "\n",
        "report.html": write_html(report),
    }
    for name, text in texts.items():
        fresh = compiled.directory / f".{name}.new"
        fresh.write_text(text, encoding="utf-8")
    for name in texts:
        (compiled.directory / f".{name}.new").replace(compiled.directory / name)
