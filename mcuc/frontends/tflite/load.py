"""From the bytes of a `.tflite` file to a `Graph`, or to the list of all its problems.

Order: the tables are read and their indices checked (E101 stops here); then all operators are
looked at, and what is unsupported in each is collected with operator index and tensor names.
Value ids of the graph are the file's tensor indices.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mcuc.errors import Loc, McucError, ModelError, flatten, raise_all
from mcuc.frontends.loaded import Loaded
from mcuc.frontends.tflite.builtins import BUILTINS
from mcuc.frontends.tflite.flatbuffer import Reader, Table
from mcuc.frontends.tflite.flexbuffer import read_integers
from mcuc.frontends.tflite.operator import (
    Known,
    Mapped,
    Operator,
    Part,
    Parts,
    Remember,
    Source,
)
from mcuc.frontends.tflite.schema import (
    BUILTIN_CUSTOM,
    RawModel,
    RawOperator,
    enum_names,
    operator_name,
    read_model,
)
from mcuc.frontends.tflite.subgraph import Subgraph
from mcuc.frontends.tflite.tensors import MAX_ELEMENTS, STATE_HELP, Tensors
from mcuc.frontends.tflite.uint8 import with_rules
from mcuc.frontends.tflite.variables import OPERATORS as STATEFUL
from mcuc.frontends.tflite.variables import Variables
from mcuc.ir.graph import Graph, Node, State, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import reshape, spec_of
from mcuc.ops.spec import NUMERICS, Site
from mcuc.ops.uint8 import with_uint8_ports

# A broken model can have thousands of problems; nobody reads more than these.
_MOST_PROBLEMS = 1000
# Scales of all operands together. The largest models for microcontrollers have some 20 000; a file
# that names one long list of scales again and again would take minutes to check.
_MOST_SCALES = 1 << 19
_SHAPE_ELEMENTS = 64

# Operators that are read with their subgraphs, and how many they have.
_SUBGRAPHS = {"CALL_ONCE": 1, "WHILE": 2}
# Ops that files hold for constants stored in another form: the op behind wants them as constants.
_STORED_FORMS = ("dequantize",)


def load_tflite(path: Path, data: bytes | None = None, numerics: str = NUMERICS[0]) -> Graph:
    """The graph of a `.tflite` file.

    Args:
        path: Where it is; its name is used in messages even if `data` is given.
        data: The contents, if they are at hand.
        numerics: Rule set by which the ops check their quantization.

    Raises:
        McucError: E1xx and E2xx, `McucErrors` if there are several.
    """
    return read_tflite(path, data, numerics).graph


def read_tflite(path: Path, data: bytes | None = None, numerics: str = NUMERICS[0]) -> Loaded:
    """As :func:`load_tflite`, with the remarks."""
    name = str(path)
    if data is None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ModelError(
                "E108", f"cannot read {name}", loc=Loc(name), why=error.strerror or str(error)
            ) from None
    reader = Reader(data, name)
    return _Loader(reader, read_model(reader), numerics).load(path.stem)


class _Loader:
    """The state while one file is read."""

    def __init__(self, reader: Reader, model: RawModel, numerics: str) -> None:
        self._file = reader.file
        self._reader = reader
        self._model = model
        self._numerics = numerics
        self._tensors = Tensors(reader, model)
        self._variables = Variables(reader, model)
        self._values: dict[int, Value] = {}
        self._nodes: list[Node] = []
        self._problems: list[McucError] = []
        self._notes: list[str] = []
        self._kept: list[State] = []
        self._scales = 0
        self._next_id = len(model.tensors)  # of values that no tensor of the file stands for
        self._ready: set[int] = set()  # tensors with data at this point of the execution order
        self._first_users = self._users()
        self._produced = {t: i for i, op in enumerate(model.operators) for t in op.outputs}

    def load(self, name: str) -> Loaded:
        self._check_subgraphs()
        for position, index in enumerate(self._model.inputs):
            self._add_input(position, index)
        for number, operator in enumerate(self._model.operators):
            self._add_operator(number, operator)
        outputs = self._model.outputs
        for position, index in enumerate(outputs):
            loc = Loc(self._file, tensor=self._tensors.raw(index).name)
            if self._is_available(index, loc, f"model output {position}"):
                self._value(index, loc)
        states = self._states()
        problems = sorted(
            [*self._problems, *self._tensors.problems],
            key=lambda p: -1 if p.loc.op_index is None else p.loc.op_index,
        )
        raise_all(problems[:_MOST_PROBLEMS])
        values = self._used(states)
        graph = Graph(tuple(self._nodes), values, self._model.inputs, outputs, name, states)
        if self._tensors.uint8:
            graph = with_uint8_ports(graph, frozenset(self._tensors.moved))
        return Loaded(graph, tuple(self._notes))

    def _states(self) -> tuple[State, ...]:
        """What outlives a run."""
        try:
            named = self._variables.finish(self._values, Loc(self._file))
            states = (*self._kept, *named)
        except McucError as problem:
            self._problems.extend(flatten(problem))
            return ()
        root = {node.outputs[0]: node.inputs[0] for node in self._nodes if spec_of(node.op).alias}
        sources = {state.source for state in states}
        for wanted in (*(state.result for state in states), *self._model.outputs):
            found: int | None = wanted
            while found in root:
                found = root[found]
            if found in sources:
                self._problem(
                    "E119", "the model returns or moves state as it found it", Loc(self._file)
                )
        return states

    def _used(self, states: tuple[State, ...]) -> dict[int, Value]:
        """The values of the graph, without operands that became attributes."""
        used = {*self._model.inputs, *self._model.outputs}
        used.update(v for state in states for v in (state.source, state.result))
        for node in self._nodes:
            used.update(v for v in node.inputs if v is not None)
            used.update(node.outputs)
        return {v: value for v, value in sorted(self._values.items()) if v in used}

    def _problem(self, code: str, what: str, loc: Loc, why: str = "", help: str = "") -> None:
        self._problems.append(ModelError(code, what, loc=loc, why=why, help=help))

    def _users(self) -> dict[int, Loc]:
        """Tensor -> the first operator that reads it."""
        users: dict[int, Loc] = {}
        for number, operator in enumerate(self._model.operators):
            loc = Loc(self._file, number, operator_name(operator))
            for index in operator.inputs:
                users.setdefault(index, loc)
        return users

    def _check_subgraphs(self) -> None:
        names = [operator_name(op) for op in self._model.operators]
        called = sum(_SUBGRAPHS.get(name, 0) for name in names)
        if len(self._model.others) > called:
            self._problem(
                "E103",
                f"the model has {1 + len(self._model.others)} subgraphs; only one is supported",
                Loc(self._file),
                why="subgraphs hold loops and branches; initial values of state and loops that are "
                "LSTMs are read",
                help="export the model without control flow",
            )

    def _add_input(self, position: int, index: int) -> None:
        tensor = self._tensors.raw(index)
        loc = Loc(self._file, tensor=tensor.name)
        if index in self._ready:
            self._problem("E104", f"model input {position} is listed twice", loc)
        if self._tensors.is_stored(index):
            self._problem("E104", f"model input {position} is a constant", loc)
        if any(size == -1 for size in tensor.signature[1:]):
            self._problem(
                "E105",
                f"model input {position} has the shape {tensor.signature}, which is not fixed",
                loc,
                why="memory is planned when the model is compiled",
                help="export the model with fixed input sizes",
            )
        elif tensor.signature[:1] == (-1,) or tensor.shape[:1] == (-1,):
            self._notes.append(f'input {position} "{tensor.name}": open batch size taken as 1')
        self._ready.add(index)
        value = self._value(index, self._first_users.get(index, loc))
        if value is not None and value.type.elements == 0:
            shape = value.type.shape
            self._problem("E105", f"model input {position} has no elements, shape {shape}", loc)

    def _value(self, index: int, user: Loc) -> Value | None:
        """The value of a tensor, entered into the graph."""
        if index not in self._values:
            value = self._tensors.value(index, user)
            if value is None:
                return None
            self._values[index] = value
        return self._values[index]

    def _is_available(self, index: int, loc: Loc, what: str) -> bool:
        """Whether a tensor has data at this point; else the problem is recorded."""
        if index in self._ready or self._tensors.is_stored(index):
            return True
        if self._tensors.raw(index).variable:  # refused where it is used as an operand
            return True
        if index in self._produced:
            why = f"operator {self._produced[index]} computes it only later"
            help_ = "operators must be listed in an order in which they can be executed"
        else:
            why, help_ = "no operator computes it, and the file holds no data for it", ""
        self._problem("E104", f"{what} has no data", loc, why=why, help=help_)
        return False

    def _add_operator(self, number: int, raw: RawOperator) -> None:
        first = raw.outputs[0] if raw.outputs else None
        tensor = "" if first is None else self._tensors.raw(first).name
        loc = Loc(self._file, number, operator_name(raw), tensor)
        fine = [
            self._is_available(index, loc, f"operand {position}")
            for position, index in enumerate(raw.inputs)
            if index >= 0
        ]
        fine += [self._claim(index, loc) for index in raw.outputs]
        if loc.op in STATEFUL:
            if all(fine):
                self._add_stateful(raw, loc)
            return
        if loc.op not in BUILTINS:
            self._unsupported(raw, loc)
            return
        operator = self._operator(raw, loc)
        if operator is None or not all(fine):
            return
        try:
            mapped = BUILTINS[loc.op].map(operator)
            parts = parts_of(mapped, operator)
            if self._tensors.moved & {*raw.inputs, *raw.outputs}:
                parts = tuple(with_rules(part, loc) for part in parts)
            self._add_parts(raw, operator, parts)
        except McucError as problem:
            self._problems.extend(flatten(problem))

    def _add_stateful(self, raw: RawOperator, loc: Loc) -> None:
        try:
            if loc.op == "VAR_HANDLE":
                self._variables.handle(raw)
            elif loc.op == "CALL_ONCE":
                self._variables.call_once(raw, loc)
            elif loc.op == "ASSIGN_VARIABLE":
                self._variables.assign(raw, loc)
                self._value(raw.inputs[1], loc)
            else:
                self._read_variable(raw, loc)
        except McucError as problem:
            self._problems.extend(flatten(problem))

    def _read_variable(self, raw: RawOperator, loc: Loc) -> None:
        """A read is the value itself, or after the first one its memory under another name."""
        now, value = self._variables.read(raw, loc), self._value(raw.outputs[0], loc)
        if now is not None and value is not None and now in self._values:
            self._nodes.append(
                Node("reshape", (now,), raw.outputs, reshape.Attrs(value.type.shape), loc)
            )

    def _unsupported(self, raw: RawOperator, loc: Loc) -> None:
        custom = raw.code == BUILTIN_CUSTOM
        self._problem(
            "E102",
            f"the {'custom ' if custom else ''}operator {loc.op} is not supported",
            loc,
            help="`mcuc ops` lists the operators; replace it, or run it outside of the model",
        )

    def _claim(self, index: int, loc: Loc) -> bool:
        """Marks a result as computed; each tensor is computed once."""
        why = ""
        if index in self._ready:
            why = "it is a model input or the result of an operator before this one"
        elif self._tensors.is_stored(index):
            why = "the file holds data for it"
        self._ready.add(index)
        if why:
            name = self._tensors.raw(index).name
            self._problem("E104", f'the result "{name}" is written again', loc, why=why)
        return not why

    def _operator(self, raw: RawOperator, loc: Loc) -> Operator | None:
        """The operator with its operands; None if one of them has a problem."""
        self._check_variables(raw, loc)
        inputs = [None if i < 0 else self._value(i, loc) for i in raw.inputs]
        outputs = [self._value(i, loc) for i in raw.outputs]
        missing = any(v is None for v, i in zip(inputs, raw.inputs, strict=True) if i >= 0)
        known = tuple(value for value in outputs if value is not None)
        if missing or len(known) < len(outputs):
            return None
        inside = [None if i < 0 else self._tensors.value(i, loc) for i in raw.intermediates]
        types = tuple(None if value is None else value.type for value in inside)
        custom = read_integers(raw.custom, self._reader.damaged)
        options = self._options(raw, loc)

        def subgraph(index: int) -> Subgraph:
            if not 1 <= index <= len(self._model.others):
                raise self._reader.damaged(f"{loc.op} names subgraph {index}")
            other = self._model.others[index - 1]
            tensors = Tensors(self._reader, other)
            return Subgraph(other, lambda tensor: tensors.value(tensor, loc))

        return Operator(options, tuple(inputs), known, loc, types, custom, subgraph)

    def _check_variables(self, raw: RawOperator, loc: Loc) -> None:
        """Tensors that keep state are operands only of operators that are known for it."""
        if BUILTINS[loc.op].keeps_state:
            return
        for index in (*raw.inputs, *raw.outputs):
            if index >= 0 and self._tensors.raw(index).variable:
                what = "the tensor keeps state between runs"
                self._problem("E119", what, loc, help=STATE_HELP)

    def _options(self, raw: RawOperator, loc: Loc) -> Table:
        expected = BUILTINS[loc.op].options
        if not expected or raw.options_type == 0:
            return Table(None)
        found = enum_names("BuiltinOptions").get(raw.options_type, str(raw.options_type))
        if found != expected:
            raise self._reader.damaged(f"operator {loc.op_index}, {loc.op}, has options {found}")
        return raw.options

    def _add_parts(self, raw: RawOperator, operator: Operator, parts: Parts) -> None:
        made = sorted(
            part.result
            for part in parts
            if isinstance(part, (Part, Known)) and isinstance(part.result, int)
        )
        if made != list(range(len(raw.outputs))):
            what = f"the operator has {len(raw.outputs)} results, not {len(made)}"
            raise operator.error("E104", what)
        ids: list[int | None] = [None if i < 0 else i for i in raw.inputs]
        for part in parts:
            if isinstance(part, Remember):
                self._remember(ids[part.source], ids[part.value])
                continue
            if isinstance(part.result, int):
                index, declared = raw.outputs[part.result], operator.outputs[part.result]
            else:
                index = self._next_id
                self._next_id += 1
                name = f"{operator.loc.tensor}:{len(ids) - len(raw.inputs)}"
                declared = Value(part.result, name)
            if isinstance(part, Source):
                self._values[index] = declared
            elif isinstance(part, Known):
                self._values[index] = self._known(part, declared, operator)
            else:
                operands = tuple(None if k is None else ids[k] for k in part.operands)
                self._add_node(part, operands, index, declared, operator)
            ids.append(index)

    def _remember(self, source: int | None, result: int | None) -> None:
        assert source is not None and result is not None
        type_ = self._values[source].type
        self._kept.append(State(source, result, np.zeros(type_.shape, type_.dtype.numpy)))

    def _known(self, part: Known, declared: Value, operator: Operator) -> Value:
        if part.data.dtype != declared.type.dtype.numpy:
            raise operator.error("E118", f"the result is declared {declared.type.dtype.value}")
        return replace(
            declared, type=replace(declared.type, shape=part.data.shape), const=part.data
        )

    def _add_node(
        self,
        part: Part,
        ids: tuple[int | None, ...],
        index: int,
        declared: Value,
        operator: Operator,
    ) -> None:
        values = [None if i is None else self._values[i] for i in ids]
        site = Site(
            attrs=part.attrs,
            inputs=tuple(None if v is None else v.type for v in values),
            outputs=(declared.type,),
            consts=tuple(None if v is None else v.const for v in values),
            numerics=self._numerics,
            loc=operator.loc,
        )
        spec = spec_of(part.op)
        most = len(spec.operands)
        if not spec.variadic and len(ids) > most:
            raise site.error("E112", f"the operator has {len(ids)} operands; {most} are known")
        self._scales += sum(len(t.quant.scales) for t in site.inputs if t and t.quant)
        if self._scales > _MOST_SCALES:
            raise site.error("E117", f"the operators have more than {_MOST_SCALES:,} scales")
        (inferred,) = spec.infer(site)
        if isinstance(part.result, int):
            self._check_result(index, inferred, site)
        self._values[index] = Value(inferred, declared.name)
        stored = part.op in _STORED_FORMS and site.consts[0] is not None
        if stored or is_shape_arithmetic(site, inferred):
            (data,) = spec.ref(replace(site, outputs=(inferred,)), *site.consts)
            self._values[index] = Value(inferred, declared.name, data)
            return
        self._nodes.append(Node(part.op, ids, (index,), part.attrs, operator.loc))

    def _check_result(self, index: int, inferred: TensorType, site: Site) -> None:
        if inferred.elements > MAX_ELEMENTS:
            raise site.error("E105", f"the result of shape {inferred.shape} is too large")
        declared = site.output
        if inferred.dtype is not declared.dtype:
            what = f"the result is declared {declared.dtype.value}, not {inferred.dtype.value}"
            raise site.error("E118", what)
        # Converters leave shapes of results open, or unset, where they did not know them.
        open_shape = declared.shape == () or -1 in self._tensors.raw(index).signature
        if inferred.shape != declared.shape and not open_shape:
            raise site.error(
                "E118",
                f"the result is declared with the shape {declared.shape}; the operator gives "
                f"{inferred.shape}",
                help="export the model again; it may have been edited by hand",
            )


def parts_of(mapped: Mapped | Parts, operator: Operator) -> Parts:
    """The nodes that an operator becomes."""
    if isinstance(mapped, tuple):
        return mapped
    count = len(operator.inputs[: mapped.operands])
    operands = tuple(None if operator.inputs[k] is None else k for k in range(count))
    return (Part(mapped.op, mapped.attrs, operands),)


def is_shape_arithmetic(site: Site, result: TensorType) -> bool:
    """Whether a node computes a few integers from constants, as models do for open batch sizes.

    What depends on such results as on a shape must see them while the file is read.
    """
    known = all(c is not None for c, t in zip(site.consts, site.inputs, strict=True) if t)
    integers = result.dtype in (DType.S32, DType.S64) and result.elements <= _SHAPE_ELEMENTS
    return bool(site.inputs) and known and integers
