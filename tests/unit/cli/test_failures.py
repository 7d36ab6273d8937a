"""What users are told when something is wrong: codes, exit statuses, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import mcuc
from tests.support.models import DIGITS


@pytest.mark.parametrize("command", ["inspect", "compile", "run", "verify", "fit"])
@pytest.mark.parametrize(
    ("kind", "code"), [("missing", "E108"), ("folder", "E108"), ("text", "E101"), ("onnx", "E101")]
)
def test_models_that_are_none(command: str, kind: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / ("m.onnx" if kind == "onnx" else "m.tflite")
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_text("hello" * 100, "utf-8")
    outcome = mcuc(command, path, "--json")
    assert outcome.code == 1
    assert outcome.error["code"] == code
    text = mcuc(command, path)
    assert (text.code, text.out) == (1, "")
    assert text.err.startswith(f"error[{code}]: ") and "Traceback" not in text.err


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    for command in ("compile", "run"):
        assert mcuc(command, tmp_path / ("x" * 300), "--json").error["code"] == "E108"
    assert mcuc("compile", DIGITS, "-o", tmp_path / ("x" * 300), "--json").error["code"] == "E107"


def test_an_unknown_board_and_its_neighbour() -> None:
    error = mcuc("compile", DIGITS, "--board", "qemu_m44", "--json").error
    assert error["code"] == "E601"
    assert "qemu_m4'" in error["help"]
    assert error["data"]["nearest"] == "qemu_m4"


@pytest.mark.parametrize(
    ("option", "have", "code"), [("--sram", 3000, "E401"), ("--flash", 5000, "E403")]
)
def test_what_does_not_fit(option: str, have: int, code: str, tmp_path: Path) -> None:
    outcome = mcuc("compile", DIGITS, "-o", tmp_path / "out", option, have, "--json")
    assert outcome.code == 4
    error = outcome.error
    assert error["code"] == code
    assert error["data"]["have_bytes"] == have < error["data"]["need_bytes"]
    assert error["help"]
    assert not (tmp_path / "out").exists()
    if option == "--sram":
        labels = [entry["label"] for entry in error["data"]["largest"]]
        assert len(labels) == 3
        assert all(label in error["why"] for label in labels)


@pytest.mark.arm_gcc
def test_the_stack_counts_against_the_limit(tmp_path: Path) -> None:
    # a fixed schedule: a free one goes below the limit
    words = ("compile", DIGITS, "-o", tmp_path / "out", "--schedule", "layer", "--json")
    memory = mcuc(*words).document["memory"]
    assert memory["stack_bytes"] > 0
    total = memory["total_bytes"]
    assert mcuc(*words, "--sram", total).code == 0
    outcome = mcuc(*words, "--sram", total - 1)
    assert (outcome.code, outcome.error["code"]) == (4, "E402")
    assert outcome.error["data"]["stack_bytes"] == memory["stack_bytes"]
    assert len(outcome.error["data"]["largest"]) == 3


@pytest.mark.parametrize("place", ["host", "qemu"])
def test_a_missing_tool(place: str, no_tools: None, tmp_path: Path) -> None:
    for words in (("run", DIGITS), ("verify", DIGITS, "--vectors", "1")):
        outcome = mcuc(*words, "--on", place, "--json")
        assert outcome.code == 5
        assert outcome.error["code"] == "E501"
        assert "apt-get install" in outcome.error["help"]


def test_compile_without_a_compiler(no_tools: None, tmp_path: Path) -> None:
    document = mcuc("compile", DIGITS, "-o", tmp_path / "out", "--json").document
    assert document["memory"]["stack_bytes"] is None
    assert document["flash"]["total_bytes"] is None
    assert any("no compiler" in note for note in document["notes"])


def test_a_real_board_is_out_of_reach() -> None:
    outcome = mcuc("run", DIGITS, "--board", "nucleo_f446re", "--json")
    assert outcome.error["code"] == "E604"
    assert outcome.code == 7


def test_tracebacks_only_where_asked_for(tmp_path: Path) -> None:
    missing = tmp_path / "m.tflite"
    assert "Traceback" not in mcuc("-v", "inspect", missing).err
    outcome = mcuc("-vv", "inspect", missing, "--json")
    assert "Traceback" in outcome.err
    assert outcome.error["code"] == "E108"


def test_a_bug_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("surprise")

    monkeypatch.setattr("mcuc.compiler.inspect.inspect_model", broken)
    outcome = mcuc("inspect", DIGITS, "--json")
    assert outcome.code == 70
    assert outcome.error["code"] == "E900" and "surprise" in outcome.error["what"]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [("x.npy", None, "E120"), ("x.npy", b"nonsense", "E120"), ("x.png", b"nonsense", "E120")],
)
def test_input_data_that_cannot_be_read(
    name: str, content: bytes | None, code: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    error = mcuc("run", DIGITS, "--on", "host", "--input", tmp_path / name, "--json").error
    assert error["code"] == code
