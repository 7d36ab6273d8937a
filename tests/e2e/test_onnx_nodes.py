"""ONNX's own node tests: the stored results as a ratchet, and a sample of them run anew."""

from __future__ import annotations

import json

import pytest

from benchmarks.onnx_nodes import DOCS, RESULTS, cases, run
from benchmarks.onnx_page import page

STORED = json.loads(RESULTS.read_text("utf-8"))
PASSING = [name for name, status in STORED["tests"].items() if status == "pass"]
SAMPLE = PASSING[::37]
LEAST_PASSING = 417  # of the tests in scope; only ever raised


def test_nothing_fails_and_nine_in_ten_of_the_scope_pass() -> None:
    assert not [name for name, status in STORED["tests"].items() if status.startswith("fail")]
    passing = set(STORED["scope"]).intersection(PASSING)
    assert len(passing) >= max(LEAST_PASSING, 0.9 * len(STORED["scope"]))


def test_the_page_shows_the_stored_results() -> None:
    assert DOCS.read_text("utf-8") == page(STORED)


@pytest.mark.gcc
def test_a_sample_passes() -> None:
    import onnx

    if onnx.__version__ != STORED["onnx"]:
        pytest.skip(f"the results are of onnx {STORED['onnx']}")
    assert run(SAMPLE) == dict.fromkeys(SAMPLE, "pass")


@pytest.mark.slow
@pytest.mark.gcc
def test_all_results_are_as_stored() -> None:
    assert run(list(cases())) == STORED["tests"]
