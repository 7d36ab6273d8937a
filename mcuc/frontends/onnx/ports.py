"""Inputs and outputs of an ONNX model: names, element types, sizes that a user may have to give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcuc.errors import Loc, McucError, ModelError
from mcuc.frontends.onnx.graph_builder import MAX_ELEMENTS, GraphBuilder
from mcuc.frontends.onnx.proto import Model
from mcuc.ir.types import DType, TensorType
from mcuc.ops import quantize

# Element types of `TensorProto`, as far as a run-time tensor may have them.
_DTYPES = {
    "FLOAT": DType.F32,
    "INT8": DType.S8,
    "UINT8": DType.U8,
    "INT16": DType.S16,
    "INT32": DType.S32,
    "INT64": DType.S64,
    "BOOL": DType.BOOL,
}
_HELP = "give its sizes with --input-shape {name}=1,3,96,96 (its own numbers)"


class Ports:
    """The model's inputs, entered into a graph."""

    def __init__(
        self, model: Model, graph: GraphBuilder, shapes: Mapping[str, tuple[int, ...]]
    ) -> None:
        self._model = model
        self._graph = graph
        self._shapes = shapes
        self._symbols: dict[str, tuple[int, str]] = {}
        self.notes: list[str] = []

    def inputs(self, problems: list[McucError]) -> dict[str, int | None]:
        """Values by name, of inputs that are no initializers; None for one with a problem."""
        ports = [p for p in self._model.graph.input if p.name not in self._model.tensors]
        self._check_names([port.name for port in ports], problems)
        found: dict[str, int | None] = {}
        for port in ports:
            if port.name in found:
                problems.append(self._error("E104", port.name, "is listed twice"))
                continue
            try:
                found[port.name] = self._graph.source(self._type(port), port.name)
            except McucError as problem:
                problems.append(problem)
                found[port.name] = None
        return found

    def _error(self, code: str, name: str, what: str, why: str = "", help: str = "") -> ModelError:
        loc = Loc(self._model.file, tensor=name)
        return ModelError(code, f"model input {name!r} {what}", loc=loc, why=why, help=help)

    def _check_names(self, names: list[str], problems: list[McucError]) -> None:
        problems.extend(
            ModelError(
                "E109",
                f"--input-shape {name}: the model has no such input",
                help=f"its inputs are {', '.join(names)}",
            )
            for name in self._shapes
            if name not in names
        )

    def _type(self, port: Any) -> TensorType:
        from onnx import TensorProto

        kind = port.type.WhichOneof("value")
        if kind != "tensor_type":
            raise self._error("E119", port.name, f"is a {kind or 'value of no type'}, no tensor")
        tensor = port.type.tensor_type
        names = TensorProto.DataType.DESCRIPTOR.values_by_number
        element = names[tensor.elem_type].name if tensor.elem_type in names else "unknown"
        if element not in _DTYPES:
            raise self._error("E110", port.name, f"is of the type {element}")
        if not tensor.HasField("shape") and port.name not in self._shapes:
            raise self._error("E105", port.name, "has no shape", help=_HELP.format(name=port.name))
        shape = self._shape(port.name, tensor)
        type_ = TensorType(shape, _DTYPES[element])
        if not 0 < type_.elements <= MAX_ELEMENTS:
            raise self._error("E105", port.name, f"has {type_.elements} elements, shape {shape}")
        return type_

    def _shape(self, name: str, tensor: Any) -> tuple[int, ...]:
        """The sizes of the file, those that are open by the user's, a first one else as 1."""
        given = self._shapes.get(name)
        declared = list(tensor.shape.dim) if tensor.HasField("shape") else []
        if given is not None and not tensor.HasField("shape"):
            return given
        if given is not None and len(given) != len(declared):
            what = f"has {len(declared)} axes, and --input-shape gives {len(given)}"
            raise self._error("E109", name, what)
        sizes = []
        for axis, dim in enumerate(declared):
            size = dim.dim_value if dim.HasField("dim_value") else None
            fixed = size is not None and size > 0
            if given is not None:
                if fixed and given[axis] != size:
                    what = f"has {size} elements on axis {axis}, and --input-shape gives"
                    raise self._error("E109", name, f"{what} {given[axis]}")
                sizes.append(self._named(name, dim.dim_param, given[axis]))
            elif fixed and size is not None:
                sizes.append(int(size))
            elif dim.dim_param in self._symbols:
                sizes.append(self._symbols[dim.dim_param][0])
            elif axis == 0:
                self.notes.append(f'input "{name}": open batch size taken as 1')
                sizes.append(self._named(name, dim.dim_param, 1))
            else:
                open_axis = dim.dim_param or "?"
                raise self._error(
                    "E105", name, f"has an open size, {open_axis!r} on axis {axis}",
                    why="memory is planned when the model is compiled",
                    help=_HELP.format(name=name),
                )  # fmt: skip
        return tuple(sizes)

    def _named(self, name: str, symbol: str, size: int) -> int:
        """A size that a name of the file stands for: it is the same wherever the name is."""
        if symbol not in ("", "?") and self._symbols.setdefault(symbol, (size, name))[0] != size:
            other, where = self._symbols[symbol]
            what = f"has {size} elements on the axis {symbol!r}, which {where!r} has {other} on"
            raise self._error("E109", name, what)
        return size


def output_value(port: Any, value: int, graph: GraphBuilder) -> int:
    """An output with the element type that the file says: uint8 is int8 inside."""
    from onnx import TensorProto

    type_ = graph.type(value)
    if value in graph.moved_zero:
        raise graph.error("E203", "an int16 output of the model has a zero point")
    unsigned = port.type.tensor_type.elem_type == TensorProto.UINT8
    if not unsigned or type_.dtype is not DType.S8 or type_.quant is None:
        return value
    zeros = tuple(zero + 128 for zero in type_.quant.zero_points)
    quant = replace(type_.quant, zero_points=zeros)
    return graph.add("quantize", quantize.Attrs(), (value,), DType.U8, quant)
