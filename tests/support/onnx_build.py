"""Small ONNX models for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from mcuc.frontends.loaded import Loaded
from mcuc.frontends.onnx.load import read_onnx

Array = npt.NDArray[Any]
Ports = Mapping[str, Sequence[int | str]]


def model(
    nodes: Sequence[Any],
    inputs: Ports,
    outputs: Sequence[str],
    constants: Mapping[str, Array] | None = None,
    opset: int = 17,
    dtypes: Mapping[str, int] | None = None,
    **rest: Any,
) -> bytes:
    """The bytes of a model; inputs and outputs are float32 unless `dtypes` says otherwise."""
    kinds = dtypes or {}
    graph = helper.make_graph(
        list(nodes),
        "test",
        [
            helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), shape)
            for name, shape in inputs.items()
        ],
        [
            helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), None)
            for name in outputs
        ],
        [numpy_helper.from_array(data, name) for name, data in (constants or {}).items()],
    )
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=imports, ir_version=8, **rest)
    return bytes(made.SerializeToString())


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """A node; names are separated by blanks, "-" is an absent operand."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), **attributes)


def load(data: bytes, **options: Any) -> Loaded:
    return read_onnx(Path("test.onnx"), data, **options)


def floats(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


__all__ = ["TensorProto", "floats", "helper", "load", "model", "node", "numpy_helper", "onnx"]
