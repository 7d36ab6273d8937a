"""A lab's description, `hil.toml`: boards and how they are reached, models, limits."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcuc.device.firmware import TRANSPORTS
from mcuc.device.toml_table import Table
from mcuc.errors import BoardError, Loc
from mcuc.proof.places import Access

SCHEMA = 1


@dataclass(frozen=True)
class LabBoard:
    """A board of the lab.

    Attributes:
        name: Of this very device, in results.
        board: Board id, or path of a board.toml.
        place: "qemu" or "board".
        access: How it is reached.
    """

    name: str
    board: str
    place: str
    access: Access


@dataclass(frozen=True)
class Case:
    """One model on one board."""

    model: Path
    board: LabBoard
    vectors: int
    seed: int
    schedule: str

    @property
    def name(self) -> str:
        """How results and baselines call it."""
        return f"{self.model.stem}@{self.board.name}"


@dataclass(frozen=True)
class Lab:
    """All cases of a `hil.toml`.

    Attributes:
        file: It.
        cases: Models in the order of the file, on each their boards.
        baseline: File of the figures that are compared with; it may be missing.
    """

    file: Path
    cases: tuple[Case, ...]
    baseline: Path


def load_lab(file: Path) -> Lab:
    """Reads a `hil.toml`; paths in it are relative to its folder.

    Raises:
        BoardError: E607 with all its problems.
    """
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _malformed(file, [str(error)]) from error
    top = Table(raw, "", [])
    top.number("schema", SCHEMA, SCHEMA)
    baseline = top.text("baseline", default="baseline.json")
    boards = [_board(table, file.parent) for table in top.tables("board")]
    names = [board.name for board in boards]
    if len(set(names)) < len(names):
        top.problem("board", "has two entries of one name")
    cases = [case for t in top.tables("model") for case in _cases(t, file.parent, boards)]
    if len({case.name for case in cases}) < len(cases):
        top.problem("model", "has two entries of one file name for the same board")
    top.done()
    if top.problems:
        raise _malformed(file, top.problems)
    return Lab(file, tuple(cases), file.parent / baseline)


def _board(table: Table, folder: Path) -> LabBoard:
    board = table.text("board")
    place = table.text("place", ("qemu", "board"), default="qemu")
    transport = table.text("transport", TRANSPORTS, default="uart")
    access = Access(transport, table.text("port", default=""), table.text("upload", default=""))
    if place == "board" and not access.port:
        table.problem("port", "is missing: a board is reached by its serial port")
    if place == "qemu" and (access.port or access.upload):
        table.problem("port", 'and upload are of place = "board"')
    if board.endswith(".toml"):
        board = str(folder / board)
    name = table.text("name", default=board)
    table.done()
    return LabBoard(name, board, place, access)


def _cases(table: Table, folder: Path, boards: Sequence[LabBoard]) -> list[Case]:
    wanted = table.texts("boards", [board.name for board in boards], optional=True)
    file = folder / table.text("file")
    if not file.is_file():
        table.problem("file", f"{file} is no file")
    vectors = table.number("vectors", 1, 10_000, default=2)
    seed = table.number("seed", 0, 1 << 31, default=0)
    schedule = table.text("schedule", default="auto")
    table.done()
    return [
        Case(file, board, vectors, seed, schedule)
        for board in boards
        if not wanted or board.name in wanted
    ]


def _malformed(file: Path, problems: Sequence[str]) -> BoardError:
    return BoardError(
        "E607",
        f"the lab's description has {len(problems)} problem{'s' if len(problems) > 1 else ''}",
        loc=Loc(file=str(file)),
        why="; ".join(problems),
        help="see docs/hil.md",
        data={"problems": list(problems)},
    )
