"""Transpositions that are left, with the reason of each, and the names of a map's axes."""

from __future__ import annotations

from mcuc.ir.graph import Graph, Node
from mcuc.ops import transpose
from mcuc.ops.spec import Site


def axes_name(rank: int, channels_last: bool) -> str:
    """How the axes of a map are called."""
    places = "HW"[4 - rank :]
    return f"N{places}C" if channels_last else f"NC{places}"


def left_over(graph: Graph) -> list[str]:
    """A remark on each transposition that is done at run time, and why it is."""
    made = {v: node for node in graph.nodes for v in node.outputs}
    readers: dict[int, list[Node]] = {}
    for node in graph.nodes:
        for v in node.inputs:
            if v is not None:
                readers.setdefault(v, []).append(node)
    return [_why(graph, node, made, readers) for node in graph.nodes if node.op == "transpose"]


def _why(graph: Graph, node: Node, made: dict[int, Node], readers: dict[int, list[Node]]) -> str:
    x, (v,) = node.inputs[0], node.outputs
    assert x is not None
    order = ", ".join(map(str, transpose.permutation(Site.of(graph, node))))
    name = graph.values[v].name or graph.values[x].name
    what = f'transposition of "{name}" by ({order}), {graph.type(v).size_bytes:,} bytes'
    if v in graph.results:
        hint = "; --io-layout nhwc avoids it" if graph.values[v].axes.startswith("NC") else ""
        return f"{what}: it is an output of the model{hint}"
    source = made.get(x)
    while source is not None and source.op == "reshape" and source.inputs[0] is not None:
        x = source.inputs[0]
        source = made.get(x)
    if x in graph.inputs:
        hint = "; --io-layout nhwc avoids it" if graph.values[x].axes.startswith("NC") else ""
        return f"{what}: it is an input of the model{hint}"
    wants = sorted({r.loc.op or r.op for r in readers.get(v, [])})
    return f"{what}: {', '.join(wants) or 'its reader'} reads the axes in that order"
