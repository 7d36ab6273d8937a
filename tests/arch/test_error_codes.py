"""docs/errors.md lists exactly the codes that the sources raise."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (E\d{3}) \| (.+) \| (.+) \|$", re.M)


def raised() -> set[str]:
    # The page's own copy for the command line repeats the codes.
    files = [p for f in ("mcuc", "codegen") for p in (ROOT / f).rglob("*.py") if p.stem != "codes"]
    return {code for path in files for code in re.findall(r'"(E\d{3})"', path.read_text("utf-8"))}


def documented() -> list[str]:
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    return [code for code, _, _ in ROW.findall(text)]


def test_every_code_is_documented_once_and_in_order() -> None:
    codes = documented()
    assert codes == sorted(set(codes))
    assert raised() == set(codes)
