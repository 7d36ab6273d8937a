"""Real models for tests: which there are, and one of them compiled once per process."""

from __future__ import annotations

import functools

from benchmarks.models import EVERY_CORE, MLPERF, MODELS, data_folder, model_file, tflm
from mcuc.compiler.compile import Compiled, compile_model

__all__ = [
    "EVERY_CORE",
    "LARGE",
    "MLPERF",
    "MODELS",
    "SMALL",
    "compiled",
    "data_folder",
    "model_file",
    "tflm",
]

# Run like those of EVERY_CORE in `make test`: twice in a row on two arenas, under sanitizers.
SMALL = (
    "gen/tflite/dscnn_49x10_int8",
    "gen/tflite/efficientlite_96_int8_pt",
    "gen/tflite/mobilenetv2_035_96_int8_fio",
    "gen/tflite/resnet8_32_int8_pt",
    "mcunet/mcunet-in0_rand",
    "mcunet/mbv2-w0.3-r80_rand",
)
LARGE = tuple(name for name in MODELS if name not in (*EVERY_CORE, *SMALL))


@functools.cache
def compiled(name: str, board: str = "qemu_m4") -> Compiled:
    """A model of MODELS, compiled for a board."""
    return compile_model(model_file(name), board=board)
