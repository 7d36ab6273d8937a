"""`make demo`: the digits model compiled, proven and measured, as far as the tools are there.

Writes demo_out/ in the current folder: the C sources, report.json and report.html.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcuc.cli.source import save_report
from mcuc.compiler.compile import Compiled, compile_with, write
from mcuc.compiler.options import Options
from mcuc.device.boards import load_board
from mcuc.device.qemu import find_qemu
from mcuc.device.toolchain import find_toolchain
from mcuc.errors import McucError, ToolchainError, exit_code
from mcuc.inputs.vectors import random_vectors
from mcuc.proof.evaluate import evaluate_model, load_samples
from mcuc.proof.run import run_model
from mcuc.proof.verify import verify_model

HERE = Path(__file__).resolve().parent
OUT = Path("demo_out")
BOARD = "qemu_m4"
PIXEL_SCALE = 1 / 16  # the data hold pixels of 0..16, the model was trained on 0..1
QEMU_SAMPLES = 100
VECTORS = 8
MISMATCH_EXIT = 3


def main() -> int:
    """Runs the demo; the exit code is 3 when anything differs anywhere."""
    places, against = available()
    compiled = step("compile", compile_digits)
    memory, flash = compiled.report["memory"], compiled.report["flash"]
    stack = "not known" if memory["stack_bytes"] is None else f"{memory['stack_bytes']:,}"
    say(f"RAM   {memory['total_bytes']:,} bytes: arena {memory['arena_bytes']:,}, stack {stack}")
    if flash["total_bytes"] is not None:
        weights = f"weights and tables {flash['weights_bytes']:,}"
        say(f"flash {flash['total_bytes']:,} bytes: {weights}, code {flash['code_bytes']:,}")
    differ = 0
    if len(places) > 1 or against:
        differ += verify(compiled, places, against)
    differ += evaluate(compiled, places, against)
    if "qemu" in places:
        profile(compiled)
    print(f"\nThe whole story: {OUT / 'report.html'}; the C: {OUT / compiled.project.name}.h")
    if differ:
        print("SOMETHING DIFFERS, see above")
    return MISMATCH_EXIT if differ else 0


def available() -> tuple[list[str], str]:
    """Places to run, and "tflite" if its interpreter is installed; says what is missing."""
    board = load_board(BOARD)
    places, missing = ["reference"], []
    needs: dict[str, list[Callable[[], object]]] = {
        "host": [lambda: find_toolchain(None)],
        "qemu": [lambda: find_toolchain(board), find_qemu],
    }
    for place, tools in needs.items():
        problems = [error for tool in tools if (error := missing_tool(tool))]
        missing += [f"{error.what} ({error.help})" for error in problems]
        places += [] if problems else [place]
    against = "tflite" if importlib.util.find_spec("ai_edge_litert") else ""
    if not against:
        missing.append("the TFLite interpreter is not installed (pip install ai-edge-litert)")
    for sentence in missing:
        print(f"left out: {sentence}")
    return places, against


def missing_tool(find: Callable[[], object]) -> ToolchainError | None:
    """The error of a tool that is not there."""
    try:
        find()
    except ToolchainError as error:
        return error
    return None


def compile_digits() -> Compiled:
    """Compiles the model into demo_out."""
    return write(compile_with(HERE / "digits_int8.tflite", Options(board=BOARD)), OUT)


def verify(compiled: Compiled, places: list[str], against: str) -> int:
    """Number of runs whose bytes differ from the reference."""
    report = step(
        "verify", lambda: verify_model(compiled, places, vectors=VECTORS, against=against)
    )
    save_report(compiled, report)
    result = report["verify"]
    compared = ", ".join([*places, *(["TFLite"] if against else [])])
    if result["mismatches"]:
        say(f"{result['mismatches']} runs DIFFER; first: {result['first_mismatch']}")
    else:
        say(f"the same bytes from {compared} for {VECTORS} random inputs")
    return int(result["mismatches"])


def evaluate(compiled: Compiled, places: list[str], against: str) -> int:
    """Accuracy on all samples, and on some of them on the emulator; how many samples differ."""
    data = HERE / "digits_test.npz"
    fast = [place for place in places if place != "qemu"]
    samples, labels = load_samples(data, compiled, PIXEL_SCALE, 0.0, None)
    report = step("evaluate", lambda: evaluate_model(compiled, fast, samples, labels, against))
    save_report(compiled, report)
    differ = show_accuracy(report["accuracy"])
    if "qemu" in places:
        few = samples[:QEMU_SAMPLES], labels[:QEMU_SAMPLES]
        on_board = step(
            "evaluate on QEMU", lambda: evaluate_model(compiled, ("reference", "qemu"), *few)
        )
        differ += show_accuracy(on_board["accuracy"])
    return differ


def show_accuracy(result: dict[str, Any]) -> int:
    """Prints an accuracy; returns how many samples differ from the reference or TFLite."""
    correct = dict(result["correct_by_place"])
    if "tflite_correct" in result:
        correct["TFLite"] = result["tflite_correct"]
    count = result["samples"]
    listed = ", ".join(f"{place} {right}/{count}" for place, right in correct.items())
    differ = int(result["samples_that_differ_between_places"])
    differ += int(result.get("samples_that_differ_from_tflite", 0))
    say(f"{100 * result['top1']:.2f} % right: {listed}; {differ} samples differ")
    return differ


def profile(compiled: Compiled) -> None:
    """Instructions of a run, and the layers that take most of them."""
    vector = random_vectors(compiled.lowered.graph, 1)[0]
    outputs, report = step("run", lambda: run_model(compiled, "qemu", vector))
    names = [port.name for port in compiled.project.outputs]
    report["run"]["input"] = "random, seed 0"
    report["run"]["outputs"] = {
        name: array.reshape(-1)[:32].tolist() for name, array in zip(names, outputs, strict=True)
    }
    save_report(compiled, report)
    total, macs = report["run"]["instructions"], report["macs"]["executed"]
    say(f"{total:,} instructions for {macs:,} multiply-accumulates: {total / macs:.1f} each")
    layers = sorted(report["layers"], key=lambda layer: -(layer["instructions"] or 0))
    for layer in layers[:3]:
        share = 100 * (layer["instructions"] or 0) / total
        say(f"{share:4.1f} %  {layer['name']} ({layer['op']}, {layer['macs']:,} MACs)")


def step(name: str, work: Callable[[], Any]) -> Any:
    """Does a part of the demo under a headline with its time."""
    start = time.perf_counter()
    result = work()
    print(f"{name} ({time.perf_counter() - start:.1f} s)", flush=True)
    return result


def say(text: str) -> None:
    """A result, indented below its headline."""
    print(f"  {text}", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except McucError as problem:
        print(problem.render(), file=sys.stderr)
        sys.exit(exit_code(problem))
