"""`mcuc boards`."""

from __future__ import annotations

import click

from mcuc.cli.command import Json, json_option, reporting, table


@click.command("boards")
@json_option
@reporting
def command(as_json: bool) -> Json:
    """The boards that mcuc knows: core, RAM, flash, and how they run."""
    from mcuc.device.boards import list_boards, load_board

    boards = [load_board(name) for name in list_boards()]
    if not as_json:
        rows = [
            (
                board.id,
                board.core,
                " + ".join(f"{r.name} {r.size_bytes >> 10}K" for r in board.target.regions),
                f"{board.target.flash_bytes >> 10}K",
                f"QEMU {board.emulator.machine}" if board.emulator else "hardware",
                board.description,
            )
            for board in boards
        ]
        table("", ("board", "core", "RAM", "flash", "runs on", "description"), rows)
    return {
        "schema": 1,
        "boards": [
            {
                "id": board.id,
                "core": board.core,
                "description": board.description,
                "source": board.source,
                "flash_bytes": board.target.flash_bytes,
                "regions": [
                    {"name": r.name, "address": r.address, "size_bytes": r.size_bytes}
                    for r in board.target.regions
                ],
                "emulated": board.emulator is not None,
            }
            for board in boards
        ],
    }
