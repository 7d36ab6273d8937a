"""The memory map: which bytes of the arena hold what, while which segment runs. As one SVG.

x is time in segments, y the address within a region, one strip for every region that is used.
Colours come from CSS classes (`mm-<kind>`), so that the page decides about light and dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from mcuc.report.text import TITLE_LIMIT, binary, brief, clean, exact, fitting, in_bytes, shorten

Json = dict[str, Any]

KINDS = ("input", "activation", "output", "scratch", "progress")
WIDTH = 1040
"""All lengths are in SVG user units; the page shows one as about one CSS pixel on a desk."""
LEFT, RIGHT, TOP, BOTTOM, GAP = 68, 16, 56, 50, 40
STRIP, LEAST_STRIP = 360.0, 110.0
GLYPH, LINE = 6.1, 12.0
"""Room that a character and a line of a label (10 units of sans-serif) take, on the safe side."""
LEAST_LABEL = 4
DENSE = 3.0
"""Columns narrower than this get no outlines: those would cover the colours."""


@dataclass(frozen=True)
class Strip:
    """One region on the page.

    Attributes:
        region: Entry of memory.regions.
        buffers: Those that lie in it.
        top, height: Where on the page.
        limit: Bytes that the height stands for.
    """

    region: Json
    buffers: tuple[Json, ...]
    top: float
    height: float
    limit: int

    def y(self, address: float) -> float:
        """Addresses grow upwards, as in the linker's map of a stack of buffers."""
        return self.top + self.height * (1 - address / self.limit)


@dataclass(frozen=True)
class Axis:
    """Time: the columns `first` to `last`, inclusive; -1 is before the run."""

    first: int
    last: int
    segments: int

    @property
    def step(self) -> float:
        return (WIDTH - LEFT - RIGHT) / (self.last - self.first + 1)

    def x(self, moment: float) -> float:
        return LEFT + (moment - self.first) * self.step

    def name(self, moment: int) -> str:
        """A column in words."""
        if moment < 0:
            return "before the run"
        return "after the run" if moment >= self.segments else f"segment {moment}"


def memory_map(memory: Json, segments: Sequence[Json], names: Sequence[str] = ()) -> str:
    """The map as a complete SVG document, or "" when no RAM is placed.

    Args:
        memory: `memory` of the report.
        segments: `schedule.segments` of the report.
        names: What each segment computes, for tooltips; empty = the segments' labels.
    """
    buffers = memory["buffers"]
    if not buffers:
        return ""
    axis = Axis(
        min(0, min(b["first"] for b in buffers)),
        max(0, len(segments) - 1, max(b["last"] for b in buffers)),
        len(segments),
    )
    strips = _strips(memory)
    height = strips[-1].top + strips[-1].height + BOTTOM
    dense = " mm-dense" if axis.step < DENSE else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mm{dense}" '
        f'viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f"aria-label={quoteattr(_summary(memory, len(segments)))}>"
    ]
    for strip in strips:
        parts += _strip(strip, axis)
    parts += _peak(memory["peak"], strips, axis)
    if len(strips) == 1:
        parts += _bound(memory["lower_bound_bytes"], strips[0], memory["peak"], axis)
    # Labels last: no line may run through a name.
    parts += filter(None, (_label(b, s, axis) for s in strips for b in s.buffers))
    parts += _time(axis, strips[-1], segments, names)
    parts.append("</svg>")
    return "\n".join(parts)


def _summary(memory: Json, segments: int) -> str:
    return (
        f"Memory map: {exact(len(memory['buffers']))} buffers over {exact(segments)} segments, "
        f"{in_bytes(memory['arena_bytes'])} of arena"
    )


def _strips(memory: Json) -> list[Strip]:
    """The used regions, in the order of the report; heights follow use, within limits."""
    used = []
    for region in memory["regions"]:
        inside = tuple(b for b in memory["buffers"] if b["region"] == region["name"])
        if inside:
            end = max(b["offset"] + b["bytes"] for b in inside)
            used.append((region, inside, max(end, region["used_bytes"], 1)))
    if len(used) == 1:
        # Room for the bound, should it lie above the placement of a region that holds all.
        region, inside, limit = used[0]
        used = [(region, inside, max(limit, memory["lower_bound_bytes"]))]
    largest = max((limit for _, _, limit in used), default=1)
    strips = []
    top = float(TOP)
    for region, inside, limit in used:
        height = round(max(LEAST_STRIP, STRIP * limit / largest))
        strips.append(Strip(region, inside, top, height, limit))
        top += height + GAP
    return strips


def _strip(strip: Strip, axis: Axis) -> Iterator[str]:
    """Frame, ticks and buffers of one region."""
    bottom = strip.top + strip.height
    yield (
        f'<rect class="mm-field" x="{LEFT}" y="{strip.top:g}" '
        f'width="{WIDTH - LEFT - RIGHT}" height="{strip.height:g}"/>'
    )
    for address in ticks(strip.limit):
        y = _n(strip.y(address))
        yield f'<line class="mm-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text class="mm-tick" x="{LEFT - 6}" y="{y}" dy="3.5">{binary(address)}</text>'
    name, region = shorten(strip.region["name"], 24), strip.region
    # Above the first strip the rows below are for the marks of the peak and the bound.
    y_name = 14 if strip.top == TOP else strip.top - 8
    yield (
        f'<text class="mm-region" x="{LEFT}" y="{y_name:g}"><tspan class="mm-strong">'
        f"{escape(name)}</tspan> {exact(region['used_bytes'])} of "
        f"{in_bytes(region['size_bytes'])}</text>"
    )
    for buffer in strip.buffers:
        yield _buffer(buffer, strip, axis)
    yield f'<line class="mm-axis" x1="{LEFT}" x2="{LEFT}" y1="{strip.top:g}" y2="{bottom:g}"/>'


def _buffer(buffer: Json, strip: Strip, axis: Axis) -> str:
    """A rectangle with its tooltip."""
    x, y, width, height = _box(buffer, strip, axis)
    kind = buffer["kind"] if buffer["kind"] in KINDS else "other"
    life = axis.name(buffer["first"])
    if buffer["last"] > buffer["first"]:
        life += f" to {axis.name(buffer['last'])}"
    title = (
        f"{shorten(buffer['label'], TITLE_LIMIT)}\n{clean(buffer['kind'])}, "
        f"{in_bytes(buffer['bytes'])}\n{clean(buffer['region'])} "
        f"{exact(buffer['offset'])} to {exact(buffer['offset'] + buffer['bytes'])}\n{life}"
    )
    return (
        f'<rect class="mm-b mm-{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" '
        f'height="{_n(height)}"><title>{escape(title)}</title></rect>'
    )


def _box(buffer: Json, strip: Strip, axis: Axis) -> tuple[float, float, float, float]:
    """x, y, width and height."""
    x, right = axis.x(buffer["first"]), axis.x(buffer["last"] + 1)
    low, high = strip.y(buffer["offset"]), strip.y(buffer["offset"] + buffer["bytes"])
    return x, high, right - x, low - high


def _label(buffer: Json, strip: Strip, axis: Axis) -> str:
    """Across or upright, whichever shows more of the name; the size below it where that fits."""
    x, y, width, height = _box(buffer, strip, axis)
    across = int((width - 6) / GLYPH) if height >= LINE else 0
    upright = int((height - 6) / GLYPH) if width >= LINE else 0
    name = brief(buffer["label"])
    if max(across, upright) < LEAST_LABEL or not name.strip():
        return ""
    turned = upright > across and len(name) > across
    length, depth = (upright, width) if turned else (across, height)
    text, size = fitting(name, length), in_bytes(buffer["bytes"])
    lines = [text]
    if depth >= 2 * LINE + 2 and len(size) <= length:
        lines.append(size)
    elif len(text) + len(size) + 2 <= length:
        lines = [f"{text}, {size}"]
    cx, cy = x + width / 2, y + height / 2
    turn = f' transform="rotate(-90 {_n(cx)} {_n(cy)})"' if turned else ""
    first = cy + 3.5 - LINE / 2 * (len(lines) - 1)
    body = "".join(
        f'<tspan x="{_n(cx)}" y="{_n(first + LINE * i)}">{escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
    return f'<text class="mm-label"{turn}>{body}</text>'


def _peak(peak: Json | None, strips: Sequence[Strip], axis: Axis) -> Iterator[str]:
    """The moment of most use: a frame around its column in every strip, and a mark on top."""
    if peak is None:
        return
    x0, x1 = axis.x(peak["segment"]), axis.x(peak["segment"] + 1)
    middle = (x0 + x1) / 2
    for strip in strips:
        yield (
            f'<rect class="mm-peak" x="{_n(x0)}" y="{strip.top:g}" width="{_n(x1 - x0)}" '
            f'height="{strip.height:g}"/>'
        )
    yield f'<path class="mm-mark" d="M{_n(middle - 6)} {TOP - 12}h12l-6 10z"/>'
    text = f"peak: {axis.name(peak['segment'])}, {in_bytes(peak['live_bytes'])} live"
    half = len(text) * 6.5 / 2
    x = min(max(middle, LEFT + half), WIDTH - RIGHT - half)
    yield f'<text class="mm-peaktext" x="{_n(x)}" y="{TOP - 18}">{escape(text)}</text>'


def _bound(bound: int, strip: Strip, peak: Json | None, axis: Axis) -> Iterator[str]:
    y = strip.y(bound)
    yield f'<line class="mm-bound" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_n(y)}" y2="{_n(y)}"/>'
    # On the side that the mark of the peak leaves free.
    late = peak is not None and axis.x(peak["segment"]) > WIDTH * 0.6
    x, anchor = (LEFT, "start") if late else (WIDTH - RIGHT, "end")
    yield (
        f'<text class="mm-boundtext" x="{x}" y="{_n(y - 4)}" text-anchor="{anchor}">lower bound '
        f"{in_bytes(bound)}</text>"
    )


def _time(
    axis: Axis, strip: Strip, segments: Sequence[Json], names: Sequence[str]
) -> Iterator[str]:
    """The band of segments, in colours of their kinds and with tooltips, and the tick numbers."""
    base = strip.top + strip.height
    inset = min(1.0, axis.step / 5)
    for moment, segment in enumerate(segments):
        name = names[moment] if names else segment["label"]
        kind = segment["kind"] if segment["kind"] in ("layer", "stream", "patch") else "layer"
        title = f"segment {moment}: {clean(segment['kind'])} {shorten(name, 160)}".rstrip()
        yield (
            f'<rect class="mm-seg-{kind}" x="{_n(axis.x(moment) + inset / 2)}" y="{base + 3:g}" '
            f'width="{_n(axis.step - inset)}" height="8"><title>{escape(title)}, '
            f"{in_bytes(segment['live_bytes'])} live</title></rect>"
        )
    for moment in _columns(axis):
        x = axis.x(moment) + axis.step / 2
        yield f'<text class="mm-time" x="{_n(x)}" y="{base + 24:g}">{moment}</text>'
    if axis.step >= 34:
        ends = [(-1, "before")] if axis.first < 0 else []
        ends += [(axis.segments, "after")] if axis.last >= axis.segments else []
        for moment, word in ends:
            x = axis.x(moment) + axis.step / 2
            yield f'<text class="mm-time" x="{_n(x)}" y="{base + 24:g}">{word}</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text class="mm-time" x="{middle:g}" y="{base + 42:g}">time in segments</text>'


def ticks(limit: int) -> list[int]:
    """Round addresses from 0 up to `limit`, four to eight steps of a power of two."""
    step = 1
    while limit / step > 8:
        step *= 2
    return list(range(0, limit + 1, step))


def _columns(axis: Axis) -> Iterable[int]:
    """Segments that get a number: every 1, 2, 5, 10, 20, 50… so that numbers do not touch."""
    step, scale = 1, 1
    while step * axis.step < 7 * len(str(axis.segments)) + 8:
        step = next((f * scale for f in (1, 2, 5) if f * scale > step), scale * 10)
        scale = scale * 10 if step == scale * 10 else scale
    return range(0, axis.segments, step)


def _n(value: float) -> str:
    """A coordinate: two decimals are finer than any screen and keep the file small."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
