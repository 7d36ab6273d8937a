"""An explicit schedule: which nodes advance together, and how."""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph


@dataclass(frozen=True)
class Group:
    """Consecutive nodes that form one segment.

    Attributes:
        kind: "layer" (each node over the whole map), "stream" (rows in rings), or "patch" (the
            last node's output cut into a grid, with halo).
        nodes: Indices into graph.nodes, in order.
        grid: Patches (vertically, horizontally); only for "patch".
    """

    kind: str
    nodes: tuple[int, ...]
    grid: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class Tile:
    """Nodes that run as one step of a stream.

    Attributes:
        nodes: Indices into graph.nodes of the nodes that compute, in order.
        rows, columns: Of the last node's output: rows of a band, columns of a block.
        kept: Those of the nodes whose rows that two bands read are kept, not computed again.
    """

    nodes: tuple[int, ...]
    rows: int
    columns: int
    kept: tuple[int, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """A partition of the graph's nodes, in execution order.

    Attributes:
        groups: All nodes.
        tiles: Chains of nodes within streams that run as one step each.
        scratch_limit: Bytes of scratch that kernels are to keep to; None = the fastest kernels.
        fastest: Nodes that have the fastest kernels all the same.
    """

    groups: tuple[Group, ...]
    tiles: tuple[Tile, ...] = ()
    scratch_limit: int | None = None
    fastest: frozenset[int] = frozenset()

    @property
    def kind(self) -> str:
        """The name for reports: the kinds that occur."""
        kinds = {group.kind for group in self.groups}
        return "layer" if kinds <= {"layer"} else "+".join(sorted(kinds))


def layer_by_layer(graph: Graph) -> Schedule:
    """Every node a segment of its own, in the graph's order."""
    return Schedule(tuple(Group("layer", (i,)) for i in range(len(graph.nodes))))


def with_groups(graph: Graph, *groups: Group) -> Schedule:
    """The given groups, and all other nodes layer by layer.

    Raises:
        ScheduleError: E302 when a group is not a run of consecutive nodes, or two groups overlap.
    """
    starts = {group.nodes[0]: group for group in groups}
    result: list[Group] = []
    i = 0
    while i < len(graph.nodes):
        group = starts.pop(i, None)
        if group is None:
            result.append(Group("layer", (i,)))
            i += 1
            continue
        if group.nodes != tuple(range(i, i + len(group.nodes))) or group.nodes[-1] >= len(
            graph.nodes
        ):
            raise ScheduleError("E302", f"nodes {group.nodes} are not a run of consecutive nodes")
        result.append(group)
        i += len(group.nodes)
    if starts:
        raise ScheduleError("E302", f"groups overlap or start past the end at nodes {list(starts)}")
    return Schedule(tuple(result))
