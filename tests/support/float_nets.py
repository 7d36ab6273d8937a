"""Small float graphs with seeded weights, for quantization."""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType, TensorType
from mcuc.ops import (
    add,
    average_pool2d,
    concatenation,
    conv2d,
    depthwise_conv2d,
    fully_connected,
    logistic,
    max_pool2d,
    mul,
    relu,
    reshape,
    softmax,
)
from tests.support.graphs import GraphBuilder

F32 = TensorType((), DType.F32)


class FloatBuilder(GraphBuilder):
    """Adds float nodes."""

    def source(self, *shape: int) -> int:
        return self.input(TensorType(shape, DType.F32), f"x{len(self.inputs)}")

    def conv2d(self, x: int, channels: int, kernel: int = 1, activation: str = "none") -> int:
        """With padding that keeps the size; kernels are odd."""
        depth = self.values[x].type.shape[3]
        side = kernel // 2
        weights = self.weights((channels, kernel, kernel, depth), depth * kernel * kernel)
        attrs = conv2d.Attrs(pad=(side,) * 4, activation=activation)
        return self.node("conv2d", attrs, (x, *weights), F32, "conv")

    def depthwise2d(self, x: int, kernel: int = 3, activation: str = "none") -> int:
        depth = self.values[x].type.shape[3]
        weights = self.weights((1, kernel, kernel, depth), kernel * kernel)
        attrs = depthwise_conv2d.Attrs(pad=(kernel // 2,) * 4, activation=activation)
        return self.node("depthwise_conv2d", attrs, (x, *weights), F32, "depthwise")

    def dense(self, x: int, units: int) -> int:
        depth = self.values[x].type.shape[-1]
        weights = self.weights((units, depth), depth)
        return self.node("fully_connected", fully_connected.Attrs(), (x, *weights), F32, "dense")

    def weights(self, shape: tuple[int, ...], depth: int) -> tuple[int, int]:
        """Seeded by how much is there already."""
        rng = np.random.default_rng(len(self.values))
        channels = shape[-1] if shape[0] == 1 and len(shape) == 4 else shape[0]
        data = rng.normal(0, depth**-0.5, shape).astype(np.float32)
        bias = rng.normal(0, 0.1, channels).astype(np.float32)
        return self.const(data), self.const(bias)

    def one(self, op: str, attrs: object, *inputs: int) -> int:
        return self.node(op, attrs, inputs, F32, op)


def mixed_net(classes: bool = True) -> Graph:
    """A bit of everything, 8x8x3 -> 5 classes, or what the softmax reads."""
    build = FloatBuilder()
    x = build.source(1, 8, 8, 3)
    a = build.conv2d(x, 8, 3, "relu")
    b = build.depthwise2d(a, 3, "relu6")
    c = build.one("add", add.Attrs(), build.conv2d(b, 8), a)
    d = build.one("relu", relu.Attrs("relu"), c)
    pooled = max_pool2d.Attrs((2, 2), (2, 2))
    e = build.one("concatenation", concatenation.Attrs(3), d, b)
    f = build.one("max_pool2d", pooled, e)
    gate = build.one("logistic", logistic.Attrs(), build.conv2d(f, 16))
    g = build.one("mul", mul.Attrs(), f, gate)
    h = build.one("average_pool2d", average_pool2d.Attrs((4, 4), (4, 4)), g)
    flat = build.one("reshape", reshape.Attrs((1, 16)), h)
    last = build.dense(flat, 5)
    return build.graph(build.one("softmax", softmax.Attrs(), last) if classes else last)


def float_samples(graph: Graph, count: int, seed: int = 0) -> list[list[Array]]:
    rng = np.random.default_rng(seed)
    return [
        [rng.uniform(-1, 1, graph.type(v).shape).astype(np.float32) for v in graph.inputs]
        for _ in range(count)
    ]
