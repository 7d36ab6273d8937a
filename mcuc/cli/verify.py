"""`mcuc verify`."""

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
)
from mcuc.cli.show import profile as profile_table
from mcuc.cli.source import compiled_source, save_report

MISMATCH_EXIT = 3


@click.command("verify")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--on", "where", type=Places(), default="reference,host,qemu", show_default=True,
              help="Places to compare, separated by commas.")  # fmt: skip
@click.option("--vectors", type=click.IntRange(0, 100_000), default=4, show_default=True,
              help="Random sets of inputs.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the random inputs.")  # fmt: skip
@click.option("--input", "data", type=click.Path(path_type=Path), multiple=True,
              help="A set of inputs to check as well: .npy, .npz or image.")  # fmt: skip
@click.option("--against", type=click.Choice(["tflite", "onnxruntime"]), default=None,
              help="Also compare with TFLite's own interpreter, or ONNX Runtime.")  # fmt: skip
@click.option("--profile", is_flag=True,
              help="Also count what each layer takes, beside what was predicted.")  # fmt: skip
@device_options
@data_options
@compile_options
@json_option
@reporting
def command(
    source: Path,
    where: tuple[str, ...],
    vectors: int,
    seed: int,
    data: tuple[Path, ...],
    against: str | None,
    profile: bool,
    transport: str,
    port: str,
    upload: str,
    factor: float | None,
    offset: float,
    as_json: bool,
    **given: Any,
) -> Json:
    """Prove that SOURCE gives the same bytes everywhere, or name the first layer that does not."""
    from mcuc.inputs.vectors import load_inputs
    from mcuc.proof.places import Access
    from mcuc.proof.verify import verify_model

    if vectors == 0 and not data:
        raise click.UsageError("--vectors 0 without an --input leaves nothing to compare")
    if set(where) == {"reference"} and against is None:
        raise click.UsageError("the reference alone compares with nothing: see --on, --against")
    if profile and {"qemu", "board"}.isdisjoint(where):
        raise click.UsageError("--profile counts on a device: see --on")
    access = Access(transport, port, upload)
    compiled = compiled_source(source, given)
    sets = [load_inputs(path, compiled.lowered.whole, factor, offset) for path in data]
    with progress(f"verifying {compiled.project.name}", as_json):
        report = verify_model(
            compiled, where, vectors, against or "", sets, seed, access=access, profile=profile
        )
    save_report(compiled, report)
    result = report["verify"]
    if not as_json:
        runs = result["vectors"] * result["runs_per_vector"]
        on = ", ".join(result["on"]) + (f" ({result['board']})" if result["board"] else "")
        also = f", against {result['against']}" if result["against"] else ""
        if result["float_tolerance"]:
            also += f" (float32 within {result['float_tolerance']:g} of the largest magnitude)"
        if result["sqnr_db"] is not None:
            also += f", signal to noise {result['sqnr_db']} dB"
        click.echo(f"{result['vectors']} vectors, {runs} runs each on {on}{also}")
        if result["device"]:
            _device(result["device"])
        if result["mismatches"]:
            click.echo(f"MISMATCH: {result['mismatches']} runs differ")
            click.echo(_first(result["first_mismatch"]))
        else:
            click.echo("all bytes equal")
        if result["stack_bytes"]:
            limit = f"{result['stack_limit_bytes']:,}"
            click.echo(f"most stack of a run: {result['stack_bytes']:,} of {limit} bytes")
        if result["constant_output"]:
            click.echo("note: all --input give the same output: are they scaled as in training?")
        if profile:
            profile_table(report, compiled.board.counter.unit)
    return {**report, "exit": MISMATCH_EXIT if result["mismatches"] else 0}


def _device(device: Json) -> None:
    """What ran, so that its times can be judged."""
    clock = f" at {device['clock_hz'] / 1e6:g} MHz" if device["clock_hz"] else ""
    names = [n for n in ("instruction", "data") if device[f"{n}_cache"]]
    caches = f", {' and '.join(names)} cache on" if names else ""
    click.echo(
        f"device: {device['board']}{clock}{caches}; compiler {device['compiler']} {device['flags']}"
    )
    for doubt in device["doubts"]:
        click.echo(f"note: {doubt}")


def _first(where: Json) -> str:
    """Where the first difference was found."""
    place = f"on {where['on']}, vector {where['vector']}"
    if where.get("step") is None and where.get("op_index") is None:
        return f"first: an output {place}; every layer that could be compared is right"
    kernel = f", kernel {where['kernel']}" if where.get("kernel") else ""
    number = "" if where["op_index"] is None else f"{where['op_index']} "
    lines = [f'first: op {number}{where["op"]} "{where["tensor"]}" {place}{kernel}']
    lines += [
        f"  element {element['at']}: {element['got']}, should be {element['want']}"
        for element in where.get("elements", ())
    ]
    return "\n".join(lines)
