"""From an `.onnx` file to a `Graph`, or to the list of all its problems.

The nodes are read in order. What depends on constants alone is computed (constants.py); of the rest
each becomes nodes of the graph (handlers), with the shape of every result known at once. Tensors
keep the layout of the file: NCHW convolutions stand between transpositions, which
`mcuc/passes/layout.py` moves and cancels.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mcuc.errors import InternalError, Loc, McucError, ModelError, flatten, raise_all
from mcuc.frontends.loaded import Loaded
from mcuc.frontends.onnx.constants import evaluated
from mcuc.frontends.onnx.graph_builder import GraphBuilder
from mcuc.frontends.onnx.handlers import DOMAINS, HANDLERS
from mcuc.frontends.onnx.operator import Operator
from mcuc.frontends.onnx.ports import Ports, output_value
from mcuc.frontends.onnx.proto import (
    STANDARD,
    Model,
    array_of,
    live,
    loc_of,
    operator_name,
    read_proto,
)
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType
from mcuc.ops.spec import NUMERICS

_MOST_PROBLEMS = 1000

Shapes = Mapping[str, tuple[int, ...]]


def read_onnx(
    path: Path,
    data: bytes | None = None,
    numerics: str = NUMERICS[0],
    input_shapes: Shapes | None = None,
) -> Loaded:
    """The graph of an `.onnx` file.

    Args:
        path: Where it is; external data are looked for beside it.
        data: The contents, if they are at hand.
        numerics: Rule set by which the ops check their quantization.
        input_shapes: Sizes of inputs by name, for those that the file leaves open.

    Raises:
        McucError: E1xx and E2xx, `McucErrors` if there are several.
    """
    if data is None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ModelError(
                "E108", f"cannot read {path}", why=error.strerror or str(error)
            ) from None
    model = read_proto(path, data)
    return _Loader(model, path, numerics, dict(input_shapes or {})).load()


class _Loader:
    """The state while one file is read."""

    def __init__(self, model: Model, path: Path, numerics: str, shapes: Shapes) -> None:
        self._model = model
        self._path = path
        self._graph = GraphBuilder(numerics)
        self._shapes = shapes
        self._problems: list[McucError] = []
        # By name: a value, a constant that no node of the graph reads yet, or None after a problem.
        self._values: dict[str, int | None] = {}
        self._constants: dict[str, Array] = dict(model.tensors)

    def load(self) -> Loaded:
        ports = Ports(self._model, self._graph, self._shapes)
        inputs = ports.inputs(self._problems)
        self._values.update(inputs)
        nodes = live(self._model.graph)
        produced = {name: index for index, node in nodes for name in node.output if name}
        for index, node in nodes:
            self._graph.loc = loc_of(self._model.file, index, node)
            try:
                self._read(index, node, produced)
            except McucError as problem:
                self._problems.extend(flatten(problem))
            except Exception as error:
                self._problems.append(self._unforeseen(error))
            for name in node.output:
                if name and name not in self._values and name not in self._constants:
                    self._values[name] = None
        outputs = [self._output(port) for port in self._model.graph.output]
        raise_all(self._problems[:_MOST_PROBLEMS])
        known = [v for v in outputs if v is not None]
        return Loaded(self._finished(list(inputs.values()), known), tuple(ports.notes))

    def _unforeseen(self, error: Exception) -> McucError:
        """What is wrong with a file is found by checks; anything else is a mistake of ours."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        bug = InternalError(
            "E905",
            f"reading the operator {self._graph.loc.op} failed",
            loc=self._graph.loc,
            why=f"a bug in mcuc: {type(error).__name__} in {where}: {str(error)[:200]}",
            help="please report it with the model, the command and the output of -vv",
        )
        bug.__cause__ = error
        return bug

    def _finished(self, inputs: list[int | None], outputs: list[int]) -> Graph:
        sources = [v for v in inputs if v is not None]
        used = {*sources, *outputs}
        for node in self._graph.nodes:
            used.update(v for v in (*node.inputs, *node.outputs) if v is not None)
        values = {v: self._graph.values[v] for v in sorted(used)}
        nodes = tuple(self._graph.nodes)
        return Graph(nodes, values, tuple(sources), tuple(outputs), self._path.stem)

    def _output(self, port: Any) -> int | None:
        name = port.name
        self._graph.loc = Loc(self._model.file, tensor=name)
        if name not in self._values and name not in self._constants:
            problem = self._graph.error("E104", f"nothing computes the output {name!r}")
            self._problems.append(problem)
            return None
        try:
            value = self._value(name)
            return None if value is None else output_value(port, value, self._graph)
        except McucError as problem:
            self._problems.extend(flatten(problem))
            return None

    def _value(self, name: str) -> int | None:
        """The value of a name; a constant enters the graph with its first reader."""
        if name not in self._values and name in self._constants:
            self._values[name] = self._constant(name)
        return self._values[name]

    def _is_empty(self, name: str) -> bool:
        """Whether an operand is a constant without elements: how exporters leave one out."""
        return name in self._constants and self._constants[name].size == 0

    def _constant(self, name: str) -> int | None:
        data = self._constants[name]
        if data.size == 0:
            raise self._graph.error("E116", f"{name!r} has no elements")
        if data.dtype.kind == "f":
            data = self._finite(name, data)
        if data.dtype in (np.uint32, np.uint64):
            data = data.astype(np.int64)
        try:
            DType.of(data.dtype)
        except KeyError:
            raise self._graph.error("E110", f"the operand {name!r} is {data.dtype}") from None
        return self._graph.constant(data, name)

    def _finite(self, name: str, data: Array) -> Array:
        """As float32; infinities, of which masks are made, become the largest numbers."""
        largest = np.finfo(np.float32).max
        if np.isnan(data).any():
            raise self._graph.error("E115", f"{name!r} holds NaN")
        return np.clip(data.astype(np.float64), -largest, largest).astype(np.float32)

    def _read(self, index: int, node: Any, produced: Mapping[str, int]) -> None:
        self._check_operands(index, node, produced)
        for name in node.output:
            if name and (name in self._values or name in self._constants):
                why = "each name is given once"
                raise self._graph.error("E104", f"the result {name!r} is written again", why)
        if any(name in self._values and self._values[name] is None for name in node.input):
            return  # what it reads had a problem, which is reported
        if self._compute(node):
            return
        operator = operator_name(node)
        handler = HANDLERS.get(operator)
        if handler is None:
            raise self._graph.error(
                "E102",
                f"the operator {operator} is not supported",
                help="`mcuc ops` lists the operators; replace it, or run it outside of the model",
            )
        inputs = tuple(
            None if not name or self._is_empty(name) else self._value(name) for name in node.input
        )
        opset = self._model.opset if node.domain in STANDARD else 1
        results = handler(Operator(node, inputs, opset, self._graph))
        for name, value in zip(node.output, results, strict=False):
            if name:
                self._values[name] = value
        if any(name and name not in self._values for name in node.output[len(results) :]):
            raise self._graph.error("E115", f"result {len(results)} of {operator} is not supported")

    def _check_operands(self, index: int, node: Any, produced: Mapping[str, int]) -> None:
        if node.domain not in DOMAINS:
            return
        for position, name in enumerate(node.input):
            if not name or name in self._values or name in self._constants:
                continue
            later = produced.get(name)
            why = "no node computes it, and the file holds no data for it"
            if later is not None:
                why = f"node {later} computes it only later, or from this one"
            raise self._graph.error("E104", f"operand {position} ({name!r}) has no data", why)

    def _compute(self, node: Any) -> bool:
        """Whether the node's results are constants, which are then known."""
        if node.domain not in STANDARD:
            return False
        if node.op_type == "Constant":
            self._constants[node.output[0]] = self._stored(node)
            return True
        if node.op_type in ("Shape", "Size"):
            return self._measured(node)
        operands: list[Array | None] = []
        for name in node.input:
            data = self._known(name) if name else None
            if name and data is None:
                return False
            operands.append(data)
        if not operands:
            return False
        try:
            found = evaluated(node, operands, self._model.opset)
        except ValueError as error:
            what = "the operator cannot be computed from its constants"
            raise self._graph.error("E115", what, str(error)) from None
        if found is None:
            return False
        self._constants.update({n: x for n, x in zip(node.output, found, strict=True) if n})
        return True

    def _known(self, name: str) -> Array | None:
        """The data behind a name, if they are constant and not quantized."""
        if name in self._constants:
            return self._constants[name]
        value = self._values.get(name)
        if value is None or self._graph.type(value).quant is not None:
            return None
        return self._graph.const(value)

    def _stored(self, node: Any) -> Array:
        """The value of a Constant."""
        for attribute in node.attribute:
            if attribute.name == "value":
                return array_of(attribute.t, self._path, self._graph.loc)
            if attribute.name == "value_float":
                return np.asarray(attribute.f, np.float32)
            if attribute.name == "value_floats":
                return np.asarray(list(attribute.floats), np.float32)
            if attribute.name == "value_int":
                return np.asarray(attribute.i, np.int64)
            if attribute.name == "value_ints":
                return np.asarray(list(attribute.ints), np.int64)
        raise self._graph.error("E110", "the constant holds neither numbers nor integers")

    def _measured(self, node: Any) -> bool:
        """Shape and Size: all shapes are known."""
        name = node.input[0] if node.input else ""
        value = self._values.get(name)
        if name in self._constants:
            shape: tuple[int, ...] = self._constants[name].shape
        elif value is not None:
            shape = self._graph.shape(value)
        else:
            return False
        operator = Operator(node, (None,), self._model.opset, self._graph)
        if node.op_type == "Size":
            self._constants[node.output[0]] = np.asarray(int(np.prod(shape)), np.int64)
            return True
        start, end = operator.integer("start", 0), operator.integer("end", len(shape))
        self._constants[node.output[0]] = np.asarray(shape[start:end], np.int64)
        return True
