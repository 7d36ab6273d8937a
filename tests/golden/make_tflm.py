"""Makes tests/golden/tflm_*.npz: what TFLM gives for an SVDF, and for its audio front-end.

    pip install tflite-micro pyyaml
    MCUC_DATA=... python -m tests.golden.make_tflm

LiteRT's interpreter overruns its buffers with an SVDF whose state is int8, and does not know the
front-end's operators.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from tests.golden import test_audio, test_streams, test_tflm
from tests.support import signal_models
from tests.support.models import data_folder
from tests.support.svdf_model import model


def outputs(data: bytes, inputs: list[Array], which: int = 0) -> Array:
    """An output of every call, one after another."""
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(data, arena_size=1 << 18)
    calls = []
    for x in inputs:
        interpreter.set_input(x, 0)
        interpreter.invoke()
        calls.append(np.copy(interpreter.get_output(which)))
    return np.stack(calls)


def main() -> None:
    np.savez_compressed(test_tflm.STORED, outputs=outputs(model("s8"), test_tflm.inputs()))
    streams = {}
    for name, own in signal_models.STREAMS.items():
        for which in range(1 + own.flag):
            data, given = signal_models.model(name), signal_models.inputs(name)
            streams[f"{name}_{which}"] = outputs(data, given, which)
    np.savez_compressed(test_streams.STORED, **streams)
    folder = data_folder()
    if folder is not None:
        found = outputs((folder / test_audio.MODEL).read_bytes(), test_audio.inputs())
        np.savez_compressed(test_audio.STORED, outputs=found)


if __name__ == "__main__":
    main()
