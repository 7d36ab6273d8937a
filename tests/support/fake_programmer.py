"""A scripted `pio`: each call takes the next line of a scenario, prints, and ends as it says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = """\
#!{python}
import json, os, pathlib, subprocess, sys, time
folder = pathlib.Path({folder!r})
turns = json.loads((folder / "turns.json").read_text())
calls = folder / "calls.jsonl"
done = len(calls.read_text().splitlines()) if calls.exists() else 0
project = sys.argv[sys.argv.index("-c") + 1] if "-c" in sys.argv else ""
with calls.open("a") as file:
    file.write(json.dumps({{
        "words": sys.argv[1:],
        "flags": os.environ.get("PLATFORMIO_UPLOAD_FLAGS", ""),
        "project": pathlib.Path(project).read_text() if project else "",
    }}) + "\\n")
turn = turns[done]
print(turn.get("says", ""), flush=True)
if turn.get("child"):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    (folder / "child.pid").write_text(str(child.pid))
time.sleep(turn.get("sleeps", 0))
sys.exit(turn.get("code", 0))
"""


class FakePio:
    """The scenario and what was called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        program = folder / "pio"
        program.write_text(_SCRIPT.format(python=sys.executable, folder=str(folder)), "utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def plays(self, *turns: dict[str, Any]) -> None:
        (self.folder / "calls.jsonl").unlink(missing_ok=True)
        (self.folder / "turns.json").write_text(json.dumps(turns), "utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        lines = (self.folder / "calls.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]
