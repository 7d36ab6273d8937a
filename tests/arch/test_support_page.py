"""docs/ops.md is what the registry holds."""

from __future__ import annotations

from pathlib import Path

from mcuc.cli.support import page

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    """Else: python -m mcuc.cli.support > docs/ops.md."""
    assert (ROOT / "docs" / "ops.md").read_text("utf-8") == page()
