"""The gate: instructions and arenas of a few small models must not grow unnoticed.

    python -m benchmarks.gate            compares with results/gate.json
    python -m benchmarks.gate --write    makes what is measured the baseline

It runs with the tests. A change that costs more than a hundredth of a model's instructions, or a
byte of its arena, has to change the baseline in the same commit, where a reviewer sees it.
"""

from __future__ import annotations

import json
import sys

from benchmarks.models import ROOT, model_file
from mcuc.compiler.compile import compile_model
from mcuc.inputs.vectors import random_vectors
from mcuc.proof.places import bench

BASELINE = ROOT / "benchmarks" / "results" / "gate.json"
COMMAND = "python -m benchmarks.gate --write"
MODELS = (
    "repo/mlperf_ad01_int8",
    "repo/mlperf_kws01_dscnn_int8",
    "repo/mlperf_vww01_mbv1_int8",
)
BOARDS = ("qemu_m4", "qemu_m3", "qemu_m0plus", "qemu_m55")
TOLERANCE = 0.01

Figures = dict[str, dict[str, dict[str, int]]]


def measure() -> Figures:
    """Model -> board -> instructions of an inference, and bytes of the arena."""
    return {model: {board: _measured(model, board) for board in BOARDS} for model in MODELS}


def _measured(model: str, board: str) -> dict[str, int]:
    compiled = compile_model(model_file(model), board=board)
    vectors = random_vectors(compiled.lowered.graph, 1)
    with bench(compiled, "qemu") as made:
        (record,) = made.run(vectors)
    assert record.instructions is not None
    arena: int = compiled.report["memory"]["arena_bytes"]
    return {"instructions": record.instructions, "arena_bytes": arena}


def worse(now: Figures, baseline: Figures) -> list[str]:
    """What has grown, in words; a model or board without a baseline too."""
    problems = []
    for model, boards in now.items():
        for board, figures in boards.items():
            before = baseline.get(model, {}).get(board)
            if before is None:
                problems.append(f"{model} on {board}: not in the baseline")
                continue
            for figure, allowed in (("instructions", 1 + TOLERANCE), ("arena_bytes", 1.0)):
                if figures[figure] > before[figure] * allowed:
                    problems.append(
                        f"{model} on {board}: {figures[figure]:,} {figure}, not {before[figure]:,}"
                    )
    return problems


def stored() -> Figures:
    """The baseline."""
    figures: Figures = json.loads(BASELINE.read_text("utf-8"))
    return figures


def main() -> int:
    """Returns the exit status."""
    now = measure()
    if "--write" in sys.argv[1:]:
        BASELINE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    problems = worse(now, stored())
    print("\n".join(problems or ["nothing has grown"]))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
