"""Where the files that ship beside the Python code are: C runtime, boards."""

from __future__ import annotations

from pathlib import Path

from mcuc.errors import InternalError

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """The folder of shipped data called `name`, for example "boards" or "runtime_c".

    A wheel carries the folders in `mcuc/_data`; a checkout has them at its root.

    Raises:
        InternalError: E902 when the installation lacks the folder.
    """
    for parent in (_PACKAGE / "_data", _PACKAGE.parent):
        if (parent / name).is_dir():
            return parent / name
    raise InternalError(
        "E902",
        f"the installation lacks its data folder {name!r}",
        why=f"neither {_PACKAGE / '_data'} nor {_PACKAGE.parent} holds it",
        help="reinstall mcuc",
    )
