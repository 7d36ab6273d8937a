"""A machine without tools."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No compiler and no emulator are found."""
    find = importlib.util.find_spec
    empty = tmp_path / "no tools"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "ziglang" else find(name)
    )
