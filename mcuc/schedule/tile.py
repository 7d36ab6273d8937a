"""Tiles: a chain of nodes that runs band by band, each band in blocks of columns.

What lies between the nodes of a chain is a few columns of a few rows, instead of rings of whole
rows. The price: input rows that two bands share are read twice, so every node but the last
computes some rows again. With one output row per band, a chain whose later nodes read one row each
computes nothing twice.

Source: the fused inverted residual blocks of MCUNetV2's patches, with a band as the patch and the
columns of a band kept from block to block. Twin of runtime_c/driver/tile.c.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcuc.ir.graph import Graph
from mcuc.ir.program import Box, Form, Operand, Params, Step, View
from mcuc.ops.spec import Canonical, Kernel, always
from mcuc.schedule.call import RESIDENT, Call, Caller
from mcuc.schedule.spec import Tile
from mcuc.schedule.storage import ALIGN, Storage

MAX_PARTS = 4  # MCUC_MAX_TILE_STEPS
MAX_OPERANDS = 2  # MCUC_MAX_OPERANDS
NO_PARAMS = Params("", "", {})
KERNEL = Kernel("mcuc_form_tile", "", Form.TILE, always, lambda site: NO_PARAMS, operands=())

Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Tiled(Caller):
    """A chain of nodes as one caller; `index` is the last node's.

    Attributes:
        parts: The chain.
        tile: How it is cut.
        outside: The operands: (part, position in the part's node).
    """

    parts: tuple[Caller, ...]
    tile: Tile
    outside: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, parts: tuple[Caller, ...], tile: Tile) -> Tiled:
        """The caller of a chain; `chains` says which are chains."""
        outside: list[tuple[int, int]] = []
        for i, part in enumerate(parts):
            chained = None if i == 0 else parts[i - 1].node.outputs[0]
            outside += [(i, p) for p in part.kernel.operands if part.node.inputs[p] != chained]
        inputs = tuple(parts[i].node.inputs[p] for i, p in outside)
        last = parts[-1]
        return cls(
            index=last.index,
            node=replace(last.node, inputs=inputs),
            spec=last.spec,
            site=last.site,
            kernel=replace(KERNEL, operands=tuple(range(len(outside)))),
            parts=parts,
            tile=tile,
            outside=tuple(outside),
        )

    @functools.cached_property
    def canonical(self) -> Canonical:
        return Canonical(
            batch=1,
            inputs=tuple(self.parts[i].canonical.inputs[p] for i, p in self.outside),
            output=self.parts[-1].output_shape,
            batched=tuple(self.parts[i].canonical.batched[p] for i, p in self.outside),
        )

    @property
    def streams(self) -> bool:
        return True

    @property
    def advance(self) -> int:
        return self.tile.rows

    @functools.cached_property
    def rows_of(self) -> tuple[tuple[Range, ...], ...]:
        """By part, by band: the rows of its output that the band computes."""
        height = self.output_shape[0]
        bands = [(y, min(y + self.tile.rows, height)) for y in range(0, height, self.tile.rows)]
        return self._spans(bands, 0)

    @functools.cached_property
    def columns_of(self) -> tuple[tuple[Range, ...], ...]:
        """By part, by block: the columns of its output that the block reads."""
        width = self.output_shape[1]
        step = self.tile.columns
        return self._spans([(x, min(x + step, width)) for x in range(0, width, step)], 1)

    def _spans(self, last: list[Range], axis: int) -> tuple[tuple[Range, ...], ...]:
        spans = [tuple(last)]
        for k in range(len(self.parts) - 1, 0, -1):
            window, size = self.parts[k].window, self.parts[k - 1].output_shape[axis]
            if window is not None:
                last = [window.reads(span, size, axis) for span in last]
            spans.append(tuple(last))
        return tuple(spans[::-1])

    @functools.cached_property
    def row_reads(self) -> dict[int, tuple[Range, ...]]:
        """By operand: the rows that each band reads, monotone as in `Caller.row_reads`."""
        result = {}
        for operand, (i, position) in enumerate(self.outside):
            part = self.parts[i]
            reads = part.row_reads[position]
            limit = part.canonical.inputs[position][0]
            spans = [
                (reads[y0][0], reads[y1 - 1][1]) if y1 > y0 else (limit, 0)
                for y0, y1 in self.rows_of[i]
            ]
            for k in reversed(range(len(spans) - 1)):
                spans[k] = (min(spans[k][0], spans[k + 1][0]), spans[k][1])
            for k in range(1, len(spans)):
                spans[k] = (spans[k][0], max(spans[k][1], spans[k - 1][1]))
            result[operand] = tuple(spans)
        return result

    def row_bytes(self, position: int | None = None) -> int:
        if position is None:
            return super().row_bytes()
        part, operand = self.outside[position]
        return self.parts[part].row_bytes(operand)

    def in_place_on(self, position: int) -> bool:
        return False  # a band reads rows that the next one reads too

    def dense_operand(self, storage: Storage, position: int, batch: int = 0) -> View:
        part, operand = self.outside[position]
        return self.parts[part].dense_operand(storage, operand, batch)

    @functools.cached_property
    def _made(self) -> tuple[tuple[int, int], ...]:
        """By part: rows and columns that are computed in all bands and blocks together."""
        made = []
        for rows, columns in zip(self.rows_of, self.columns_of, strict=True):
            fresh, end = 0, 0
            for x0, x1 in columns:
                fresh += max(0, x1 - max(x0, end))
                end = max(end, x1)
            made.append((sum(y1 - y0 for y0, y1 in rows), fresh))
        return tuple(made)

    @functools.cached_property
    def macs(self) -> int:
        """Multiply-accumulates that are executed, those done twice included."""
        return sum(self._part_macs(i) for i in range(len(self.parts)))

    def _part_macs(self, i: int) -> int:
        height, width, _ = self.parts[i].output_shape
        rows, columns = self._made[i]
        return self.parts[i].macs * rows * columns // max(1, height * width)

    def calls(self, units: int) -> list[Call]:
        blocks = len(self.columns_of[-1])
        result = [Call(self.kernel.symbol, 0, 0, len(self.parts) * self.units * blocks)]
        for part, (rows, columns) in zip(self.parts, self._made, strict=True):
            height, width, _ = part.output_shape
            share = rows * columns / max(1, height * width)
            calls = rows * (blocks + part.border_columns)
            result += [
                Call(c.symbol, round(c.macs * share), round(c.elements * share), calls)
                for c in part.calls(1)
            ]
        return result

    @functools.cached_property
    def _areas(self) -> tuple[tuple[int, int, int], ...]:
        """By part but the last: offset in the scratch, bytes of a row, rows of what it leaves."""
        areas, offset = [], 0
        spans = zip(self.rows_of, self.columns_of, strict=True)
        for part, (rows, columns) in zip(self.parts[:-1], spans, strict=False):
            height = max(y1 - y0 for y0, y1 in rows)
            width = max(x1 - x0 for x0, x1 in columns)
            pixel = part.output_shape[2] * part.site.output.dtype.size_bytes
            areas.append((offset, width * pixel, height))
            offset += -(-height * width * pixel // ALIGN) * ALIGN
        return tuple(areas)

    @functools.cached_property
    def _kernel_scratch(self) -> int:
        """Where the scratch of the parts' kernels begins."""
        offset, row, rows = self._areas[-1]
        return offset + -(-row * rows // ALIGN) * ALIGN

    @functools.cached_property
    def scratch_bytes(self) -> int:
        return self._kernel_scratch + max(part.scratch_bytes for part in self.parts)

    def step(
        self,
        storage: Storage,
        time: int,
        operands: tuple[Operand, ...],
        output: View,
        box: Box | None = None,
        batch: int = 0,
        keep: bool = True,
        scratch: int | None = None,
    ) -> Step:
        assert scratch is not None and box is None and batch == 0
        given = iter(operands)
        parts: list[Step] = []
        for i, part in enumerate(self.parts):
            views = []
            for position in part.kernel.operands:
                if (i, position) in self.outside:
                    views.append(replace(next(given), producer=None, position=position))
                else:
                    views.append(Operand(parts[-1].output, i - 1, RESIDENT, position))
            view = output if part is self.parts[-1] else self._view(i, scratch)
            step = part.step(storage, time, tuple(views), view, scratch=scratch)
            macs = self._part_macs(i)
            parts.append(replace(step, scratch_offset=self._kernel_scratch, macs=macs))
        last = parts[-1]
        return replace(
            last,
            symbol=self.kernel.symbol,
            source="",
            form=Form.TILE,
            params=NO_PARAMS,
            inputs=operands,
            window=None,
            keep=keep,
            macs=self.macs,
            parts=tuple(parts),
            block=(self.tile.rows, self.tile.columns),
            scratch_offset=0,
        )

    def _view(self, i: int, scratch: int) -> View:
        part, (offset, row, rows) = self.parts[i], self._areas[i]
        _, _, channels = part.output_shape
        pixel = channels * part.site.output.dtype.size_bytes
        box = Box(0, rows, 0, row // pixel, 0, channels)
        bits = 8 * part.site.output.dtype.size_bytes
        return View(scratch, offset, box, rows, row, pixel, bits=bits)


def tiled(callers: Mapping[int, Caller], tiles: Sequence[Tile]) -> dict[int, Caller]:
    """The callers with each tile's chain in the place of its last node."""
    result = dict(callers)
    for tile in tiles:
        parts = tuple(result.pop(i) for i in tile.nodes)
        result[tile.nodes[-1]] = Tiled.of(parts, tile)
    return result


def chains(graph: Graph, callers: Mapping[int, Caller]) -> list[tuple[int, ...]]:
    """All chains of 2 to MAX_PARTS nodes: each reads what the one before it writes, rows of the
    same height, and nothing else reads that.
    """
    order = [i for i in range(len(graph.nodes)) if i in callers]
    result = []
    for first in range(len(order)):
        for length in range(2, MAX_PARTS + 1):
            nodes = tuple(order[first : first + length])
            if len(nodes) < length or not _continues(graph, callers, nodes[-2], nodes[-1]):
                break
            operands = sum(len(callers[i].kernel.operands) for i in nodes) - (length - 1)
            if operands <= MAX_OPERANDS:
                result.append(nodes)
    return result


def _continues(graph: Graph, callers: Mapping[int, Caller], before: int, after: int) -> bool:
    a, b = callers[before], callers[after]
    value = a.node.outputs[0]
    positions = [p for p in b.kernel.operands if b.node.inputs[p] == value]
    readers = [i for i, node in enumerate(graph.nodes) if value in node.inputs]
    if not (a.streams and b.streams) or len(positions) != 1 or readers != [after]:
        return False
    if value in graph.results or any(c.kernel.form in (Form.FOLD, Form.ROWS) for c in (a, b)):
        return False
    same = b.canonical.inputs[positions[0]] == a.output_shape
    if b.kernel.form is Form.PIXEL:
        return same and a.output_shape[:2] == b.output_shape[:2]
    return same and b.kernel.form is Form.WINDOW and positions == [b.kernel.operands[0]]
