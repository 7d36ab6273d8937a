"""The first step of a program whose rows are wrong, and its first wrong elements."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from mcuc.device.harness import WATCH_BYTES
from mcuc.ir.graph import Array, Graph
from mcuc.ir.program import Form, Step
from mcuc.ops.interpret import run_reference
from mcuc.proof.places import Bench
from mcuc.report.document import Json

SHOWN = 4  # elements of the first layer that differs


def first_wrong_step(made: Bench, vector: Sequence[Array]) -> Json | None:
    """The first step whose rows differ from the reference, from a traced run of one vector."""
    compiled = made.compiled
    program = compiled.lowered.program
    if program.graph.window:
        return None  # its layers make the rows of one step, many times
    record = made.run([vector], trace=True)[0]
    truth = run_reference(program.graph, vector, compiled.options.numerics, keep_all=True)
    crcs = {entry.id: entry.crc32 for entry in record.trace}
    for number, step in enumerate(program.steps()):
        node = program.graph.nodes[step.node]
        if number not in crcs:
            continue
        want = step_rows(program.graph, step, truth)
        if crcs[number] != zlib.crc32(want.tobytes()):
            return {
                "step": number,
                "op_index": node.loc.op_index,
                "op": node.loc.op or node.op,
                "tensor": node.loc.tensor,
                "kernel": step.symbol,
                "elements": _elements(made, vector, number, step, want),
            }
    return None


def _elements(
    made: Bench, vector: Sequence[Array], number: int, step: Step, want: Array
) -> list[Json]:
    """The first elements of a step's rows that differ: where, what was got, what is right.

    The place is looked for by runs that hash the bytes before an offset, halving what is left.
    """
    right = want.tobytes()
    low, high = 0, len(right)  # the bytes before `low` are right, some before `high` are not
    while high - low > WATCH_BYTES:
        middle = (low + high) // 2 // want.itemsize * want.itemsize
        crc, _ = made.run([vector], trace=True, watch=(number, middle))[0].watched
        low, high = (middle, high) if crc == zlib.crc32(right[:middle]) else (low, middle)
    _, got = made.run([vector], trace=True, watch=(number, low))[0].watched
    got = got[: len(got) // want.itemsize * want.itemsize]
    values = np.frombuffer(got, want.dtype)
    expected = np.frombuffer(right[low : low + len(got)], want.dtype)
    found = []
    for i in range(len(values)):
        if values[i].tobytes() == expected[i].tobytes():
            continue
        y, x, c = np.unravel_index(low // want.itemsize + i, want.shape)
        at = [int(y) + step.box.y0, int(x) + step.box.x0, int(c) + step.box.c0]
        found.append({"at": at, "got": values[i].item(), "want": expected[i].item()})
        if len(found) == SHOWN:
            break
    return found


def step_rows(graph: Graph, step: Step, truth: dict[int, Array]) -> Array:
    """[rows, columns, channels] that a step has to write, in the order that firmware hashes."""
    node = graph.nodes[step.node]
    value = node.outputs[0]
    slices = truth[value].reshape(-1, *step.shape)
    box = step.box
    data = slices[step.batch % len(slices)]
    if step.form is not Form.FOLD:
        data = data[box.y0 : box.y0 + step.rows_made]
    data = data[:, box.x0 : box.x1, box.c0 : box.c1]
    return np.ascontiguousarray(data)
