"""What a frontend returns."""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Graph


@dataclass(frozen=True)
class Loaded:
    """A graph, and remarks on how the file was read."""

    graph: Graph
    notes: tuple[str, ...] = ()
