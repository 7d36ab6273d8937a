"""boards, ops, explain, doctor, inspect, fit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcuc.error_codes import CODES
from tests.support.command import mcuc
from tests.support.models import DIGITS
from tests.support.tflite_build import ModelBuilder


def model_with_problems(folder: Path) -> Path:
    """A supported operator, then one of a wrong element type and an unknown one."""
    build = ModelBuilder()
    x = build.tensor("x", (1, 8), "int8", scale=0.5, zero_point=0)
    y = build.tensor("y", (1, 8), "int8", scale=0.5, zero_point=0)
    f = build.tensor("f", (1, 8), "int32")
    g = build.tensor("g", (1, 8), "int32")
    h = build.tensor("h", (1, 8), "int32")
    build.op("RELU", [x], [y])
    build.op("SOFTMAX", [f], [g], {"beta": 1.0})
    build.op("CEIL", [g], [h])
    path = folder / "bad.tflite"
    path.write_bytes(build.build([x, f], [y, h]))
    return path


def test_boards() -> None:
    document = mcuc("boards", "--json").document
    assert {"qemu_m0plus", "qemu_m4", "nucleo_f446re"} <= {b["id"] for b in document["boards"]}
    assert "mps2-an386" in mcuc("boards").out


def test_ops() -> None:
    document = mcuc("ops", "--json").document
    conv = next(entry for entry in document["ops"] if entry["op"] == "conv2d")
    assert "mcuc_conv2d_s8_s8_s8__c" in conv["kernels"]
    assert set(conv) == {"op", "doc", "operands", "kernels"}
    assert "conv2d" in mcuc("ops").out


@pytest.mark.parametrize("code", ["E402", "e402"])
def test_explain(code: str) -> None:
    assert mcuc("explain", code).out.startswith(f"E402: {CODES['E402'].meaning}")
    document = mcuc("explain", code, "--json").document
    assert document["remedy"] == CODES["E402"].remedy


def test_inspect() -> None:
    document = mcuc("inspect", DIGITS, "--json").document
    assert document["errors"] == []
    assert document["macs"] == 280_448  # by hand from the shapes in examples/digits/README.md
    assert document["weights_bytes"] == 5888 + 4 * 314
    assert [op["op"] for op in document["ops"]][-3:] == ["MEAN", "FULLY_CONNECTED", "SOFTMAX"]
    expand = document["ops"][1]
    assert (expand["macs"], expand["weights_bytes"]) == (8 * 8 * 16 * 96, 16 * 96 + 4 * 96)
    assert max(op["ram_bytes"] for op in document["ops"]) == document["arena_bytes"]
    assert expand["ram_bytes"] < 8 * 8 * 96, "what it makes is streamed"
    assert document["inputs"][0]["shape"] == [1, 8, 8, 1]
    text = mcuc("inspect", DIGITS).out
    assert "depthwise_conv_2d_2" in text and "280,448" in text


def test_inspect_predicts_for_a_board() -> None:
    document = mcuc("inspect", DIGITS, "--board", "qemu_m4", "--json").document
    assert document["board"] == "qemu_m4"
    expand = document["ops"][1]
    assert expand["kernels"] == ["mcuc_conv2d_s8_s8_s8_1x1__dsp_3x2"]
    assert 0.7 < expand["predicted"] / expand["macs"] < 2.5
    assert document["predicted"] == sum(op["predicted"] or 0 for op in document["ops"])
    portable = mcuc("inspect", DIGITS, "--json").document
    assert portable["board"] is None
    assert portable["predicted"] is None
    assert "predicted on qemu_m4" in mcuc("inspect", DIGITS, "--board", "qemu_m4").out


def test_inspect_layer_by_layer() -> None:
    """By hand: a skip is alive beside the expansion; the first output grows into the input."""
    document = mcuc("inspect", DIGITS, "--schedule", "layer", "--json").document
    first, expand = document["ops"][:2]
    # before row 7 of 128 bytes is written, rows 6 and 7 of 8 bytes are still to be read; beside
    # them the kernel widens the nine pixels of a window to int16
    assert first["ram_bytes"] == 8 * 8 * 16 + 2 * 8 + 9 * 2
    assert expand["ram_bytes"] == 8 * 8 * 16 + 8 * 8 * 96
    assert max(op["ram_bytes"] for op in document["ops"]) == document["arena_bytes"]


def test_inspect_needs_no_compiler(no_tools: None) -> None:
    assert mcuc("inspect", DIGITS).code == 0


def test_inspect_lists_ops_and_all_problems(tmp_path: Path) -> None:
    path = model_with_problems(tmp_path)
    outcome = mcuc("inspect", path, "--json")
    assert outcome.code == 1
    document = outcome.document
    assert [op["op"] for op in document["ops"]] == ["RELU", "SOFTMAX", "CEIL"]
    assert document["ops"][0]["problems"] == []
    assert set(document["ops"][1]["problems"]) == {"E110"}
    assert document["ops"][2]["problems"] == ["E102"]
    assert {e["op_index"] for e in document["errors"]} == {1, 2}
    text = mcuc("inspect", path)
    assert text.code == 1
    assert "CEIL" in text.out and "error[E102]" in text.err and "error[E110]" in text.err


def test_inspect_of_no_model(tmp_path: Path) -> None:
    path = tmp_path / "x.tflite"
    path.write_bytes(b"not a model at all, but long enough to be one")
    assert mcuc("inspect", path, "--json").error["code"] == "E101"


@pytest.mark.arm_gcc
def test_fit_tells_need_and_have_of_both_kinds(tmp_path: Path) -> None:
    """A board with little RAM and one with little flash, as files."""
    from mcuc.data import data_dir

    text = (data_dir("boards") / "qemu_m4" / "board.toml").read_text("utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    stack, ram, flash_size = "kib = 16\n", "kib = 8192", "kib = 4096"
    assert all(line in text for line in (stack, ram, flash_size))
    little = {
        "a": text.replace(stack, "kib = 2\n").replace(ram, "kib = 4"),
        "b": text.replace(flash_size, "kib = 16"),
    }
    for name, content in little.items():
        (tmp_path / name / "board.toml").write_text(content, "utf-8")
    words = [word for name in "ab" for word in ("--board", tmp_path / name / "board.toml")]
    outcome = mcuc("fit", DIGITS, "--board", "qemu_m4", *words, "--json")
    assert outcome.code == 0
    fits, ram, flash = outcome.document["boards"]
    assert fits["fits"] and fits["reason"] is None and fits["exact"]
    assert not ram["fits"] and ram["reason"]["code"] in ("E401", "E402")
    assert not flash["fits"] and flash["reason"]["code"] == "E403"
    for row in (ram, flash):  # the same core: what is needed does not depend on the room
        assert row["ram_need_bytes"] == fits["ram_need_bytes"]
        assert row["flash_need_bytes"] == fits["flash_need_bytes"]
    assert ram["ram_need_bytes"] > ram["ram_have_bytes"]
    assert flash["flash_need_bytes"] > flash["flash_have_bytes"] == 16 << 10
    shown = mcuc("fit", DIGITS, *words).out
    assert f"{flash['flash_need_bytes']:,}" in shown
    assert "bytes of flash and there are 16,384" in shown


def test_fit_without_a_compiler_says_what_it_does_not_know(no_tools: None) -> None:
    outcome = mcuc("fit", DIGITS, "--board", "nucleo_f446re", "--json")
    (row,) = outcome.document["boards"]
    assert row["fits"] and not row["exact"]
    assert "not counted" in mcuc("fit", DIGITS, "--board", "nucleo_f446re").out


def test_fit_of_a_bad_model_and_an_unknown_board(tmp_path: Path) -> None:
    assert mcuc("fit", model_with_problems(tmp_path)).code == 1
    assert mcuc("fit", DIGITS, "--board", "moon", "--json").error["code"] == "E601"


@pytest.mark.gcc
@pytest.mark.qemu
@pytest.mark.arm_gcc
def test_doctor_where_all_is_well() -> None:
    outcome = mcuc("doctor", "--json")
    assert outcome.code == 0
    document = outcome.document
    assert document["ready"] and document["unavailable"] == []
    tools = {tool["name"]: tool for tool in document["tools"]}
    assert "QEMU" in tools["qemu-system-arm"]["version"]


@pytest.mark.parametrize(("version", "good"), [("6.2.0", False), ("7.2.0", True), ("10.0.0", True)])
def test_doctor_wants_an_emulator_that_has_the_cores(
    version: str, good: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B107: an older QEMU lacks cores or instructions; that is said before anything runs."""
    program = tmp_path / "qemu-system-arm"
    program.write_text(f"#!/bin/sh\necho QEMU emulator version {version}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    tools = {tool["name"]: tool for tool in mcuc("doctor", "--json").document["tools"]}
    assert (not tools["qemu-system-arm"]["problem"]) == good
    assert good or "older than 7.2" in tools["qemu-system-arm"]["problem"]


def test_doctor_where_nothing_is(no_tools: None) -> None:
    outcome = mcuc("doctor")
    assert outcome.code == 5
    assert "apt-get install gcc-arm-none-eabi" in outcome.out
    assert "no host compiler" in outcome.out and "no compiler for boards" in outcome.out
    assert mcuc("doctor", "--json").document["ready"] is False
