"""Which boards a model fits: compiled and linked for each, need against have."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mcuc.compiler.compile import Compiled, compile_graph, load_model, read_model
from mcuc.compiler.options import Options
from mcuc.compiler.quantize import Arithmetic, in_arithmetic
from mcuc.device.board import Board
from mcuc.device.boards import load_board
from mcuc.errors import MemoryBudgetError
from mcuc.report.document import Json

# So much room is added to a board to learn what a model that does not fit would need. The address
# spaces of RAM and flash are 256 MiB apart on every core.
_ROOM_BYTES = 128 << 20


def fit_model(
    path: Path,
    names: Sequence[str],
    options: Options,
    progress: Callable[[str], None] = lambda name: None,
) -> Json:
    """One row per board: fits or not, and why.

    Args:
        path: Model file.
        names: Ids or paths of boards.
        options: Of the compilation; its board is not used.
        progress: Called with each board's id before it is tried.

    Raises:
        McucError: the model cannot be compiled for any board, or a board is unknown.
    """
    boards = [load_board(name) for name in names]
    data = read_model(path)
    arithmetic = in_arithmetic(load_model(path, data, options), path, options)
    rows = []
    for board in boards:
        progress(board.id)
        rows.append(_row(path, data, arithmetic, board, options))
    return {"schema": 1, "model": {"file": path.name}, "boards": rows}


def _row(path: Path, data: bytes, arithmetic: Arithmetic, board: Board, options: Options) -> Json:
    reason = None
    try:
        compiled = compile_graph(path, data, arithmetic, board, options)
    except MemoryBudgetError as error:
        reason = {"code": error.code, "what": error.what, "why": error.why, "help": error.help}
        compiled = compile_graph(path, data, arithmetic, _with_room(board), options)
    return {
        "id": board.id,
        "core": board.core,
        "fits": reason is None,
        **_needs(compiled),
        "ram_have_bytes": sum(region.size_bytes for region in board.target.regions),
        "flash_have_bytes": board.target.flash_bytes,
        "reason": reason,
    }


def _needs(compiled: Compiled) -> dict[str, Any]:
    """RAM and flash; without a compiler `exact` is false and code and stack are not in them."""
    memory, flash = compiled.report["memory"], compiled.report["flash"]
    exact = flash["total_bytes"] is not None and memory["stack_bytes"] is not None
    return {
        "ram_need_bytes": memory["total_bytes"],
        "flash_need_bytes": flash["total_bytes"] or flash["weights_bytes"],
        "exact": exact,
    }


def _with_room(board: Board) -> Board:
    """The board with plenty of memory: only for counting, nothing made for it can run."""
    target = board.target
    first = target.regions[0]
    larger = dataclasses.replace(first, size_bytes=first.size_bytes + _ROOM_BYTES)
    # Where programs run from RAM, the larger RAM would reach into them.
    start = first.address + larger.size_bytes
    address = 0 if first.address <= board.flash.address < start else board.flash.address
    size = board.flash.size_bytes + _ROOM_BYTES
    flash = dataclasses.replace(board.flash, address=address, size_bytes=size)
    rodata = board.rodata
    if rodata is not None:
        rodata = dataclasses.replace(rodata, size_bytes=rodata.size_bytes + _ROOM_BYTES)
    return dataclasses.replace(
        board,
        target=dataclasses.replace(
            target,
            regions=(larger, *target.regions[1:]),
            flash_bytes=target.flash_bytes + _ROOM_BYTES,
        ),
        flash=flash,
        rodata=rodata,
        emulator=None,  # its fence would cut the first region again
    )
