"""`mcuc hil`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, json_option, progress, reporting, table


@click.command("hil")
@click.argument("lab_file", metavar="HIL_TOML", type=click.Path(path_type=Path))
@click.option("--board", "boards", multiple=True, metavar="NAME",
              help="Only this board of the lab; may be repeated.")  # fmt: skip
@click.option("--model", "models", multiple=True, metavar="NAME",
              help="Only this model: its file's name without ending; may be repeated.")  # fmt: skip
@click.option("--junit", type=click.Path(path_type=Path), default=None,
              help="Write JUnit XML.")  # fmt: skip
@click.option("--results", type=click.Path(path_type=Path), default=None,
              help="Write the JSON document.")  # fmt: skip
@click.option("--update-baseline", is_flag=True,
              help="Store what was measured as the new baseline.")  # fmt: skip
@json_option
@reporting
def command(
    lab_file: Path,
    boards: tuple[str, ...],
    models: tuple[str, ...],
    junit: Path | None,
    results: Path | None,
    update_baseline: bool,
    as_json: bool,
) -> Json:
    """Run the models of a lab on its boards, verify them, and compare with the baseline."""
    import json

    from mcuc.compiler.output import replace_file
    from mcuc.lab.description import load_lab
    from mcuc.lab.hil import load_baseline, run_lab, store_baseline
    from mcuc.report.junit import junit_xml

    lab = load_lab(lab_file)
    cases = [
        case
        for case in lab.cases
        if (not boards or case.board.name in boards) and (not models or case.model.stem in models)
    ]
    if not cases:
        raise click.UsageError("no case of the lab is chosen: see --board, --model")
    baseline = load_baseline(lab.baseline)
    with progress("hardware in the loop", as_json) as show:
        done = run_lab(lab, cases, {} if update_baseline else baseline, lambda c: show(c.name))
    document: Json = {
        "schema": 1,
        "passed": all(result.status == "passed" for result in done),
        "results": [result.as_json() for result in done],
    }
    if update_baseline:
        store_baseline(lab.baseline, baseline, done)
    if junit is not None:
        replace_file(junit, junit_xml(document["results"]))
    if results is not None:
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
        replace_file(results, text)
    if not as_json:
        _show(document, baseline)
    return {**document, "exit": max(result.exit_code for result in done)}


def _show(document: Json, baseline: dict[str, Any]) -> None:
    table(
        "",
        ("model", "board", "result", "count", "unit", "RAM", "stack", "baseline", "s"),
        [
            (
                r["model"],
                r["board"],
                r["status"],
                r["figures"].get("count"),
                r["figures"].get("unit"),
                r["figures"].get("ram_bytes"),
                r["figures"].get("stack_bytes"),
                baseline.get(r["case"], {}).get("count"),
                f"{r['seconds']:.1f}",
            )
            for r in document["results"]
        ],
    )
    for r in document["results"]:
        for problem in r["problems"]:
            click.echo(f"{r['case']}: {problem}")
