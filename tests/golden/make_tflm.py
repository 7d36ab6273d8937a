"""Makes tests/golden/tflm_svdf.npz: what TFLM gives for an SVDF with a state of int8.

    pip install tflite-micro pyyaml
    python -m tests.golden.make_tflm

LiteRT's interpreter overruns its buffers with such a state.
"""

from __future__ import annotations

import numpy as np

from tests.golden.test_tflm import STORED, inputs
from tests.support.svdf_model import model


def main() -> None:
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(model("s8"))
    calls = []
    for x in inputs():
        interpreter.set_input(x, 0)
        interpreter.invoke()
        calls.append(interpreter.get_output(0))
    np.savez_compressed(STORED, outputs=np.stack(calls))


if __name__ == "__main__":
    main()
