"""MCUNetV2's arithmetic: what the paper prints, and what the schedule `patch` executes."""

from __future__ import annotations

import pytest

from benchmarks.mcunetv2 import END, INDEX, PAGE, START, network, redistributed, rows, section
from mcuc.compiler.receptive_field import receptive_field
from mcuc.ir.target import HOST
from mcuc.schedule.lower import lower

pytestmark = [pytest.mark.data]

# P -> patch, MACs of the patches, each as an inner one, KiB of a patch and the map (per cent).
TABLE = {
    2: (131, 9.6, 19.8, 431.5),
    3: (91, 19.8, 22.6, 226.7),
    4: (75, 30.6, 41.9, 158.5),
    7: (51, 66.1, 79.1, 82.4),
}


def test_the_papers_figures_come_out() -> None:
    layer, found = rows()
    assert layer == 1_404_928  # 1372 KiB
    for row in found:
        cut = row.cut
        kib = round((cut.tile_bytes + cut.map_bytes) / 1024, 1)
        got = (cut.window[0], percent(cut.overhead), percent(row.unclipped), kib)
        assert got == TABLE[cut.patches]
    four = next(row for row in found if row.cut.patches == 4)
    assert four.cut.peak_bytes == 175_616  # 172 kB
    assert [percent(row.model) for row in found] == [2.9, 6.0, 9.3, 20.1]


def test_what_is_counted_is_what_the_schedule_executes() -> None:
    needed = sum(step.macs for step in lower(network(), HOST).steps())
    for row in rows()[1]:
        counted = needed + row.cut.executed - row.cut.needed
        steps = row.cut.patches**2 * (INDEX + 1)
        assert abs(row.planned_macs - counted) <= steps  # each step's share is rounded down


def test_redistribution_gives_the_window_of_the_paper() -> None:
    window, _, unclipped = redistributed()
    assert window == (63, 63)
    assert percent(unclipped) == 17.5  # the paper: 18, with other changes besides


def test_the_advice_is_the_papers_cut() -> None:
    best = receptive_field(network(), 4, "litert-2.3")["best"]
    assert best["schedule"] == f"patch:4x4@{INDEX}"
    assert best["move"] == [7, 1]
    assert (best["window"], best["moved_window"]) == ([75, 75], [63, 63])


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(START)[2].partition(END)[0].strip() == section()


def percent(ratio: float) -> float:
    return round(100 * (ratio - 1), 1)
