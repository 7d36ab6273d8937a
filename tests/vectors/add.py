"""Vectors of ADD: broadcasts, constants, activations, quantization limits."""

from __future__ import annotations

from mcuc.ops.add import Attrs
from tests.support.binary_cases import binary_cases, further_binary_cases
from tests.support.case_model import TfliteOp
from tests.support.cases import Case


def cases() -> list[Case]:
    return binary_cases("add", Attrs)


def reference_only() -> list[Case]:
    return further_binary_cases("add", Attrs)


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    activation = case.attrs.activation.upper()
    return TfliteOp("ADD", {"fused_activation_function": activation, "pot_scale_int16": False})
