"""Builds a model with its example application for a board: what it takes on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.board import Board
from mcuc.device.board_files import board_header, linker_script
from mcuc.device.elf import Elf, read_elf, sizes
from mcuc.device.stack import StackBound, stack_bound
from mcuc.device.toolchain import (
    Options,
    Source,
    Toolchain,
    compile_objects,
    find_toolchain,
    link,
    version,
)

ARENA_PREFIX = ".mcuc_ram_"
STARTUP_FILES = ("startup.c", "port_app.c")  # in boards/common
STACK_BYTES = 256  # the linker only needs a place for it; what a run takes is measured apart


@dataclass(frozen=True)
class Application:
    """A linked application.

    Attributes:
        path: The ELF file.
        flash_bytes: Everything that is stored in flash, alignment included.
        static_bytes: .data and .bss, without the arena.
        arena_bytes: The arena's sections.
        stack_bytes: Bound on the stack of a run, and of what stands around it; None when the
            compiler cannot tell.
        symbols: Function or table -> flash bytes, largest first.
        compiler: Name and version.
        stacks: Entry -> its stack bound with path and functions; the run function's first.
    """

    path: Path
    flash_bytes: int
    static_bytes: int
    arena_bytes: int
    stack_bytes: int | None
    symbols: dict[str, int]
    compiler: str
    stacks: Mapping[str, StackBound]


def build_application(
    folder: Path,
    sources: Sequence[str],
    run_function: str,
    board: Board,
    *,
    also: Sequence[str] = (),
    optimize: str = "balanced",
    toolchain: Toolchain | None = None,
) -> Application:
    """Compiles `sources` of `folder` with the board's start-up and links them; nothing is run.

    Args:
        folder: The generated C.
        sources: File names below it, the one with `main` among them.
        run_function: For the stack bound.
        also: Other functions that an application calls, for it too.

    Raises:
        ToolchainError: E503 compile, E504 link, E506 it does not fit the board.
    """
    toolchain = toolchain or find_toolchain(board)
    common = data_dir("boards") / "common"
    out = folder / "build"
    out.mkdir(parents=True, exist_ok=True)
    (out / "mcuc_board.h").write_text(board_header(board), encoding="utf-8")
    script = out / "firmware.ld"
    regions = [region.name for region in board.target.regions]
    script.write_text(linker_script(board, regions, STACK_BYTES), encoding="utf-8")
    options = Options(optimize=optimize, include_dirs=(folder,), stack_usage=True)
    own = Options(include_dirs=(out, common))
    objects = compile_objects(
        toolchain, board, [Source(folder / name) for name in sources], options, out / "model"
    )
    startup = [Source(common / name) for name in STARTUP_FILES]
    objects_own = compile_objects(toolchain, board, startup, own, out / "start")
    path = link(
        toolchain,
        board,
        [*objects_own, *objects],
        out / "application.elf",
        script=script,
        options=options,
    )
    return _measured(read_elf(path), objects, (run_function, *also), toolchain, board)


def _stored_bytes(elf: Elf, board: Board) -> int:
    """From the start of each program memory to the end of what is stored there, gaps included."""
    total = 0
    for memory in (board.flash, board.rodata):
        if memory is not None:
            ends = [
                section.load_address + section.size_bytes - memory.address
                for section in elf.sections
                if section.stored and 0 <= section.load_address - memory.address < memory.size_bytes
            ]
            total += max(ends, default=0)
    return total


def _measured(
    elf: Elf, objects: Sequence[Path], entries: Sequence[str], toolchain: Toolchain, board: Board
) -> Application:
    taken = sizes(elf)
    arena = sum(size for name, size in taken.sections.items() if name.startswith(ARENA_PREFIX))
    stack = taken.sections.get(".stack", 0)
    flash = [s for s in elf.symbols if s.kind in ("func", "object")]
    stored = {s.name for s in elf.sections if s.stored}
    symbols = sorted(
        ((s.name, s.size_bytes) for s in flash if s.section in stored and s.size_bytes),
        key=lambda item: (-item[1], item[0]),
    )
    stacks = {entry: stack_bound(objects, entry, elf.path) for entry in entries}
    known = [bound.bytes for bound in stacks.values() if bound.bytes is not None]
    return Application(
        path=elf.path,
        flash_bytes=_stored_bytes(elf, board),
        static_bytes=taken.data + taken.bss - arena - stack,
        arena_bytes=arena,
        stack_bytes=max(known) if len(known) == len(stacks) else None,
        symbols=dict(symbols),
        compiler=version(toolchain),
        stacks=stacks,
    )
