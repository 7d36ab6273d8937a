"""Small random graphs of int8 ops, for properties of passes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from mcuc.ir.graph import Array, Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import (
    add,
    average_pool2d,
    concatenation,
    conv2d,
    depthwise_conv2d,
    max_pool2d,
    mul,
    pad,
    relu,
    spec_of,
    transpose,
)
from mcuc.ops.spec import Site
from tests.support.cases import fill, per_channel, s8

SCALE = 0.05


@dataclass
class GraphBuilder:
    """Adds nodes one by one; result types are inferred."""

    values: dict[int, Value] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)

    def value(self, value: Value) -> int:
        self.values[len(self.values)] = value
        return len(self.values) - 1

    def input(self, type_: TensorType, name: str = "") -> int:
        self.inputs.append(self.value(Value(type_, name)))
        return self.inputs[-1]

    def const(self, data: Array, type_: TensorType | None = None) -> int:
        plain = TensorType(data.shape, DType.of(data.dtype))
        return self.value(Value(type_ or plain, "const", data))

    def node(
        self, op: str, attrs: object, inputs: tuple[int, ...], like: TensorType, name: str = ""
    ) -> int:
        """`like`: element type and quantization of the result."""
        operands = [self.values[v] for v in inputs]
        site = Site(
            attrs, tuple(o.type for o in operands), (like,), tuple(o.const for o in operands)
        )
        (type_,) = spec_of(op).infer(site)
        result = self.value(Value(type_, name))
        self.nodes.append(Node(op, inputs, (result,), attrs))
        return result

    def graph(self, *outputs: int) -> Graph:
        return Graph(tuple(self.nodes), self.values, tuple(self.inputs), outputs)

    def pad(self, x: int, paddings: list[list[int]], value: int | None = None) -> int:
        type_ = self.values[x].type
        operands = [x, self.const(np.asarray(paddings, np.int32))]
        if value is not None:
            like = TensorType((), DType.S8, type_.quant)
            operands.append(self.const(np.asarray(value, np.int8), like))
        return self.node("pad", pad.Attrs(), tuple(operands), type_)

    def conv(self, x: int, channels: int, attrs: conv2d.Attrs, kernel: int, seed: int = 0) -> int:
        shape = (channels, kernel, kernel, self.values[x].type.shape[3])
        operands = self._weights(x, shape, 0, seed)
        return self.node("conv2d", attrs, operands, s8((), 1.0, -4))

    def depthwise(self, x: int, attrs: depthwise_conv2d.Attrs, kernel: int, seed: int = 0) -> int:
        shape = (1, kernel, kernel, self.values[x].type.shape[3])
        operands = self._weights(x, shape, 3, seed)
        return self.node("depthwise_conv2d", attrs, operands, s8((), 0.3, 9))

    def _weights(self, x: int, shape: tuple[int, ...], axis: int, seed: int) -> tuple[int, ...]:
        """Seeded weights and biases behind x: some scales negative, some channels all 0."""
        rng = np.random.default_rng(seed)
        channels = shape[axis]
        data = np.moveaxis(rng.integers(-128, 128, shape, np.int8), axis, -1)
        data = np.moveaxis(data * rng.choice([0, 1, 1], channels).astype(np.int8), -1, axis)
        scales = 0.01 * rng.choice([-1.0, 1.0], channels) if channels > 1 else [0.01]
        weights = self.const(data, per_channel(shape, list(scales), axis))
        bias = rng.integers(-30000, 30000, channels, np.int32)
        return x, weights, self.const(bias)


def random_inputs(graph: Graph, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [fill(rng, graph.type(v), "random") for v in graph.inputs]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs of up to nine nodes with everything that passes look for."""
    build = GraphBuilder()
    zero = draw(st.sampled_from((-128, 0, 7)))
    shape = (1, draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(1, 3)))
    maps = [build.input(s8(shape, SCALE, zero), f"x{i}") for i in range(draw(st.integers(1, 2)))]
    if draw(st.booleans()):
        rng = np.random.default_rng(draw(st.integers(0, 9)))
        data = rng.integers(-128, 128, shape, np.int8)
        maps.append(build.const(data, s8(shape, SCALE, zero)))
    for _ in range(draw(st.integers(1, 9))):
        maps.append(_node(draw, build, maps))
    count = draw(st.integers(1, min(3, len(maps))))
    outputs = draw(st.lists(st.sampled_from(maps), min_size=count, max_size=count))
    return build.graph(*outputs)


def _node(draw: st.DrawFn, build: GraphBuilder, maps: list[int]) -> int:
    # Late values more often, so that chains come about.
    x = draw(st.sampled_from([*maps, *maps[-2:], *maps[-1:] * 3]))
    type_ = build.values[x].type
    seed = draw(st.integers(0, 99))
    kind = draw(
        st.sampled_from(
            ("pad", "pad", "pad", "conv", "conv", "depthwise", "pool", "transpose", "two", "relu")
        )
    )
    if kind == "pad":
        sides = st.lists(st.integers(0, 2), min_size=2, max_size=2)
        none = st.just([0, 0])
        edge = st.one_of(none, none, none, none, sides)
        pads = [draw(edge), draw(sides), draw(sides), draw(edge)]
        zero = type_.quant.zero_point if type_.quant else 0
        return build.pad(x, pads, draw(st.sampled_from((None, None, zero, 5))))
    if kind in ("conv", "depthwise"):
        limit = min(type_.shape[1:3])
        kernel = draw(st.integers(1, min(3, limit)))
        stride = draw(st.integers(1, 2))
        pads = tuple(draw(st.integers(0, 2)) for _ in range(4))
        if kind == "conv":
            attrs = conv2d.Attrs((stride, stride), (1, 1), pads)  # type: ignore[arg-type]
            return build.conv(x, draw(st.integers(1, 3)), attrs, kernel, seed)
        geometry = depthwise_conv2d.Attrs((1, stride), (1, 1), pads)  # type: ignore[arg-type]
        return build.depthwise(x, geometry, kernel, seed)
    if kind == "pool":
        size = (draw(st.integers(1, type_.shape[1])), draw(st.integers(1, type_.shape[2])))
        if draw(st.booleans()):
            return build.node("average_pool2d", average_pool2d.Attrs(size), (x,), type_)
        return build.node("max_pool2d", max_pool2d.Attrs(size), (x,), type_)
    if kind == "transpose":
        perm = tuple(draw(st.permutations((1, 2, 3))))
        return build.node("transpose", transpose.Attrs((0, *perm)), (x,), type_)
    if kind == "relu":
        return build.node("relu", relu.Attrs("relu6"), (x,), s8((), SCALE, -128))
    return _node_of_two(draw, build, maps, x)


def _node_of_two(draw: st.DrawFn, build: GraphBuilder, maps: list[int], x: int) -> int:
    type_ = build.values[x].type
    same = [v for v in maps if build.values[v].type.shape == type_.shape]
    other = draw(st.sampled_from(same))
    op = draw(st.sampled_from(("add", "mul", "concatenation")))
    if op == "concatenation":
        if build.values[other].type.quant != type_.quant:
            other = x
        return build.node(op, concatenation.Attrs(3), (x, other), type_)
    attrs = add.Attrs() if op == "add" else mul.Attrs()
    return build.node(op, attrs, (x, other), s8((), 2 * SCALE, 1))
