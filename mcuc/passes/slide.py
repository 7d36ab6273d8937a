"""Makes a model of a sliding window compute only what is new.

The window has N rows and moves by `hop` rows a run. With v' for the rows of v that are new:

    y = op(v)        ->   s = slide_rows(s before, v'), y' = op(s)     if op reads older rows, too
    y = op(v)        ->   y' = op(v')                                  if it does not
    head(y)          ->   y = slide_rows(y before, y'), head(y)        from the first op on that
                                                                       needs the whole map

s holds the N_v - s_op N_y rows of v that y still needs, and v'. It lives from run to run. Numerics:
exact, after N rows have come. An op must do the same for every row: no padding above or below (its
rows at the border would depend on the place of the window), and the hop a multiple of its stride.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.program import Box
from mcuc.ir.types import TensorType
from mcuc.ops import spec_of
from mcuc.ops.slide_rows import Attrs
from mcuc.ops.spec import Site
from mcuc.passes.spec import Pass

# Ops that make each row from rows at the same distance, given that their region says so.
BY_ROWS = frozenset(
    (
        "add", "average_pool2d", "conv2d", "depthwise_conv2d", "dequantize", "logistic",
        "max_pool2d", "mul", "quantize", "relu", "sub",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """How a node moves over rows: output row y reads rows [y * stride, y * stride + extent)."""

    extent: int
    stride: int


def slide_pass(hop: int, numerics: str) -> Pass:
    """The pass for a window that moves by `hop` rows. The reference of its graph is another one's:
    exact are the outputs once a whole window has come.
    """
    return Pass("slide", lambda graph: slide(graph, hop, numerics), "exact")


def slide(graph: Graph, hop: int, numerics: str) -> Graph:
    """The graph of one run: `hop` new rows in, the outputs of the whole window out.

    Raises:
        ScheduleError: E308 with everything that prevents it.
    """
    return _Slide(graph, hop, numerics).build()


@dataclass
class _Slide:
    graph: Graph
    hop: int
    numerics: str
    values: dict[int, Value] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    states: list[tuple[int, int]] = field(default_factory=list)
    fresh: dict[int, int] = field(default_factory=dict)  # value -> the value of its new rows
    kept: dict[tuple[int, int], int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def build(self) -> Graph:
        graph = self._without_first_reshape()
        self.values = dict(graph.values)
        (source,) = graph.inputs if len(graph.inputs) == 1 else (None,)
        if source is None or len(graph.type(source).shape) != 4 or graph.type(source).shape[0] != 1:
            raise self._refused(["the model has not one input of rows [1, N, W, C]"])
        height = graph.type(source).shape[1]
        if not 0 < self.hop < height:
            raise self._refused([f"the window has {height} rows, it moves by 1 to {height - 1}"])
        self.fresh[source] = self._value(source, self.hop)
        if graph.states:
            self.problems.append("the model keeps state of its own")
        moved = 0
        for node in graph.nodes:
            read = [v for v in node.inputs if v is not None and v in self.fresh]
            rows = self._rows(graph, node) if read else None
            if rows is None:
                self.nodes.append(self._reading(node, {v: self._whole(v, node) for v in read}))
            else:
                self._move(graph, node, rows)
                moved += 1
        if not moved:
            self.problems.append("no op computes rows from rows before the whole map is needed")
        if self.problems:
            raise self._refused(self.problems)
        outputs = tuple(
            self._whole(v, graph.nodes[-1]) if v in self.fresh else v for v in graph.outputs
        )
        return Graph(
            nodes=tuple(self.nodes),
            values=self.values,
            inputs=(self.fresh[source], *(before for before, _ in self.states)),
            outputs=(*outputs, *(after for _, after in self.states)),
            name=graph.name,
            rolling=tuple(self.states),
            window=height,
        )

    def _without_first_reshape(self) -> Graph:
        """A reshape of the input moves nothing: the application may as well give its result."""
        graph = self.graph
        first = graph.nodes[0] if graph.nodes else None
        if first is None or len(graph.inputs) != 1 or not spec_of(first.op).alias:
            return graph
        (source,) = graph.inputs
        others = any(source in node.inputs for node in graph.nodes[1:]) or source in graph.outputs
        if first.inputs[0] != source or others:
            return graph
        return replace(graph, nodes=graph.nodes[1:], inputs=first.outputs)

    def _rows(self, graph: Graph, node: Node) -> Rows | None:
        """How a node moves over the rows; None when it needs its operands whole: the head."""
        others = [v for v in node.inputs if v is not None and v not in self.fresh]
        by_rows = node.op in BY_ROWS and len(graph.type(node.outputs[0]).shape) == 4
        if not by_rows or any(graph.values[v].const is None for v in others):
            return None
        spec, site = spec_of(node.op), Site.of(graph, node, self.numerics)
        canonical = spec.canonical(site)
        height, width, channels = canonical.output
        boxes = [spec.region(site, Box(y, y + 1, 0, width, 0, channels)) for y in range(height)]
        found: list[Rows] = []
        for position, v in enumerate(node.inputs):
            reads = [box[position] for box in boxes]
            if v is None or v not in self.fresh:
                if any(box is not None for box in reads) and canonical.inputs[position][0] > 1:
                    self.problems.append(f"{_named(node)}: reads other rows than those that move")
                continue
            if height == 1:
                return None  # it takes the whole map at once
            rows = _regular([(b.y0, b.y1) if b else (0, 0) for b in reads])
            if rows is None:
                self.problems.append(f"{_named(node)}: pads above or below, so that rows at the "
                                     "border depend on where the window is")  # fmt: skip
                rows = Rows(1, 1)
            found.append(rows)
        if len(set(found)) != 1:
            self.problems.append(f"{_named(node)}: its operands move by different rows")
        return found[0]

    def _move(self, graph: Graph, node: Node, rows: Rows) -> None:
        """The node on the rows that are new."""
        output = node.outputs[0]
        replaced = {}
        for v in dict.fromkeys(v for v in node.inputs if v is not None and v in self.fresh):
            new = self._height(self.fresh[v])
            carried = self._height(v) - self._height(output) * rows.stride
            if new % rows.stride:
                self.problems.append(f"{_named(node)}: has stride {rows.stride}, and {new} rows "
                                     "come a run")  # fmt: skip
                new = -(-new // rows.stride) * rows.stride
            if carried < 0:
                self.problems.append(f"{_named(node)}: its stride skips the last rows")
            count = new // rows.stride
            replaced[v] = self.fresh[v] if carried <= 0 else self._state(v, carried + new, node)
        self.fresh[output] = self._value(output, count)
        self.nodes.append(replace(self._reading(node, replaced), outputs=(self.fresh[output],)))

    def _whole(self, v: int, node: Node) -> int:
        """All rows of a value, for the head."""
        if self._height(v) < self._height(self.fresh[v]):
            self.problems.append(f"{_named(node)}: the window moves by more rows than it reads")
            return v
        return self._state(v, self._height(v), node)

    def _state(self, v: int, rows: int, node: Node) -> int:
        """A value of `rows` rows that live from run to run, the new ones of v appended."""
        if (v, rows) not in self.kept:
            before, after = self._value(v, rows), self._value(v, rows)
            if rows == self._height(v):
                after = v  # the head reads it by its own name
            self.kept[v, rows] = after
            self.states.append((before, after))
            loc = replace(node.loc, op="STATE", op_index=None)
            self.nodes.append(Node("slide_rows", (before, self.fresh[v]), (after,), Attrs(), loc))
        return self.kept[v, rows]

    def _reading(self, node: Node, replaced: Mapping[int, int]) -> Node:
        inputs = tuple(None if v is None else replaced.get(v, v) for v in node.inputs)
        return replace(node, inputs=inputs)

    def _height(self, v: int) -> int:
        return self.values[v].type.shape[1]

    def _value(self, like: int, rows: int) -> int:
        old = self.values[like]
        number = max(self.values) + 1
        self.values[number] = Value(_with_rows(old.type, rows), f"{rows} rows of {old.name}")
        return number

    def _refused(self, problems: list[str]) -> ScheduleError:
        return ScheduleError(
            "E308",
            f"the model cannot slide by {self.hop} rows",
            why="; ".join(problems),
            help="train it with padding=VALID along the rows (time), or run it on whole windows",
            data={"problems": problems},
        )


def _with_rows(type_: TensorType, rows: int) -> TensorType:
    return replace(type_, shape=(type_.shape[0], rows, *type_.shape[2:]))


def _regular(reads: list[tuple[int, int]]) -> Rows | None:
    """Extent and stride, if every row reads alike."""
    extent, stride = reads[0][1] - reads[0][0], reads[1][0] - reads[0][0]
    alike = all(read == (y * stride, y * stride + extent) for y, read in enumerate(reads))
    return Rows(extent, stride) if alike and extent > 0 and stride > 0 else None


def _named(node: Node) -> str:
    where = "" if node.loc.op_index is None else f" (op {node.loc.op_index})"
    return f"{node.loc.op or node.op}{where}"
