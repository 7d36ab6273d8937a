"""Models of other forms than int8: reference, host and Cortex-M4 give the same bytes, and TFLite's.

TFLite's float results are compared within the tolerance of docs/numerics.md.
"""

from __future__ import annotations

import pytest

from benchmarks.models import FORMS, model_file
from mcuc.compiler.compile import compile_model
from mcuc.proof.verify import verify_model

pytestmark = [
    pytest.mark.data,
    pytest.mark.litert,
    pytest.mark.gcc,
    pytest.mark.arm_gcc,
    pytest.mark.qemu,
]


@pytest.mark.parametrize("name", FORMS)
def test_every_place_gives_the_bytes_of_the_reference(name: str) -> None:
    made = compile_model(model_file(name), board="qemu_m4")
    verdict = verify_model(made, vectors=1, against="tflite")["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]
