"""Whole models: loader, passes and references against stored outputs and the interpreter.

The stored outputs were made by TFLite's reference kernels (rule set `litert-2.3`) from seeded
inputs; MANIFEST.md beside the models says how.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Array, Graph
from mcuc.ops.interpret import run_reference
from mcuc.passes.fold_constants import fold_constants
from mcuc.passes.fuse_pad import fuse_pad
from mcuc.passes.remove_dead_nodes import remove_dead_nodes
from mcuc.passes.transpose_to_reshape import transpose_to_reshape
from mcuc.passes.verify import verify_graph
from tests.support.golden import seeded_inputs
from tests.support.models import DIGITS, data_folder, real_models
from tests.support.oracle import agree, run_tflite

PASSES = (fold_constants, remove_dead_nodes, fuse_pad, transpose_to_reshape, remove_dead_nodes)

# Every quantized model of the collection whose operators are supported, with stored outputs.
GOLDEN = (
    *(
        f"gen/tflite/{name}.tflite"
        for name in (
            "autoencoder_640_int8",
            "autoencoder_640_int8_pt",
            "dscnn_49x10_int8",
            "dscnn_49x10_int8_pt",
            "efficientlite_96_int8",
            "efficientlite_96_int8_pt",
            "autoencoder_640_i16x8",
            "dscnn_49x10_i16x8",
            "efficientlite_96_i16x8",
            "mobilenetv2_035_96_i16x8",
            "resnet8_32_i16x8",
            "tcn_har_128x9_i16x8",
            "unet_convt_64_i16x8",
            "mobilenetv2_035_96_int8",
            "mobilenetv2_035_96_int8_fio",
            "mobilenetv2_035_96_int8_pt",
            "mobilenetv2_035_96_u8io",
            "resnet8_32_int8",
            "resnet8_32_int8_pt",
            "ssd_96_int8",
            "ssd_96_int8_pt",
        )
    ),
    *(
        f"pkg/mltk_{name}_int8.tflite"
        for name in (
            "autoencoder_example",
            "image_example1",
            "keyword_spotting_alexa",
            "keyword_spotting_on_off_v3",
            "rock_paper_scissors",
            "tflite_micro_magic_wand",
            "visual_wake_words",
        )
    ),
    *(
        f"repo/{name}.tflite"
        for name in (
            "coral_mobilenet_v1_0.25_128_u8",
            "coral_mobilenet_v1_0.5_160_u8",
            "coral_tf2_mobilenet_v2_1.0_224_int8",
            "emlearn_mnist_cnn_int8",
            "emza_ssd_slim_120x160_int8",
            "mlperf_ad01_int8",
            "mlperf_ic01_resnet8_int8",
            "mlperf_ic_resnet_large_int8",
            "mlperf_kws01_dscnn_int8",
            "mlperf_vww01_mbv1_int8",
            "openmv_blazeface_front_128",
            "openmv_fomo_face_detection",
            "tflm_hello_world_int8",
            "tflm_micro_speech_int8",
            "tflm_person_detect_int8",
            "tinyengine_mcunet_vww_int8",
        )
    ),
)

# Float, float16 and dynamic range models.
FLOAT = (
    *(
        f"gen/tflite/{name}.tflite"
        for name in (
            "autoencoder_640_dyn",
            "dscnn_49x10_dyn",
            "efficientlite_96_dyn",
            "lstm_28_dyn",
            "lstm_28_f32",
            "mobilenetv2_035_96_dyn",
            "resnet8_32_dyn",
            "tcn_har_128x9_dyn",
            "tcn_har_128x9_f32",
            "unet_convt_64_f32",
            "autoencoder_640_f32",
            "dscnn_49x10_f32",
            "efficientlite_96_f32",
            "mobilenetv2_035_96_f16",
            "mobilenetv2_035_96_f32",
            "resnet8_32_f32",
            "ssd_96_f32",
        )
    ),
    "pkg/mediapipe_face_detection_short_f16.tflite",
    "pkg/mediapipe_hand_landmark_lite_f16.tflite",
    "pkg/mltk_keyword_spotting_alexa_f32.tflite",
    *(
        f"repo/{name}_f32.tflite"
        for name in (
            "emlearn_mnist_cnn",
            "mlperf_ad01",
            "mlperf_ic01_resnet8",
            "mlperf_kws01_dscnn",
            "mlperf_vww01_mbv1",
            "tflm_hello_world",
        )
    ),
)

# Models without stored outputs.
JUDGED = (
    "mcunet/mbv2-w0.3-r80_rand.tflite",
    "mcunet/mbv2-w0.35-r144_rand.tflite",
    "mcunet/mcunet-in0_rand.tflite",
    "mcunet/mcunet-in1_rand.tflite",
    "mcunet/mcunet-in2_rand.tflite",
    "mcunet/mcunet-in4_rand.tflite",
    "mcunet/mcunet_in3_imagenet_int8.tflite",
    "mcunet/proxyless-w0.3-r176_rand.tflite",
)


def model_path(name: str) -> Path:
    found = real_models(name)
    if not found:
        pytest.skip("the models of MCUC_DATA are not here")
    return found[0]


def optimised(graph: Graph) -> Graph:
    for apply in PASSES:
        graph = apply(graph)
        verify_graph(graph)
    return graph


def assert_equal(actual: list[Array], wanted: list[Array]) -> None:
    assert len(actual) == len(wanted)
    for i, (a, w) in enumerate(zip(actual, wanted, strict=True)):
        assert a.dtype == w.dtype and a.shape == w.shape
        assert agree(a, w), f"output {i}: {int((a != w).sum())} of {a.size} differ"


@pytest.mark.data
@pytest.mark.parametrize("name", (*GOLDEN, *FLOAT))
def test_stored_outputs(name: str) -> None:
    graph = load_tflite(model_path(name))
    verify_graph(graph)
    graph = optimised(graph)
    stored = data_folder() / "models" / "golden" / (name.replace("/", "__") + ".npz")
    with np.load(stored, allow_pickle=False) as golden:
        seeds = [seed for seed in (0, 1) if f"s{seed}_y0" in golden.files]
        assert seeds
        for seed in seeds:
            wanted = [golden[f"s{seed}_y{i}"] for i in range(len(graph.outputs))]
            assert_equal(run_reference(graph, seeded_inputs(graph, seed)), wanted)


@pytest.mark.data
@pytest.mark.litert
@pytest.mark.parametrize("name", JUDGED)
def test_interpreter(name: str) -> None:
    pytest.importorskip("ai_edge_litert")
    path = model_path(name)
    graph = optimised(load_tflite(path))
    inputs = seeded_inputs(graph, 0)
    (wanted,) = run_tflite(path, [inputs])
    assert_equal(run_reference(graph, inputs), wanted)


@pytest.mark.litert
def test_example_model() -> None:
    pytest.importorskip("ai_edge_litert")
    graph = optimised(load_tflite(DIGITS))
    inputs = [seeded_inputs(graph, seed) for seed in range(8)]
    for own, wanted in zip(inputs, run_tflite(DIGITS, inputs), strict=True):
        assert_equal(run_reference(graph, own), wanted)
