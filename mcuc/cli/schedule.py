"""`mcuc schedule`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcuc.cli.command import Json, compile_options, json_option, progress, reporting, table

if TYPE_CHECKING:
    from mcuc.schedule.front import Point


@click.command("schedule")
@click.argument("model", type=click.Path(path_type=Path))
@compile_options
@json_option
@reporting
def command(model: Path, as_json: bool, **given: Any) -> Json:
    """The front of MODEL: what less RAM costs in instructions. `compile --point N` takes one."""
    from mcuc.cli.source import options_of
    from mcuc.compiler.compile import load_model, read_model
    from mcuc.compiler.pipeline import lower_and_plan
    from mcuc.compiler.quantize import in_arithmetic
    from mcuc.device.boards import load_board

    options = options_of(given, {})
    with progress(f"scheduling {model.name}", as_json):
        loaded = load_model(model, read_model(model), options)
        graph = in_arithmetic(loaded, model, options).graph
        lowered = lower_and_plan(graph, load_board(options.board).target, options)
    front = lowered.chosen.front
    fastest = front[-1].instructions if front else 1
    points = [_point(number, point) for number, point in enumerate(front)]
    if not as_json:
        rows = [
            (
                p["point"],
                p["ram_bytes"],
                p["instructions"],
                f"{100 * (p['instructions'] / fastest - 1):.2f}",
                p["macs"],
                len(p["tiles"]),
                "<-" if p["point"] == lowered.chosen.point else "",
            )
            for p in points
        ]
        columns = ("point", "RAM bytes", "predicted instructions", "+%", "MACs", "tiles", "chosen")
        table(f"{model.name} on {options.board}", columns, rows)
        arena = lowered.plan.arena_bytes
        click.echo(f"arena of the chosen schedule ({lowered.chosen.kind}): {arena:,} bytes")
    return {
        "schema": 1,
        "points": points,
        "chosen": lowered.chosen.point,
        "kind": lowered.chosen.kind,
        "arena_bytes": lowered.plan.arena_bytes,
    }


def _point(number: int, point: Point) -> Json:
    schedule = point.schedule
    return {
        "point": number,
        "ram_bytes": point.ram_bytes,
        "instructions": point.instructions,
        "macs": point.macs,
        "streams": [
            [group.nodes[0], group.nodes[-1] + 1]
            for group in schedule.groups
            if group.kind == "stream"
        ],
        "tiles": [asdict(tile) for tile in schedule.tiles],
    }
