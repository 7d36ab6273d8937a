"""One operator of the file, as the mapping functions in `builtins` see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcuc.errors import Loc, ModelError
from mcuc.frontends.tflite.flatbuffer import Table
from mcuc.frontends.tflite.schema import enum_names
from mcuc.frontends.tflite.subgraph import Subgraph
from mcuc.ir.graph import Array, Value
from mcuc.ir.types import TensorType


def no_subgraph(index: int) -> Subgraph:
    """Of operators that are read alone."""
    raise IndexError(index)


@dataclass(frozen=True)
class Operator:
    """An operator with its operands looked up.

    Attributes:
        options: Its builtin options; all defaults if the file has none.
        inputs: Operands by position, None where absent.
        outputs: Results with their declared types.
        loc: For messages.
        intermediates: Types of what it computes inside, where the file states them.
        custom: Options of a custom operator.
        subgraph: A subgraph by its index.
    """

    options: Table
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    loc: Loc
    intermediates: tuple[TensorType | None, ...] = ()
    custom: Mapping[str, int] = field(default_factory=dict)
    subgraph: Callable[[int], Subgraph] = no_subgraph

    def shape(self, position: int = 0) -> tuple[int, ...]:
        """The shape of an operand; () if it is absent."""
        value = self.inputs[position] if position < len(self.inputs) else None
        return () if value is None else value.type.shape

    def size(self, position: int = 0) -> tuple[int, int]:
        """Rows and columns of an operand [*, H, W, *]; zeros if it has another rank."""
        shape = self.shape(position)
        return (shape[1], shape[2]) if len(shape) == 4 else (0, 0)

    def type(self, position: int = 0) -> TensorType:
        """The type of an operand that must be there."""
        value = self.inputs[position] if position < len(self.inputs) else None
        if value is None:
            raise self.error("E112", f"operand {position} is missing")
        return value.type

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the front."""
        if not -rank <= axis < rank:
            raise self.error("E115", f"axis {axis} does not exist in a tensor of rank {rank}")
        return axis % rank

    def integers(self, position: int, name: str) -> tuple[int, ...]:
        """A constant operand of integers, flattened.

        Raises:
            ModelError: E112 missing, E113 not stored in the file, E110 no integers, E117 too many.
        """
        value = self.inputs[position] if position < len(self.inputs) else None
        if value is None:
            raise self.error("E112", f"operand {position} (the {name}) is missing")
        if value.const is None:
            raise self.error(
                "E113",
                f"the {name} (operand {position}) is computed at run time",
                why="shapes must be known when the model is compiled",
                help="export the model with fixed shapes, batch size included",
            )
        if value.const.dtype.kind not in "iu":
            raise self.error("E110", f"the {name} is {value.type.dtype.value}, not integer")
        if value.const.size > _MOST_INTEGERS:
            raise self.error("E117", f"the {name} has {value.const.size} elements")
        return tuple(value.const.ravel().tolist())

    def integer(self, position: int, name: str) -> int:
        """A constant operand of one integer."""
        found = self.integers(position, name)
        if len(found) != 1:
            raise self.error("E115", f"the {name} has {len(found)} elements, not 1")
        return found[0]

    def pairs(self, position: int, name: str) -> list[tuple[int, int]]:
        """A constant operand of integers, two by two."""
        found = self.integers(position, name)
        if len(found) % 2:
            raise self.error("E115", f"the {name} have {len(found)} elements, which are no pairs")
        return list(zip(found[::2], found[1::2], strict=True))

    def const(self, position: int, name: str) -> Array:
        """The data of a constant operand.

        Raises:
            ModelError: E112 missing, E113 not stored in the file.
        """
        value = self.inputs[position] if position < len(self.inputs) else None
        if value is None:
            raise self.error("E112", f"operand {position} (the {name}) is missing")
        if value.const is None:
            raise self.error("E113", f"the {name} (operand {position}) is computed at run time")
        return value.const

    def activation(self, field: int) -> str:
        """The fused activation in an options field, as the ops spell it."""
        code = self.options.scalar(field, "i8")
        name = enum_names("ActivationFunctionType").get(code, f"activation {code}")
        return name.lower()

    def padding(self, field: int) -> str:
        """The padding scheme, "SAME" or "VALID"."""
        code = self.options.scalar(field, "i8")
        name = enum_names("Padding").get(code)
        if name is None:
            raise self.error("E115", f"the padding scheme {code} is unknown")
        return name

    def pair(self, vertical: int, horizontal: int, default: int = 0) -> tuple[int, int]:
        """Two int32 option fields."""
        return (
            self.options.scalar(vertical, "i32", default),
            self.options.scalar(horizontal, "i32", default),
        )

    def error(self, code: str, what: str, why: str = "", help: str = "") -> ModelError:
        """A ModelError that points at this operator."""
        return ModelError(code, what, loc=self.loc, why=why, help=help)


_MOST_INTEGERS = 64  # of a shape, permutation, list of axes: all are as long as a rank, or twice


@dataclass(frozen=True)
class Mapped:
    """What an operator becomes.

    Attributes:
        op: Registry name.
        attrs: The op's Attrs.
        operands: How many operands the node keeps (the others became attributes); None = all.
    """

    op: str
    attrs: object
    operands: int | None = None


@dataclass(frozen=True)
class Part:
    """One of the nodes that an operator becomes where one does not do.

    Attributes:
        op: Registry name.
        attrs: The op's Attrs.
        operands: Positions of the operator's operands; behind the last one the results of the
            parts before this one are counted on.
        result: Which of the operator's results it computes, or the element type and quantization
            of what only the parts behind it read.
    """

    op: str
    attrs: object
    operands: tuple[int | None, ...]
    result: int | TensorType = 0


@dataclass(frozen=True)
class Known:
    """A constant: a result that does not depend on run-time data, such as a shape."""

    data: Array
    result: int | TensorType = 0


@dataclass(frozen=True)
class Source:
    """State as a run finds it: zeros at first."""

    result: TensorType


@dataclass(frozen=True)
class Remember:
    """The result of a part becomes the state `source` of the next run; both as in `operands`."""

    source: int
    value: int


AnyPart = Part | Known | Source | Remember
Parts = tuple[AnyPart, ...]


@dataclass(frozen=True)
class Builtin:
    """How one builtin operator is read.

    Attributes:
        map: From the operator to the op, or to several; raises ModelError for what has no
            counterpart.
        options: Name in BuiltinOptions of the table that `map` reads; "" if it reads none.
        keeps_state: Variable tensors among its operands are known to `map`.
    """

    map: Callable[[Operator], Mapped | Parts]
    options: str = ""
    keeps_state: bool = False
