"""`mcuc quantize`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import Json, arithmetic_options, json_option, progress, reporting
from mcuc.cli.show import quantization

GATE_EXIT = 3


@click.command("quantize")
@click.argument("model", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), default=None,
              help="Write the model as QDQ .onnx, which ONNX Runtime runs.")  # fmt: skip
@click.option("--report", "show_layers", is_flag=True, help="Show every layer.")
@click.option("--labels", type=click.Path(path_type=Path), default=None,
              help="An .npz with x and labels y: accuracy before and after.")  # fmt: skip
@click.option("--min-sqnr", type=float, default=None, metavar="DB",
              help="Exit with 3 if an output is noisier than this.")  # fmt: skip
@click.option("--max-drop", type=float, default=None, metavar="POINTS",
              help="Exit with 3 if more points of accuracy are lost.")  # fmt: skip
@arithmetic_options
@json_option
@reporting
def command(
    model: Path,
    out: Path | None,
    show_layers: bool,
    labels: Path | None,
    min_sqnr: float | None,
    max_drop: float | None,
    as_json: bool,
    **given: Any,
) -> Json:
    """Quantizes MODEL, a float .onnx or .tflite, and says what that costs."""
    from mcuc.cli.source import options_of
    from mcuc.proof.quantize_model import quantize_model

    if max_drop is not None and labels is None:
        raise click.UsageError("--max-drop needs --labels")
    with progress(f"quantizing {model.name}", as_json):
        document = quantize_model(
            model,
            options_of(given, {}),
            out=out,
            labels=labels,
            min_sqnr_db=min_sqnr,
            max_drop=max_drop,
        )
    if not as_json:
        quantization(document, show_layers)
        if out is not None:
            click.echo(f"wrote {out}")
    failed = any(not gate["passed"] for gate in document["gates"])
    return {**document, "exit": GATE_EXIT if failed else 0}
