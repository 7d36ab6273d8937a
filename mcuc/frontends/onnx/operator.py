"""One node of the file, as the handlers see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mcuc.errors import ModelError
from mcuc.frontends.onnx.graph_builder import GraphBuilder
from mcuc.ir.graph import Array
from mcuc.ir.types import DType, TensorType
from mcuc.ops import add, mean, mul, pairwise, reduce, unary

_MOST_INTEGERS = 1 << 16


@dataclass(frozen=True)
class Operator:
    """A node with its operands looked up.

    Attributes:
        proto: The `NodeProto`.
        inputs: Value ids by position, None where absent.
        opset: Version of the node's domain.
        graph: Where results are added.
    """

    proto: Any
    inputs: tuple[int | None, ...]
    opset: int
    graph: GraphBuilder

    @property
    def results(self) -> int:
        """How many results the node has, with those that nothing reads."""
        return len(self.proto.output)

    def wants(self, result: int) -> bool:
        """Whether a result has a name, so that something may read it."""
        return result < self.results and bool(self.proto.output[result])

    def has(self, position: int) -> bool:
        return position < len(self.inputs) and self.inputs[position] is not None

    def value(self, position: int = 0) -> int:
        """An operand that must be there."""
        if not self.has(position):
            raise self.error("E112", f"operand {position} is missing")
        found = self.inputs[position]
        assert found is not None
        return found

    def optional(self, position: int) -> int | None:
        return self.value(position) if self.has(position) else None

    def type(self, position: int = 0) -> TensorType:
        return self.graph.type(self.value(position))

    def shape(self, position: int = 0) -> tuple[int, ...]:
        return self.type(position).shape

    def const(self, position: int, name: str) -> Array:
        """The data of a constant operand.

        Raises:
            ModelError: E112 missing, E113 computed at run time.
        """
        data = self.graph.const(self.value(position))
        if data is None:
            raise self.error(
                "E113",
                f"the {name} (operand {position}) is computed at run time",
                why="shapes and weights must be known when the model is compiled",
                help="export the model with fixed shapes and stored weights",
            )
        return data

    def integers(self, position: int, name: str) -> tuple[int, ...]:
        """A constant operand of integers, flattened."""
        data = self.const(position, name)
        if data.dtype.kind not in "iu":
            raise self.error("E110", f"the {name} is {data.dtype}, not integer")
        if data.size > _MOST_INTEGERS:
            raise self.error("E117", f"the {name} has {data.size} elements")
        return tuple(data.ravel().tolist())

    def whole(self, position: int, name: str) -> int:
        """A constant operand of one integer."""
        found = self.integers(position, name)
        if len(found) != 1:
            raise self.error("E115", f"the {name} has {len(found)} elements, not 1")
        return found[0]

    def number(self, position: int, name: str, default: float) -> float:
        """A constant operand of one number; the default where it is absent."""
        if not self.has(position):
            return default
        data = self.const(position, name)
        if data.size != 1:
            raise self.error("E115", f"the {name} has {data.size} elements, not 1")
        return float(data.ravel()[0])

    def attribute(self, name: str) -> Any:
        """The value of an attribute, None if the node has none of that name."""
        from onnx import helper

        for attribute in self.proto.attribute:
            if attribute.name == name:
                try:
                    value = helper.get_attribute_value(attribute)
                except ValueError as error:
                    raise self.error("E101", f"attribute {name}: {error}") from None
                return value
        return None

    def integer(self, name: str, default: int) -> int:
        value = self.attribute(name)
        if value is None:
            return default
        if not isinstance(value, int):
            raise self.error("E101", f"attribute {name} is no integer")
        return value

    def real(self, name: str, default: float) -> float:
        value = self.attribute(name)
        if value is None:
            return default
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.error("E115", f"attribute {name} is {value!r}; a finite number is needed")
        return float(value)

    def word(self, name: str, default: str) -> str:
        value = self.attribute(name)
        if value is None:
            return default
        if not isinstance(value, bytes):
            raise self.error("E101", f"attribute {name} is no text")
        return value.decode("utf-8", "replace")

    def ints(self, name: str) -> tuple[int, ...] | None:
        value = self.attribute(name)
        if value is None:
            return None
        if not isinstance(value, Sequence) or not all(isinstance(v, int) for v in value):
            raise self.error("E101", f"attribute {name} is no list of integers")
        if len(value) > _MOST_INTEGERS:
            raise self.error("E117", f"attribute {name} has {len(value)} elements")
        return tuple(value)

    def list_of(self, name: str, position: int, since: int) -> tuple[int, ...] | None:
        """Integers that are an attribute before operator set `since`, and an operand from it on."""
        if self.opset < since:
            return self.ints(name)
        return self.integers(position, name) if self.has(position) else None

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the front."""
        if not -rank <= axis < rank:
            raise self.error("E115", f"axis {axis} does not exist in a tensor of rank {rank}")
        return axis % rank

    def error(self, code: str, what: str, why: str = "", help: str = "") -> ModelError:
        return self.graph.error(code, what, why, help)

    # The functions that many operators are made of.

    def unary(self, function: str, x: int, alpha: float = 0.0, beta: float = 0.0) -> int:
        return self.graph.add("unary", unary.Attrs(function, alpha, beta), (x,))

    def pair(self, function: str, a: int, b: int) -> int:
        """An element-wise function of two operands, "add" and "mul" among them."""
        named = {"add": add.Attrs(), "mul": mul.Attrs()}
        if function in named:
            return self.graph.add(function, named[function], (a, b))
        dtype = DType.BOOL if pairwise.FUNCTIONS[function].to_bool else None
        return self.graph.add("pairwise", pairwise.Attrs(function), (a, b), dtype)

    def scaled(self, x: int, factor: float, offset: float = 0.0) -> int:
        """Factor x + offset, without what changes nothing."""
        if factor != 1:
            x = self.pair("mul", x, self.graph.scalar(factor))
        return self.pair("add", x, self.graph.scalar(offset)) if offset else x

    def reduced(self, kind: str, x: int, axes: Sequence[int], keep: bool) -> int:
        """A sum, mean, max, min or product over axes."""
        if kind == "mean":
            return self.graph.add("mean", mean.Attrs(tuple(axes), keep), (x,))
        return self.graph.add("reduce", reduce.Attrs(tuple(axes), keep, kind), (x,))


# What a handler returns: the ids of the node's results, by position; None for what nothing reads.
Results = tuple[int | None, ...]
Handler = Callable[[Operator], Results]
