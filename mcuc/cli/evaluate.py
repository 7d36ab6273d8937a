"""`mcuc evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import (
    Json,
    Places,
    compile_options,
    data_options,
    device_options,
    json_option,
    progress,
    reporting,
    table,
)
from mcuc.cli.source import compiled_source, save_report

MISMATCH_EXIT = 3


@click.command("evaluate")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), required=True,
              help="An .npz with x [N, ...] and y [N], or a folder per class.")  # fmt: skip
@click.option("--on", "where", type=Places(), default="qemu", show_default=True,
              help="Places to run, separated by commas: reference, host, qemu, board.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=None, help="Only the first samples.")
@click.option("--against", type=click.Choice(["tflite", "float"]), default=None,
              help="Also TFLite's interpreter, sample by sample; or the float model that was "
              "quantized.")  # fmt: skip
@device_options
@data_options
@compile_options
@json_option
@reporting
def command(
    source: Path,
    data: Path,
    where: tuple[str, ...],
    limit: int | None,
    against: str | None,
    transport: str,
    port: str,
    upload: str,
    factor: float | None,
    offset: float,
    as_json: bool,
    **given: Any,
) -> Json:
    """Top-1 accuracy of SOURCE on labelled samples."""
    from mcuc.proof.evaluate import evaluate_model, load_samples
    from mcuc.proof.places import Access

    compiled = compiled_source(source, given)
    samples, labels = load_samples(data, compiled, factor, offset, limit)
    with progress(f"evaluating {len(samples)} samples", as_json):
        access = Access(transport, port, upload)
        report = evaluate_model(compiled, where, samples, labels, against or "", access)
    save_report(compiled, report)
    result = report["accuracy"]
    if not as_json:
        table("accuracy", ("", ""), _rows(result))
    differ = result["samples_that_differ_between_places"]
    differ += result.get("samples_that_differ_from_tflite", 0)
    return {**report, "exit": MISMATCH_EXIT if differ else 0}


def _rows(result: Json) -> list[tuple[str, object]]:
    """The figures with words of our own."""
    count = result["samples"]
    rows: list[tuple[str, object]] = [("samples", count), ("top1", f"{result['top1']:.4f}")]
    rows += [(f"right on {place}", n) for place, n in result["correct_by_place"].items()]
    if "top_k" in result:
        rows.append((f"among the best {result['top_k']['k']}", result["top_k"]["correct"]))
    rows.append(("samples that differ", result["samples_that_differ_between_places"]))
    if "tflite_correct" in result:
        rows.append(("right in TFLite", result["tflite_correct"]))
        rows.append(("samples that differ from TFLite", result["samples_that_differ_from_tflite"]))
    if "float" in result:
        beside = result["float"]
        rows.append(("right in float32 (ONNX Runtime)", beside["float_correct"]))
        rows.append(("points lost", f"{beside['drop_points']:.2f}"))
    return rows
