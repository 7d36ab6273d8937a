"""Names of classes: a text file, one in each line."""

from __future__ import annotations

from pathlib import Path

from mcuc.errors import ModelError

MOST = 65536


def read_labels(path: Path) -> tuple[str, ...]:
    """The lines of a file; empty lines at its end are none.

    Raises:
        ModelError: E108 unreadable, E132 no labels.
    """
    try:
        lines = path.read_text(encoding="utf-8").rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError("E108", f"cannot read {path}", why=str(error)) from error
    if not lines or len(lines) > MOST:
        raise ModelError(
            "E132",
            f"{path} holds {len(lines)} labels",
            help=f"one label per line, 1..{MOST} of them",
        )
    return tuple(line.strip() for line in lines)
