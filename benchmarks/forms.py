"""Every `.tflite` file of the test data against TFLite, row by row and layer by layer.

    python -m benchmarks.forms                 all; writes results/forms.json
    python -m benchmarks.forms --only PATTERN  some; prints, and writes nothing

`python -m benchmarks.verify_all --docs` shows the results.

Each file runs on 20 random and 5 realistic sets of inputs, and on those of stored outputs, in the
schedules `stream` and `layer`, on the host and on an emulated Cortex-M4; a model with state on 50
in a row, and again after a reset. Integers must be those of BUILTIN_REF, float32 within 1e-5 of
the largest magnitude, also where it ends a model on integers ("float32 end"); of dynamic range,
whose inputs are rounded at run time, 99.9 % of all elements within 1e-4. The bytes of host and
board must be equal in every form.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.form_of import form_of
from benchmarks.measure import Check, Outputs, run_on, same_outputs
from benchmarks.models import MAIN_BOARD, MODELS, ROOT, data_folder, model_file
from benchmarks.runs import run, run_tflite
from benchmarks.samples import realistic_inputs
from benchmarks.sources import form_source_files, sources_sha256
from benchmarks.verify_all import FORMS_RESULTS as RESULTS
from benchmarks.verify_all import in_processes, tools
from mcuc.compiler.bench import Unit
from mcuc.compiler.compile import compile_model
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.device.boards import load_board
from mcuc.device.tflite_oracle import OracleError
from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite.load import read_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array, Graph, Node
from mcuc.ir.types import DType
from mcuc.ops import spec_of
from mcuc.ops.spec import Site
from mcuc.proof.verify import in_sequence
from mcuc.report.document import Json
from mcuc_codegen.project import generate
from tests.support.golden import seeded_inputs

CACHE = ROOT / ".cache" / "forms"
COMMAND = "python -m benchmarks.forms"
RANDOM_VECTORS, REAL_VECTORS, CALLS = 20, 5, 50
SCHEDULES = ("stream", "layer")
FLOAT_END = ", float32 end"
FLOAT_ENDS = ("log_softmax", "logistic", "softmax", "unary")  # on which C libraries differ
BOARD_BYTES = 3_300_000  # constants of a program that has to fit into the board's flash
FLOAT_TOLERANCE, HYBRID_TOLERANCE, HYBRID_SHARE = 1e-5, 1e-4, 0.999


def names() -> list[str]:
    """Relative to the folder of models, without the suffix."""
    folder = data_folder() / "models"
    return sorted(str(p.relative_to(folder).with_suffix("")) for p in folder.rglob("*.tflite"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when everything agrees."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="PATTERN", help="models whose name holds this")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    options = parser.parse_args(arguments)
    chosen = [n for n in names() if options.only is None or fnmatch.fnmatch(n, f"*{options.only}*")]
    if not chosen:
        print(f"no such models: {options.only}; is MCUC_DATA set?")
        return 2
    own = sources_sha256(form_source_files())
    started = time.monotonic()
    records, problems = in_processes(measure, chosen, options.jobs, CACHE / own[:16])
    print(f"{len(chosen)} files in {time.monotonic() - started:.0f} s")
    if options.only is not None:
        print(json.dumps(records, indent=1))
    if problems:
        print("\n".join(["PROBLEMS:", *problems]))
        return 1
    if options.only is None:
        found = {"sources_sha256": own, "tools": tools(), "models": dict(sorted(records.items()))}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


@dataclass(frozen=True)
class Wanted:
    """Inputs of a model, and what another implementation makes of them.

    Attributes:
        vectors: Sets of inputs, run one after another.
        outputs: Of each.
        against: Whose they are.
        counts: How many of which kind.
    """

    vectors: Sequence[Sequence[Array]]
    outputs: Outputs
    against: str
    counts: dict[str, int]


def measure(name: str) -> tuple[Json, list[str]]:
    """The record of a file, and what is wrong with it."""
    started = time.monotonic()
    file = model_file(name)
    data = file.read_bytes()
    try:
        graph = read_tflite(file, data).graph
        units = [_unit(graph, schedule, file.name) for schedule in SCHEDULES]
    except McucError as error:
        reasons = sorted({f"{p.code} {p.what}" for p in flatten(error)})
        return {"form": form_of(file, data), "refused": reasons}, []
    wanted = _wanted(name, data, graph)
    check = Check()
    record: Json = {
        "form": form_of(file, data) + (FLOAT_END if _ends_in_floats(graph) else ""),
        "stateful": bool(graph.states),
        "inputs": wanted.counts,
    }
    record["against"] = wanted.against
    host = _outputs(units, wanted, None)
    board = _outputs(units, wanted, MAIN_BOARD)
    for schedule, ours, emulated in zip(SCHEDULES, host, board, strict=True):
        check.same(f"{schedule}, {MAIN_BOARD} and host", emulated, ours)
        record[schedule] = _agreement(schedule, record["form"], ours, wanted, check)
    if name not in MODELS:
        record |= _figures(name, wanted.vectors[0])
    record["seconds"] = round(time.monotonic() - started)
    return record, check.problems


def _ends_in_floats(graph: Graph) -> bool:
    """Whether a model on integers computes in float32 too, as LOG_SOFTMAX behind a DEQUANTIZE."""
    weighted = [_is_float(graph, n) for n in graph.nodes if spec_of(n.op).macs(Site.of(graph, n))]
    ends = [n for n in graph.nodes if n.op in FLOAT_ENDS and _is_float(graph, n)]
    return bool(ends) and not any(weighted)


def _is_float(graph: Graph, node: Node) -> bool:
    first = graph.operand_types(node)[0] if node.inputs else None
    return first is not None and first.dtype is DType.F32


def _unit(graph: Graph, schedule: str, file: str) -> Unit:
    board = load_board(MAIN_BOARD)
    options = Options(board=MAIN_BOARD, schedule=schedule, minimize="sram")
    lowered = lower_and_plan(graph, board.target, options)
    project = generate(lowered.program, lowered.plan, f"model_{schedule}", file)
    return Unit(lowered.program, lowered.plan, project)


def _wanted(name: str, data: bytes, graph: Graph) -> Wanted:
    """Stored outputs last: they were made by the same interpreter, once and for all."""
    if graph.states:
        vectors, counts = random_vectors(graph, CALLS, 1), {"calls": CALLS}
    else:
        real = realistic_inputs(graph, REAL_VECTORS)
        vectors = [*random_vectors(graph, RANDOM_VECTORS, 1), *real]
        counts = {"random": RANDOM_VECTORS, "realistic": len(real)}
    try:
        outputs, against = run_tflite(data, vectors), "BUILTIN_REF"
    except OracleError as error:
        outputs, against = (
            in_sequence(graph, vectors, "litert-2.3"),
            f"own reference: {error.what.splitlines()[0]}",
        )
    if not graph.states:
        stored = _stored(name, graph)
        vectors += [inputs for inputs, _ in stored]
        outputs += [found for _, found in stored]
        counts["stored"] = len(stored)
    return Wanted(vectors, outputs, against, counts)


def _stored(name: str, graph: Graph) -> list[tuple[list[Array], list[Array]]]:
    """Sets of inputs with the outputs that lie in the folder `golden`, made from these seeds."""
    file = data_folder() / "models" / "golden" / f"{name.replace('/', '__')}.tflite.npz"
    if not file.is_file():
        return []
    with np.load(file, allow_pickle=False) as golden:
        seeds = [seed for seed in (0, 1) if f"s{seed}_y0" in golden.files]
        count = range(len(graph.outputs))
        return [
            (seeded_inputs(graph, seed), [golden[f"s{seed}_y{i}"] for i in count]) for seed in seeds
        ]


def _outputs(
    units: Sequence[Unit], wanted: Wanted, board_id: str | None
) -> list[list[list[Array]]]:
    """By unit, the outputs of every set of inputs; of a model with state twice, a reset between."""
    board = None if board_id is None else load_board(board_id)
    fits = board is None or sum(u.project.weights_bytes for u in units) < BOARD_BYTES
    resets = 2 if "calls" in wanted.counts else 1
    found = []
    for group in [units] if fits else [[unit] for unit in units]:
        poisons = (0x55, 0xAA)[:resets]
        results = run(group, board, wanted.vectors, poisons=poisons, merge=True)
        for unit, records in zip(group, results, strict=True):
            if any(record.code for record in records):
                raise RuntimeError("the run function returned an error")
            ordered = [r for reset in range(resets) for r in records[reset::resets]]
            found.append([unit.decode(record.outputs) for record in ordered])
    return found


def _agreement(
    schedule: str, form: str, ours: Outputs, wanted: Wanted, check: Check
) -> dict[str, Any]:
    """Equal sets; of float32 how far the worst element is, as a part of its output's largest."""
    theirs = list(wanted.outputs) * (len(ours) // len(wanted.outputs))
    pairs = list(zip(ours, theirs, strict=True))
    equal = sum(same_outputs(a, b) for a, b in pairs)
    if "float" not in form and "dynamic" not in form:
        if equal != len(pairs):
            check.problems.append(f"{schedule}: {len(pairs) - equal} of {len(pairs)} differ")
        return {"equal": equal}
    errors = np.concatenate([_errors(a, b) for x, y in pairs for a, b in zip(x, y, strict=True)])
    hybrid = "dynamic" in form
    within = float((errors <= (HYBRID_TOLERANCE if hybrid else FLOAT_TOLERANCE)).mean())
    if within < (HYBRID_SHARE if hybrid else 1.0):
        check.problems.append(f"{schedule}: {within:.3%} of elements within the tolerance")
    return {"equal": equal, "worst": float(f"{errors.max():.3g}"), "within": round(within, 6)}


def _errors(ours: Array, theirs: Array) -> Array:
    """Distance of each element, as a part of the largest magnitude; integers must be equal."""
    if ours.dtype != np.float32:
        return np.where(ours == theirs, 0.0, np.inf).ravel()
    largest = np.abs(theirs).max(initial=0.0) or 1.0
    return np.asarray(np.abs(ours.astype(np.float64) - theirs) / largest).ravel()


def _figures(name: str, vector: Sequence[Array]) -> Json:
    """What the model takes in the schedule that mcuc chooses."""
    compiled = compile_model(model_file(name), board=MAIN_BOARD)
    memory = compiled.report["memory"]
    (record,) = run_on(compiled, "board", [vector])
    return {
        "macs": compiled.report["macs"]["executed"],
        "arena_bytes": memory["arena_bytes"],
        "state_bytes": memory["state_bytes"],
        "flash_bytes": compiled.report["flash"]["total_bytes"],
        "stack_bytes": memory["stack_bytes"],
        "instructions": record.instructions,
    }


if __name__ == "__main__":
    sys.exit(main())
