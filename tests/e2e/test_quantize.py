"""A float model becomes integer firmware: samples in, the same bytes everywhere, and gates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.compile import compile_model
from mcuc.compiler.quantize import RECIPE
from mcuc.ir.types import DType
from mcuc.ops import add, average_pool2d
from mcuc.ops.interpret import run_reference
from mcuc.proof.verify import verify_model
from mcuc.quant.onnx_export import export_onnx
from tests.support.command import Outcome, mcuc
from tests.support.export import export
from tests.support.float_nets import FloatBuilder, mixed_net
from tests.support.models import DIGITS

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A float model as .tflite and .onnx, samples, and samples with labels."""
    path = tmp_path_factory.mktemp("quantize")
    graph = mixed_net()
    (path / "net.tflite").write_bytes(export(graph))
    (path / "net.onnx").write_bytes(export_onnx(graph).SerializeToString())
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (12, 8, 8, 3)).astype(np.float32)
    np.savez(path / "samples.npz", x=x)
    classes = [int(np.argmax(run_reference(graph, [s[np.newaxis]])[0])) for s in x]
    np.savez(path / "labelled.npz", x=x, y=np.asarray(classes))
    return path


def quantize(folder: Path, *words: object, model: str = "net.tflite") -> Outcome:
    given = ("--calibration", folder / "samples.npz")
    return mcuc("quantize", folder / model, *given, *words, "--json")


@pytest.mark.gcc
@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_a_float_tflite_becomes_integers_with_the_same_bytes_everywhere(folder: Path) -> None:
    made = compile_model(folder / "net.tflite", calibration=folder / "samples.npz")
    graph = made.lowered.graph
    results = [graph.type(n.outputs[0]).dtype for n in graph.nodes if n.op != "dequantize"]
    assert set(results) == {DType.S8}
    verdict = verify_model(made, ("reference", "host", "qemu"), vectors=2)["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]
    figures = made.report["quantization"]
    assert figures["precision"] == "int8" and figures["samples"] == 12
    assert figures["output_sqnr_db"] > 20 and figures["float_layers"] == 0


@pytest.mark.gcc
def test_layers_of_int16_between_layers_of_int8(tmp_path: Path) -> None:
    """What --auto-precision picks: the same bytes everywhere, and the exported model agrees."""
    build = FloatBuilder()
    y = build.source(1, 6, 6, 4)
    for offset in (40, -40):  # sums that cancel: int8 holds little of the difference
        y = build.one("add", add.Attrs(), y, build.const(np.full(4, offset, np.float32)))
    y = build.conv2d(y, 6, 3)
    pooled = build.one("average_pool2d", average_pool2d.Attrs((2, 2), (2, 2)), y)
    graph = build.graph(build.conv2d(pooled, 3))
    (tmp_path / "net.tflite").write_bytes(export(graph))
    x = np.random.default_rng(0).uniform(-1, 1, (8, 6, 6, 4)).astype(np.float32)
    np.savez(tmp_path / "samples.npz", x=x)
    options = {"calibration": tmp_path / "samples.npz", "auto_precision": True}
    made = compile_model(tmp_path / "net.tflite", **options)
    figures = made.report["quantization"]
    assert 0 < figures["int16_layers"] < len(figures["layers"]) and not figures["float_layers"]
    assert figures["output_sqnr_db"] > 25
    verdict = verify_model(made, ("reference", "host"), vectors=2)["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]
    words = ("--calibration", tmp_path / "samples.npz", "--auto-precision")
    exported = mcuc("quantize", tmp_path / "net.tflite", *words, "-o", tmp_path / "q.onnx")
    assert exported.code == 0
    read = compile_model(tmp_path / "q.onnx")
    for sample in x[:2, np.newaxis]:
        (ours,) = run_reference(made.lowered.whole, [sample])
        (again,) = run_reference(read.lowered.whole, [sample])
        assert np.abs(ours - again).max() <= np.ptp(ours) / 100


def test_both_kinds_of_file_give_integers_that_agree(folder: Path) -> None:
    """The .onnx is the same net; its layers have other names and a layout of their own."""
    documents = [
        quantize(folder, "--labels", folder / "labelled.npz", model=name).document
        for name in ("net.tflite", "net.onnx")
    ]
    for document in documents:
        assert document["accuracy"]["float_correct"] == 12
        assert document["accuracy"]["integer_correct"] >= 11
        assert document["quantization"]["float_layers"] == 0
        weighted = [x for x in document["quantization"]["layers"] if x["weight_bits"]]
        assert len(weighted) == 5 and all(x["weight_bits"] == 8 for x in weighted)


@pytest.mark.parametrize("io", ["stored", "quantized"])
def test_against_onnx_runtime_real_numbers_are_compared(io: str, folder: Path) -> None:
    made = compile_model(folder / "net.onnx", calibration=folder / "samples.npz", io=io)
    verdict = verify_model(made, ("reference",), vectors=2, against="onnxruntime")["verify"]
    assert verdict["mismatches"] == 0
    assert verdict["sqnr_db"] > 15


def test_a_folder_needs_no_samples_any_more(folder: Path, tmp_path: Path) -> None:
    samples = tmp_path / "samples.npz"
    samples.write_bytes((folder / "samples.npz").read_bytes())
    out = tmp_path / "out"
    words = ("--calibration", samples, "-o", out, "--json")
    first = mcuc("compile", folder / "net.tflite", *words)
    assert first.code == 0
    code = (out / "net.c").read_bytes()
    samples.unlink()
    data = ("--data", folder / "labelled.npz", "--on", "reference")
    again = mcuc("evaluate", out, *data, "--against", "float", "--json")
    assert again.code == 0
    assert again.document["quantization"] == first.document["quantization"]
    beside = again.document["accuracy"]["float"]
    assert beside["float_correct"] == 12 and beside["integer_correct"] >= 11
    assert (out / "model" / RECIPE).is_file()
    other = mcuc("evaluate", out, *data, "--calibration-method", "mse", "--json")
    assert (other.code, other.error["code"]) == (1, "E120")  # another recipe wants the samples
    recipe = out / "model" / RECIPE
    text = recipe.read_text(encoding="utf-8")
    graph = json.loads(text)["recipe"]["graph"]
    recipe.write_text(text.replace(graph, "of another version"), encoding="utf-8")
    assert mcuc("evaluate", out, *data, "--json").error["code"] == "E120"
    recipe.write_text(text, encoding="utf-8")
    samples.write_bytes((folder / "samples.npz").read_bytes())
    assert mcuc("compile", folder / "net.tflite", *words).code == 0
    assert (out / "net.c").read_bytes() == code


def test_layers_by_name(folder: Path) -> None:
    names = {
        layer["op"]: layer["name"] for layer in quantize(folder).document["quantization"]["layers"]
    }
    asked = [f"{names['mul']}=float32", f"{names['fully_connected'][:-1]}?=int16"]
    words = [word for pair in asked for word in ("--layer-precision", pair)]
    figures = quantize(folder, *words).document["quantization"]
    bits = {layer["op"]: layer["activation_bits"] for layer in figures["layers"]}
    assert (bits["mul"], bits["fully_connected"], bits["depthwise_conv2d"]) == (32, 16, 8)
    assert (figures["float_layers"], figures["int16_layers"]) == (1, 1)
    for wrong, code in (("nobody=int16", 1), ("x=int4", 2), ("int16", 2)):
        assert quantize(folder, "--layer-precision", wrong).code == code


def test_gates(folder: Path) -> None:
    labels = ("--labels", folder / "labelled.npz")
    assert quantize(folder, *labels, "--min-sqnr", 20, "--max-drop", 10).code == 0
    noisy = quantize(folder, "--min-sqnr", 90)
    assert noisy.code == 3 and [g["passed"] for g in noisy.document["gates"]] == [False]
    worse = quantize(folder, *labels, "--max-drop", -1)
    assert worse.code == 3 and worse.document["gates"][0]["gate"] == "max-drop"
    assert quantize(folder, "--max-drop", 1).code == 2


def test_the_exported_model_is_what_is_compiled(folder: Path, tmp_path: Path) -> None:
    """ONNX Runtime runs it, and read back it gives the integers of the first compilation."""
    import onnxruntime

    out = tmp_path / "net_q.onnx"
    assert quantize(folder, "-o", out).code == 0
    data = out.read_bytes()
    assert quantize(folder, "-o", out).code == 0 and out.read_bytes() == data
    onnx.checker.check_model(onnx.load(out), full_check=True)
    session = onnxruntime.InferenceSession(str(out))
    made = compile_model(folder / "net.tflite", calibration=folder / "samples.npz")
    read = compile_model(out)
    x = np.load(folder / "samples.npz")["x"][:4, np.newaxis]
    for sample in x:
        (theirs,) = session.run(None, {session.get_inputs()[0].name: sample})
        (ours,) = run_reference(made.lowered.whole, [sample])
        (again,) = run_reference(read.lowered.whole, [sample])
        assert np.abs(ours - theirs).max() <= 4 / 256
        assert np.abs(ours - again).max() <= 1 / 256


def test_what_is_refused(folder: Path) -> None:
    samples = ("--calibration", folder / "samples.npz")
    cases = [
        (("inspect", folder / "net.onnx"), "E212"),
        (("compile", folder / "net.onnx"), "E212"),
        (("compile", folder / "net.tflite", "--precision", "int8"), "E213"),
        (("quantize", DIGITS, *samples), "E214"),
        (("quantize", folder / "net.tflite", "--precision", "float32", *samples), "E214"),
        (("quantize", folder / "net.tflite", "--calibration", folder / "none.npz"), "E120"),
        (("quantize", folder / "net.tflite", *samples, "--calibration-std", "0"), "E109"),
    ]
    for words, code in cases:
        outcome = mcuc(*words, "--json")
        codes = [e["code"] for e in outcome.document["errors"]]
        assert (outcome.code, codes) == (1, [code]), words


def test_notes(folder: Path, tmp_path: Path) -> None:
    """Ranges that were made up are said to be; samples for a quantized model are not used."""
    made_up = mcuc("quantize", folder / "net.tflite", "--calibration", "random", "--json")
    assert any("made up" in note for note in made_up.document["notes"])
    ignored = mcuc("inspect", DIGITS, "--calibration", folder / "samples.npz", "--json")
    assert ignored.code == 0
    assert any("--calibration is ignored" in note for note in ignored.document["notes"])
    kept = mcuc("inspect", folder / "net.tflite", "--json")
    assert kept.code == 0 and kept.document["notes"] == []
    assert {op["dtype"] for op in kept.document["ops"]} == {"float32"}


def test_the_report_shows_every_layer(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("--calibration", folder / "samples.npz", "-o", out)
    assert mcuc("compile", folder / "net.tflite", *words).code == 0
    html = (out / "report.html").read_text(encoding="utf-8")
    assert 'id="quantization"' in html
    layers = json.loads((out / "report.json").read_text(encoding="utf-8"))["quantization"]["layers"]
    assert len(layers) == len(mixed_net().nodes) - 1  # an activation is part of the layer before
    text = mcuc("quantize", folder / "net.tflite", *words[:2], "--report")
    assert text.code == 0 and "depthwise_conv2d" in text.out and "SQNR dB" in text.out
