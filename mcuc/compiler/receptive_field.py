"""`mcuc inspect --receptive-field`: what pixels see, what patches cost, which layers to move."""

from __future__ import annotations

from mcuc.ir.graph import Graph
from mcuc.ir.target import HOST
from mcuc.report.document import Json
from mcuc.schedule.lower import callers_of
from mcuc.schedule.receptive import (
    Cut,
    cuts,
    executed_macs,
    fields,
    least,
    movable,
    patch_window,
    stage_of,
)


def receptive_field(graph: Graph, patches: int, numerics: str) -> Json:
    """The document's `receptive_field`.

    Args:
        graph: After the passes.
        patches: P of the P x P grids whose costs are counted.
        numerics: Rule set.

    Raises:
        McucError: a node has no kernel.
    """
    callers = callers_of(graph, HOST, numerics)
    known = fields(graph, callers)
    found = cuts(graph, callers, patches)
    best = least(found)
    rows = []
    for i, node in enumerate(graph.nodes):
        if node.loc.op_index is None:
            continue
        field, made = known[i], found.get(i)
        rows.append(
            {
                "index": node.loc.op_index,
                "op": node.loc.op or node.op,
                "name": node.loc.tensor,
                "window": None if field is None else list(field.window),
                "jump": None if field is None else list(field.jump),
                "overhead": None if made is None else round(made.overhead, 4),
                "patch_window": None if made is None else list(made.window),
                "peak_bytes": None if made is None else made.peak_bytes,
                "halo_macs": best.savings.get(i, 0) if best is not None and i <= best.node else 0,
            }
        )
    advice = None
    if best is not None:
        total = sum(c.macs for c in callers.values())
        moved = movable(best, callers)
        members = stage_of(graph, callers, best.node, patches)
        after = fields(graph, callers, moved)[best.node]
        assert members is not None and after is not None
        advice = {
            "schedule": f"patch:{patches}x{patches}@{graph.nodes[best.node].loc.op_index}",
            **_figures(best, total),
            "move": [graph.nodes[i].loc.op_index for i in moved],
            "moved_window": list(patch_window(after, members[-1], patches)),
            "moved_overhead": round(
                executed_macs(members, patches, moved) / max(1, best.needed), 4
            ),
        }
    return {"patches": patches, "ops": rows, "best": advice}


def _figures(cut: Cut, total: int) -> Json:
    return {
        "window": list(cut.window),
        "overhead": round(cut.overhead, 4),
        "model_overhead": round((total + cut.executed - cut.needed) / max(1, total), 4),
        "peak_bytes": cut.peak_bytes,
        "patch_bytes": cut.tile_bytes + cut.map_bytes,
        "rest_bytes": cut.rest_bytes,
    }
