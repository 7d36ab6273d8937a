"""Runs a compiled model once: outputs, instructions of the whole and of each layer, stack."""

from __future__ import annotations

from collections.abc import Sequence

from mcuc.build.compile import Compiled
from mcuc.build.places import bench
from mcuc.ir.graph import Array
from mcuc.report.document import Json


def run_model(
    compiled: Compiled, place: str, vector: Sequence[Array], profile: bool = True
) -> tuple[list[Array], Json]:
    """One inference; where a window slides, all runs that fill it, of which the mean counts.

    Args:
        compiled: The model.
        place: "host" or "qemu".
        vector: One array per input.
        profile: Also run a build that counts the instructions of each layer.

    Returns:
        The outputs, and the report with `run` (and the layers' instructions) filled in.
    """
    report = {**compiled.report, "layers": [dict(layer) for layer in compiled.report["layers"]]}
    with bench(compiled, place) as made:
        record = made.run([vector])[0]
        traced = made.run([vector], trace=True)[0] if profile and place == "qemu" else None
    runs = compiled.lowered.program.window_runs
    report["run"] = {
        "on": compiled.board.id if place == "qemu" else "host",
        "instructions": None if record.instructions is None else record.instructions // runs,
        "stack_bytes": record.stack_bytes,
        "guards_intact": record.guards_intact,
        "optimize": compiled.options.optimize,
        "compiler": report["flash"]["compiler"],
    }
    if traced is not None:
        steps = compiled.lowered.program.steps()
        order = list(dict.fromkeys(leaf.node for leaf in compiled.lowered.program.leaves()))
        totals: dict[int, int] = {}
        for entry in traced.trace:
            if entry.instructions is not None:
                row = order.index(steps[entry.id].node)
                totals[row] = totals.get(row, 0) + entry.instructions
        for row, instructions in totals.items():
            report["layers"][row]["instructions"] = instructions // runs
    return compiled.unit.decode(record.outputs), report
