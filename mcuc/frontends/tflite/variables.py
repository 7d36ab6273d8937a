"""Resource variables: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, CALL_ONCE as state of the graph.

The first read of a variable is what a run finds; what it is assigned last is what the next run
finds. CALL_ONCE names a subgraph that assigns constants: what the first run finds. A variable that
is never assigned is a constant.
"""

from __future__ import annotations

import numpy as np

from mcuc.errors import Loc, ModelError
from mcuc.frontends.tflite.flatbuffer import Reader
from mcuc.frontends.tflite.schema import RawModel, RawOperator, operator_name
from mcuc.frontends.tflite.tensors import Tensors
from mcuc.ir.graph import Array, State, Value

OPERATORS = ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE")
_INIT_SUBGRAPH, _CONTAINER, _SHARED_NAME = 0, 0, 1

Name = tuple[str, str]


class Variables:
    """The variables of a file while its operators are read in order."""

    def __init__(self, reader: Reader, model: RawModel) -> None:
        self._reader = reader
        self._model = model
        self._handles: dict[int, Name] = {}
        self._initial: dict[Name, Array] = {}
        self._sources: dict[Name, int] = {}
        self._now: dict[Name, int] = {}

    def handle(self, raw: RawOperator) -> None:
        """VAR_HANDLE: a tensor that stands for a variable."""
        self._handles |= handles((raw,))

    def call_once(self, raw: RawOperator, loc: Loc) -> None:
        """CALL_ONCE: the constants that a subgraph assigns.

        Raises:
            ModelError: E103 if the subgraph does anything else.
        """
        number = raw.options.scalar(_INIT_SUBGRAPH, "i32")
        if not 1 <= number <= len(self._model.others):
            raise self._reader.damaged(f"CALL_ONCE calls subgraph {number}")
        graph = self._model.others[number - 1]
        tensors = Tensors(self._reader, graph)
        known = handles(graph.operators)
        for operator in graph.operators:
            name = operator_name(operator)
            if name == "VAR_HANDLE":
                continue
            if name != "ASSIGN_VARIABLE" or len(operator.inputs) != 2:
                raise ModelError(
                    "E103",
                    f"the subgraph of initial values has the operator {name}",
                    loc=loc,
                    why="only constants can be assigned there",
                )
            target, source = operator.inputs
            value = tensors.value(source, loc)
            if target not in known or value is None or value.const is None:
                raise ModelError("E103", "an initial value is not a constant", loc=loc)
            self._initial[known[target]] = value.const

    def read(self, raw: RawOperator, loc: Loc) -> int | None:
        """READ_VARIABLE: the value that the variable has now; None: what the run finds."""
        name = self._name(raw.inputs[:1], loc)
        if len(raw.outputs) != 1:
            raise ModelError("E104", f"a read has {len(raw.outputs)} results, not 1", loc=loc)
        if name not in self._now:
            self._sources[name] = self._now[name] = raw.outputs[0]
            return None
        return self._now[name]

    def assign(self, raw: RawOperator, loc: Loc) -> None:
        """ASSIGN_VARIABLE: operand 1 is the value from now on."""
        name = self._name(raw.inputs[:1], loc)
        if len(raw.inputs) != 2 or raw.inputs[1] < 0:
            raise ModelError("E112", "the value that is assigned is missing", loc=loc)
        self._now[name] = raw.inputs[1]

    def _name(self, operands: tuple[int, ...], loc: Loc) -> Name:
        if not operands or operands[0] not in self._handles:
            raise ModelError("E104", "operand 0 is no handle of a variable", loc=loc)
        return self._handles[operands[0]]

    def finish(self, values: dict[int, Value], loc: Loc) -> tuple[State, ...]:
        """The states; variables that nothing assigns become constants in `values`.

        Raises:
            ModelError: E104 for a variable without an initial value.
        """
        states = []
        for name, source in self._sources.items():
            if source not in values:
                continue  # its type is a problem of its own
            type_ = values[source].type
            initial = self._initial.get(name)
            if initial is None:
                initial = np.zeros(type_.shape, type_.dtype.numpy)
            if initial.shape != type_.shape or initial.dtype != type_.dtype.numpy:
                what = f"the variable {name[1]!r} is read as {type_}, and begins as another"
                raise ModelError("E104", what, loc=loc)
            if self._now[name] == source:
                values[source] = Value(type_, values[source].name, initial)
                continue
            result = values.get(self._now[name])
            if result is None:
                continue  # its type is a problem of its own
            if result.type.shape != type_.shape or result.type.dtype is not type_.dtype:
                what = f"the variable {name[1]!r} is read as {type_}, and assigned {result.type}"
                raise ModelError("E104", what, loc=loc)
            states.append(State(source, self._now[name], initial))
        return tuple(states)


def handles(operators: tuple[RawOperator, ...]) -> dict[int, Name]:
    """Tensor -> name of the variable, for every VAR_HANDLE."""
    return {
        operator.outputs[0]: (
            operator.options.text(_CONTAINER),
            operator.options.text(_SHARED_NAME),
        )
        for operator in operators
        if operator_name(operator) == "VAR_HANDLE" and operator.outputs
    }
