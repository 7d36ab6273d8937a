"""Small networks for tests of schedules: chains and residual blocks of the real ops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import add, concatenation, mean, relu, spec_of
from mcuc.ops.spec import Site
from tests.support.cases import Case
from tests.support.weighted_cases import conv, depthwise, pool

SCALE = float(np.float32(0.05))


class Network:
    """Builds a graph node by node; every activation is int8 with one scale and zero point."""

    def __init__(self, name: str, shape: tuple[int, ...], zero_point: int = 3) -> None:
        self.name = name
        self.quant = Quant((SCALE,), (zero_point,))
        self.values: dict[int, Value] = {0: Value(TensorType(shape, DType.S8, self.quant), "input")}
        self.nodes: list[Node] = []
        self.last = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values[self.last].type.shape

    def _node(self, op: str, attrs: object, inputs: tuple[int | None, ...]) -> int:
        declared = TensorType((), DType.S8, self.quant)
        site = Site(
            attrs=attrs,
            inputs=tuple(None if v is None else self.values[v].type for v in inputs),
            outputs=(declared,),
            consts=tuple(None if v is None else self.values[v].const for v in inputs),
        )
        (type_,) = spec_of(op).infer(site)
        result = len(self.values)
        self.values[result] = Value(type_, f"{op}_{result}")
        self.nodes.append(Node(op, inputs, (result,), attrs))
        self.last = result
        return result

    def case(self, case: Case) -> int:
        """Appends the node of a case made for this input: its weights and attributes."""
        inputs: list[int | None] = [self.last]
        for operand in case.operands[1:]:
            assert operand is not None
            inputs.append(len(self.values))
            self.values[len(self.values)] = Value(operand.type, "constant", operand.data)
        return self._node(case.op, case.attrs, tuple(inputs))

    def conv(self, channels: int, kernel: tuple[int, int], **more: Any) -> int:
        w = (channels, *kernel, self.shape[3])
        name = f"{self.name}_{len(self.nodes)}"
        return self.case(conv(name, self.shape, w, x_zero=self.quant.zero_point, **more))

    def depthwise(self, kernel: tuple[int, int], multiplier: int = 1, **more: Any) -> int:
        name = f"{self.name}_{len(self.nodes)}"
        zero = self.quant.zero_point
        return self.case(depthwise(name, self.shape, kernel, multiplier, x_zero=zero, **more))

    def pool(self, op: str, kernel: tuple[int, int], stride: tuple[int, int], pad: Any) -> int:
        return self.case(
            pool(f"{self.name}_{len(self.nodes)}", op, self.shape, kernel, stride, pad)
        )

    def add(self, skip: int, activation: str = "none") -> int:
        return self._node("add", add.Attrs(activation), (self.last, skip))

    def concat(self, *others: int, axis: int = 3) -> int:
        attrs = concatenation.Attrs(axis)
        return self._node("concatenation", attrs, (self.last, *others))

    def relu(self) -> int:
        return self._node("relu", relu.Attrs("relu"), (self.last,))

    def mean(self) -> int:
        return self._node("mean", mean.Attrs((1, 2), keep_dims=True), (self.last,))

    def graph(self, *outputs: int) -> Graph:
        return Graph(tuple(self.nodes), self.values, (0,), outputs or (self.last,), self.name)


def inverted_residual(
    name: str, size: tuple[int, int], channels: int = 8, kernel: int = 3, zero_point: int = 3
) -> Graph:
    """MobileNetV2's block with a skip: 1x1 expand, depthwise, 1x1 project, add."""
    net = Network(name, (1, *size, channels), zero_point)
    net.conv(4 * channels, (1, 1), activation="relu6")
    net.depthwise((kernel, kernel), pad="SAME", activation="relu6")
    net.conv(channels, (1, 1))
    net.add(0)
    return net.graph()


def strided_chain(name: str, size: tuple[int, int]) -> Graph:
    """Strides and SAME padding on even sizes: zeros below and to the right only."""
    net = Network(name, (1, *size, 3), 17)
    net.conv(8, (3, 3), stride=(2, 2), pad="SAME", activation="relu")
    net.depthwise((3, 3), pad="SAME")
    net.conv(6, (1, 1))
    net.depthwise((5, 5), stride=(2, 2), pad="SAME")
    return net.graph()


def random_network(seed: int) -> Graph:
    """A chain of 3 to 7 random ops with random geometry, sometimes with a skip and a mean."""
    rng = np.random.default_rng(seed)
    height, width = (int(v) for v in rng.integers(6, 20, 2))
    zero = int(rng.choice([-128, -5, 17, 127]))
    net = Network(f"net{seed}", (1, height, width, int(rng.choice([1, 3, 4, 8]))), zero)
    for _ in range(int(rng.integers(3, 8))):
        _random_op(net, rng)
    if rng.random() < 0.3:
        net.mean()
    return net.graph()


def _random_op(net: Network, rng: np.random.Generator) -> None:
    height, width = net.shape[1:3]
    fits = [k for k in (1, 2, 3, 5) if k <= min(height, width)]
    kernel = (int(rng.choice(fits)), int(rng.choice(fits)))
    stride = (int(rng.integers(1, 3)), int(rng.integers(1, 3)))
    if min(height, width) < 4:
        stride = (1, 1)
    pad = str(rng.choice(["SAME", "VALID"]))
    kind = str(rng.choice(["conv", "pointwise", "depthwise", "pool", "relu", "skip", "dilated"]))
    if kind == "conv":
        net.conv(int(rng.choice([1, 4, 7])), kernel, stride=stride, pad=pad)
    elif kind == "pointwise":
        net.conv(int(rng.choice([2, 8])), (1, 1), activation="relu6")
    elif kind == "depthwise":
        net.depthwise(kernel, int(rng.choice([1, 1, 2])), stride=stride, pad=pad)
    elif kind == "pool":
        op = str(rng.choice(["max_pool2d", "average_pool2d"]))
        net.pool(op, kernel, stride, pad)
    elif kind == "relu":
        net.relu()
    elif kind == "dilated":
        net.conv(4, (3, 3), dilation=(2, 2), pad="SAME")
    else:
        start = net.last
        net.conv(net.shape[3], (3, 3) if 3 in fits else (1, 1), pad="SAME")
        net.add(start)


def renamed(graph: Graph, name: str) -> Graph:
    return replace(graph, name=name)
