"""The `ref` of each op equals the TFLite reference interpreter on all of the op's vectors.

A vectors module takes part by `tflite(case)`, which names the case's operator in a `.tflite` file,
or gives None for what the interpreter does not define. `reference_only()` lists further cases that
concern the rule and not the kernels, which take longer to compile.
"""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from tests import vectors
from tests.support.case_model import model_of, reference
from tests.support.oracle import agree, run_tflite

pytest.importorskip("ai_edge_litert")
pytestmark = pytest.mark.litert

NAMES = sorted(
    info.name for info in pkgutil.iter_modules(vectors.__path__) if "test" not in info.name
)
OPS = [
    name for name in NAMES if hasattr(importlib.import_module(f"tests.vectors.{name}"), "tflite")
]
VECTORS = 2


@pytest.mark.parametrize("op", OPS)
def test_reference_equals_the_interpreter(op: str) -> None:
    module = importlib.import_module(f"tests.vectors.{op}")
    further = module.reference_only() if hasattr(module, "reference_only") else []
    pairs = [(case, module.tflite(case)) for case in (*module.cases(), *further)]
    judged = [(case, found) for case, found in pairs if found is not None]
    inputs = [case.inputs(VECTORS) for case, _ in judged]
    feeds = [[x for vectors_ in inputs for x in vectors_[v]] for v in range(VECTORS)]
    results = run_tflite(model_of(judged), feeds)
    wrong = []
    for v, got in enumerate(results):
        remaining = iter(got)
        for (case, _), own in zip(judged, inputs, strict=True):
            for wanted in reference(case, own[v]):
                actual = next(remaining)
                assert actual.shape == wanted.shape and actual.dtype == wanted.dtype, case.name
                if not agree(wanted, actual):
                    different = int((actual != wanted).sum())
                    wrong.append(f"{case.name}: {different} of {wanted.size} differ")
    assert not wrong, wrong


@pytest.mark.parametrize("op", NAMES)
def test_cases_are_of_their_op_and_have_names_of_their_own(op: str) -> None:
    module = importlib.import_module(f"tests.vectors.{op}")
    cases = module.cases() if hasattr(module, "cases") else module.CASES
    assert {case.op for case in cases} == {op}
    assert len({case.name for case in cases}) == len(cases)
