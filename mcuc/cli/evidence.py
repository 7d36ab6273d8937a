"""`mcuc evidence`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, compile_options, json_option, progress, reporting, table
from mcuc.cli.source import compiled_source, save_report

NOT_CLEAN_EXIT = 3


@click.command("evidence")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--sbom", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="Also write what is linked as an SPDX document.")  # fmt: skip
@compile_options
@json_option
@reporting
def command(source: Path, sbom: Path | None, as_json: bool, **given: Any) -> Json:
    """Stack, heap, static analysis and parts of SOURCE, for a safety case; exit 3 if not clean."""
    from mcuc.compiler.output import replace_file
    from mcuc.evidence.collect import clean, evidence

    compiled = compiled_source(source, given)
    with progress("building", as_json) as say:
        found = evidence(compiled, say)
    report = {**compiled.report, "evidence": found}
    save_report(compiled, report)
    if sbom is not None:
        text = json.dumps(found["sbom"], indent=2) + "\n"
        replace_file(sbom, text)
    if not as_json:
        _show(found)
        click.echo("clean" if clean(found) else "not clean")
    return {"schema": 1, "evidence": found, "exit": 0 if clean(found) else NOT_CLEAN_EXIT}


def _show(found: Json) -> None:
    stack = found["stack"]
    table("", ("", ""), [
        ("stack of a run", "not known" if stack["bound_bytes"] is None
         else f"{stack['bound_bytes']:,} B, {len(stack['functions'])} functions"),
        *(("deepest path", " > ".join(entry["deepest_path"]))
          for entry in stack["entries"].values()),
        ("unknown calls", ", ".join(stack["unknown"]) or "none"),
        ("recursion", "none"),
        ("heap", ", ".join(found["heap"]["allocators"]) or "none"),
        *((entry["tool"], "not installed" if entry["findings"] is None
           else f"{len(entry['findings'])} findings") for entry in found["analysis"]),
        ("parts linked", f"{len(found['sbom']['packages'])} packages, "
         f"{len(found['sbom']['files'])} files"),
    ])  # fmt: skip
    for entry in found["analysis"]:
        for line in entry["findings"] or ():
            click.echo(line)
