"""`mcuc compile`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, compile_options, json_option, progress, reporting
from mcuc.cli.show import summary


@click.command("compile")
@click.argument("model", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), default=None,
              help="Output folder; default: the model's name with _mcuc, here.")  # fmt: skip
@compile_options
@json_option
@reporting
def command(model: Path, out: Path | None, as_json: bool, **given: Any) -> Json:
    """MODEL (.tflite) -> a folder with C, the model, report.json and report.html."""
    from mcuc.cli.source import options_of
    from mcuc.compiler.compile import compile_with, write

    options = options_of(given, {})
    with progress(f"compiling {model.name}", as_json):
        compiled = compile_with(model, options)
        compiled = write(compiled, out or Path(f"{compiled.project.name}_mcuc"))
    if not as_json:
        summary(compiled.report)
        header = compiled.place(f"{compiled.project.name}.h")
        click.echo(f"wrote {compiled.directory}: {header}, report.html")
        if compiled.kept:
            click.echo(f"kept as you changed them: {', '.join(compiled.kept)}")
    return compiled.report
