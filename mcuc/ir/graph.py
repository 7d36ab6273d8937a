"""Graph: what to compute. Frozen, SSA by value id; names are labels and never keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.errors import Loc
from mcuc.ir.types import TensorType

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Value:
    """One tensor of the graph.

    Attributes:
        type: Shape, element type, quantization.
        name: The label in the user's file; any text, not unique.
        const: The data of a constant, shaped as `type.shape`; None for run-time tensors.
        axes: Of an input or output: what its axes are, such as "NCHW"; "" where nobody says.
    """

    type: TensorType
    name: str = ""
    const: Array | None = None
    axes: str = ""


@dataclass(frozen=True)
class Node:
    """One operation.

    Attributes:
        op: Registry name, for example "conv2d" (a module of mcuc.ops).
        inputs: Value ids by operand position; None for an absent optional operand.
        outputs: Value ids.
        attrs: The op's own frozen dataclass.
        loc: Where the node came from.
    """

    op: str
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    attrs: object
    loc: Loc = Loc()


@dataclass(frozen=True)
class State:
    """What a model keeps from one run to the next.

    Attributes:
        source: Id of the value as a run finds it; no node computes it.
        result: Id of what the run leaves in its place.
        initial: What the first run finds.
    """

    source: int
    result: int
    initial: Array


@dataclass(frozen=True)
class Graph:
    """A whole model. `nodes` are in a valid execution order.

    Attributes:
        values: By id. Ids are stable across passes; dead ones may be missing.
        inputs: Ids of run-time inputs, in the order of the file.
        outputs: Ids of outputs, in the order of the file; may repeat, may be inputs or constants.
        name: The model's label.
        states: What it keeps from run to run.
        rolling: Pairs of an input and an output that share memory: what a run leaves in the output
            is what the next one finds in the input. They are the last inputs and outputs.
        window: Rows of the sliding window whose newest rows are the first input; 0 = none slides.
    """

    nodes: tuple[Node, ...]
    values: Mapping[int, Value]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    name: str = "model"
    states: tuple[State, ...] = ()
    rolling: tuple[tuple[int, int], ...] = ()
    window: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    @property
    def sources(self) -> tuple[int, ...]:
        """All values that are there before a run: inputs and state."""
        return (*self.inputs, *(state.source for state in self.states))

    @property
    def results(self) -> tuple[int, ...]:
        """All values that are wanted after a run: outputs and new state."""
        return (*self.outputs, *(state.result for state in self.states))

    def type(self, value: int) -> TensorType:
        return self.values[value].type

    def operand_types(self, node: Node) -> tuple[TensorType | None, ...]:
        return tuple(None if v is None else self.values[v].type for v in node.inputs)

    def operand_consts(self, node: Node) -> tuple[Array | None, ...]:
        return tuple(None if v is None else self.values[v].const for v in node.inputs)

    def output_types(self, node: Node) -> tuple[TensorType, ...]:
        return tuple(self.values[v].type for v in node.outputs)

    def producers(self) -> dict[int, int]:
        """Value id -> index of the node that computes it."""
        return {v: i for i, node in enumerate(self.nodes) for v in node.outputs}

    def consumers(self) -> dict[int, tuple[int, ...]]:
        """Value id -> indices of the nodes that read it, each once, in order."""
        result: dict[int, list[int]] = {}
        for i, node in enumerate(self.nodes):
            for v in dict.fromkeys(v for v in node.inputs if v is not None):
                result.setdefault(v, []).append(i)
        return {v: tuple(readers) for v, readers in result.items()}

    def with_nodes(
        self, nodes: tuple[Node, ...], values: Mapping[int, Value] | None = None
    ) -> Graph:
        return replace(self, nodes=nodes, values=self.values if values is None else values)

    def with_left(
        self, nodes: Sequence[Node | None], values: Mapping[int, Value] | None = None
    ) -> Graph:
        """The graph of the nodes that are not None, without the values that nothing computes any
        more; the very same object if all nodes are there.
        """
        left = tuple(node for node in nodes if node is not None)
        if len(left) == len(self.nodes):
            return self
        made = {v for node in left for v in node.outputs}
        gone = {v for node in self.nodes for v in node.outputs} - made
        held = self.values if values is None else values
        return self.with_nodes(left, {v: x for v, x in held.items() if v not in gone})

    def without_dead(self, nodes: Sequence[Node] | None = None) -> Graph:
        """The graph of these nodes (its own), without those that nothing needs, and without the
        values that then are nobody's; the very same object if nothing changes.

        Inputs and state stay, used or not: they are part of the model's interface.
        """
        wanted = set(self.results)
        kept: list[Node] = []
        for node in reversed(self.nodes if nodes is None else nodes):
            if not wanted.isdisjoint(node.outputs):
                kept.append(node)
                wanted.update(v for v in node.inputs if v is not None)
        wanted.update(self.sources, *(node.outputs for node in kept))
        values = {v: x for v, x in self.values.items() if v in wanted}
        left = tuple(reversed(kept))
        if left == self.nodes and len(values) == len(self.values):
            return self
        return self.with_nodes(left, values)

    def __str__(self) -> str:
        lines = [f"graph {self.name}({', '.join(f'%{v}: {self.type(v)}' for v in self.inputs)})"]
        for i, node in enumerate(self.nodes):
            outs = ", ".join(f"%{v}: {self.type(v)}" for v in node.outputs)
            ins = ", ".join("-" if v is None else f"%{v}" for v in node.inputs)
            lines.append(f"  {i:4d}  {outs} = {node.op}({ins})  {node.attrs}  # {node.loc}")
        lines += [f"  %{state.source} = %{state.result} for the next run" for state in self.states]
        lines.append(f"  return {', '.join(f'%{v}' for v in self.outputs)}")
        return "\n".join(lines)
