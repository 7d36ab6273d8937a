"""`mcuc boards`."""

from __future__ import annotations

from pathlib import Path

import click

from mcuc.cli.command import Json, json_option, reporting, table


@click.group("boards", invoke_without_command=True)
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """The boards that mcuc knows: core, RAM, flash, and how they run."""
    if context.invoked_subcommand is None:
        _list(as_json=as_json)


@command.command("new")
@click.argument("name")
@click.option("--like", default=None, help="Start from this board, or board.toml.")
@click.option("-o", "--out", type=click.Path(path_type=Path), default=None,
              help="Folder for the file; default: one called like the board.")  # fmt: skip
@json_option
@reporting
def new(name: str, like: str | None, out: Path | None, as_json: bool) -> Json:
    """A board.toml for a board of your own; NAME is its id."""
    from mcuc.lab.board_template import new_board

    path = new_board(name, like, out)
    if not as_json:
        task = "change it" if like else "fill it in"
        click.echo(f"wrote {path}: {task}, then mcuc compile MODEL --board {path}")
    return {"schema": 1, "board": name, "path": str(path)}


@reporting
def _list(as_json: bool) -> Json:
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
                    {
                        "name": r.name,
                        "address": r.address,
                        "size_bytes": r.size_bytes,
                        "use": r.use,
                    }
                    for r in board.target.regions
                ],
                "emulated": board.emulator is not None,
                "clock_hz": board.clock.hz if board.clock else None,
                "platformio": board.platformio.board if board.platformio else None,
            }
            for board in boards
        ],
    }
