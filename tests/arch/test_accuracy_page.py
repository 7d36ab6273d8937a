"""docs/accuracy.md shows the stored figures: of all models, none of which lost more than it may."""

from __future__ import annotations

import json

from benchmarks.accuracy import ENTRIES, PAGE, RESULTS, page


def test_the_page_shows_the_results() -> None:
    results = json.loads(RESULTS.read_text("utf-8"))
    assert set(results) == set(ENTRIES), "run `python -m benchmarks.accuracy`"
    assert PAGE.read_text("utf-8") == page(results)
    for name, figures in results.items():
        assert figures["drop_points"] <= ENTRIES[name].points, name
        assert figures["model"] == ENTRIES[name].model, name
