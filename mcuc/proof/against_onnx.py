"""Compares our reference of an ONNX model with ONNX Runtime.

A float model must agree within the tolerance of floats. Where the model computes on integers, the
two round differently by design (docs/numerics.md), and the result is a ratio, no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mcuc.device.onnx_oracle import run_onnx
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType
from mcuc.numerics import int8
from mcuc.numerics.agreement import agree
from mcuc.ops.interpret import run_reference
from mcuc.report.document import Json

NAME = "ONNX Runtime"
_MOST_DB = 200.0  # of equal results, whose ratio would be infinite


def compare(
    model: bytes, source: Graph, compiled: Graph, sets: Sequence[Sequence[Array]], numerics: str
) -> tuple[int, Json | None, float]:
    """Sets that disagree, the first of them, and the least signal-to-noise ratio in dB.

    Args:
        model: The file's bytes.
        source: The graph as read from them.
        compiled: The graph that is run, whose inputs the sets are.
        sets: Inputs.
        numerics: Rule set.
    """
    file_sets = [_as_in_file(source, compiled, vector) for vector in sets]
    theirs = run_onnx(model, file_sets)
    integer = computes_on_integers(compiled)
    mismatches, first, least = 0, None, _MOST_DB
    for i, (vector, want) in enumerate(zip(sets, theirs, strict=True)):
        found = run_reference(compiled, vector, numerics)
        ours = [
            _real(compiled, v, array, np.asarray(other).dtype.kind == "f")
            for v, array, other in zip(compiled.outputs, found, want, strict=True)
        ]
        pairs = [(_turned(a, b.shape), b) for a, b in zip(ours, want, strict=True)]
        least = min([least, *(ratio_db(b, a) for a, b in pairs)])
        if not integer and not all(agree(a, b) for a, b in pairs):
            mismatches += 1
            first = first or {"on": "onnxruntime", "vector": i, "step": None}
    return mismatches, first, round(least, 2)


def _real(graph: Graph, value: int, array: Array, as_float: bool) -> Array:
    """An output as the file has it: `--io quantized` leaves integers where the file has floats."""
    quant = graph.type(value).quant
    if quant is None or not as_float or array.dtype.kind == "f":
        return array
    return int8.dequantize(array, quant.scale, quant.zero_point)


def computes_on_integers(graph: Graph) -> bool:
    """Whether anything in a graph is quantized."""
    return any(node.op in ("quantize", "dequantize") for node in graph.nodes) or any(
        graph.type(v).quant is not None for node in graph.nodes for v in node.outputs
    )


def is_onnx(name: str) -> bool:
    """Whether a file is of that kind, by its name."""
    return name.lower().endswith(".onnx")


def ratio_db(wanted: Array, found: Array) -> float:
    """10 log10 of the squares of what is wanted over those of the difference, at most _MOST_DB."""
    signal = float((wanted.astype(np.float64) ** 2).sum())
    noise = float(((wanted.astype(np.float64) - found.astype(np.float64)) ** 2).sum())
    if noise == 0:
        return _MOST_DB
    return min(_MOST_DB, 10 * math.log10(signal / noise)) if signal else -_MOST_DB


def _as_in_file(source: Graph, compiled: Graph, vector: Sequence[Array]) -> list[Array]:
    """Inputs in the order of axes and with the element type of the file."""
    result = []
    for before, after, array in zip(source.inputs, compiled.inputs, vector, strict=True):
        held, wanted = compiled.type(after), source.type(before)
        turned = _turned(array, wanted.shape)
        if held.dtype is not wanted.dtype and held.quant is not None:
            quant = held.quant
            real = (turned.astype(np.float64) - quant.zero_point) * quant.scale
            if wanted.dtype is DType.F32:
                turned = real.astype(np.float32)
            else:
                shift = 128 if wanted.dtype is DType.U8 else 0
                turned = (turned.astype(np.int16) + shift).astype(wanted.dtype.numpy)
        result.append(turned)
    return result


def _turned(array: Array, shape: Sequence[int]) -> Array:
    """Channels first again where they were turned last."""
    if array.shape == tuple(shape) or array.ndim < 3:
        return array.reshape(shape)
    rank = array.ndim
    return np.ascontiguousarray(array.transpose(0, rank - 1, *range(1, rank - 1)))
