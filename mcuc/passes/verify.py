"""`mcuc.ir.verify` with the ops' own type inference."""

from __future__ import annotations

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import TensorType
from mcuc.ir.verify import verify
from mcuc.ops import registry
from mcuc.ops.spec import NUMERICS, Site


def verify_graph(graph: Graph, numerics: str = NUMERICS[0]) -> None:
    """Raises InternalError E92x unless the graph is well formed and its types are right."""

    def infer(graph: Graph, node: Node) -> tuple[TensorType, ...]:
        return registry()[node.op].infer(Site.of(graph, node, numerics))

    verify(graph, infer)
