"""The real models of the sweeps and tests, where they lie, and what peers need for them."""

from __future__ import annotations

import functools
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# MLPerf Tiny's four, and the two that are small enough for every core beside them.
EVERY_CORE = (
    "repo/mlperf_ad01_int8",
    "repo/mlperf_ic01_resnet8_int8",
    "repo/mlperf_kws01_dscnn_int8",
    "repo/mlperf_vww01_mbv1_int8",
    "repo/tflm_person_detect_int8",
    "repo/tinyengine_mcunet_vww_int8",
)
MLPERF = EVERY_CORE[:4]

MODELS = (
    *EVERY_CORE,
    "repo/emlearn_mnist_cnn_int8",
    "repo/emza_ssd_slim_120x160_int8",
    "repo/mlperf_ic_resnet_large_int8",
    "repo/openmv_blazeface_front_128",
    "repo/openmv_fomo_face_detection",
    "repo/tflm_micro_speech_int8",
    "pkg/mltk_rock_paper_scissors_int8",
    "gen/tflite/ssd_96_int8",
    "gen/tflite/dscnn_49x10_int8",
    "gen/tflite/dscnn_49x10_int8_pt",
    "gen/tflite/efficientlite_96_int8",
    "gen/tflite/efficientlite_96_int8_pt",
    "gen/tflite/mobilenetv2_035_96_int8",
    "gen/tflite/mobilenetv2_035_96_int8_fio",
    "gen/tflite/mobilenetv2_035_96_int8_pt",
    "gen/tflite/resnet8_32_int8",
    "gen/tflite/resnet8_32_int8_pt",
    "mcunet/mbv2-w0.3-r80_rand",
    "mcunet/mbv2-w0.35-r144_rand",
    "mcunet/mbv2_100_224_rand",
    "mcunet/mcunet-in0_rand",
    "mcunet/mcunet-in1_rand",
    "mcunet/mcunet-in2_rand",
    "mcunet/mcunet_in3_imagenet_int8",
    "mcunet/mcunet-in4_rand",
    "mcunet/proxyless-w0.3-r176_rand",
)

# Of other forms than int8: each is verified once, on the host and the main board.
FORMS = (
    "repo/coral_mobilenet_v1_0.25_128_u8",
    "repo/coral_mobilenet_v1_0.5_160_u8",
    "gen/tflite/autoencoder_640_dyn",
    "gen/tflite/dscnn_49x10_dyn",
    "gen/tflite/efficientlite_96_dyn",
    "gen/tflite/mobilenetv2_035_96_dyn",
    "gen/tflite/resnet8_32_dyn",
    "gen/tflite/tcn_har_128x9_dyn",
    "gen/tflite/tcn_har_128x9_f32",
    "repo/mlperf_kws01_dscnn_f32",
    "gen/tflite/autoencoder_640_i16x8",
    "gen/tflite/dscnn_49x10_i16x8",
    "gen/tflite/efficientlite_96_i16x8",
    "gen/tflite/mobilenetv2_035_96_i16x8",
    "gen/tflite/resnet8_32_i16x8",
    "gen/tflite/tcn_har_128x9_i16x8",
    "gen/tflite/unet_convt_64_i16x8",
    "gen/tflite/unet_convt_64_f32",
    "gen/tflite/autoencoder_640_f32",
    "gen/tflite/dscnn_49x10_f32",
    "gen/tflite/efficientlite_96_f32",
    "gen/tflite/mobilenetv2_035_96_f16",
    "gen/tflite/mobilenetv2_035_96_f32",
    "gen/tflite/resnet8_32_f32",
    "gen/tflite/ssd_96_f32",
    "pkg/mediapipe_face_detection_short_f16",
    "pkg/mediapipe_hand_landmark_lite_f16",
    "pkg/mltk_keyword_spotting_alexa_f32",
    "repo/emlearn_mnist_cnn_f32",
    "repo/mlperf_ad01_f32",
    "repo/mlperf_ic01_resnet8_f32",
    "repo/mlperf_vww01_mbv1_f32",
    "repo/tflm_hello_world_f32",
)

MAIN_BOARD = "qemu_m4"
OTHER_BOARDS = ("qemu_m0plus", "qemu_m3", "qemu_m7", "qemu_m33", "qemu_m55")


def data_folder() -> Path:
    """The folder of real models and data sets; it need not exist."""
    return Path(os.environ.get("MCUC_DATA", ROOT.parent / "shared" / "data"))


def model_file(name: str) -> Path:
    """The file of a model of MODELS."""
    return data_folder() / "models" / f"{name}.tflite"


@dataclass(frozen=True)
class Peer:
    """What TensorFlow Lite for Microcontrollers takes for a model.

    Attributes:
        arena_bytes: On the Cortex-M4.
        m4_instructions: Per inference.
    """

    arena_bytes: int
    m4_instructions: int


@functools.cache
def tflm() -> dict[str, Peer]:
    """By model name; not all models were measured."""
    text = (Path(__file__).parent / "peers.toml").read_text(encoding="utf-8")
    return {name: Peer(**figures) for name, figures in tomllib.loads(text)["tflm"].items()}
