"""Makes the input one that the application delivers row by row.

    op(input x)   ->   y = copy_rows(input x), op(y)

x is then outside the memory plan: only the rows that y keeps are in RAM. Numerics: exact.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ops.copy_rows import Attrs
from mcuc.passes.spec import Pass


def stream_input(graph: Graph) -> Graph:
    """The graph with a copy behind its input.

    Raises:
        ScheduleError: E304 when the model has several inputs, a batch, or returns its input.
    """
    why = ""
    if len(graph.inputs) != 1:
        why = f"the model has {len(graph.inputs)} inputs"
    elif graph.type(graph.inputs[0]).nhwc[0] != 1:
        why = "the input has a batch"
    elif graph.inputs[0] in graph.results:
        why = "the model returns its input"
    elif graph.states:
        why = "the model keeps state from run to run"
    if why:
        raise ScheduleError(
            "E304",
            "the input cannot be delivered row by row",
            why=why,
            help="use --input-mode consumed or kept",
        )
    (x,) = graph.inputs
    y = max(graph.values) + 1
    copy = Node("copy_rows", (x,), (y,), Attrs(), replace(graph.nodes[0].loc, op="INPUT",
                op_index=None, tensor=graph.values[x].name))  # fmt: skip
    nodes = [
        replace(node, inputs=tuple(y if v == x else v for v in node.inputs)) for node in graph.nodes
    ]
    values = {**graph.values, y: Value(graph.type(x), f"rows of {graph.values[x].name}")}
    return graph.with_nodes((copy, *nodes), values)


STREAM_INPUT = Pass("stream-input", stream_input, "exact")
