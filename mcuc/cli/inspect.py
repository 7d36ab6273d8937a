"""`mcuc inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, json_option, model_options, reporting, table


@click.command("inspect")
@click.argument("model", type=click.Path(path_type=Path))
@model_options
@json_option
@reporting
def command(model: Path, as_json: bool, **given: Any) -> Json:
    """Ops, shapes, MACs, weights, RAM per layer of MODEL, and all its problems."""
    from mcuc.build.inspect import inspect_model
    from mcuc.cli.source import options_of

    document, code = inspect_model(model, options_of(given, {}))
    if not as_json:
        _show(document)
    return {**document, "exit": code}


def _show(document: Json) -> None:
    for kind in ("inputs", "outputs"):
        for port in document[kind]:
            shape = "x".join(map(str, port["shape"]))
            quant = ""
            if port["scale"] is not None:
                quant = f" scale {port['scale']:g} zero point {port['zero_point']}"
            click.echo(f"{kind[:-1]} {port['name']!r}: {port['dtype']} {shape}{quant}")
    table(
        f"{document['model']['file']}: {len(document['ops'])} ops",
        ("op", "name", "kind", "type", "shape", "MACs", "weights", "RAM live", "problems"),
        [
            (
                row["index"],
                row["name"][:40],
                row["op"],
                row["dtype"],
                "x".join(map(str, row["shape"])),
                row["macs"],
                row["weights_bytes"],
                row["ram_bytes"],
                " ".join(row["problems"]),
            )
            for row in document["ops"]
        ],
    )
    if document["macs"] is not None:
        click.echo(f"MACs {document['macs']:,}, weights {document['weights_bytes']:,} B")
    if document["arena_bytes"] is not None:
        click.echo(f"arena {document['arena_bytes']:,} B, schedule {document['schedule']}")
    for note in document["notes"]:
        click.echo(f"note: {note}")
    errors = document["errors"]
    if errors:
        click.echo(f"{len(errors)} {'problem' if len(errors) == 1 else 'problems'}:", err=True)
    for error in errors:
        click.echo(_problem(error), err=True)


def _problem(error: Json) -> str:
    where = "" if error["op_index"] is None else f"op {error['op_index']} {error['op']}"
    where = f'{where} "{error["tensor"]}"' if error["tensor"] else where
    lines = [f"error[{error['code']}]: {error['what']}"]
    lines += [f"  --> {where.strip()}"] if where else []
    lines += [f"  {key}: {error[key]}" for key in ("why", "help") if error[key]]
    return "\n".join(lines)
