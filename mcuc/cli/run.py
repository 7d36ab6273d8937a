"""`mcuc run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mcuc.cli.command import (
    Json,
    compile_options,
    data_options,
    device_options,
    json_option,
    progress,
    reporting,
    table,
)
from mcuc.cli.source import compiled_source, save_report

BOX = ("top", "left", "bottom", "right")


@click.command("run")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--on", "place", type=click.Choice(["host", "qemu", "board"]), default="qemu",
              help="Where to run.", show_default=True)  # fmt: skip
@click.option("--input", "data", type=click.Path(path_type=Path), default=None,
              help=".npy, .npz or image; without it seeded random input.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the random input.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), default=None,
              help="Store the outputs in an .npz.")  # fmt: skip
@device_options
@data_options
@compile_options
@json_option
@reporting
def command(
    source: Path,
    place: str,
    data: Path | None,
    seed: int,
    output: Path | None,
    transport: str,
    port: str,
    upload: str,
    factor: float | None,
    offset: float,
    as_json: bool,
    **given: Any,
) -> Json:
    """Run SOURCE (a model, or a folder that compile wrote): outputs, instructions, stack."""
    from mcuc.inputs.vectors import load_inputs, random_vectors
    from mcuc.proof.around import instructions_around, postprocess, preprocess, raw_sample
    from mcuc.proof.places import Access
    from mcuc.proof.run import run_model

    compiled = compiled_source(source, given)
    graph = compiled.lowered.whole
    sample = None
    if data is None:
        vector = random_vectors(graph, 1, seed)[0]
    elif compiled.around.before is not None:
        sample = raw_sample(data, compiled, factor, offset)
        vector = preprocess(compiled, [sample])
    else:
        vector = load_inputs(data, graph, factor, offset)
    with progress(f"running {compiled.project.name}", as_json):
        outputs, report = run_model(compiled, place, vector, access=Access(transport, port, upload))
    names = [port.name for port in compiled.project.outputs]
    report["run"]["input"] = str(data.name) if data else f"random, seed {seed}"
    report["run"]["outputs"] = {
        name: array.reshape(-1)[:32].tolist() for name, array in zip(names, outputs, strict=True)
    }
    if compiled.around.behind is not None:
        report["run"]["found"] = postprocess(compiled, [outputs])[0]
    if place == "qemu" and compiled.around:
        report["run"]["around"] = instructions_around(compiled, sample, outputs)
    if output is not None:
        _store(output, dict(zip(names, outputs, strict=True)))
    save_report(compiled, report)
    if not as_json:
        _show(report)
    return report


def _store(path: Path, outputs: dict[str, Any]) -> None:
    """An .npz with the outputs by name; names are any text, so they are no keywords."""
    import io
    import zipfile

    import numpy as np

    from mcuc.compiler.output import replace_file

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in outputs.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    replace_file(path, content.getvalue())


def _finding(found: Json) -> str:
    """One class or box as words."""
    name = found["label"] if found["label"] is not None else found["index"]
    box = "".join(f" {key}={found[key]:.3f}" for key in BOX if key in found)
    return f"{name} {found['score']:.4f}{box}"


def _show(report: Json) -> None:
    from mcuc.cli.show import layers

    layers(report)
    run = report["run"]
    rows = [("instructions", run["instructions"]), ("stack bytes", run["stack_bytes"])]
    if run["instructions"]:
        macs = max(1, report["macs"]["executed"])
        rows.append(("instructions per MAC", f"{run['instructions'] / macs:.2f}"))
    rows += [(name, " ".join(map(str, values))) for name, values in run["outputs"].items()]
    rows += [(f"instructions of {k}", n) for k, n in run.get("around", {}).items()]
    rows += [("found", _finding(found)) for found in run.get("found", [])]
    table(f"run on {run['on']} ({run['input']})", ("", ""), rows)
