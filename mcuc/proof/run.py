"""Runs a compiled model once: outputs, instructions of the whole and of each layer, stack."""

from __future__ import annotations

from collections.abc import Sequence

from mcuc.compiler.compile import Compiled
from mcuc.errors import DeviceError
from mcuc.ir.graph import Array
from mcuc.proof.places import Access, Bench, bench
from mcuc.report.document import Json


def run_model(
    compiled: Compiled,
    place: str,
    vector: Sequence[Array],
    profile: bool = True,
    access: Access | None = None,
) -> tuple[list[Array], Json]:
    """One inference; where a window slides, all runs that fill it, of which the mean counts.

    Args:
        compiled: The model.
        place: "host", "qemu" or "board".
        vector: One array per input.
        profile: Also count what each layer takes, on a device.
        access: How the device is reached.

    Returns:
        The outputs, and the report with `run` (and the layers' counts) filled in.
    """
    report = dict(compiled.report)
    with bench(compiled, place, access) as made:
        record = made.run([vector])[0]
        if profile and made.board is not None:
            report = profiled(made, report, vector)
    runs = compiled.lowered.program.window_runs
    report["run"] = {
        "on": "host" if place == "host" else compiled.board.id,
        "instructions": None if record.instructions is None else record.instructions // runs,
        "stack_bytes": record.stack_bytes,
        "guards_intact": record.guards_intact,
        "optimize": compiled.options.optimize,
        "compiler": report["flash"]["compiler"],
    }
    return compiled.unit.decode(record.outputs), report


def profiled(made: Bench, report: Json, vector: Sequence[Array]) -> Json:
    """The report with what each layer takes on the bench's device, in its counter's unit.

    Raises:
        DeviceError: E637 when the device's counter does not run.
    """
    program = made.compiled.lowered.program
    record = made.run([vector], trace=True)[0]
    if record.instructions is None:
        raise DeviceError(
            "E637",
            f"the counter of {made.compiled.board.id} does not run",
            why=f"its {made.compiled.board.counter.kind} counter shows the same value twice",
            help="name another one in [counter] of the board file; verify runs without --profile",
        )
    report = {**report, "layers": [dict(layer) for layer in report["layers"]]}
    steps = program.steps()
    order = list(dict.fromkeys(leaf.node for leaf in program.leaves()))
    totals: dict[int, int] = {}
    for entry in record.trace:
        if entry.instructions is not None:
            row = order.index(steps[entry.id].node)
            totals[row] = totals.get(row, 0) + entry.instructions
    for row, count in totals.items():
        report["layers"][row]["instructions"] = count // program.window_runs
    return report
