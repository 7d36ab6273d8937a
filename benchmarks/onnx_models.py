"""Every `.onnx` file of the test data: compiled, run on the host and in emulation, or why not.

    python -m benchmarks.onnx_models                 all; results/onnx_models.json and the page
    python -m benchmarks.onnx_models --only PATTERN  some; prints, and writes nothing
    python -m benchmarks.onnx_models --docs          docs/onnx_models.md from the results

Float models are compiled as float32, quantized ones as stored. Reference, host C and QEMU must give
the same bytes; a float model must agree with ONNX Runtime within 1e-5 of the largest magnitude, and
for all the signal-to-noise ratio against it is stored.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choice import choice
from benchmarks.models import ROOT, data_folder
from benchmarks.sources import onnx_source_files, sources_sha256
from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.compile import load_model
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.compiler.quantize import in_arithmetic, is_float
from mcuc.device.boards import load_board
from mcuc.errors import McucError, flatten
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops import spec_of
from mcuc.ops.spec import Site
from mcuc.proof import against_onnx
from mcuc.proof.verify import in_sequence
from mcuc.quant.fold_qdq import has_qdq
from mcuc_codegen.literals import identifier
from mcuc_codegen.project import generate

RESULTS = ROOT / "benchmarks" / "results" / "onnx_models.json"
DOCS = ROOT / "docs" / "onnx_models.md"
COMMAND = "python -m benchmarks.onnx_models"
BOARD = "qemu_m7"
# Float models whose outputs are further from ONNX Runtime's than 1e-5 of the largest, and why.
INEXACT = {
    "pkg/basic_pitch_nmp": "it takes the logarithm of sums that cancel to 1e-7 of their terms, "
    "where the order of float32 additions decides",
}
HOST_BYTES = 12_000_000  # constants of the models of one program
BOARD_BYTES = 3_300_000  # and of one that has to fit into the board's flash

# Sizes of inputs that files leave open, beside the batch.
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "pkg/ppocr_mobile_v2_cls": {"x": (1, 3, 48, 192)},
    "pkg/silero_vad_op18_ifless": {"input": (1, 576), "state": (2, 1, 128)},
}


def names() -> list[str]:
    """Relative to the folder of models, without the suffix."""
    folder = data_folder() / "models"
    return sorted(str(p.relative_to(folder).with_suffix("")) for p in folder.rglob("*.onnx"))


def file_of(name: str) -> Path:
    return data_folder() / "models" / f"{name}.onnx"


@dataclass
class Made:
    """A compiled model with its input, its reference outputs and its record."""

    name: str
    unit: Unit
    vector: list[Array]
    wanted: list[Array]
    record: dict[str, Any]


def make(name: str) -> Made | dict[str, Any]:
    """A model as far as C, compared with ONNX Runtime; or the record of one that is refused."""
    file = file_of(name)
    shapes = tuple((SHAPES.get(name) or {}).items())
    options = Options(board=BOARD, precision="auto", input_shapes=shapes)
    data = file.read_bytes()
    try:
        loaded = load_model(file, data, options)
        if is_float(loaded.graph) and not has_qdq(loaded.graph):
            options = replace(options, precision="float32")
        graph = in_arithmetic(loaded, file, options).graph
        lowered = lower_and_plan(graph, load_board(BOARD).target, options)
        project = generate(lowered.program, lowered.plan, identifier(file.stem), file.name)
    except McucError as error:
        reasons = sorted({f"{p.code} {p.loc.op}: {p.what}" for p in flatten(error)})
        return {"status": "refused", "reasons": reasons[:12]}
    (vector,) = random_vectors(lowered.whole, 1, 0)
    (wanted,) = in_sequence(lowered.whole, [vector], options.numerics)
    try:
        against = against_onnx.compare(
            data, loaded.graph, lowered.whole, [vector], options.numerics
        )
    except McucError:
        against = (0, None, None)  # ONNX Runtime refuses the file
    record = {
        "status": "inexact" if against[0] else "verified",
        "on": ["reference"],
        "float": not against_onnx.computes_on_integers(lowered.whole),
        "sqnr_db": against[2],
        "transpositions": sum(node.op == "transpose" for node in lowered.graph.nodes),
        "arena_bytes": lowered.plan.arena_bytes,
        "weights_bytes": project.weights_bytes,
        "macs": sum(spec_of(n.op).macs(Site.of(graph, n)) for n in graph.nodes),
    }
    return Made(name, Unit(lowered.program, lowered.plan, project), vector, wanted, record)


def run_all(models: Sequence[Made], place: str) -> None:
    """Runs models of one program; their records say whether the bytes are the reference's."""
    board = None if place == "host" else load_board(BOARD)
    units = [replace(m.unit, project=replace(m.unit.project)) for m in models]
    with tempfile.TemporaryDirectory(prefix="mcuc-onnx-") as folder:
        try:
            program = build_bench(units, Path(folder), board, optimize="size", merge=True)
            results = run_bench(program, units, [[m.vector] for m in models], runs=2)
        except McucError as error:
            print(f"{place}: {[m.name for m in models]}: {error}", flush=True)
            return
    for made, unit, records in zip(models, units, results, strict=True):
        found = [unit.decode(record.outputs) for record in records]
        same = all(
            a.tobytes() == np.ascontiguousarray(b).tobytes()
            for run in found
            for a, b in zip(run, made.wanted, strict=True)
        )
        made.record["on"].append(place)
        if not same:
            made.record["status"] = "differs"
        print(made.name, json.dumps(made.record), flush=True)


def programs(models: Sequence[Made], most: int) -> list[list[Made]]:
    """Models by programs whose constants take no more than so many bytes."""
    bins: list[list[Made]] = []
    for made in sorted(models, key=lambda m: -m.record["weights_bytes"]):
        size = made.record["weights_bytes"]
        for held in bins:
            if sum(m.record["weights_bytes"] for m in held) + size <= most:
                held.append(made)
                break
        else:
            bins.append([made])
    return bins


def page(stored: dict[str, Any]) -> str:
    """docs/onnx_models.md."""
    records: dict[str, Any] = stored["models"]
    board = sum("qemu" in record.get("on", ()) for record in records.values())
    good = sum("host" in r.get("on", ()) and r["status"] != "differs" for r in records.values())
    head = f"""# ONNX models

All {len(records)} `.onnx` files of the test data: {good} compile, with the same bytes in the
reference and on the host, {board} of them in QEMU ({BOARD}) too. Written by `{COMMAND}`.

"float32" models also agree with ONNX Runtime within 1e-5 of the largest magnitude; "as stored" are
quantized models, whose integer arithmetic rounds in its own way. SQNR: ONNX Runtime's outputs
against the difference from them, at most 200. Transpositions are those left at run time.

| model | arithmetic | SQNR dB | arena B | weights B | MACs | transpositions | places |
|---|---|---|---|---|---|---|---|
"""
    rows, refused = [], []
    for name, record in sorted(records.items()):
        if record["status"] == "refused":
            refused.append(f"| {name} | {'; '.join(record['reasons'])} |")
            continue
        kind = "float32" if record["float"] else "as stored"
        ratio = "-" if record["sqnr_db"] is None else f"{record['sqnr_db']:g}"
        kind = kind if record["status"] == "verified" else f"{kind}: {record['status']}"
        rows.append(
            f"| {name} | {kind} | {ratio} | {record['arena_bytes']:,} | "
            f"{record['weights_bytes']:,} | {record['macs']:,} | {record['transpositions']} | "
            f"{', '.join(record['on'])} |"
        )
    notes = [f"{name} is inexact: {why}." for name, why in INEXACT.items() if name in records]
    rest = ["", *notes, "", "## Refused", "| model | reasons |", "|---|---|", *refused, ""]
    return head + "\n".join([*rows, *rest])


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when nothing differs."""
    asked = choice(__doc__, arguments)
    if asked.docs:
        DOCS.write_text(page(json.loads(RESULTS.read_text("utf-8"))), encoding="utf-8")
        return 0
    records: dict[str, Any] = {}
    compiled = []
    for name in asked.of(names()):
        made = make(name)
        records[name] = made if isinstance(made, dict) else made.record
        print(name, json.dumps(records[name]), flush=True)
        if isinstance(made, Made):
            compiled.append(made)
    for place, most in (("host", HOST_BYTES), ("qemu", BOARD_BYTES)):
        for held in reversed(programs(compiled, most)):
            fitting = [m for m in held if m.record["weights_bytes"] <= most]
            if fitting:
                run_all(fitting, place)
    if asked.only is None:
        sources = sources_sha256(onnx_source_files())
        document = {"board": BOARD, "models": records, "sources_sha256": sources}
        text = json.dumps(document, indent=1, sort_keys=True)
        RESULTS.write_text(text + "\n", encoding="utf-8")
        DOCS.write_text(page(document), encoding="utf-8")
    return 1 if any(record["status"] == "differs" for record in records.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
