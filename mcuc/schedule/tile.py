"""Tiles: a chain of nodes that runs band by band, each band in blocks of columns.

What lies between the nodes of a chain is a few columns of a few rows, instead of rings of whole
rows. Rows of a node that two bands read are computed again, or kept in a buffer of whole rows, a
line each: of k rows that a window reads with a stride of s, k - s. With all of them kept nothing is
computed twice, and a node's memory is these lines and a block, where a ring has k lines.

Source: the fused inverted residual blocks of MCUNetV2's patches, with a band as the patch and the
columns of a band kept from block to block. Twin of runtime_c/driver/tile.c.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcuc.ir.graph import Graph
from mcuc.ir.program import Box, Buffer, Form, Operand, Params, Step, View
from mcuc.ops import give_rows
from mcuc.ops.spec import Canonical, Kernel, always
from mcuc.schedule.call import RESIDENT, Call, Caller
from mcuc.schedule.spec import Tile
from mcuc.schedule.storage import ALIGN, Storage

MAX_PARTS = 6
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
    def _kept(self) -> tuple[bool, ...]:
        """By part: whether rows of its output that two bands read are kept."""
        later = [part.window for part in self.parts[1:]]
        shared = [w is not None and w.extent[0] > w.stride[0] for w in later]
        pairs = zip(self.parts, [*shared, False], strict=True)
        return tuple(part.index in self.tile.kept and share for part, share in pairs)

    def _ends(self, band: int) -> list[int]:
        """By part: how many rows are made by the end of a band; before the first, below 0.

        Of a part whose rows are not kept: those needed by then.
        """
        end = min((band + 1) * self.tile.rows, self.output_shape[0])
        ends = [end]
        for k in range(len(self.parts) - 1, 0, -1):
            window, height = self.parts[k].window, self.parts[k - 1].output_shape[0]
            if window is not None:
                end = (end - 1) * window.stride[0] - window.pad[0] + window.extent[0]
            end = min(end, height)
            ends.append(end)
        return ends[::-1]

    @functools.cached_property
    def lead(self) -> int:
        """As many bands as are needed so that none makes more rows than later ones."""
        lead = 0
        while any(
            keep and end > 0 for keep, end in zip(self._kept, self._ends(-lead - 1), strict=True)
        ):
            lead += 1
        return lead

    @functools.cached_property
    def _rows(self) -> tuple[tuple[tuple[Range, ...], tuple[Range, ...]], ...]:
        """By part, the rows of its output by band: those that are read, and those computed."""
        bands = [self._band(unit) for unit in range(self.units)]
        return tuple(
            (tuple(band[i][0] for band in bands), tuple(band[i][1] for band in bands))
            for i in range(len(self.parts))
        )

    def _band(self, unit: int) -> list[tuple[Range, Range]]:
        ends = self._ends(unit - self.lead)
        before = self._ends(unit - self.lead - 1) if unit else [0] * len(ends)
        made = (max(0, (unit - self.lead) * self.tile.rows), max(0, ends[-1]))
        result = [(made, made)]
        for k in range(len(self.parts) - 1, 0, -1):
            read, window = made, self.parts[k].window
            if window is not None:
                read = window.reads(made, self.parts[k - 1].output_shape[0], 0)
            if made[0] == made[1]:
                read = (0, 0)
            made = (max(0, before[k - 1]), max(0, ends[k - 1])) if self._kept[k - 1] else read
            result.append((read, made))
        return result[::-1]

    @property
    def rows_of(self) -> tuple[tuple[Range, ...], ...]:
        """By part, by band: the rows of its output that the band computes."""
        return tuple(made for _, made in self._rows)

    @functools.cached_property
    def columns_of(self) -> tuple[tuple[Range, ...], ...]:
        """By part, by block: the columns of its output that the block reads."""
        width, step = self.output_shape[1], self.tile.columns
        last = [(x, min(x + step, width)) for x in range(0, width, step)]
        spans = [tuple(last)]
        for k in range(len(self.parts) - 1, 0, -1):
            window, size = self.parts[k].window, self.parts[k - 1].output_shape[1]
            if window is not None:
                last = [window.reads(span, size, 1) for span in last]
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
        steps = len(self.parts) * self.units * blocks
        result = [Call(self.kernel.symbol, 0, self._bytes_moved, steps)]
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
    def _lines(self) -> tuple[int, ...]:
        """By part but the last: rows that are kept from band to band."""
        return tuple(
            _most_kept(*rows) if kept else 0
            for rows, kept in zip(self._rows[:-1], self._kept, strict=False)
        )

    @functools.cached_property
    def lasting_bytes(self) -> int:
        lines = zip(self.parts, self._lines, strict=False)
        return sum(-(-rows * part.row_bytes() // ALIGN) * ALIGN for part, rows in lines)

    @property
    def _bytes_moved(self) -> int:
        """To lines and from there."""
        moved = 0
        for part, rows, (read, made) in zip(self.parts, self._lines, self._rows, strict=False):
            loaded = sum(m[0] - r[0] for r, m in zip(read, made, strict=True) if r[0] < r[1])
            saved = sum(min(rows, end - first) for first, end in made)
            moved += (loaded + saved) * part.row_bytes() if rows else 0
        return moved

    @functools.cached_property
    def _areas(self) -> tuple[tuple[int, int, int], ...]:
        """By part but the last: offset in the scratch, bytes of a row, rows of what it leaves."""
        areas, offset = [], 0
        spans = zip(self._rows, self.columns_of, strict=True)
        for part, (rows, columns) in zip(self.parts[:-1], spans, strict=False):
            height = max(y1 - y0 for y0, y1 in map(_hull, *rows))
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
        lines = self._line_views(storage, time)
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
            offset = self._kernel_scratch
            parts.append(replace(step, scratch_offset=offset, macs=macs, line=lines[i]))
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
            lead=self.lead,
            scratch_offset=0,
        )

    def _line_views(self, storage: Storage, time: int) -> list[View | None]:
        """By part: where the rows are that it keeps, in a buffer for all of them."""
        if self.lasting_bytes == 0:
            return [None] * len(self.parts)
        label = f"lines of the tile before {self.node.op} {self.index}"
        buffer = storage.add(Buffer(self.lasting_bytes, time, time, ALIGN, label, "activation"))
        views: list[View | None] = []
        offset = 0
        for part, rows in zip(self.parts, (*self._lines, 0), strict=True):
            row, box = part.row_bytes(), Box.of(part.output_shape)
            pixel = row // max(1, box.width)
            bits = 8 * part.site.output.dtype.size_bytes
            views.append(View(buffer, offset, box, rows, row, pixel, bits=bits) if rows else None)
            offset += -(-rows * row // ALIGN) * ALIGN
        return views

    def _view(self, i: int, scratch: int) -> View:
        part, (offset, row, rows) = self.parts[i], self._areas[i]
        _, _, channels = part.output_shape
        pixel = channels * part.site.output.dtype.size_bytes
        box = Box(0, rows, 0, row // pixel, 0, channels)
        bits = 8 * part.site.output.dtype.size_bytes
        return View(scratch, offset, box, rows, row, pixel, bits=bits)


def _most_kept(read: Sequence[Range], made: Sequence[Range]) -> int:
    """Rows that are made by the end of a band and read by later ones, at most."""
    most, oldest = 0, made[-1][1]
    for (first, end), (_, there) in reversed(list(zip(read, made, strict=True))):
        most = max(most, there - oldest)
        oldest = first if end > first else oldest
    return most


def _hull(a: Range, b: Range) -> Range:
    """What is in one of two ranges that touch, or in between."""
    if a[0] == a[1] or b[0] == b[1]:
        return b if a[0] == a[1] else a
    return (min(a[0], b[0]), max(a[1], b[1]))


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
    if b.node.op == give_rows.SPEC.name:
        return False  # it gives whole rows, in order
    same = b.canonical.inputs[positions[0]] == a.output_shape
    if b.kernel.form is Form.PIXEL:
        return same and a.output_shape[:2] == b.output_shape[:2]
    return same and b.kernel.form is Form.WINDOW and positions == [b.kernel.operands[0]]
