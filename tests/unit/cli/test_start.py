"""How fast and how quietly the program starts, and what it says about wrong command lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mcuc.cli import COMMANDS
from tests.support.command import mcuc
from tests.support.models import DIGITS

HEAVY = {"numpy", "jinja2", "rich", "ortools", "tflite", "flatbuffers", "mcuc.compiler.compile"}


def loaded_by(*words: str) -> set[str]:
    """Modules that are loaded when the program ends."""
    script = (
        "import sys, json\n"
        "from mcuc.cli import cli\n"
        f"try: cli.main({list(words)!r}, 'mcuc')\n"
        "except SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("words", [("--help",), ("explain", "E402"), ("compile", "--help")])
def test_what_must_be_quick_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    loaded = loaded_by(*words)
    assert "click" in loaded
    assert not loaded & HEAVY


def test_help_names_every_command() -> None:
    outcome = mcuc("--help")
    assert outcome.code == 0
    assert all(f"\n  {name} " in outcome.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    outcome = mcuc(name, "--help")
    assert outcome.code == 0
    assert "--json" in outcome.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compil", DIGITS), "Did you mean 'compile'"),
        (("compile",), "Missing argument"),
        (("compile", DIGITS, "--sram", "much"), "'much' is not a size"),
        (("compile", DIGITS, "--sram", "-5"), "positive"),
        (("compile", DIGITS, "--sram", "0"), "positive"),
        (("compile", DIGITS, "--sram", "1.0e999"), "not a size"),
        (("compile", DIGITS, "--optimize", "fast"), "balanced"),
        (("verify", DIGITS, "--on", "host,moon"), "'moon' is not one of reference, host, qemu"),
        (("verify", DIGITS, "--on", ","), "is not one of"),
        (("verify", DIGITS, "--vectors", "0"), "nothing to compare"),
        (("verify", DIGITS, "--on", "reference"), "compares with nothing"),
        (("explain", "E4O2"), "E402"),
    ],
)
def test_wrong_command_lines(words: tuple[object, ...], said: str) -> None:
    outcome = mcuc(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    as_json = mcuc(*words, "--json")
    assert as_json.code == 2
    assert as_json.error["code"] == "E100"
    assert said in as_json.error["what"]


@pytest.mark.parametrize(("text", "size"), [("16K", 16384), ("16KiB", 16384), ("0x4000", 16384)])
def test_sizes(text: str, size: int) -> None:
    from mcuc.cli.command import Size

    assert Size().convert(text, None, None) == size


def test_a_closed_pipe_is_no_bug() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mcuc", "ops", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert b"E900" not in process.stderr.read()
