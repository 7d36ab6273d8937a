"""Exported to ONNX, every op's float vectors give in ONNX Runtime what the reference gives."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

from mcuc.errors import McucError, ModelError
from mcuc.ir.graph import Graph
from mcuc.ir.types import DType
from mcuc.ops.interpret import run_reference
from mcuc.quant.onnx_export import export_onnx
from mcuc.quant.onnx_ops import HANDLERS
from tests import vectors
from tests.support.cases import Case, as_float

onnxruntime = pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

MODULES = {
    info.name: importlib.import_module(f"tests.vectors.{info.name}")
    for info in pkgutil.iter_modules(vectors.__path__)
    if info.name in HANDLERS
}
# The rule on integers differs there (uint8's halves), or ONNX says something else of the values.
SKIPPED_PATTERNS = ("extremes", "positive", "wide")
MOST = 12  # cases per op: shapes and attributes come first in each list


def float_cases(op: str) -> list[Case]:
    """Cases of one float operand and more, as they are or made float."""
    module = MODULES[op]
    found = []
    for case in module.cases() if hasattr(module, "cases") else module.CASES:
        types = [o.type for o in case.operands if o is not None]
        if any(o is not None and o.pattern in SKIPPED_PATTERNS for o in case.operands):
            continue
        if case.op == "gather" and case.operands[1].pattern == "random":
            continue  # indices of any size: ONNX Runtime refuses them
        if case.op in ("quantize", "dequantize", "cast"):
            pass
        elif types[0].dtype is DType.S8:
            case = as_float(case)
        elif types[0].dtype is DType.S16 or DType.F32 not in [t.dtype for t in types]:
            continue
        found.append(case)
    return found[:MOST]


def run_onnx(graph: Graph, inputs):
    model = export_onnx(graph)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=True)))


@pytest.mark.parametrize("op", sorted(MODULES))
def test_float_vectors_in_onnx_runtime(op: str) -> None:
    judged = 0
    for case in float_cases(op):
        try:
            graph = case.graph()
        except McucError:  # the vector is of another arithmetic alone
            continue
        if not graph.inputs:
            continue
        (inputs,) = case.inputs()
        wanted = run_reference(graph, inputs)
        try:
            got = run_onnx(graph, inputs)
        except ModelError as error:
            assert error.code == "E210", case.name
            continue
        judged += 1
        for a, b in zip(wanted, got, strict=True):
            assert a.shape == b.shape and a.dtype == b.dtype, case.name
            if a.dtype.kind == "f":
                limit = 1e-5 * max(1.0, float(np.nanmax(np.abs(a))))
                assert np.allclose(a, b, rtol=0, atol=limit, equal_nan=True), case.name
            elif op in ("quantize",):
                assert np.abs(a.astype(int) - b.astype(int)).max() <= 1, case.name
            else:
                assert (a == b).all(), case.name
    assert judged, "no case was judged"
