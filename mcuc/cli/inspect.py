"""`mcuc inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, json_option, model_options, reporting, table


@click.command("inspect")
@click.argument("model", type=click.Path(path_type=Path))
@model_options
@click.option(
    "--board",
    default=None,
    help="Board id or path of a board.toml: RAM with its kernels, and predicted instructions.",
)
@click.option(
    "--receptive-field",
    is_flag=True,
    help="What each op sees of the input, and what it costs to cut into patches there.",
)
@click.option(
    "--patches",
    type=click.IntRange(1, 64),
    default=3,
    show_default=True,
    help="P of the P x P patches of --receptive-field.",
)
@json_option
@reporting
def command(
    model: Path,
    as_json: bool,
    board: str | None,
    receptive_field: bool,
    patches: int,
    **given: Any,
) -> Json:
    """Ops, shapes, MACs, weights, RAM per layer of MODEL, and all its problems."""
    from mcuc.cli.source import options_of
    from mcuc.compiler.inspect import inspect_model
    from mcuc.device.boards import load_board

    wanted = patches if receptive_field else None
    chosen = None if board is None else load_board(board)
    document, code = inspect_model(model, options_of(given, {}), wanted, chosen)
    if not as_json:
        _show(document)
        if board is not None:
            _show_predicted(document)
        if "receptive_field" in document:
            _show_fields(document["receptive_field"])
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


def _show_predicted(document: Json) -> None:
    """What each layer is expected to take on the board, by the cost model of the search."""
    table(
        f"predicted on {document['board']}, not measured",
        ("op", "name", "kind", "instructions", "per MAC", "kernel"),
        [
            (
                row["index"],
                row["name"][:40],
                row["op"],
                row["predicted"],
                f"{row['predicted'] / row['macs']:.2f}" if row["macs"] else "",
                " ".join(row["kernels"]),
            )
            for row in document["ops"]
            if row["predicted"] is not None
        ],
    )
    if document["predicted"] is not None:
        click.echo(f"instructions {document['predicted']:,}, predicted")


def _show_fields(found: Json) -> None:
    p = found["patches"]
    columns = (
        "op",
        "kind",
        "name",
        "window",
        "jump",
        f"{p}x{p} MACs",
        "patch",
        "peak",
        "halo MACs",
    )
    table(
        f"receptive fields, and the cost of {p}x{p} patches that end at an op",
        columns,
        [
            (
                row["index"],
                row["op"],
                row["name"][:40],
                _pair(row["window"]),
                _pair(row["jump"]),
                "" if row["overhead"] is None else f"{row['overhead']:.3f}",
                _pair(row["patch_window"]),
                row["peak_bytes"],
                row["halo_macs"] or "",
            )
            for row in found["ops"]
        ],
    )
    best = found["best"]
    if best is None:
        click.echo("no op can end the patches")
        return
    click.echo(
        f"least RAM in {p}x{p} patches: --schedule {best['schedule']}, "
        f"{100 * (best['overhead'] - 1):.1f} % more MACs in the patches, "
        f"{100 * (best['model_overhead'] - 1):.1f} % in all; live {best['peak_bytes']:,} bytes "
        f"(patches {best['patch_bytes']:,}, the rest {best['rest_bytes']:,}), image not counted"
    )
    if best["move"]:
        ops = ", ".join(map(str, best["move"]))
        click.echo(
            f"a network to be trained anew would move the spatial kernels of stride 1 behind the "
            f"cut (ops {ops}): patches of {_pair(best['moved_window'])} instead of "
            f"{_pair(best['window'])} pixels, {100 * (best['moved_overhead'] - 1):.1f} % more MACs"
        )


def _pair(value: list[int] | None) -> str:
    return "" if value is None else "x".join(map(str, value))


def _problem(error: Json) -> str:
    where = "" if error["op_index"] is None else f"op {error['op_index']} {error['op']}"
    where = f'{where} "{error["tensor"]}"' if error["tensor"] else where
    lines = [f"error[{error['code']}]: {error['what']}"]
    lines += [f"  --> {where.strip()}"] if where else []
    lines += [f"  {key}: {error[key]}" for key in ("why", "help") if error[key]]
    return "\n".join(lines)
