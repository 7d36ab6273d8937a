"""Instructions and arenas of small models stay what the baseline says (benchmarks/gate.py)."""

from __future__ import annotations

import copy

import pytest

from benchmarks.gate import COMMAND, measure, stored, worse


@pytest.mark.qemu
@pytest.mark.arm_gcc
@pytest.mark.data
def test_nothing_has_grown() -> None:
    problems = worse(measure(), stored())
    assert not problems, "\n".join([*problems, f"if that is meant to be: {COMMAND}"])


def test_growth_is_noticed() -> None:
    baseline = stored()
    model, boards = next(iter(baseline.items()))
    board = next(iter(boards))
    for figure, allowed in (("instructions", 1.009), ("arena_bytes", 1.0)):
        grown = copy.deepcopy(baseline)
        before = boards[board][figure]
        grown[model][board][figure] = int(before * allowed)
        assert not worse(grown, baseline)
        grown[model][board][figure] = int(before * (allowed + 0.003)) + 1
        assert len(worse(grown, baseline)) == 1
    assert worse(baseline, {})
