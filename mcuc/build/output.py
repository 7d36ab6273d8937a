"""Output folders: written beside their place and moved there, so that nothing is ever half done."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mcuc.errors import ModelError

MARK = "report.json"


def write_folder(directory: Path, files: Mapping[str, str | bytes]) -> None:
    """Makes `directory` hold exactly `files`.

    A folder that mcuc wrote earlier is replaced; any other folder that has something in it is left
    alone, and so is one of ours that holds files of somebody else.

    Raises:
        ModelError: E107 when the folder is not ours or cannot be written.
    """
    directory = directory.absolute()  # "." has no name and cannot be moved
    try:
        why = _not_ours(directory, {Path(name).parts[0] for name in files})
        if why:
            raise ModelError(
                "E107",
                f"{directory} exists and was not made by mcuc",
                why=f"{why}, so replacing it could lose your files",
                help="choose another folder with -o, or empty this one",
            )
        _write(directory, files)
    except OSError as error:
        raise ModelError(
            "E107",
            f"cannot write {directory}",
            why=str(error),
            help="choose another folder with -o",
        ) from error


def replace_files(directory: Path, files: Mapping[str, str]) -> None:
    """Gives some files of a folder new contents, each of them whole or not at all.

    Raises:
        ModelError: E107.
    """
    try:
        for name, text in files.items():
            (directory / f".{name}.new").write_text(text, encoding="utf-8")
        for name in files:
            (directory / f".{name}.new").replace(directory / name)
    except OSError as error:
        raise ModelError("E107", f"cannot write to {directory}", why=str(error)) from error


def _write(directory: Path, files: Mapping[str, str | bytes]) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{directory.name[:60]}.", dir=directory.parent))
    try:
        for name, content in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8")
        fresh.chmod(0o755)
        _swap(fresh, directory)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _not_ours(directory: Path, names: set[str]) -> str:
    """Why a folder must not be replaced; "" when it may be.

    Args:
        directory: The folder; it need not exist.
        names: What will lie directly in it.
    """
    if directory.is_symlink():
        return "it is a link"
    if not directory.exists():
        return ""
    if not directory.is_dir():
        return "it is a file"
    present = {path.name for path in directory.iterdir()}
    if not present:
        return ""
    prefix = _model_name(directory / MARK)
    if prefix is None:
        return f"it has no {MARK} of mcuc"
    # Sources of a model of another name are ours too, and so is a report whose writing was cut off.
    ours = {f"{prefix}{end}" for end in (".c", ".h", "_arena.c", "_data.h")}
    foreign = present - names - ours - {f".{name}.new" for name in names}
    return f"it also holds {', '.join(sorted(foreign)[:3])}" if foreign else ""


def _model_name(mark: Path) -> str | None:
    """Prefix of the C files beside a report of ours; None if it is none."""
    try:
        report = json.loads(mark.read_text(encoding="utf-8"))
        return str(report["model"]["name"]) if report["schema"] and report["mcuc"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _swap(fresh: Path, directory: Path) -> None:
    if not directory.exists():
        fresh.rename(directory)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{directory.name[:60]}.old.", dir=directory.parent))
    directory.rename(old / "old")
    try:
        fresh.rename(directory)
    except OSError:
        (old / "old").rename(directory)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
