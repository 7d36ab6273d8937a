"""An SVDF with a state of int8 gives TFLM's numbers, stored by tests/golden/make_tflm.py.

The inputs do not saturate the state: there the released TFLM adds the state's zero point after it
clamps, and wraps around; its later sources clamp last, as mcuc does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from tests.support.svdf_model import DEPTH, model

STORED = Path(__file__).parent / "tflm_svdf.npz"
CALLS = 60


def inputs() -> list[Array]:
    """[1, DEPTH] int8: quiet and loud, so that states fill and empty."""
    rng = np.random.default_rng(11)
    loud = [3 + k % 10 for k in range(CALLS)]
    return [np.clip(rng.normal(-3, s, (1, DEPTH)), -128, 127).astype(np.int8) for s in loud]


def test_results_equal_tflm_over_many_calls() -> None:
    graph = load_tflite(Path("svdf.tflite"), model("s8"))
    stored = np.load(STORED)["outputs"]
    memory: dict[int, Array] = {}
    for x, wanted in zip(inputs(), stored, strict=True):
        (found,) = run_reference(graph, [x], memory=memory)
        np.testing.assert_array_equal(found, wanted)
    assert np.unique(stored).size > 60
