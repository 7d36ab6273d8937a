"""Execution order of branches: the topological order with the least peak of live tensors.

Exact by dynamic programming over sets of executed nodes (the live bytes depend on the set only),
in the manner of Liberis & Lane, "Neural networks on microcontrollers: saving memory at inference
via operator reordering" (2019). Chains need no search: a set of frontier nodes larger than one is
what makes states. What cannot beat the given order and a greedy one is not followed; where some
node alone needs as much as the given order, nothing is searched; above a limit of states the greedy
order is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

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
        self.followers: list[list[int]] = [[] for _ in graph.nodes]
        for i, deps in enumerate(self.deps):
            for j in _members(deps):
                self.followers[j].append(i)
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

    def least(self) -> int:
        """Bytes that no order does without: what one node reads and writes, results kept."""
        all_nodes = (1 << len(self.graph.nodes)) - 1
        alone = (sum(self.size[r] for r in touched) for touched in self.touched)
        at_end = sum(size for r, size in self.size.items() if self.lives(r, all_nodes))
        return max([self.at_start(), at_end, *alone])

    def best(self) -> list[int] | None:
        """The order with the least peak, or None when no better one than the given is found."""
        n = len(self.graph.nodes)
        if all(self.deps[i] >> (i - 1) & 1 for i in range(1, n)):
            return None
        given = self.peak(range(n))
        if given <= self.least():
            return None
        greedy = self._greedy()
        limit = min(given - 1, self.peak(greedy))
        return self._exact(limit) or (greedy if self.peak(greedy) <= limit else None)

    def _exact(self, limit: int) -> list[int] | None:
        """The best order with a peak of at most `limit`; None: there is none, or too many states.

        Orders of equal peak: the first by the numbers of their nodes.
        """
        start = sum(1 << i for i, deps in enumerate(self.deps) if not deps)
        layers = [{0: _State(0, self.at_start(), start, 0, 0)}]
        states = 0
        for _ in self.graph.nodes:
            following: dict[int, _State] = {}
            for done, state in layers[-1].items():
                for i in _members(state.ready):
                    during, after = self.step(done, i, state.live)
                    peak = max(state.peak, during)
                    if peak > limit:
                        continue
                    then = done | 1 << i
                    known = following.get(then)
                    if known is None:
                        ready = state.ready & ~(1 << i) | self._freed(i, then)
                        following[then] = _State(peak, after, ready, done, i)
                    elif peak < known.peak:  # states come in the order of their orders
                        following[then] = known._replace(peak=peak, before=done, node=i)
                if states + len(following) > STATE_LIMIT:
                    return None
            if not following:
                return None
            states += len(following)
            rank = {done: k for k, done in enumerate(layers[-1])}
            by_order = sorted(following.items(), key=lambda s: (rank[s[1].before], s[1].node))
            layers.append(dict(by_order))
        (done,) = layers[-1]
        order: list[int] = []
        for layer in reversed(layers[1:]):
            order.append(layer[done].node)
            done = layer[done].before
        return order[::-1]

    def _freed(self, node: int, done: int) -> int:
        """The nodes that wait for nothing any more once `node` is done, as a set of bits."""
        ready = (j for j in self.followers[node] if not self.deps[j] & ~done)
        return sum(1 << j for j in ready)

    def _greedy(self) -> list[int]:
        """At each point the ready node that leaves the least memory live."""
        done, live = 0, self.at_start()
        ready = sum(1 << i for i, deps in enumerate(self.deps) if not deps)
        order: list[int] = []
        while ready:
            steps = {i: self.step(done, i, live) for i in _members(ready)}
            node = min(steps, key=lambda i: (steps[i][1], steps[i][0], i))
            live = steps[node][1]
            order.append(node)
            done |= 1 << node
            ready = ready & ~(1 << node) | self._freed(node, done)
        return order


class _State(NamedTuple):
    """The best way to a set of executed nodes.

    Attributes:
        peak: Bytes, so far.
        live: Bytes after it.
        ready: Nodes that may run next, as a set of bits.
        before, node: The set without the last node, and that node.
    """

    peak: int
    live: int
    ready: int
    before: int
    node: int


def _members(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
