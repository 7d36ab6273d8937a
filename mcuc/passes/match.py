"""Questions that passes ask of a graph when they look for a pattern."""

from __future__ import annotations

from mcuc.ir.graph import Graph, Node
from mcuc.ops import unary


class Matcher:
    """A graph with its producers and readers at hand."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._made = {v: node for node in graph.nodes for v in node.outputs}
        self._readers: dict[int, list[Node]] = {}
        for node in graph.nodes:
            for v in dict.fromkeys(node.inputs):
                if v is not None:
                    self._readers.setdefault(v, []).append(node)

    def maker(self, v: int | None, *ops: str) -> Node | None:
        """The node of one of these kinds that computes a value."""
        node = None if v is None else self._made.get(v)
        return node if node is not None and node.op in ops else None

    def function(self, v: int | None, *names: str) -> Node | None:
        """The `unary` of one of these functions that computes a value."""
        node = self.maker(v, "unary")
        known = node is not None and isinstance(node.attrs, unary.Attrs)
        return node if known and node is not None and node.attrs.function in names else None  # type: ignore[attr-defined]

    def pairwise(self, v: int | None, name: str) -> Node | None:
        """The `pairwise` of a function that computes a value."""
        node = self.maker(v, "pairwise")
        return node if node is not None and getattr(node.attrs, "function", "") == name else None

    def reader(self, v: int) -> Node | None:
        """The only node that reads a value, which is no output; None if there are more."""
        found = self._readers.get(v, [])
        return found[0] if len(found) == 1 and v not in self.graph.results else None

    def only(self, v: int, *nodes: Node) -> bool:
        """Whether nothing but these nodes reads a value, and it is no output."""
        found = self._readers.get(v, [])
        return v not in self.graph.results and all(node in nodes for node in found)

    def number(self, v: int | None) -> float | None:
        """The number that a constant of one element is."""
        data = None if v is None else self.graph.values[v].const
        return float(data.ravel()[0]) if data is not None and data.size == 1 else None

    def with_number(self, node: Node) -> tuple[int, float] | None:
        """The other operand of a node of two, and the constant number that is the one."""
        a, b = node.inputs
        for x, constant in ((a, b), (b, a)):
            number = self.number(constant)
            if number is not None and x is not None and self.number(x) is None:
                return x, number
        return None


def near(a: float, b: float) -> bool:
    """Whether two constants are the same up to how exporters round them."""
    return abs(a - b) <= 2e-4 * abs(b)
