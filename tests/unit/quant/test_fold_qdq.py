"""QDQ patterns become ops on integers whose results are those of the pattern, up to one step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mcuc.ir.graph import Graph
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import (
    add,
    concatenation,
    conv2d,
    dequantize,
    fully_connected,
    max_pool2d,
    quantize,
    relu,
    reshape,
    softmax,
    transpose,
    unary,
)
from mcuc.ops.interpret import run_reference
from mcuc.passes.verify import verify_graph
from mcuc.quant.fold_qdq import fold_qdq, has_qdq
from tests.support.float_nets import F32, FloatBuilder


class Qdq(FloatBuilder):
    """Float nodes with pairs between."""

    def q(self, x: int, scale: float, zero: int = 0, dtype: DType = DType.S8) -> int:
        like = TensorType((), dtype, Quant((float(np.float32(scale)),), (zero,)))
        return self.node("quantize", quantize.Attrs(), (x,), like, "q")

    def dq(self, q: int) -> int:
        return self.node("dequantize", dequantize.Attrs(), (q,), F32, "dq")

    def pair(self, x: int, scale: float, zero: int = 0, dtype: DType = DType.S8) -> int:
        return self.dq(self.q(x, scale, zero, dtype))

    def stored(self, data, scales, axis=None, zero: int = 0) -> int:
        """Real numbers of a constant whose type tells the integers."""
        scales = np.asarray(scales, np.float32)
        shape = [1] * data.ndim
        if axis is not None:
            shape[axis] = -1
        real = ((data - zero) * scales.reshape(shape)).astype(np.float32)
        quant = Quant(tuple(map(float, scales.ravel())), (zero,) * scales.size, axis)
        return self.const(real, TensorType(real.shape, DType.F32, quant))


def conv(build: Qdq, x: int, bias_scale: float | None = 1.0, zero: int = 0, **attrs) -> int:
    """4 -> 5 channels; the bias in `bias_scale` times its right scale, or in float."""
    rng = np.random.default_rng(1)
    data = rng.integers(-127, 128, (5, 3, 3, 4))
    scales = rng.uniform(0.001, 0.01, 5) if not zero else np.array([0.004])
    weights = build.stored(data, scales, 0 if not zero else None, zero)
    real = rng.normal(0, 0.5, 5)
    if bias_scale is None:
        bias = build.const(real.astype(np.float32))
    else:
        steps = 0.02 * bias_scale * scales
        bias = build.stored(np.round(real / steps), np.broadcast_to(steps, 5), 0)
    return build.node("conv2d", conv2d.Attrs(pad=(1, 1, 1, 1), **attrs), (x, weights, bias), F32)


def one_conv(**options) -> Callable[[Qdq], int]:
    return lambda b: b.pair(conv(b, b.pair(b.source(1, 4, 4, 4), 0.02, 3), **options), 0.05, -7)


def relu_between(b: Qdq) -> int:
    x = conv(b, b.pair(b.source(1, 4, 4, 4), 0.02, 3))
    return b.pair(b.one("relu", relu.Attrs("relu6"), x), 0.0235, -128)


def relu_alone(b: Qdq) -> int:
    return b.pair(b.one("relu", relu.Attrs("relu"), b.pair(b.source(1, 4, 4, 4), 0.02)), 0.01, -128)


def shared_q(b: Qdq) -> int:
    """One Q with two DQs, both read."""
    q = b.q(conv(b, b.pair(b.source(1, 4, 4, 4), 0.02, 3)), 0.05)
    return b.pair(b.one("add", add.Attrs(), b.dq(q), b.dq(q)), 0.1)


def two_qs(b: Qdq) -> int:
    """A value that is quantized twice in the same way."""
    y = conv(b, b.pair(b.source(1, 4, 4, 4), 0.02, 3))
    return b.pair(b.one("add", add.Attrs(), b.pair(y, 0.05), b.pair(y, 0.05)), 0.1)


def moves_without_pairs(b: Qdq) -> int:
    """Conv, transpose, pool and reshape, quantized only at the end."""
    y = conv(b, b.pair(b.source(1, 4, 4, 4), 0.02, 3))
    y = b.one("transpose", transpose.Attrs((0, 2, 1, 3)), y)
    y = b.one("max_pool2d", max_pool2d.Attrs((2, 2), (2, 2)), y)
    return b.pair(b.one("reshape", reshape.Attrs((1, 20)), y), 0.05, -7)


def joined_scales(b: Qdq) -> int:
    x = b.source(1, 4, 4, 4)
    joined = b.one("concatenation", concatenation.Attrs(3), b.pair(x, 0.02), b.pair(x, 0.01, 20))
    return b.pair(joined, 0.02)


def pool_to_another_scale(b: Qdq) -> int:
    x = b.pair(b.source(1, 4, 4, 4), 0.02)
    return b.pair(b.one("max_pool2d", max_pool2d.Attrs((2, 2), (2, 2)), x), 0.015, 5)


def softmax_in_any_scale(b: Qdq) -> int:
    return b.pair(b.one("softmax", softmax.Attrs(), b.pair(b.source(1, 6), 0.05)), 0.00501, -120)


def constant_operand(b: Qdq) -> int:
    c = b.const(np.linspace(-1, 1, 4).astype(np.float32))
    return b.pair(b.one("add", add.Attrs(), b.pair(b.source(1, 4, 4, 4), 0.02), c), 0.03)


def dense(b: Qdq) -> int:
    rng = np.random.default_rng(2)
    w = b.stored(rng.integers(0, 256, (3, 8)) - 128, [0.004], zero=9)
    x = b.pair(b.source(2, 8), 0.02, 3)
    return b.pair(b.node("fully_connected", fully_connected.Attrs(), (x, w), F32), 0.02, 1)


def int16(b: Qdq) -> int:
    x = b.pair(b.source(1, 4, 4, 4), 0.0001, dtype=DType.S16)
    return b.pair(conv(b, x), 0.0002, dtype=DType.S16)


PATTERNS = {
    "conv": one_conv(),
    "bias in another scale": one_conv(bias_scale=2.0),  # B80
    "bias in float": one_conv(bias_scale=None),
    "weights with a zero point": one_conv(zero=5),
    "activation inside": one_conv(activation="relu"),
    **{f.__name__: f for f in (
        relu_between, relu_alone, shared_q, two_qs, moves_without_pairs, joined_scales,
        pool_to_another_scale, softmax_in_any_scale, constant_operand, dense, int16,
    )},
}  # fmt: skip


def folded(pattern: Callable[[Qdq], int]) -> tuple[Graph, Graph]:
    build = Qdq()
    qdq = build.graph(pattern(build))
    verify_graph(qdq)
    assert has_qdq(qdq)
    result = fold_qdq(qdq)
    verify_graph(result.graph)
    assert not result.floats, result.floats
    return qdq, result.graph


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_integers_with_the_results_of_the_pattern(name: str) -> None:
    qdq, graph = folded(PATTERNS[name])
    assert not has_qdq(graph)
    types = {graph.type(n.outputs[0]).dtype for n in graph.nodes if n.op != "dequantize"}
    assert types <= {DType.S8, DType.S16}
    last = graph.nodes[-1]
    assert last.op == "dequantize" and last.inputs[0] is not None
    quant = graph.type(last.inputs[0]).quant
    assert quant is not None
    rng = np.random.default_rng(0)
    for _ in range(3):
        inputs = [rng.uniform(-2, 2, graph.type(v).shape).astype(np.float32) for v in graph.inputs]
        (wanted,), (got,) = run_reference(qdq, inputs), run_reference(graph, inputs)
        steps = np.abs(wanted - got) / quant.scale
        assert np.round(steps).max() <= 1, f"{steps.max()} steps"


def test_a_stray_requantization_is_the_only_node_more() -> None:
    _, graph = folded(pool_to_another_scale)
    assert [n.op for n in graph.nodes] == ["quantize", "max_pool2d", "quantize", "dequantize"]


def test_what_has_no_integers_stays_float_with_a_reason() -> None:
    b = Qdq()
    x = b.pair(b.source(1, 6), 0.05)
    y = b.one("unary", unary.Attrs("sin"), x)
    result = fold_qdq(b.graph(b.pair(y, 0.01)))
    verify_graph(result.graph)
    assert [n.op for n in result.graph.nodes] == [
        "quantize", "dequantize", "unary", "quantize", "dequantize",
    ]  # fmt: skip
    (reason,) = result.floats.values()
    assert "f32" in reason


@pytest.mark.parametrize("zero", [127, 128])
def test_uint8_is_int8_shifted_by_128(zero: int) -> None:
    """B29: the zero point is the file's, 127 or 128."""
    b = Qdq()
    y = conv(b, b.pair(b.source(1, 4, 4, 4), 0.02, zero, DType.U8))
    qdq = b.graph(b.pair(y, 0.05, zero, DType.U8))
    result = fold_qdq(qdq)
    verify_graph(result.graph)
    quants = [result.graph.type(n.outputs[0]) for n in result.graph.nodes][:2]
    assert [(t.dtype, t.quant.zero_point) for t in quants if t.quant] == [
        (DType.S8, zero - 128)
    ] * 2
    x = [np.random.default_rng(0).uniform(-2, 2, (1, 4, 4, 4)).astype(np.float32)]
    (wanted,), (got,) = run_reference(qdq, x), run_reference(result.graph, x)
    assert np.abs(wanted - got).max() <= 0.05 * 1.001


def test_a_bias_that_does_not_fit_widens_the_weights() -> None:
    """B25 in an imported file: int32 of its own scale, weights of 1e-7."""
    b = Qdq()
    w = b.stored(np.full((2, 1, 1, 4), 127), [7.843e-10, 7.843e-10], 0)
    bias = b.const(np.array([5.0, -4.5], np.float32))
    x = b.pair(b.source(1, 2, 2, 4), 0.5)
    y = b.node("conv2d", conv2d.Attrs(), (x, w, bias), F32)
    result = fold_qdq(b.graph(b.pair(y, 0.05)))
    verify_graph(result.graph)
    assert not result.floats
    (got,) = run_reference(result.graph, [np.ones((1, 2, 2, 4), np.float32)])
    assert np.abs(got - [5.0, -4.5]).max() <= 0.05
