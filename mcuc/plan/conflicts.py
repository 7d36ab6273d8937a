"""Which offsets two buffers exclude for each other.

Buffers that live in a common segment must be apart, except for an `Overlap`: the output may lie
`distance` bytes or more below the dying input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcuc.ir.program import Buffer, Overlap


@dataclass(frozen=True)
class Conflicts:
    """Buffers and the pairs that may overlap.

    Attributes:
        buffers: What is placed.
        distances: (out, source) -> distance.
    """

    buffers: tuple[Buffer, ...]
    distances: dict[tuple[int, int], int]

    @classmethod
    def of(cls, buffers: Sequence[Buffer], overlaps: Sequence[Overlap] = ()) -> Conflicts:
        distances: dict[tuple[int, int], int] = {}
        for o in overlaps:
            out, source = buffers[o.out], buffers[o.source]
            if source.last == out.first == o.segment:
                known = distances.get((o.out, o.source), o.distance)
                distances[o.out, o.source] = max(known, o.distance)
        return cls(tuple(buffers), distances)

    def of_members(self, members: Sequence[int]) -> Conflicts:
        """The conflicts among some of the buffers, renumbered in the order given."""
        number = {i: k for k, i in enumerate(members)}
        distances = {
            (number[a], number[b]): distance
            for (a, b), distance in self.distances.items()
            if a in number and b in number
        }
        return Conflicts(tuple(self.buffers[i] for i in members), distances)

    def together(self, i: int, j: int) -> bool:
        """Whether two buffers live in a common segment."""
        a, b = self.buffers[i], self.buffers[j]
        return a.first <= b.last and b.first <= a.last

    def excluded(self, i: int, j: int, at: int) -> tuple[int, int] | None:
        """Offsets strictly between the two numbers are not for buffer i when j lies at `at`."""
        if not self.together(i, j):
            return None
        own, other = self.buffers[i].size_bytes, self.buffers[j].size_bytes
        low, high = at - own, at + other
        if (i, j) in self.distances:  # i is the output: at most at - distance
            low = max(low, at - self.distances[i, j])
        elif (j, i) in self.distances:  # i is the input: at least at + distance
            high = min(high, at + self.distances[j, i])
        return (low, high) if low < high else None

    def lower_bound(self) -> int:
        """No placement in one region can be smaller.

        In each segment: what lives before and after it, and in the overlapped pair at least the
        larger of the two, or the input and the distance.
        """
        return max((self.least_at(moment) for moment in self.moments()), default=0)

    def moments(self) -> list[int]:
        """Segments in which something begins or ends."""
        return sorted({b.first for b in self.buffers} | {b.last for b in self.buffers})

    def least_at(self, moment: int) -> int:
        """The bytes that one segment needs, however its buffers are placed."""
        live = [i for i, b in enumerate(self.buffers) if b.first <= moment <= b.last]
        grain = min((b.align for b in self.buffers), default=1)
        size = {i: -(-self.buffers[i].size_bytes // grain) * grain for i in live}
        slack = max((size[i] - self.buffers[i].size_bytes for i in live), default=0)
        pairs = [(o, s) for o, s in self.distances if o in size and s in size]
        outs, sources = {o for o, _ in pairs}, {s for _, s in pairs}
        fixed = sum(size[i] for i in live if i not in outs and i not in sources)
        changing = max(
            sum(size[i] for i in sources - outs),
            sum(size[i] for i in outs - sources),
            *(
                max(size[o], size[s] + min(max(self.distances[o, s], 0), size[o]) - grain + 1)
                for o, s in pairs
            ),
            0,
        )
        return max(0, fixed + changing - slack)
