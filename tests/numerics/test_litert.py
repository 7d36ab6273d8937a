"""The operators' rules against the TFLite interpreter; its absence is a skip with the reason."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest

from tests.numerics.litert_cases import CASES
from tests.numerics.litert_scale_cases import SCALE_CASES

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None
    and "litert" not in os.environ.get("MCUC_REQUIRE", "").split(","),
    reason="ai-edge-litert is not installed",
)


@pytest.mark.parametrize("operator", CASES)
def test_operator_equals_the_interpreter(operator: str) -> None:
    compared, differing = CASES[operator](np.random.default_rng(11), 40)
    assert compared > 1000
    assert differing == 0


@pytest.mark.parametrize("operator", SCALE_CASES)
def test_scales_are_combined_as_the_interpreter_does(operator: str) -> None:
    told_apart, differing = SCALE_CASES[operator](np.random.default_rng(5))
    assert told_apart > 0
    assert differing == 0
