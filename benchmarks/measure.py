"""Everything that is measured and compared for one model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.models import EVERY_CORE, MAIN_BOARD, OTHER_BOARDS, model_file, tflm
from benchmarks.runs import run, run_tflite
from benchmarks.samples import LABELLED, labelled, real_inputs
from mcuc.compiler.compile import Compiled, compile_model
from mcuc.device.harness import RunRecord
from mcuc.errors import ScheduleError
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from mcuc.report.document import Json

RANDOM_VECTORS = 5
REAL_VECTORS = 3
THOROUGH_VECTORS = 2  # twice in a row on two differently filled arenas; on the host sanitized
EMULATED_SAMPLES = 50
SEED = 1
CALL_STACK_BYTES = 32  # the test program's own frames between the measured point and the model
PATCHED_OPS = 9
OTHER_SCHEDULES = (
    ("layer", "layer", "consumed"),
    ("stream", "stream", "consumed"),
    ("kept input", "auto", "kept"),
    ("streamed input", "auto", "streamed"),
    ("patch", "patch", "consumed"),
)

Outputs = Sequence[Sequence[Array]]


@dataclass
class Check:
    """Collects what differs, in words."""

    problems: list[str] = field(default_factory=list)

    def same(self, what: str, got: Outputs, want: Outputs) -> int:
        """Number of sets of outputs that are equal byte for byte."""
        equal = [same_outputs(a, b) for a, b in zip(got, want, strict=True)]
        if not all(equal):
            self.problems.append(f"{what}: {equal.count(False)} of {len(equal)} differ")
        return equal.count(True)


def same_outputs(a: Sequence[Array], b: Sequence[Array]) -> bool:
    """Equal in shape, type and every byte."""
    return len(a) == len(b) and all(
        x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()
        for x, y in zip(a, b, strict=True)
    )


def run_on(
    compiled: Compiled,
    place: str,
    vectors: Sequence[Sequence[Array]],
    *,
    thorough: bool = False,
    sanitize: bool = False,
) -> list[RunRecord]:
    """Runs on "host" or "board"; records in the order vector, fill, run."""
    board = compiled.board if place == "board" else None
    (records,) = run(
        [compiled.unit],
        board,
        vectors,
        runs=2 if thorough else 1,
        poisons=(0x55, 0xAA) if thorough else (0x55,),
        sanitize=sanitize,
    )
    return records


def decoded(compiled: Compiled, records: Sequence[RunRecord]) -> list[list[Array]]:
    """The outputs of each run; a run function that reports an error has none."""
    if any(record.code for record in records):
        raise RuntimeError("the run function returned an error")
    return [compiled.unit.decode(record.outputs) for record in records]


def measure(name: str, say: Callable[[str], None]) -> tuple[Json, list[str]]:
    """The record of a model, and what is wrong with it.

    Args:
        name: Of MODELS.
        say: Takes lines of progress.
    """
    started = time.monotonic()
    compiled = compile_model(model_file(name), board=MAIN_BOARD)
    say(f"{name}: compiled in {time.monotonic() - started:.1f} s")
    graph = compiled.lowered.source
    real = real_inputs(graph, REAL_VECTORS)
    vectors = [*random_vectors(graph, RANDOM_VECTORS, SEED), *real]
    wanted = run_tflite(compiled.model_bytes, vectors)
    check = Check()
    ours = [run_reference(graph, vector) for vector in vectors]
    identical = {"reference": check.same("reference", ours, wanted)}
    identical["host"] = _on_host(compiled, vectors, wanted, check)
    instructions: dict[str, int | None] = {}
    identical[MAIN_BOARD], first = _on_board(compiled, vectors, wanted, check)
    instructions[MAIN_BOARD] = first.instructions
    bound = compiled.report["memory"]["stack_bytes"]
    if bound is not None and (first.stack_bytes or 0) > bound + CALL_STACK_BYTES:
        check.problems.append(f"stack {first.stack_bytes} > the bound {bound}")
    for board in OTHER_BOARDS if name in EVERY_CORE else ():
        other = compile_model(model_file(name), board=board)
        identical[board], record = _on_board(other, vectors, wanted, check)
        instructions[board] = record.instructions
    schedules = _other_schedules(name, vectors[:1], wanted[:1], check)
    result: Json = {
        **_figures(compiled, check, name),
        "stack_measured_bytes": first.stack_bytes,
        "instructions": instructions,
        "vectors": {"random": RANDOM_VECTORS, "real": len(real)},
        "identical_to_tflite": identical,
        "schedules": schedules,
        "accuracy": _accuracy(compiled, name, check) if name in LABELLED else None,
    }
    say(f"{name}: done in {time.monotonic() - started:.0f} s, {len(check.problems)} problems")
    return result, check.problems


def _other_schedules(
    name: str, vectors: Sequence[Sequence[Array]], wanted: Outputs, check: Check
) -> Json:
    """Arena and instructions of the schedules that "auto" did not take; same bytes on the board."""
    result: Json = {}
    for label, schedule, mode in OTHER_SCHEDULES:
        compiled = _compiled(name, schedule, mode)
        if compiled is None:
            continue
        place = f"{MAIN_BOARD}, {label}"
        check.same(f"host, {label}", decoded(compiled, run_on(compiled, "host", vectors)), wanted)
        records = run_on(compiled, "board", vectors)
        check.same(place, decoded(compiled, records), wanted)
        memory = compiled.report["memory"]
        result[label] = {
            "schedule": compiled.options.schedule,
            "arena_bytes": memory["arena_bytes"] + memory["state_bytes"],
            "macs": compiled.report["macs"]["executed"],
            "instructions": records[0].instructions,
        }
    return result


def _compiled(name: str, schedule: str, input_mode: str) -> Compiled | None:
    """The model, or None if it cannot be scheduled so (a first layer that needs the whole input).

    2x2 patches end at the latest of the first ops that can end them.
    """
    if schedule != "patch":
        try:
            return compile_model(
                model_file(name),
                board=MAIN_BOARD,
                schedule=schedule,
                minimize="sram",
                input_mode=input_mode,
            )
        except ScheduleError:
            return None
    for index in reversed(range(1, PATCHED_OPS)):
        try:
            return compile_model(model_file(name), board=MAIN_BOARD, schedule=f"patch:2x2@{index}")
        except ScheduleError:
            continue
    return None


def _figures(compiled: Compiled, check: Check, name: str) -> Json:
    memory, flash = compiled.report["memory"], compiled.report["flash"]
    peer = tflm().get(name)
    if peer is not None and memory["arena_bytes"] > peer.arena_bytes:
        check.problems.append(f"arena {memory['arena_bytes']} > {peer.arena_bytes} of TFLM")
    return {
        "macs": compiled.report["macs"]["executed"],
        "arena_bytes": memory["arena_bytes"],
        "lower_bound_bytes": memory["lower_bound_bytes"],
        "optimal": memory["optimal"],
        "tflm_arena_bytes": peer and peer.arena_bytes,
        "tflm_m4_instructions": peer and peer.m4_instructions,
        "flash_bytes": flash["total_bytes"],
        "weights_bytes": flash["weights_bytes"],
        "stack_bound_bytes": memory["stack_bytes"],
    }


def _on_host(
    compiled: Compiled, vectors: Sequence[Sequence[Array]], wanted: Outputs, check: Check
) -> int:
    few = THOROUGH_VECTORS
    strict = run_on(compiled, "host", vectors[:few], thorough=True, sanitize=True)
    fourfold = [want for want in wanted[:few] for _ in range(4)]
    check.same("host, sanitized", decoded(compiled, strict), fourfold)
    return check.same("host", decoded(compiled, run_on(compiled, "host", vectors)), wanted)


def _on_board(
    compiled: Compiled, vectors: Sequence[Sequence[Array]], wanted: Outputs, check: Check
) -> tuple[int, RunRecord]:
    place = compiled.board.id
    strict = run_on(compiled, "board", vectors[:1], thorough=True)
    check.same(f"{place}, repeated", decoded(compiled, strict), [wanted[0]] * 4)
    records = run_on(compiled, "board", vectors)
    equal = check.same(place, decoded(compiled, records), wanted)
    if records[0].instructions is None:
        check.problems.append(f"{place}: instructions were not counted")
    return equal, records[0]


def _accuracy(compiled: Compiled, name: str, check: Check) -> Json:
    samples, labels = labelled(name, compiled.lowered.source)
    wanted = run_tflite(compiled.model_bytes, samples)
    ours = decoded(compiled, run_on(compiled, "host", samples))
    few = min(EMULATED_SAMPLES, len(samples))
    emulated = decoded(compiled, run_on(compiled, "board", samples[:few]))
    return {
        "samples": len(samples),
        "correct": _correct(ours, labels),
        "tflite_correct": _correct(wanted, labels),
        "identical_on_host": check.same("samples on the host", ours, wanted),
        "emulated_samples": few,
        "identical_emulated": check.same("samples on the board", emulated, wanted[:few]),
    }


def _correct(outputs: Outputs, labels: Array) -> int:
    return sum(int(np.argmax(o[0]) == label) for o, label in zip(outputs, labels, strict=True))
