"""Execution order of branches: the topological order with the least peak of live tensors.

Exact by dynamic programming over sets of executed nodes (the live bytes depend on the set only),
in the manner of Liberis & Lane, "Neural networks on microcontrollers: saving memory at inference
via operator reordering" (2019). Chains need no search: a set of frontier nodes larger than one is
what makes states; above a limit of states a greedy order is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    return _Search(graph).peak(range(len(graph.nodes)))


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
        self.touched: list[set[int]] = [set() for _ in graph.nodes]
        producers = graph.producers()
        for i, node in enumerate(graph.nodes):
            for operand in node.inputs:
                if operand is None or graph.values[operand].const is not None:
                    continue
                r = root.get(operand, operand)
                self.readers[r] = self.readers.get(r, 0) | 1 << i
                self.touched[i].add(r)
                if operand in producers:
                    self.deps[i] |= 1 << producers[operand]
            for v in node.outputs:
                target = root[v]
                self.writers[target] = self.writers.get(target, 0) | 1 << i
                self.touched[i].add(target)
        for v in (*graph.inputs, *root):
            r = root.get(v, v)
            self.size[r] = max(self.size.get(r, 0), graph.type(v).size_bytes)
        self.size |= {state.source: 0 for state in graph.states}  # outside of the arena
        self.forever = {root.get(v, v) for v in graph.results}

    def lives(self, r: int, done: int) -> bool:
        """Whether class `r` holds something after the set `done` that is wanted later."""
        written = self.writers.get(r, 0)
        exists = written == 0 or written & done
        return bool(exists and (r in self.forever or self.readers.get(r, 0) & ~done))

    def at_start(self) -> int:
        """Live bytes before the first node."""
        return sum(size for r, size in self.size.items() if self.lives(r, 0))

    def step(self, done: int, node: int, live: int) -> tuple[int, int]:
        """Live bytes (while `node` runs, afterwards), given those after the set `done`.

        Only what the node reads and writes can change.
        """
        bit = 1 << node
        during = after = live
        for r in self.touched[node]:
            before = self.lives(r, done)
            if self.writers.get(r, 0) & bit and not before:
                during += self.size[r]
            after += self.size[r] * (int(self.lives(r, done | bit)) - int(before))
        return during, after

    def peak(self, order: Iterable[int]) -> int:
        """Largest number of live bytes in an order."""
        done, peak, live = 0, 0, self.at_start()
        for i in order:
            during, live = self.step(done, i, live)
            peak = max(peak, during)
            done |= 1 << i
        return peak

    def best(self) -> list[int] | None:
        """The order with the least peak, or None when no better one than the given is found."""
        n = len(self.graph.nodes)
        if all(self.deps[i] >> (i - 1) & 1 for i in range(1, n)):
            return None
        found = self._exact()
        if found is None:
            found = self._greedy()
        return found if self.peak(found) < self.peak(range(n)) else None

    def _exact(self) -> list[int] | None:
        """The best order, or None when there are too many states."""
        n = len(self.graph.nodes)
        # set of executed nodes -> peak so far, order, live bytes
        layer: dict[int, tuple[int, tuple[int, ...], int]] = {0: (0, (), self.at_start())}
        states = 0
        for _ in range(n):
            following: dict[int, tuple[int, tuple[int, ...], int]] = {}
            for done, (peak, order, live) in layer.items():
                for i in range(n):
                    if done >> i & 1 or self.deps[i] & ~done:
                        continue
                    during, after = self.step(done, i, live)
                    reached = (max(peak, during), (*order, i), after)
                    known = following.get(done | 1 << i)
                    if known is None or reached < known:
                        following[done | 1 << i] = reached
                if states + len(following) > STATE_LIMIT:
                    return None
            states += len(following)
            layer = following
        (result,) = layer.values()
        return list(result[1])

    def _greedy(self) -> list[int]:
        """At each point the ready node that leaves the least memory live."""
        n = len(self.graph.nodes)
        done, live = 0, self.at_start()
        order: list[int] = []
        while len(order) < n:
            ready = [i for i in range(n) if not done >> i & 1 and not self.deps[i] & ~done]
            steps = {i: self.step(done, i, live) for i in ready}
            node = min(ready, key=lambda i: (steps[i][1], steps[i][0], i))
            live = steps[node][1]
            order.append(node)
            done |= 1 << node
        return order
