"""Flash against instructions: what `--optimize` and `--minimize` give on the Cortex-M4.

python -m benchmarks.tradeoff            prints the table
python -m benchmarks.tradeoff --write    also writes it into docs/kernels.md
"""

from __future__ import annotations

import sys

from benchmarks.models import EVERY_CORE, ROOT, model_file
from mcuc.compiler.compile import compile_model
from mcuc.inputs.vectors import random_vectors
from mcuc.proof.places import bench

PAGE = ROOT / "docs" / "kernels.md"
BEGIN, END = "<!-- tradeoff -->\n", "<!-- end of tradeoff -->\n"
CHOICES = (
    ("size", "balanced"),
    ("balanced", "balanced"),
    ("speed", "balanced"),
    ("speed", "latency"),
)


def row(model: str, optimize: str, minimize: str) -> str:
    """A line of the table: code and flash with start-up code, arena, instructions."""
    compiled = compile_model(
        model_file(model), board="qemu_m4", optimize=optimize, minimize=minimize
    )
    with bench(compiled, "qemu") as made:
        (record,) = made.run(random_vectors(compiled.lowered.graph, 1))
    assert record.instructions is not None
    flash, memory = compiled.report["flash"], compiled.report["memory"]
    figures = (flash["code_bytes"], flash["total_bytes"], memory["arena_bytes"])
    cells = (model, optimize, minimize, *(f"{n:,}" for n in (*figures, record.instructions)))
    return f"| {' | '.join(cells)} |\n"


def table() -> str:
    """All models and choices."""
    text = "| model | `--optimize` | `--minimize` | code | flash | arena | M4 instructions |\n"
    text += "| --- | --- | --- | ---: | ---: | ---: | ---: |\n"
    for model in EVERY_CORE:
        for choice in CHOICES:
            text += row(model, *choice)
            print(text.splitlines()[-1], file=sys.stderr)
    return text


def main() -> None:
    """Measures, prints and optionally writes."""
    text = table()
    print(text)
    if "--write" in sys.argv[1:]:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(before + BEGIN + text + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
