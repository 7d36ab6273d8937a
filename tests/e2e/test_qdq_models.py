"""QDQ files of ONNX Runtime: each layer, fed ONNX Runtime's own integers, is at most one step off.

The steps are those of docs/numerics.md: a factor of 31 bits in place of a float product, halves
rounded away from zero in place of to even.
"""

from __future__ import annotations

import pytest

from benchmarks.models import data_folder
from mcuc.compiler.compile import load_model
from mcuc.compiler.options import Options
from mcuc.compiler.quantize import in_arithmetic
from mcuc.ir.types import DType
from tests.support.qdq_steps import compare

pytest.importorskip("onnxruntime")
pytestmark = [pytest.mark.data]

# File -> layers that are compared at least.
FILES = {
    "dscnn_kws_ts_qdq_pc": 14,
    "mcunet_like_96_ts_qdq_pc": 40,
    "resnet8_cifar_ts_qdq_pc": 16,
    "tenc_relu_postnorm_ts_qdq_pt": 55,
    "vit_d64_l2_p4_32_gap_ts_qdq_pc": 60,
    "yolo_nano_128_ts_qdq_pc": 120,
}


@pytest.mark.parametrize("name", FILES)
def test_no_layer_is_more_than_one_step_off(name: str) -> None:
    layers = compare(data_folder() / "models" / "gen" / "qdq" / f"{name}.onnx")
    assert len(layers) >= FILES[name]
    wrong = {layer.name: dict(layer.steps) for layer in layers if max(layer.steps) > 1}
    assert not wrong
    total = sum(sum(layer.steps.values()) for layer in layers)
    differ = sum(count for layer in layers for step, count in layer.steps.items() if step)
    assert differ < 0.01 * total


TRANSFORMERS = ("tenc_relu_postnorm__ts", "tenc_gelu_prenorm__ts", "vit_d64_l2_p4_32_gap__dy")


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers_are_all_integers(name: str) -> None:
    """B68: products, softmax, residuals, GELU, normalizations."""
    path = data_folder() / "models" / "gen" / "onnx" / f"{name}.onnx"
    options = Options(calibration="random")
    made = in_arithmetic(load_model(path, path.read_bytes(), options), path, options)
    assert made.quantized is not None
    graph = made.graph
    floats = {n.op for n in graph.nodes if graph.type(n.outputs[0]).dtype is DType.F32}
    assert floats == {"dequantize"} and not made.quantized.floats
    integers = {n.op for n in graph.nodes if graph.type(n.outputs[0]).dtype is DType.S8}
    assert {"batch_matmul", "fully_connected", "softmax", "add", "layer_norm"} <= integers
