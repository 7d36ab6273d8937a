"""`mcuc fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, json_option, model_options, progress, reporting, table


@click.command("fit")
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--board", "boards", multiple=True, metavar="BOARD",
              help="Only this board; may be repeated. Default: all.")  # fmt: skip
@model_options
@json_option
@reporting
def command(model: Path, boards: tuple[str, ...], as_json: bool, **given: Any) -> Json:
    """Which boards MODEL fits, and why not.

    The exit code is 0 whether or not a board fits: the table is the answer.
    """
    from mcuc.cli.source import options_of
    from mcuc.compiler.fit import fit_model
    from mcuc.device.boards import list_boards

    with progress(f"compiling {model.name}", as_json) as say:
        document = fit_model(
            model,
            boards or list_boards(),
            options_of(given, {}),
            lambda name: say(f"compiling {model.name} for {name}"),
        )
    if not as_json:
        _show(document)
    return document


def _show(document: Json) -> None:
    rows = document["boards"]
    table(
        document["model"]["file"],
        ("board", "core", "fits", "RAM need", "RAM have", "flash need", "flash have", "reason"),
        [
            (
                row["id"],
                row["core"],
                row["fits"],
                row["ram_need_bytes"],
                row["ram_have_bytes"],
                row["flash_need_bytes"],
                row["flash_have_bytes"],
                row["reason"]["what"] if row["reason"] else "",
            )
            for row in rows
        ],
    )
    inexact = ", ".join(row["id"] for row in rows if not row["exact"])
    if inexact:
        click.echo(f"note: no compiler for {inexact}: code, static data and stack are not counted")
