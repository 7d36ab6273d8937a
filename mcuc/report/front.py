"""The front of schedules as a picture: RAM against what it costs in predicted instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

Json = dict[str, Any]

WIDTH, HEIGHT = 1040, 300
LEFT, RIGHT, TOP, BOTTOM = 84, 24, 20, 46


def front(points: Sequence[Json], chosen: int | None) -> str:
    """An SVG of the points, joined by steps; empty when there is nothing to choose.

    Args:
        points: `schedule.front` of the report, least RAM first.
        chosen: Index of the point that was compiled.
    """
    if len(points) < 2:
        return ""
    fastest = float(points[-1]["instructions"])
    most_ram = float(max(p["ram_bytes"] for p in points))
    extra = [100.0 * (float(p["instructions"]) / fastest - 1.0) for p in points]
    most_extra = max(*extra, 1e-9)

    def x(ram: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * ram / most_ram

    def y(percent: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - percent / most_extra)

    parts = [
        f'<svg class="mm" viewBox="0 0 {WIDTH} {HEIGHT}" xmlns="http://www.w3.org/2000/svg" '
        'role="img" aria-label="RAM against predicted instructions">'
    ]
    for k in range(5):
        ram, percent = most_ram * k / 4, most_extra * k / 4
        parts.append(
            f'<line class="mm-grid" x1="{x(ram):.1f}" y1="{TOP}" x2="{x(ram):.1f}" '
            f'y2="{HEIGHT - BOTTOM}"/><text x="{x(ram):.1f}" y="{HEIGHT - BOTTOM + 16}" '
            f'text-anchor="middle">{ram / 1024:.1f} KiB</text>'
            f'<line class="mm-grid" x1="{LEFT}" y1="{y(percent):.1f}" x2="{WIDTH - RIGHT}" '
            f'y2="{y(percent):.1f}"/><text x="{LEFT - 8}" y="{y(percent) + 4:.1f}" '
            f'text-anchor="end">+{percent:.2f} %</text>'
        )
    corners = [f"{x(points[0]['ram_bytes']):.1f},{y(extra[0]):.1f}"]
    for before, point, percent in zip(extra, points[1:], extra[1:], strict=False):
        right = f"{x(point['ram_bytes']):.1f}"
        corners += [f"{right},{y(before):.1f}", f"{right},{y(percent):.1f}"]
    parts.append(f'<polyline class="mm-peak" style="fill:none" points="{" ".join(corners)}"/>')
    for number, (point, percent) in enumerate(zip(points, extra, strict=True)):
        text = (
            f"point {number}: {point['ram_bytes']:,} bytes, {point['instructions']:,} predicted "
            f"instructions, {point['macs']:,} MACs"
        )
        radius = 7 if number == chosen else 4
        parts.append(
            f'<circle class="mm-mark" cx="{x(point["ram_bytes"]):.1f}" cy="{y(percent):.1f}" '
            f'r="{radius}"><title>{escape(text)}</title></circle>'
        )
    parts.append(
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">RAM of the arena; the large '
        "dot is compiled</text></svg>"
    )
    return "".join(parts)
