"""Estimates cycles of an inference from the instructions that ran and Arm's published timings.

    python -m benchmarks.cycles            estimates, compares with published figures
    python -m benchmarks.cycles --write    also writes results/cycles.json and docs/cycles.md

A plugin of QEMU (blocks.c) counts how often each block of a program ran and how often a branch was
taken; `timings.py` says what each instruction takes. The cycles per instruction of the functions
that an inference reaches, times its instructions, are the estimate: of a core without wait states,
caches and contention. It is none of a board.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.models import EVERY_CORE, ROOT, model_file
from benchmarks.timings import REFILL, Instruction, cycles
from mcuc.compiler.compile import Compiled, compile_model
from mcuc.device.qemu import QEMU, find_qemu
from mcuc.device.stack import OBJDUMP
from mcuc.device.toolchain import run_tool
from mcuc.inputs.vectors import random_vectors
from mcuc.proof.places import bench

PLUGIN = ROOT / "benchmarks" / "blocks.c"
RESULTS = ROOT / "benchmarks" / "results" / "cycles.json"
PAGE = ROOT / "docs" / "cycles.md"
BOARDS = ("qemu_m4", "qemu_m3")

# MLPerf Tiny results of inference on a Cortex-M4 (NUCLEO-L4R5ZI, 120 MHz, v1.0 to v1.3) of the same
# networks: time * clock in millions of cycles, the fastest and the slowest engine of int8.
PUBLISHED = {
    "repo/mlperf_kws01_dscnn_int8": (5.182, 17.284),
    "repo/mlperf_ic01_resnet8_int8": (19.815, 46.747),
    "repo/mlperf_vww01_mbv1_int8": (10.671, 40.664),
    "repo/mlperf_ad01_int8": (0.486, 1.406),
}

_FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
_LINE = re.compile(r"^\s*([0-9a-f]+):\t(\S+)(?:\t([^;@]*))?")
Figures = dict[str, dict[str, dict[str, float]]]


def estimate(model: str, board: str) -> dict[str, float]:
    """Instructions of an inference, and the least and most cycles that they take."""
    compiled = compile_model(model_file(model), board=board)
    with tempfile.TemporaryDirectory(prefix="mcuc-cycles-") as name:
        folder = Path(name)
        vectors = random_vectors(compiled.lowered.graph, 1)
        with _counted(folder), bench(compiled, "qemu") as made:
            (record,) = made.run(vectors)
            code = disassembled(made.program(False).path)
        blocks = (folder / "blocks.txt").read_text(encoding="utf-8")
    assert record.instructions is not None
    least, most, ran = totals(_core(compiled), code, blocks)
    return {
        "instructions": record.instructions,
        "least": round(record.instructions * least / ran),
        "most": round(record.instructions * most / ran),
    }


def _core(compiled: Compiled) -> str:
    assert compiled.board is not None
    return compiled.board.target.core


@contextmanager
def _counted(folder: Path) -> Iterator[None]:
    """QEMU in the search path starts with the plugin, which writes to blocks.txt in `folder`."""
    plugin = folder / "blocks.so"
    compiler = shutil.which("gcc") or shutil.which("cc") or "cc"
    run_tool([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-o", str(plugin), str(PLUGIN)])
    real, script = find_qemu(), folder / QEMU
    out = folder / "blocks.txt"
    script.write_text(f'#!/bin/sh\nexec {real} -plugin {plugin},out={out} "$@"\n', "utf-8")
    script.chmod(0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{folder}{os.pathsep}{path}"
    try:
        yield
    finally:
        os.environ["PATH"] = path


def disassembled(elf: Path) -> dict[int, tuple[str, Instruction]]:
    """Address -> function and instruction."""
    code = {}
    function = ""
    for line in run_tool([OBJDUMP, "-d", "--no-show-raw-insn", str(elf)]).splitlines():
        if (found := _FUNCTION.match(line)) is not None:
            function = found.group(2)
        elif (found := _LINE.match(line)) is not None:
            mnemonic = found.group(2).removesuffix(".w").removesuffix(".n")
            operands = (found.group(3) or "").strip()
            code[int(found.group(1), 16)] = function, Instruction(mnemonic, operands)
    return code


def totals(
    core: str, code: dict[int, tuple[str, Instruction]], blocks: str
) -> tuple[int, int, int]:
    """Least and most cycles, and instructions, of the model's functions."""
    order = sorted(code)
    place = {address: i for i, address in enumerate(order)}
    least = most = ran = 0
    for line in blocks.splitlines():
        start, end = (int(word, 16) for word in line.split()[:2])
        runs, leaps = map(int, line.split()[2:])
        if runs == 0 or start not in place:
            continue
        before = None
        for address in order[place[start] :]:
            if address >= end:
                break
            function, instruction = code[address]
            if not function.startswith("mcuc_"):
                continue
            low, high = cycles(core, instruction, before)
            least, most, ran = least + low * runs, most + high * runs, ran + runs
            before = instruction
        if before is not None and before.is_branch:
            least, most = least + REFILL[0] * leaps, most + REFILL[1] * leaps
    return least, most, ran


def page(found: Figures) -> str:
    """docs/cycles.md."""
    lines = [
        "# Estimated cycles",
        "",
        "Made by `python -m benchmarks.cycles --write`; do not edit. **Estimates, not measured on",
        "a board**: instructions counted in QEMU, each with the cycles that Arm publishes for the",
        "Cortex-M4 and M3 (Technical Reference Manuals 100166 and 100165, table 3-1), memory",
        "without wait states, no interrupts. Least and most differ by what the tables leave open:",
        "one to three cycles to refill the pipeline after a branch, and on the M3 three to seven",
        "for long multiplications. Arm publishes no such table for the M7, M33, M55 and M85.",
        "",
        "| model | core | instructions, M | cycles, M | per instruction |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for model, boards in found.items():
        for board, figures in boards.items():
            count, ends = figures["instructions"], (figures["least"], figures["most"])
            cells = (
                model,
                board.removeprefix("qemu_").upper(),
                f"{count / 1e6:.2f}",
                " to ".join(f"{end / 1e6:.2f}" for end in ends),
                " to ".join(f"{end / count:.2f}" for end in ends),
            )
            lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "## Beside published figures",
        "",
        "Cycles of one inference on a Cortex-M4 board (NUCLEO-L4R5ZI, 120 MHz; MLPerf Tiny results",
        "v1.0 to v1.3, time × clock), of the fastest and slowest engine that runs the same int8",
        "network. Boards run from flash with wait states and a cache, which the estimate has not.",
        "",
        "| model | estimated here, M | published, M |",
        "| --- | ---: | ---: |",
    ]
    for model, (fastest, slowest) in PUBLISHED.items():
        figures = found[model]["qemu_m4"]
        lines.append(
            f"| {model} | {figures['least'] / 1e6:.2f} to {figures['most'] / 1e6:.2f} | "
            f"{fastest:.2f} to {slowest:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Estimates all models."""
    found: Figures = {}
    for model in EVERY_CORE:
        found[model] = {}
        for board in BOARDS:
            found[model][board] = estimate(model, board)
            print(model, board, found[model][board], file=sys.stderr)
    if "--write" in sys.argv[1:]:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(found), encoding="utf-8")
    else:
        print(page(found))


if __name__ == "__main__":
    main()
