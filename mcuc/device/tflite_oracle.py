"""Runs a `.tflite` file in the TFLite reference interpreter (`ai-edge-litert`, BUILTIN_REF).

The interpreter is the outside reference of the `litert-2.3` rule set. It runs in a child process,
because some models make it abort, and the child is this very file: nothing here imports the
interpreter in the calling process. All input vectors of a call go through one child, in order;
a model with state (variable tensors) keeps it from one vector to the next.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.errors import ToolchainError

Array = npt.NDArray[Any]

_MODEL = "model.tflite"
_INPUTS = "inputs.npz"
_OUTPUTS = "outputs.npz"
_STATUS = "status.json"

# Position of `quantized_dimension` in the vtable of the schema's table QuantizationParameters.
_QUANTIZED_DIMENSION_SLOT = 16


class OracleError(ToolchainError):
    """E54x: the TFLite interpreter is missing (E540), refused the model (E541) or failed (E542)."""


def run_tflite(
    model: bytes | Path,
    inputs: Sequence[Sequence[Array]],
    *,
    timeout_s: float = 300.0,
) -> list[list[Array]]:
    """Runs each input vector and returns the model's outputs.

    Args:
        model: the file's bytes or its path.
        inputs: per vector, one array per model input, in the model's order, with the exact
            shape and dtype of that input.
        timeout_s: time for the whole child process.

    Returns:
        Per vector, one array per model output.

    Raises:
        OracleError: with the interpreter's own text.
    """
    records = _run(model, inputs, preserve_all=False, timeout_s=timeout_s)
    return [[record[i] for i in sorted(record)] for record in records]


def run_tflite_tensors(
    model: bytes | Path,
    inputs: Sequence[Sequence[Array]],
    *,
    timeout_s: float = 300.0,
) -> list[dict[int, Array]]:
    """As :func:`run_tflite`, but returns every readable tensor by its index in subgraph 0."""
    return _run(model, inputs, preserve_all=True, timeout_s=timeout_s)


def patch_bias_quantized_dimension(model: bytes) -> bytes:
    """Sets an out-of-range `quantized_dimension` of 1-D tensors to 0, in a copy.

    Older converters copied the filter's axis (3 for depthwise) to the 1-D bias. The interpreter
    refuses such a file although the value is never used.
    """
    import tflite  # type: ignore[import-untyped,unused-ignore]

    patched = bytearray(model)
    graph = tflite.Model.GetRootAs(patched, 0)
    for s in range(graph.SubgraphsLength()):
        subgraph = graph.Subgraphs(s)
        for t in range(subgraph.TensorsLength()):
            tensor = subgraph.Tensors(t)
            quant = tensor.Quantization()
            if quant is None or tensor.ShapeLength() != 1 or quant.QuantizedDimension() == 0:
                continue
            slot = quant._tab.Offset(_QUANTIZED_DIMENSION_SLOT)
            struct.pack_into("<i", patched, quant._tab.Pos + slot, 0)
    return bytes(patched)


def _run(
    model: bytes | Path,
    inputs: Sequence[Sequence[Array]],
    *,
    preserve_all: bool,
    timeout_s: float,
) -> list[dict[int, Array]]:
    content = model if isinstance(model, bytes) else Path(model).read_bytes()
    with tempfile.TemporaryDirectory(prefix="mcuc-oracle-") as name:
        folder = Path(name)
        (folder / _MODEL).write_bytes(patch_bias_quantized_dimension(content))
        arrays = {f"{v}_{i}": a for v, vector in enumerate(inputs) for i, a in enumerate(vector)}
        np.savez(folder / _INPUTS, allow_pickle=False, **arrays)
        request = {"preserve_all": preserve_all, "arity": [len(vector) for vector in inputs]}
        # -P: the folder of this file must not shadow the standard library in the child, which
        # still has to find this package when it is run from a source tree.
        command = [sys.executable, "-P", __file__, name, json.dumps(request)]
        try:
            child = subprocess.run(
                command,
                check=False,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
                env=_environment(),
            )
        except subprocess.TimeoutExpired:
            what = f"the TFLite interpreter took longer than {timeout_s} s"
            raise OracleError("E542", what) from None
        _check(child, folder)
        records: list[dict[int, Array]] = [{} for _ in inputs]
        with np.load(folder / _OUTPUTS, allow_pickle=False) as stored:
            for key in stored.files:
                vector, index = map(int, key.split("_"))
                records[vector][index] = stored[key]
    return records


def _environment() -> dict[str, str]:
    package_root = str(Path(__file__).resolve().parents[2])
    paths = [package_root, os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }


def _check(child: subprocess.CompletedProcess[str], folder: Path) -> None:
    log = "\n".join(child.stderr.strip().splitlines()[-20:])
    if child.returncode < 0:
        name = signal.Signals(-child.returncode).name
        raise OracleError("E542", f"the TFLite interpreter crashed ({name})", why=log)
    status_file = folder / _STATUS
    if child.returncode != 0 or not status_file.exists():
        what = f"the TFLite interpreter's process failed ({child.returncode})"
        raise OracleError("E542", what, why=log)
    status = json.loads(status_file.read_text())
    if status["missing"]:
        raise OracleError(
            "E540",
            "the TFLite interpreter is not installed",
            why=status["missing"],
            help="install the package ai-edge-litert",
        )
    if status["refused"]:
        what = f"the TFLite interpreter refused the model: {status['refused']}"
        raise OracleError("E541", what, why=log)


def _invoke(folder: Path, request: dict[str, Any]) -> None:
    """Child side: runs all vectors and writes the results into `folder`."""
    from ai_edge_litert.interpreter import (  # type: ignore[import-untyped,unused-ignore]
        Interpreter,
        OpResolverType,
    )

    interpreter = Interpreter(
        model_path=str(folder / _MODEL),
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=request["preserve_all"],
        num_threads=1,
    )
    interpreter.allocate_tensors()
    places = interpreter.get_input_details()
    results = interpreter.get_output_details()
    outputs: dict[str, Array] = {}
    with np.load(folder / _INPUTS, allow_pickle=False) as stored:
        for vector, arity in enumerate(request["arity"]):
            if arity != len(places):
                raise ValueError(f"the model has {len(places)} inputs, vector {vector} {arity}")
            for i, place in enumerate(places):
                interpreter.set_tensor(place["index"], stored[f"{vector}_{i}"])
            interpreter.invoke()
            if request["preserve_all"]:
                for detail in interpreter.get_tensor_details():
                    _store_readable(interpreter, detail["index"], vector, outputs)
            else:
                for i, result in enumerate(results):
                    outputs[f"{vector}_{i}"] = interpreter.get_tensor(result["index"])
    np.savez(folder / _OUTPUTS, allow_pickle=False, **outputs)


def _store_readable(interpreter: Any, index: int, vector: int, outputs: dict[str, Array]) -> None:
    try:
        value = interpreter.get_tensor(index)
    except ValueError:  # operators' temporaries and resources have no readable data
        return
    if value.dtype.kind in "biuf":
        outputs[f"{vector}_{index}"] = value


def _child(folder: Path, request: dict[str, Any]) -> None:
    status = {"missing": "", "refused": ""}
    try:
        _invoke(folder, request)
    except ImportError as error:
        status["missing"] = str(error)
    except (ValueError, RuntimeError) as error:
        status["refused"] = str(error)
    (folder / _STATUS).write_text(json.dumps(status))


if __name__ == "__main__":
    _child(Path(sys.argv[1]), json.loads(sys.argv[2]))
