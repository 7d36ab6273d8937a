"""Output folders: written beside their place and moved there, so that nothing is ever half done.

What mcuc wrote is recorded with its hashes in a hidden file; all else in the folder is the user's
and stays, and so does a file meant to be edited once it was.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from mcuc.errors import ModelError

MARK = "report.json"
MANIFEST = ".mcuc.json"
_REPORTS = (MARK, "report.html")  # rewritten by runs, never edited


def write_folder(
    directory: Path, files: Mapping[str, str | bytes], editable: Collection[str] = ()
) -> tuple[str, ...]:
    """Writes `files` into a folder that is new, empty, or was written by mcuc earlier.

    Args:
        directory: The folder.
        files: Path in it -> contents.
        editable: Paths that the user may change: then theirs are kept.

    Returns:
        The paths that were kept.

    Raises:
        ModelError: E107 when the folder is not ours, when a file of the user would be lost, or when
            it cannot be written. The folder is then as it was.
    """
    directory = directory.absolute()  # "." has no name and cannot be moved
    contents = {name: _bytes(content) for name, content in files.items()}
    try:
        if not _has_entries(directory):
            _create(directory, contents)
            return ()
        known = _written_before(directory)
        kept = _kept(directory, contents, known, editable)
        _update(directory, contents, known, kept)
        return kept
    except OSError as error:
        raise ModelError(
            "E107",
            f"cannot write {directory}",
            why=str(error),
            help="choose another folder with -o",
        ) from error


def replace_files(directory: Path, files: Mapping[str, str | bytes]) -> None:
    """Gives some files of a folder new contents, each of them whole or not at all.

    Raises:
        ModelError: E107.
    """
    try:
        for name, content in files.items():
            (directory / f".{name}.new").write_bytes(_bytes(content))
        for name in files:
            (directory / f".{name}.new").replace(directory / name)
    except OSError as error:
        raise ModelError("E107", f"cannot write to {directory}", why=str(error)) from error


def replace_file(path: Path, content: str | bytes) -> None:
    """Gives one file new contents, whole or not at all.

    Raises:
        ModelError: E107.
    """
    replace_files(path.absolute().parent, {path.name: content})


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _has_entries(directory: Path) -> bool:
    """Whether there is something to be careful with.

    Raises:
        ModelError: E107 for a link or a file.
    """
    if directory.is_symlink():
        raise _not_ours(directory, "it is a link")
    if not directory.exists():
        return False
    if not directory.is_dir():
        raise _not_ours(directory, "it is a file")
    return any(directory.iterdir())


def _not_ours(directory: Path, why: str) -> ModelError:
    return ModelError(
        "E107",
        f"{directory} exists and was not made by mcuc",
        why=f"{why}, so replacing it could lose your files",
        help="choose another folder with -o, or empty this one",
    )


def _written_before(directory: Path) -> dict[str, str]:
    """Path -> SHA-256 of what mcuc wrote into the folder.

    Raises:
        ModelError: E107 when it is none of ours.
    """
    try:
        report = json.loads((directory / MARK).read_text(encoding="utf-8"))
        if not (report["schema"] and report["mcuc"] and report["model"]["name"]):
            raise ValueError("is another report")
        files = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {str(path): str(digest) for path, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _not_ours(directory, f"it has no {MARK} and {MANIFEST} of mcuc") from error


def _kept(
    directory: Path,
    contents: Mapping[str, bytes],
    known: Mapping[str, str],
    editable: Collection[str],
) -> tuple[str, ...]:
    """The editable files that the user changed.

    Raises:
        ModelError: E107 naming every other file of the user that would be overwritten.
    """
    kept: list[str] = []
    lost: list[str] = []
    for path, new in contents.items():
        place = directory / path
        if path in _REPORTS or not (place.exists() or place.is_symlink()):
            continue
        now = place.read_bytes() if place.is_file() else None
        if now is not None and (now == new or known.get(path) == _digest(now)):
            continue
        (kept if now is not None and path in editable else lost).append(path)
    if lost:
        raise ModelError(
            "E107",
            f"{directory} holds {len(lost)} file{'s' if len(lost) > 1 else ''} that you changed",
            why=f"writing would lose {', '.join(lost[:5])}",
            help="move them elsewhere, or choose another folder with -o",
            data={"files": lost},
        )
    return tuple(kept)


def _create(directory: Path, contents: Mapping[str, bytes]) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    with _fresh(directory, contents) as name:
        fresh = Path(name) / "new"
        if directory.exists():
            directory.rmdir()
        fresh.rename(directory)


def _fresh(
    directory: Path, contents: Mapping[str, bytes], also: Mapping[str, str] | None = None
) -> tempfile.TemporaryDirectory[str]:
    """A folder beside the output whose `new` holds the contents and the record of them."""
    prefix = f".{directory.name[:60]}."
    holder = tempfile.TemporaryDirectory(
        prefix=prefix, dir=directory.parent, ignore_cleanup_errors=True
    )
    try:
        fresh = Path(holder.name) / "new"
        for path, content in contents.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            (fresh / path).write_bytes(content)
        record = {**(also or {}), **{path: _digest(c) for path, c in contents.items()}}
        text = json.dumps({"schema": 1, "files": record}, indent=1)
        (fresh / MANIFEST).write_text(text + "\n", encoding="utf-8")
    except BaseException:
        holder.cleanup()
        raise
    return holder


def _update(
    directory: Path,
    contents: Mapping[str, bytes],
    known: Mapping[str, str],
    kept: Collection[str],
) -> None:
    """Replaces files one by one, and puts all back when one cannot be."""
    new = {path: content for path, content in contents.items() if path not in kept}
    stale = [p for p, digest in known.items() if p not in contents and _is(directory / p, digest)]
    theirs = {path: known.get(path, "") for path in kept}
    with _fresh(directory, new, theirs) as name:
        fresh, old = Path(name) / "new", Path(name) / "old"
        moved: list[str] = []
        added: list[str] = []
        try:
            for path in [*stale, *new, MANIFEST]:
                if (directory / path).exists():
                    (old / path).parent.mkdir(parents=True, exist_ok=True)
                    (directory / path).replace(old / path)
                    moved.append(path)
            for path in [*new, MANIFEST]:
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (fresh / path).replace(directory / path)
                added.append(path)
        except OSError:
            for path in added:
                (directory / path).unlink(missing_ok=True)
            for path in moved:
                shutil.move(old / path, directory / path)
            raise
    _remove_empty(directory, stale)


def _is(path: Path, digest: str) -> bool:
    return path.is_file() and (path.name in _REPORTS or _digest(path.read_bytes()) == digest)


def _remove_empty(directory: Path, removed: Collection[str]) -> None:
    """Folders that held nothing but what was removed."""
    for path in removed:
        for parent in (directory / path).parents:
            if parent == directory or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()
