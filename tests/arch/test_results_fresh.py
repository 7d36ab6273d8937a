"""The committed results of the long sweep belong to these sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import accuracy, forms, onnx_models, onnx_nodes
from benchmarks.models import MODELS, ROOT
from benchmarks.sources import (
    form_source_files,
    onnx_source_files,
    reference_source_files,
    sources_sha256,
)
from benchmarks.verify_all import COMMAND, DOCS, DOCS_COMMAND, RESULTS, page

STALE = "what the results depend on has changed: run"


@pytest.fixture
def results() -> dict:
    assert RESULTS.is_file(), f"no results yet: run `{COMMAND}`"
    return json.loads(RESULTS.read_text("utf-8"))


def test_results_are_of_these_sources(results: dict) -> None:
    assert results["sources_sha256"] == sources_sha256(), (
        f"{STALE} `{COMMAND}`, then `{DOCS_COMMAND}`"
    )


def test_results_hold_every_model_without_a_difference(results: dict) -> None:
    assert set(results["models"]) == set(MODELS)
    for name, model in results["models"].items():
        sets = sum(model["vectors"].values())
        assert set(model["identical_to_tflite"].values()) == {sets}, name
        assert model["lower_bound_bytes"] <= model["arena_bytes"], name
        assert model["arena_bytes"] <= (model["tflm_arena_bytes"] or model["arena_bytes"]), name


def test_the_page_shows_these_results(results: dict) -> None:
    assert results and DOCS.read_text("utf-8") == page(), f"run `{DOCS_COMMAND}`"


def test_results_of_all_forms_are_of_these_sources() -> None:
    found = json.loads(forms.RESULTS.read_text("utf-8"))
    assert found["sources_sha256"] == sources_sha256(form_source_files()), (
        f"{STALE} `{forms.COMMAND}`"
    )
    assert not [name for name, model in found["models"].items() if "refused" in model]


def test_results_of_onnx_models_are_of_these_sources() -> None:
    found = json.loads(onnx_models.RESULTS.read_text("utf-8"))
    assert found["sources_sha256"] == sources_sha256(onnx_source_files()), (
        f"{STALE} `{onnx_models.COMMAND}`"
    )
    assert onnx_models.DOCS.read_text("utf-8") == onnx_models.page(found)


def test_results_of_onnx_nodes_are_of_these_sources() -> None:
    found = json.loads(onnx_nodes.RESULTS.read_text("utf-8"))
    assert found["sources_sha256"] == sources_sha256(onnx_source_files()), (
        f"{STALE} `{onnx_nodes.COMMAND}`"
    )


def test_accuracies_are_of_these_sources() -> None:
    found = json.loads(accuracy.RESULTS.read_text("utf-8"))
    own = sources_sha256(reference_source_files())
    stale = sorted(name for name, figures in found.items() if figures["sources_sha256"] != own)
    assert not stale, f"{STALE} `{accuracy.COMMAND}`"


def test_a_change_of_a_source_is_noticed(tmp_path: Path) -> None:
    kernel = tmp_path / "runtime_c" / "add.c"
    kernel.parent.mkdir()
    kernel.write_bytes(b"int a;\n")
    before = sources_sha256(root=tmp_path)
    kernel.write_bytes(b"int a;\r\n")
    assert sources_sha256(root=tmp_path) == before, "line endings do not count"
    kernel.write_bytes(b"int b;\n")
    assert sources_sha256(root=tmp_path) != before
    kernel.write_bytes(b"int a;\n")
    (tmp_path / "mcuc" / "cli").mkdir(parents=True)
    (tmp_path / "mcuc" / "cli" / "texts.py").write_text("x = 1\n")
    assert sources_sha256(root=tmp_path) == before, "what only shows results does not count"
    kernel.rename(kernel.with_name("sub.c"))
    assert sources_sha256(root=tmp_path) != before
    assert sources_sha256(root=ROOT) == sources_sha256()
