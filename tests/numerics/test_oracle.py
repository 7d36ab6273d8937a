"""The interpreter in a child process: results, intermediate tensors, refusals, crashes."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import numpy as np
import pytest

from mcuc.device.tflite_oracle import patch_bias_quantized_dimension
from tests.support.oracle import OracleError, run_tflite, run_tflite_tensors
from tests.support.tflite_build import ModelBuilder

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None
    and "litert" not in os.environ.get("MCUC_REQUIRE", "").split(","),
    reason="ai-edge-litert is not installed",
)


def _relu_chain(scale: float = 0.5) -> bytes:
    """x -> RELU -> h -> PAD -> y, and h itself as the first output."""
    m = ModelBuilder()
    quant: dict[str, Any] = {"scale": scale, "zero_point": 0}
    x = m.tensor("x", (2, 3), "int8", **quant)
    h = m.tensor("h", (2, 3), "int8", **quant)
    y = m.tensor("y", (2, 5), "int8", **quant)
    pads = m.const("pads", np.asarray([[0, 0], [1, 1]], dtype=np.int32))
    m.op("RELU", [x], [h])
    m.op("PAD", [h, pads], [y])
    return m.build([x], [y])


X = np.asarray([[-3, 0, 5], [127, -128, 1]], dtype=np.int8)


def test_runs_several_vectors_in_order() -> None:
    results = run_tflite(_relu_chain(), [[X], [-X // 2], [X]])
    for (y,), x in zip(results, (X, -X // 2, X), strict=True):
        assert y.tolist() == np.pad(np.maximum(x, 0), ((0, 0), (1, 1))).tolist()


def test_returns_intermediate_tensors() -> None:
    (tensors,) = run_tflite_tensors(_relu_chain(), [[X]])
    assert tensors[1].tolist() == np.maximum(X, 0).tolist()


def test_reads_a_path(tmp_path: Any) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(_relu_chain())
    assert run_tflite(path, [[X]])[0][0].shape == (2, 5)


def test_shows_why_a_model_is_refused() -> None:
    m = ModelBuilder()
    x = m.tensor("x", (1, 4), "int8", scale=0.5)
    y = m.tensor("y", (1, 8), "int8", scale=0.25)
    m.op("CONCATENATION", [x, x], [y], {"axis": 1})
    with pytest.raises(OracleError, match=r"params\.scale") as caught:
        run_tflite(m.build([x], [y]), [[np.zeros((1, 4), dtype=np.int8)]])
    assert caught.value.code == "E541"


def test_shows_a_wrong_input() -> None:
    with pytest.raises(OracleError, match="INT8"):
        run_tflite(_relu_chain(), [[X.astype(np.float32)]])
    with pytest.raises(OracleError, match="1 inputs, vector 0 2"):
        run_tflite(_relu_chain(), [[X, X]])


def test_survives_a_crash_of_the_interpreter() -> None:
    m = ModelBuilder()
    x = m.tensor("x", (1, 4), "int8", scale=1.0)
    y = m.tensor("y", (1, 4), "int8", scale=2.0**-20)
    m.op("ADD", [x, x], [y], {})
    with pytest.raises(OracleError, match="crashed") as caught:
        run_tflite(m.build([x], [y]), [[np.zeros((1, 4), dtype=np.int8)]])
    assert caught.value.code == "E542"


def _conv_with_bias_axis(axis: int) -> bytes:
    m = ModelBuilder()
    x = m.tensor("x", (1, 1, 1, 2), "int8", scale=1.0)
    y = m.tensor("y", (1, 1, 1, 2), "int8", scale=1.0)
    w = np.ones((1, 1, 1, 2), dtype=np.int8)
    filters = m.const("w", w, scale=[1.0, 2.0], quantized_dimension=3)
    bias = np.asarray([1, 2], dtype=np.int32)
    biases = m.const("b", bias, scale=[1.0, 2.0], quantized_dimension=axis)
    options: dict[str, int | str] = {"padding": "VALID", "depth_multiplier": 1}
    options |= {"stride_h": 1, "stride_w": 1}
    options |= {"dilation_h_factor": 1, "dilation_w_factor": 1}
    m.op("DEPTHWISE_CONV_2D", [x, filters, biases], [y], options)
    return m.build([x], [y])


def test_patches_the_axis_of_biases_only_in_a_copy() -> None:
    wrong = _conv_with_bias_axis(3)
    kept = bytes(wrong)
    assert patch_bias_quantized_dimension(wrong) != wrong
    ((y,),) = run_tflite(wrong, [[np.full((1, 1, 1, 2), 5, dtype=np.int8)]])
    assert y.ravel().tolist() == [6, 14]
    assert wrong == kept
    right = _conv_with_bias_axis(0)
    assert patch_bias_quantized_dimension(right) == right


def test_builder_shares_buffers_and_names_mistakes() -> None:
    m = ModelBuilder()
    shared = m.buffer(np.asarray([1, 2], dtype=np.int8))
    quant: dict[str, Any] = {"scale": 1.0, "buffer": shared}
    a = m.tensor("a", (2,), "int8", **quant)
    b = m.tensor("b", (1, 2), "int8", **quant)
    x = m.tensor("x", (1, 2), "int8", scale=1.0)
    y = [m.tensor(f"y{i}", (1, 2), "int8", scale=1.0) for i in range(2)]
    m.op("ADD", [x, a], [y[0]], {})
    m.op("ADD", [x, b], [y[1]], {"fused_activation_function": "RELU"})
    ((first, second),) = run_tflite(m.build([x], y), [[np.asarray([[3, -5]], dtype=np.int8)]])
    assert (first.tolist(), second.tolist()) == ([[4, -3]], [[4, 0]])
    with pytest.raises(ValueError, match="no builtin operator"):
        m.op("NO_SUCH_OP", [x], [y[0]])
    m.op("ADD", [x, a], [y[0]], {"no_such_field": 1})
    with pytest.raises(ValueError, match="no_such_field"):
        m.build([x], y)
