"""Error codes: each has a page, no page is left over, and docs/errors.md lists them all."""

from __future__ import annotations

import re
from pathlib import Path

from mcuc.error_codes import CODES, markdown

ROOT = Path(__file__).parents[2]


def raised() -> set[str]:
    files = [p for f in ("mcuc", "codegen") for p in (ROOT / f).rglob("*.py") if p.stem != "codes"]
    return {code for path in files for code in re.findall(r'"(E\d{3})"', path.read_text("utf-8"))}


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert raised() == set(CODES)


def test_pages_are_in_order_and_fit_a_table() -> None:
    assert list(CODES) == sorted(CODES)
    for page in CODES.values():
        for text in page:
            assert text.endswith((".", "`")) and "|" not in text and "\n" not in text


def test_the_document_is_up_to_date() -> None:
    """Else: python -m mcuc.error_codes > docs/errors.md."""
    assert (ROOT / "docs" / "errors.md").read_text("utf-8") == markdown()
