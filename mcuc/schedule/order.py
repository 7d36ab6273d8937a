"""Execution order of branches: the topological order with the least peak of live tensors.

Exact by dynamic programming over sets of executed nodes (the live bytes depend on the set only),
in the manner of Liberis & Lane, "Neural networks on microcontrollers: saving memory at inference
via operator reordering" (2019). Chains need no search: a set of frontier nodes larger than one is
what makes states; above a limit of states a greedy order is taken.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph
from mcuc.ops import spec_of

STATE_LIMIT = 20_000


def reorder(graph: Graph) -> Graph:
    """Exact pass: the same nodes in an order that needs the least memory layer by layer."""
    order = _Search(graph).best()
    return graph if order is None else replace(graph, nodes=tuple(graph.nodes[i] for i in order))


def peak_bytes(graph: Graph) -> int:
    """Largest sum of live run-time tensors over the graph's own order (reshapes are free)."""
    search = _Search(graph)
    done = 0
    peak = 0
    for i in range(len(graph.nodes)):
        peak = max(peak, search.during(done, i))
        done |= 1 << i
    return peak


class _Search:
    """Tables over alias classes: which nodes write and read each class of memory."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        root: dict[int, int] = {}
        for node in graph.nodes:
            for v in node.outputs:
                source = node.inputs[0] if spec_of(node.op).alias else None
                if source is None or graph.values[source].const is not None:
                    root[v] = v
                else:
                    root[v] = root.get(source, source)
        self.writers: dict[int, int] = {}
        self.readers: dict[int, int] = {}
        self.size: dict[int, int] = {}
        self.deps = [0] * len(graph.nodes)
        producers = graph.producers()
        for i, node in enumerate(graph.nodes):
            for operand in node.inputs:
                if operand is None or graph.values[operand].const is not None:
                    continue
                r = root.get(operand, operand)
                self.readers[r] = self.readers.get(r, 0) | 1 << i
                if operand in producers:
                    self.deps[i] |= 1 << producers[operand]
            for v in node.outputs:
                target = root[v]
                self.writers[target] = self.writers.get(target, 0) | 1 << i
        for v in (*graph.inputs, *root):
            r = root.get(v, v)
            self.size[r] = max(self.size.get(r, 0), graph.type(v).size_bytes)
        self.forever = {root.get(v, v) for v in graph.outputs}

    def during(self, done: int, node: int) -> int:
        """Live bytes while `node` runs after the set `done`."""
        bit = 1 << node
        total = 0
        for r, size in self.size.items():
            written = self.writers.get(r, 0)
            exists = written == 0 or written & (done | bit)
            wanted = r in self.forever or self.readers.get(r, 0) & ~done or written & bit
            if exists and wanted:
                total += size
        return total

    def best(self) -> list[int] | None:
        """The order with the least peak, or None when the given order is the only one."""
        n = len(self.graph.nodes)
        if all(self.deps[i] >> (i - 1) & 1 for i in range(1, n)):
            return None
        layer: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
        states = 0
        for _ in range(n):
            following: dict[int, tuple[int, tuple[int, ...]]] = {}
            for done, (peak, order) in layer.items():
                for i in range(n):
                    if done >> i & 1 or self.deps[i] & ~done:
                        continue
                    after = done | 1 << i
                    cost = max(peak, self.during(done, i))
                    known = following.get(after)
                    if known is None or (cost, (*order, i)) < known:
                        following[after] = (cost, (*order, i))
            states += len(following)
            if states > STATE_LIMIT:
                return self._greedy()
            layer = following
        (result,) = layer.values()
        given = peak_given = 0
        for i in range(n):
            peak_given = max(peak_given, self.during(given, i))
            given |= 1 << i
        return list(result[1]) if result[0] < peak_given else None

    def _greedy(self) -> list[int]:
        """At each point the ready node that leaves the least memory live."""
        n = len(self.graph.nodes)
        done = 0
        order: list[int] = []
        while len(order) < n:
            ready = [i for i in range(n) if not done >> i & 1 and not self.deps[i] & ~done]
            node = min(ready, key=lambda i: (self._after(done | 1 << i), self.during(done, i), i))
            order.append(node)
            done |= 1 << node
        return order

    def _after(self, done: int) -> int:
        total = 0
        for r, size in self.size.items():
            written = self.writers.get(r, 0)
            exists = written == 0 or written & done
            if exists and (r in self.forever or self.readers.get(r, 0) & ~done):
                total += size
        return total
