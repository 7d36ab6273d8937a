"""Real `.onnx` files: the same bytes everywhere, ONNX Runtime's numbers, no transposition left."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.onnx_models import DOCS, INEXACT, RESULTS, file_of, names, page
from mcuc.compiler.compile import compile_model
from mcuc.frontends.onnx.load import read_onnx
from mcuc.ops.interpret import run_reference
from mcuc.proof.verify import verify_model
from tests.support.models import data_folder

STORED = json.loads(RESULTS.read_text("utf-8"))
# Small ones, of both exporters: a CNN, a transformer, an LSTM.
QUICK = (
    "gen/trained/fmnist_dsconv__dy",
    "gen/onnx/einattn_cls__ts",
    "gen/onnx/lstm_kws__dy",
)


def test_most_files_compile_and_none_differs() -> None:
    records = STORED["models"].values()
    assert not [r for r in records if r["status"] == "differs"]
    inexact = {name for name, r in STORED["models"].items() if r["status"] == "inexact"}
    assert inexact <= set(INEXACT)
    assert sum(r["status"] == "verified" for r in records) >= 0.85 * len(STORED["models"])


def test_the_page_shows_the_stored_results() -> None:
    assert DOCS.read_text("utf-8") == page(STORED)


@pytest.mark.data
def test_every_file_has_a_result() -> None:
    assert sorted(STORED["models"]) == names()


@pytest.mark.data
@pytest.mark.gcc
@pytest.mark.parametrize("name", QUICK)
def test_host_and_reference_agree_with_onnx_runtime(name: str) -> None:
    pytest.importorskip("onnxruntime")
    made = compile_model(file_of(name), precision="float32")
    verdict = verify_model(made, ("reference", "host"), vectors=1, against="onnxruntime")["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]
    assert verdict["sqnr_db"] > 90


@pytest.mark.data
@pytest.mark.parametrize("exporter", ["ts", "dy"])
@pytest.mark.parametrize("model", ["vit_d64_l2_p4_32_gap", "resnet8_cifar", "unet_convt_64"])
def test_both_exporters_give_the_golden_outputs(model: str, exporter: str) -> None:
    name = f"gen__onnx__{model}__{exporter}.onnx.npz"
    graph = read_onnx(file_of(f"gen/onnx/{model}__{exporter}")).graph
    rng = np.random.default_rng(0)
    vector = [rng.uniform(-1, 1, graph.type(v).shape).astype(np.float32) for v in graph.inputs]
    (found,) = run_reference(graph, vector)
    with np.load(data_folder() / "models" / "golden" / name) as golden:
        want = golden["s0_y0"]
    assert np.abs(found - want).max() <= 1e-5 * np.abs(want).max()


@pytest.mark.data
def test_a_convolutional_model_streams_with_channels_last() -> None:
    file = file_of("gen/onnx/mcunet_like_96__ts")
    options = {"precision": "float32", "io_layout": "nhwc", "input_mode": "streamed"}
    made = compile_model(file, **options)
    assert not any(node.op == "transpose" for node in made.lowered.graph.nodes)
    assert "_push_rows" in made.project.files[f"{made.project.name}.h"]
