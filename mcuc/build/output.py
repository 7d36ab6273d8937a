"""Output folders: written beside their place and moved there, so that nothing is ever half done."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mcuc.errors import ModelError

MARK = "report.json"


def write_folder(directory: Path, files: Mapping[str, str | bytes]) -> None:
    """Makes `directory` hold exactly `files`.

    A folder that mcuc wrote earlier (it has a report.json) is replaced; any other folder that has
    something in it is left alone.

    Raises:
        ModelError: E107 when the folder is not ours or cannot be written.
    """
    if directory.exists() and not _replaceable(directory):
        raise ModelError(
            "E107",
            f"{directory} exists and was not made by mcuc",
            why=f"it has no {MARK}, so replacing it could lose your files",
            help="choose another folder with -o, or empty this one",
        )
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
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
    except OSError as error:
        raise ModelError("E107", f"cannot write {directory}", why=str(error)) from error


def _replaceable(directory: Path) -> bool:
    if not directory.is_dir() or directory.is_symlink():
        return False
    return (directory / MARK).is_file() or not any(directory.iterdir())


def _swap(fresh: Path, directory: Path) -> None:
    if not directory.exists():
        fresh.rename(directory)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{directory.name}.old.", dir=directory.parent))
    directory.rename(old / "old")
    try:
        fresh.rename(directory)
    except OSError:
        (old / "old").rename(directory)
        raise
    shutil.rmtree(old, ignore_errors=True)
