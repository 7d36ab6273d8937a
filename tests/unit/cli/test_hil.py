"""`mcuc hil`: a lab's file, the comparison with a baseline, results for people, CI and pytest."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest

from mcuc.cli import cli
from mcuc.errors import BoardError, DeviceTimeoutError, ModelError
from mcuc.lab import hil
from mcuc.lab.description import Case, load_lab
from mcuc.lab.hil import Result, compare, load_baseline, run_case
from tests.support.command import mcuc
from tests.support.models import DIGITS, ROOT

pytest_plugins = ["pytester"]

CI = ROOT / "examples" / "ci"
FIGURES = {
    "unit": "instructions",
    "count": 1000,
    "ram_bytes": 5000,
    "arena_bytes": 4000,
    "stack_bytes": 300,
    "transport": "uart",
}


def lab_file(folder: Path, text: str = "") -> Path:
    file = folder / "hil.toml"
    default = f'schema = 1\n[[board]]\nboard = "qemu_f405"\n[[model]]\nfile = "{DIGITS}"\n'
    file.write_text(text or default)
    return file


def test_the_example_is_a_lab() -> None:
    lab = load_lab(CI / "hil.toml")
    assert [case.name for case in lab.cases] == [
        "digits_int8@emulated-m4",
        "digits_int8@emulated-m7",
        "digits_int8@nucleo-f446re",
    ]
    assert lab.cases[2].board.access.port and "{elf}" in lab.cases[2].board.access.upload


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_the_ci_examples_call_what_is_there(name: str) -> None:
    """Their commands parse, name boards of the lab, and store what they write."""
    text = (CI / name).read_text()
    lines = re.findall(r"(?:run: |- )(?:\S*/)?(mcuc .*)", text)
    assert len(lines) == 2
    boards = {case.board.name for case in load_lab(CI / "hil.toml").cases}
    for line in lines:
        command = cli.get_command(click.Context(cli), "hil")
        assert command is not None
        context = command.make_context("hil", shlex.split(line)[2:], parent=click.Context(cli))
        assert set(context.params["boards"]) <= boards
        for key in ("junit", "results"):
            assert text.count(context.params[key].stem) > 1
    assert "\t" not in text


def test_all_problems_of_a_lab_are_told(tmp_path: Path) -> None:
    text = """
schema = 1
typo = 3
[[board]]
name = "a"
board = "qemu_f405"
port = "/dev/ttyACM0"
[[board]]
name = "a"
board = "nucleo_f446re"
place = "board"
[[model]]
file = "none.tflite"
boards = ["b"]
vectors = 0
"""
    with pytest.raises(BoardError) as caught:
        load_lab(lab_file(tmp_path, text))
    assert caught.value.code == "E607"
    for word in ("typo", "port", "two entries", "none.tflite", "'b'", "vectors"):
        assert word in caught.value.why
    outcome = mcuc("hil", tmp_path / "hil.toml", "--json")
    assert (outcome.code, outcome.error["code"]) == (1, "E607")
    assert mcuc("hil", tmp_path / "none.toml").code == 1
    (tmp_path / "hil.toml").write_text("= =")
    assert mcuc("hil", tmp_path / "hil.toml").code == 1


@pytest.mark.parametrize(
    ("now", "before", "worse"),
    [
        ({}, {}, 0),
        ({"count": 1010}, {}, 0),
        ({"count": 1011}, {}, 1),
        ({"count": 10}, {}, 0),
        ({"count": None}, {}, 1),
        ({"unit": "cycles", "count": 1030}, {"unit": "cycles"}, 0),
        ({"unit": "cycles", "count": 1031}, {"unit": "cycles"}, 1),
        ({"unit": "cycles"}, {}, 1),
        ({"transport": "semihosting"}, {}, 1),
        ({"ram_bytes": 5001}, {}, 1),
        ({"ram_bytes": 4999}, {}, 0),
        ({"ram_bytes": 5001, "arena_bytes": 4001, "count": 2000}, {}, 3),
        ({"stack_bytes": 999}, {}, 0),
    ],
)
def test_limits_of_the_baseline(now: dict, before: dict, worse: int) -> None:
    assert len(compare({**FIGURES, **now}, {**FIGURES, **before})) == worse


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, object]]:
    """What the measurement of every case gives: a verdict and figures, or an error."""
    outcome: dict[str, object] = {"verdict": {"mismatches": 0, "first_mismatch": None}}
    figures = dict(FIGURES)

    def measure(case: Case) -> tuple[object, dict[str, object]]:
        if "error" in outcome:
            raise outcome["error"]  # type: ignore[misc]
        return outcome["verdict"], {**figures, **outcome.get("figures", {})}  # type: ignore[dict-item]

    monkeypatch.setattr(hil, "_measured", measure)
    yield outcome


def test_every_outcome_has_its_status_and_exit_code(
    tmp_path: Path, measured: dict[str, object]
) -> None:
    (case,) = load_lab(lab_file(tmp_path)).cases
    assert (run_case(case, {}).status, run_case(case, {}).exit_code) == ("passed", 0)
    worse = run_case(case, {case.name: {**FIGURES, "ram_bytes": 4999}})
    assert (worse.status, worse.exit_code) == ("regressed", 3)
    measured["verdict"] = {"mismatches": 2, "first_mismatch": {"op_index": 4}}
    wrong = run_case(case, {})
    assert (wrong.status, wrong.exit_code) == ("mismatch", 3) and "4" in wrong.problems[0]
    measured["error"] = DeviceTimeoutError("E621", "the device does not answer")
    silent = run_case(case, {})
    assert (silent.status, silent.exit_code) == ("error", 6)
    assert silent.errors[0]["code"] == "E621"


def test_the_command_writes_what_ci_reads(tmp_path: Path, measured: dict[str, object]) -> None:
    file, junit, results = lab_file(tmp_path), tmp_path / "r.xml", tmp_path / "r.json"
    assert mcuc("hil", file, "--update-baseline").code == 0
    baseline = load_baseline(tmp_path / "baseline.json")
    assert baseline == {"digits_int8@qemu_f405": FIGURES}
    outcome = mcuc("hil", file, "--junit", junit, "--results", results, "--json")
    assert outcome.code == 0 and outcome.document == json.loads(results.read_text())
    assert outcome.document["passed"] is True
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert suite is not None and suite.get("failures") == suite.get("errors") == "0"

    measured["figures"] = {"count": 1200}
    outcome = mcuc("hil", file, "--junit", junit)
    assert outcome.code == 3 and "20.00 % more" in outcome.out
    root = ElementTree.parse(junit).getroot()
    assert root.get("failures") == "1"
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None and failure.get("type") == "regressed"

    measured["error"] = DeviceTimeoutError("E621", "silent \x1b[31m\x00 & <odd>")
    outcome = mcuc("hil", file, "--junit", junit, "--json")
    assert outcome.code == 6 and outcome.document["passed"] is False
    error = ElementTree.parse(junit).getroot().find("testsuite/testcase/error")
    assert error is not None and error.get("type") == "E621"
    assert load_baseline(tmp_path / "baseline.json") == baseline


def test_nothing_chosen_is_not_a_pass(tmp_path: Path) -> None:
    assert mcuc("hil", lab_file(tmp_path), "--board", "other").code == 2


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1, "cases": {"a": {"count": "x"}}}'])
def test_a_damaged_baseline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "baseline.json").write_text(text)
    with pytest.raises(ModelError) as caught:
        load_baseline(tmp_path / "baseline.json")
    assert caught.value.code == "E108"


def test_pytest_runs_the_cases(pytester: pytest.Pytester, measured: dict[str, object]) -> None:
    lab_file(pytester.path)
    without = pytester.inline_run("-p", "mcuc.pytest_hil", "hil.toml")
    assert without.countoutcomes() == [0, 0, 0]
    good = pytester.inline_run("-p", "mcuc.pytest_hil", "--hil", "hil.toml")
    assert good.countoutcomes() == [1, 0, 0]
    measured["verdict"] = {"mismatches": 1, "first_mismatch": {"tensor": "conv_2d_1"}}
    bad = pytester.runpytest("-p", "mcuc.pytest_hil", "--hil", "hil.toml")
    bad.assert_outcomes(failed=1)
    bad.stdout.fnmatch_lines(["*mismatch", "*conv_2d_1*"])
    pytester.path.joinpath("hil.toml").write_text("schema = 2\n")
    broken = pytester.runpytest("-p", "mcuc.pytest_hil", "--hil", "hil.toml")
    broken.assert_outcomes(errors=1)
    broken.stdout.fnmatch_lines(["*E607*"])


@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_a_case_on_an_emulator(tmp_path: Path) -> None:
    (case,) = load_lab(lab_file(tmp_path)).cases
    first = run_case(replace(case, vectors=1), {})
    assert first.status == "passed", first.problems
    assert first.figures["count"] > 100_000 and first.figures["transport"] == "uart"
    less = {**first.figures, "count": int(first.figures["count"] * 0.98)}
    assert isinstance(first, Result)
    assert compare(first.figures, less) and not compare(first.figures, first.figures)
