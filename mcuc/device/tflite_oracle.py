"""Runs a `.tflite` file in the TFLite reference interpreter (`ai-edge-litert`, BUILTIN_REF).

The interpreter is the outside reference of the `litert-2.3` rule set. It runs in a child process,
because some models make it abort, and the child is this very file: nothing here imports the
interpreter in the calling process. All input vectors of a call go through one child, in order;
a model with state (variable tensors) keeps it from one vector to the next.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.device.oracle import INPUTS, OUTPUTS, Oracle, OracleError, serve

__all__ = ["OracleError", "patch_bias_quantized_dimension", "run_tflite", "run_tflite_tensors"]

Array = npt.NDArray[Any]

_MODEL = "model.tflite"

# Position of `quantized_dimension` in the vtable of the schema's table QuantizationParameters.
_QUANTIZED_DIMENSION_SLOT = 16


_TFLITE = Oracle(
    "the TFLite interpreter",
    __file__,
    _MODEL,
    "ai-edge-litert",
    ("E540", "E541", "E542"),
)


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
    patched = patch_bias_quantized_dimension(content)
    return _TFLITE.run(patched, inputs, timeout_s, preserve_all=preserve_all)


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
    with np.load(folder / INPUTS, allow_pickle=False) as stored:
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
    np.savez(folder / OUTPUTS, allow_pickle=False, **outputs)


def _store_readable(interpreter: Any, index: int, vector: int, outputs: dict[str, Array]) -> None:
    try:
        value = interpreter.get_tensor(index)
    except ValueError:  # operators' temporaries and resources have no readable data
        return
    if value.dtype.kind in "biuf":
        outputs[f"{vector}_{index}"] = value


if __name__ == "__main__":
    serve(_invoke)
