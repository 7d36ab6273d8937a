"""Runs an `.onnx` file in ONNX Runtime (`onnxruntime`), on the CPU, without optimizations.

The outside reference of ONNX models. One thread, and the graph as the file has it, so that what is
compared is the meaning of the file and not of a fused form.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.device.oracle import INPUTS, OUTPUTS, Oracle, serve

Array = npt.NDArray[Any]

_MODEL = "model.onnx"
_ORT = Oracle("ONNX Runtime", __file__, _MODEL, "onnxruntime", ("E543", "E544", "E545"))


def run_onnx(
    model: bytes, inputs: Sequence[Sequence[Array]], *, timeout_s: float = 300.0
) -> list[list[Array]]:
    """Per vector, the model's outputs.

    Args:
        model: The file's bytes; all its data are in it.
        inputs: Per vector, one array per input that is no initializer, in the model's order.
        timeout_s: For the whole child process.

    Raises:
        OracleError: E543 not installed, E544 refused, E545 failed.
    """
    records = _ORT.run(model, inputs, timeout_s)
    return [[record[i] for i in sorted(record)] for record in records]


def _invoke(folder: Path, request: dict[str, Any]) -> None:
    """Child side."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    path = str(folder / _MODEL)
    session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    outputs: dict[str, Array] = {}
    with np.load(folder / INPUTS, allow_pickle=False) as stored:
        for vector, arity in enumerate(request["arity"]):
            if arity != len(names):
                raise ValueError(f"the model has {len(names)} inputs, vector {vector} {arity}")
            feed = {name: stored[f"{vector}_{i}"] for i, name in enumerate(names)}
            for i, array in enumerate(session.run(None, feed)):
                outputs[f"{vector}_{i}"] = np.asarray(array)
    np.savez(folder / OUTPUTS, allow_pickle=False, **outputs)


if __name__ == "__main__":
    serve(_invoke, (Exception,))
