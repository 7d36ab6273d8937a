"""Makes the output one that the application takes row by row.

    y = op(x), output y   ->   y = op(x), z = give_rows(y), output z

z is then outside the memory plan: of y only the rows that are still to be read are in RAM.
Numerics: exact.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph, Node
from mcuc.ops.give_rows import SPEC, Attrs
from mcuc.passes.spec import Pass


def stream_output(graph: Graph) -> Graph:
    """The graph with a node in front of its output that gives rows away.

    Raises:
        ScheduleError: E304 when the model has several outputs, a batch, state or a sliding window,
            or computes nothing.
    """
    why = ""
    if len(graph.outputs) != 1:
        why = f"the model has {len(graph.outputs)} outputs"
    elif graph.type(graph.outputs[0]).nhwc[0] != 1:
        why = "the output has a batch"
    elif graph.outputs[0] not in graph.producers():
        why = "the output is an input or a constant"
    elif graph.states or graph.rolling:
        why = "the model keeps state from run to run"
    if why:
        raise ScheduleError(
            "E304",
            "the output cannot be taken row by row",
            why=why,
            help="use --output-mode whole",
        )
    (y,) = graph.outputs
    z = max(graph.values) + 1
    given = graph.values[y]
    loc = replace(graph.nodes[-1].loc, op="OUTPUT", op_index=None, tensor=given.name)
    give = Node(SPEC.name, (y,), (z,), Attrs(), loc)
    made = graph.with_nodes((*graph.nodes, give), {**graph.values, z: given})
    return replace(made, outputs=(z,))


STREAM_OUTPUT = Pass("stream-output", stream_output, "exact")
