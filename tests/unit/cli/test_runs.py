"""run, verify, evaluate: on model files and on folders, host and emulator."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.compile import compile_model
from mcuc.frontends.tflite.load import load_tflite
from mcuc.inputs.vectors import load_inputs, random_vectors
from mcuc.proof.verify import verify_model
from tests.support.command import mcuc
from tests.support.models import DIGITS

DATA = DIGITS.parent / "digits_test.npz"
SCALE = str(1 / 16)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert mcuc("compile", DIGITS, "-o", tmp_path / "out").code == 0
    return tmp_path / "out"


def tampered(folder: Path, table: str) -> None:
    """Changes the first number of a table of the generated C."""
    path = folder / "digits_int8_data.h"
    text = path.read_text("utf-8")
    note = text.index(f" {table}:")
    first = re.compile(r"= \{\s*(-?\d+)").search(text, note)
    assert first is not None
    number = int(first[1]) ^ 0x00400040
    path.write_text(text[: first.start(1)] + str(number) + text[first.end(1) :], "utf-8")


@pytest.mark.gcc
def test_run_on_the_host_with_a_file(tmp_path: Path) -> None:
    x = np.load(DATA)["x"][0].astype(np.float32) / 16
    np.save(tmp_path / "x.npy", x)
    words = ("--on", "host", "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    document = mcuc("run", DIGITS, *words, "--json").document
    (values,) = document["run"]["outputs"].values()
    assert int(np.argmax(values)) == np.load(DATA)["y"][0]
    stored = np.load(tmp_path / "y.npz")
    assert stored[stored.files[0]].reshape(-1).tolist() == values


@pytest.mark.gcc
def test_random_input_is_seeded() -> None:
    document = mcuc("run", DIGITS, "--on", "host", "--seed", "5", "--json").document
    assert document["run"]["input"] == "random, seed 5"
    graph = load_tflite(DIGITS)
    (first,), (again,), (other,) = (random_vectors(graph, 1, seed)[0] for seed in (5, 5, 6))
    assert (first == again).all() and (first != other).any()


@pytest.mark.gcc
def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    words = ("--on", "host", "--output", tmp_path / "no" / "y.npz")
    assert mcuc("run", DIGITS, *words, "--json").error["code"] == "E107"


@pytest.mark.qemu
@pytest.mark.arm_gcc
def test_measurements_gather_in_the_folder(folder: Path) -> None:
    run = mcuc("run", folder, "--json").document
    assert run["run"]["instructions"] > run["macs"]["executed"]
    layers = [layer["instructions"] for layer in run["layers"]]
    assert all(layers)
    words = ("--data", DATA, "--factor", SCALE, "--limit", "8", "--on", "reference,qemu")
    assert mcuc("evaluate", folder, *words).code == 0
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["run"] == run["run"]
    assert [layer["instructions"] for layer in report["layers"]] == layers
    assert report["accuracy"]["samples"] == 8
    assert report["verify"] is None


@pytest.mark.gcc
@pytest.mark.qemu
@pytest.mark.arm_gcc
def test_verify_everywhere(folder: Path) -> None:
    outcome = mcuc("verify", folder, "--vectors", "2", "--json")
    assert outcome.code == 0
    result = outcome.document["verify"]
    assert result["on"] == ["reference", "host", "qemu"]
    assert (result["vectors"], result["mismatches"]) == (2, 0)
    assert 0 < result["stack_bytes"] < result["stack_limit_bytes"] == 16 * 1024


def test_outputs_that_never_change_are_told(tmp_path: Path) -> None:
    """B115: digits scaled to nothing are all the same to the model."""
    data, made = np.load(DATA), compile_model(DIGITS, schedule="layer")
    for factor, constant in ((1 / 16, False), (1e-9, True)):
        given = []
        for digit in (3, 5):
            file = tmp_path / f"{digit}.npz"
            np.savez(file, image=data["x"][data["y"] == digit][:1].astype(np.float32))
            given.append(load_inputs(file, made.lowered.whole, factor, 0.0))
        report = verify_model(made, ("reference",), 1, given=given)
        assert report["verify"]["constant_output"] is constant


@pytest.mark.gcc
@pytest.mark.parametrize(
    ("table", "index"), [("conv_2d_1", 1), ("depthwise_conv_2d_5", 5), ("fully_connected_8", 8)]
)
def test_a_changed_weight_is_found_in_its_layer(table: str, index: int, folder: Path) -> None:
    tampered(folder, table)
    outcome = mcuc("verify", folder, "--on", "reference,host", "--json")
    assert outcome.code == 3
    result = outcome.document["verify"]
    assert result["mismatches"] > 0
    assert result["first_mismatch"]["op_index"] == index
    assert result["first_mismatch"]["on"] == "host"
    text = mcuc("verify", folder, "--on", "reference,host")
    assert text.code == 3
    assert f"op {index} " in text.out and f'"{table}" on host' in text.out


@pytest.mark.gcc
def test_other_options_leave_the_folder_alone(folder: Path) -> None:
    before = (folder / "report.json").read_bytes()
    outcome = mcuc("verify", folder, "--on", "reference,host", "--optimize", "size")
    assert outcome.code == 0
    assert "compiled anew" in outcome.err
    assert (folder / "report.json").read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"options": {"x": 1}, "model": {"name": "a"}, "schema": 1}']
)
def test_a_folder_whose_report_is_none(text: str, folder: Path) -> None:
    (folder / "report.json").write_text(text, "utf-8")
    outcome = mcuc("verify", folder, "--json")
    assert (outcome.code, outcome.error["code"]) == (1, "E108")


@pytest.mark.gcc
def test_evaluate() -> None:
    words = ("--data", DATA, "--factor", SCALE, "--on", "reference,host", "--limit", "40")
    outcome = mcuc("evaluate", DIGITS, *words, "--json")
    assert outcome.code == 0
    accuracy = outcome.document["accuracy"]
    assert accuracy["samples"] == 40
    assert accuracy["correct_by_place"]["host"] == accuracy["correct_by_place"]["reference"] >= 36
    assert "top1" in mcuc("evaluate", DIGITS, *words).out


def test_evaluate_with_data_that_do_not_fit(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", x=np.zeros((3, 5), np.uint8), y=np.zeros(3, np.uint8))
    outcome = mcuc("evaluate", DIGITS, "--data", tmp_path / "d.npz", "--json")
    assert (outcome.code, outcome.error["code"]) == (1, "E121")


@pytest.mark.gcc
@pytest.mark.qemu
def test_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from examples.digits import demo

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "QEMU_SAMPLES", 5)
    assert demo.main() == 0
    report = json.loads((tmp_path / "demo_out" / "report.json").read_text("utf-8"))
    assert report["accuracy"]["top1"] > 0.98
    assert report["verify"]["mismatches"] == 0
    assert report["run"]["instructions"] > 0
