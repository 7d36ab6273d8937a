"""Hand cases of each pass: what must be rewritten, and what must not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcuc.ir.graph import Graph
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.numerics import int8
from mcuc.ops import add, average_pool2d, conv2d, dequantize, quantize, relu, reshape, transpose
from mcuc.ops.depthwise_conv2d import Attrs as DepthwiseAttrs
from mcuc.ops.interpret import run_reference
from mcuc.passes.fold_constants import MAX_GROWTH_BYTES, fold_constants
from mcuc.passes.fuse_pad import fuse_pad
from mcuc.passes.merge_duplicates import merge_duplicates
from mcuc.passes.positive_scales import positive_scales
from mcuc.passes.remove_channels import remove_channels
from mcuc.passes.remove_dead_nodes import remove_dead_nodes
from mcuc.passes.remove_identities import remove_identities
from mcuc.passes.small_factors import small_factors
from mcuc.passes.strip_io_quantize import strip_io_quantize
from mcuc.passes.transpose_to_reshape import transpose_to_reshape
from mcuc.passes.verify import verify_graph
from tests.support.cases import per_channel, s8
from tests.support.graphs import GraphBuilder, random_inputs

X = s8((1, 5, 6, 2), 0.05, 7)
F32 = TensorType((1, 4), DType.F32)
S8 = s8((1, 4), 0.05, 7)
SPATIAL = [[0, 0], [1, 2], [3, 0], [0, 0]]
PLAIN = conv2d.Attrs()


def ops(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]


def assert_same(before: Graph, after: Graph) -> None:
    verify_graph(after)
    inputs = random_inputs(before, 1)
    for a, b in zip(run_reference(before, inputs), run_reference(after, inputs), strict=True):
        np.testing.assert_array_equal(a, b)


class TestRemoveDeadNodes:
    def test_dead_chain(self) -> None:
        build = GraphBuilder()
        x, unused = build.input(S8), build.input(S8)
        y = build.node("relu", relu.Attrs(), (x,), S8)
        dead = build.node("relu", relu.Attrs(), (y,), S8)
        build.node("add", add.Attrs(), (dead, y), S8)
        graph = remove_dead_nodes(build.graph(y))
        assert ops(graph) == ["relu"] and graph.inputs == (x, unused)
        assert set(graph.values) == {x, unused, y}

    def test_nothing_to_do_gives_the_same_object(self) -> None:
        build = GraphBuilder()
        x = build.input(S8)
        graph = build.graph(build.node("relu", relu.Attrs(), (x,), S8))
        assert remove_dead_nodes(graph) is graph

    def test_outputs_that_no_node_computes(self) -> None:
        build = GraphBuilder()
        x, c = build.input(S8), build.const(np.zeros((1, 4), np.int8), S8)
        graph = build.graph(x, c, x)
        assert remove_dead_nodes(graph) is graph


class TestFoldConstants:
    def test_chain(self) -> None:
        build = GraphBuilder()
        x = build.input(S8)
        c = build.const(np.array([[-128, -1, 0, 127]], np.int8), S8)
        y = build.node("relu", relu.Attrs(), (c,), S8)
        z = build.node("add", add.Attrs(), (y, c), S8)
        w = build.node("add", add.Attrs(), (z, x), S8)
        before = build.graph(w, z)
        after = fold_constants(before)
        assert ops(after) == ["add"] and after.values[z].const is not None
        assert_same(before, after)

    def test_constants_that_would_grow_too_much_stay_computed(self) -> None:
        for extra, left in ((MAX_GROWTH_BYTES // 2, 0), (MAX_GROWTH_BYTES + 64, 1)):
            build = GraphBuilder()
            c = build.const(np.zeros((1, 4), np.int8), S8)
            graph = build.graph(build.pad(c, [[0, 0], [0, extra]]))
            assert len(fold_constants(graph).nodes) == left


class TestFusePad:
    def test_into_all_its_readers(self) -> None:
        build = GraphBuilder()
        p = build.pad(build.input(X), SPATIAL)
        y = build.conv(p, 3, conv2d.Attrs((2, 1), (1, 1), (1, 0, 0, 1)), 3)
        z = build.depthwise(p, DepthwiseAttrs(), 2)
        before = build.graph(y, z)
        after = fuse_pad(before)
        assert ops(after) == ["conv2d", "depthwise_conv2d"] and p not in after.values
        pads = [node.attrs.pad for node in after.nodes]  # type: ignore[attr-defined]
        assert pads == [(2, 2, 3, 1), (1, 2, 3, 0)]
        assert_same(before, after)

    def test_two_in_a_row(self) -> None:
        build = GraphBuilder()
        p = build.pad(build.pad(build.input(X), SPATIAL), SPATIAL)
        before = build.graph(build.conv(p, 3, PLAIN, 3))
        after = fuse_pad(before)
        assert ops(after) == ["conv2d"]
        assert_same(before, after)

    def test_value_that_is_the_zero_point(self) -> None:
        build = GraphBuilder()
        p = build.pad(build.input(X), SPATIAL, value=7)
        before = build.graph(build.conv(p, 3, PLAIN, 3))
        assert ops(fuse_pad(before)) == ["conv2d"]
        assert_same(before, fuse_pad(before))

    @pytest.mark.parametrize(
        ("pads", "value"),
        [
            (SPATIAL, 0),
            ([[0, 0], [1, 1], [1, 1], [0, 1]], None),
            ([[1, 0], [1, 1], [1, 1], [0, 0]], None),
        ],
    )
    def test_other_paddings_stay(self, pads: list[list[int]], value: int | None) -> None:
        build = GraphBuilder()
        p = build.pad(build.input(X), pads, value)
        graph = build.graph(build.conv(p, 3, PLAIN, 3))
        assert fuse_pad(graph) is graph

    def test_pad_that_rescales_a_little_stays(self) -> None:
        build = GraphBuilder()
        x = build.input(X)
        p = build.pad(x, SPATIAL)
        value = build.values[p]
        close = s8(value.type.shape, 0.0500001, 7)
        assert close.quant != X.quant
        build.values[p] = type(value)(close, value.name)
        graph = build.graph(build.conv(p, 3, PLAIN, 3))
        verify_graph(graph)
        assert fuse_pad(graph) is graph

    def test_output_stays(self) -> None:
        build = GraphBuilder()
        p = build.pad(build.input(X), SPATIAL)
        graph = build.graph(build.conv(p, 3, PLAIN, 3), p)
        assert fuse_pad(graph) is graph

    def test_pools_and_mixed_readers_stay(self) -> None:
        build = GraphBuilder()
        p = build.pad(build.input(X), SPATIAL)
        y = build.conv(p, 3, PLAIN, 3)
        z = build.node("average_pool2d", average_pool2d.Attrs((2, 2)), (p,), X)
        graph = build.graph(y, z)
        assert fuse_pad(graph) is graph

    def test_pad_without_readers_is_not_its_business(self) -> None:
        build = GraphBuilder()
        x = build.input(X)
        build.pad(x, SPATIAL)
        graph = build.graph(x)
        assert fuse_pad(graph) is graph


class TestTransposeToReshape:
    @pytest.mark.parametrize(
        ("shape", "perm", "wanted"),
        [
            ((1, 1, 6, 2), (2, 0, 3, 1), "reshape"),
            ((1, 5, 1, 2), (0, 2, 1, 3), "reshape"),
            ((1, 5, 6, 2), (0, 1, 2, 3), "reshape"),
            ((1, 5, 6, 2), (0, 2, 1, 3), "transpose"),
            ((1, 5, 1, 2), (0, 3, 2, 1), "transpose"),
        ],
    )
    def test_units_move(self, shape: tuple[int, ...], perm: tuple[int, ...], wanted: str) -> None:
        build = GraphBuilder()
        x = build.input(s8(shape))
        before = build.graph(build.node("transpose", transpose.Attrs(perm), (x,), s8(())))
        after = transpose_to_reshape(before)
        assert ops(after) == [wanted]
        assert (after is before) == (wanted == "transpose")
        assert_same(before, after)


class TestStripIoQuantize:
    def test_both_ends(self) -> None:
        build = GraphBuilder()
        x = build.input(F32, "in")
        q = build.node("quantize", quantize.Attrs(), (x,), S8, "inner_in")
        y = build.node("relu", relu.Attrs(), (q,), S8, "inner_out")
        out = build.node("dequantize", dequantize.Attrs(), (y,), F32, "out")
        graph = strip_io_quantize(build.graph(out))
        verify_graph(graph)
        assert ops(graph) == ["relu"]
        assert graph.inputs == (q,) and graph.outputs == (y,)
        assert graph.values[q].name == "in" and graph.values[y].name == "out"
        assert set(graph.values) == {q, y}

    def test_order_and_other_ports_stay(self) -> None:
        build = GraphBuilder()
        a, b = build.input(S8, "a"), build.input(F32, "b")
        q = build.node("quantize", quantize.Attrs(), (b,), S8)
        y = build.node("add", add.Attrs(), (a, q), S8, "y")
        d = build.node("dequantize", dequantize.Attrs(), (y,), F32, "d")
        graph = strip_io_quantize(build.graph(y, d, d))
        verify_graph(graph)
        assert graph.inputs == (a, q) and graph.outputs == (y, y, y)
        assert graph.values[y].name == "y"

    def test_uint8(self) -> None:
        u8 = TensorType((1, 4), DType.U8, S8.quant)
        build = GraphBuilder()
        x = build.input(u8, "x")
        q = build.node("quantize", quantize.Attrs(), (x,), S8)
        r = build.node("relu", relu.Attrs(), (q,), S8)
        y = build.node("quantize", quantize.Attrs(), (r,), u8, "y")
        graph = strip_io_quantize(build.graph(y))
        verify_graph(graph)
        assert ops(graph) == ["relu"] and graph.type(graph.outputs[0]).dtype is DType.S8

    def test_passthrough(self) -> None:
        build = GraphBuilder()
        x = build.input(F32, "x")
        q = build.node("quantize", quantize.Attrs(), (x,), S8)
        y = build.node("dequantize", dequantize.Attrs(), (q,), F32, "y")
        graph = strip_io_quantize(build.graph(y))
        verify_graph(graph)
        assert not graph.nodes and graph.inputs == graph.outputs == (q,)

    def test_edges_with_other_readers_stay(self) -> None:
        build = GraphBuilder()
        x = build.input(F32)
        q = build.node("quantize", quantize.Attrs(), (x,), S8)
        r = build.node("reshape", reshape.Attrs((4,)), (x,), F32)
        y = build.node("dequantize", dequantize.Attrs(), (q,), F32)
        z = build.node("reshape", reshape.Attrs((4,)), (y,), F32)
        graph = build.graph(r, y, z)
        assert strip_io_quantize(graph) is graph

    def test_float_input_that_is_an_output_stays(self) -> None:
        build = GraphBuilder()
        x = build.input(F32)
        q = build.node("quantize", quantize.Attrs(), (x,), S8)
        graph = build.graph(x, q)
        assert strip_io_quantize(graph) is graph

    def test_rescaling_between_int8_tensors_stays(self) -> None:
        build = GraphBuilder()
        x = build.input(S8)
        q = build.node("quantize", quantize.Attrs(), (x,), s8((1, 4), 0.1))
        graph = build.graph(build.node("quantize", quantize.Attrs(), (q,), S8))
        assert strip_io_quantize(graph) is graph


class TestSmallFactors:
    def graph(self, weights: list[int], scales: list[float], bias: list[int]) -> Graph:
        return TestPositiveScales().graph(weights, scales, bias)

    def test_channels_with_factors_from_1_on_are_scaled(self) -> None:
        # The input's scale is 0.1 times the output's: factors of 0.9, 1.1, 2.5 and -5.
        scales = [scale * 0.1 / X.quant.scale for scale in (0.9, 1.1, 2.5, -5.0)] if X.quant else []
        before = self.graph([100, 2, -3, 7], scales, [100, 383, -300, 20])
        after = small_factors(before)
        _, weights, bias = (after.values[v or 0] for v in after.nodes[0].inputs)
        assert weights.const is not None and bias.const is not None
        assert weights.const[:, 0, 0, 0].tolist() == [100, 4, -12, 56]
        assert bias.const.tolist() == [100, 766, -1200, 160]
        assert_same(before, after)

    def test_what_does_not_fit_stays(self) -> None:
        scale = 1.5 * 0.1 / X.quant.scale if X.quant else 0.0
        for weights, bias in (([64, 1], [0, 0]), ([-127, 1], [0, 0]), ([1, 1], [2**30, 0])):
            before = self.graph(weights, [scale, 0.0001], bias)
            assert small_factors(before) is before


class TestPositiveScales:
    def graph(self, weights: list[int], scales: list[float], bias: list[int]) -> Graph:
        build = GraphBuilder()
        shape = (len(weights), 1, 1, 2)
        data = np.repeat(np.asarray(weights, np.int8), 2).reshape(shape)
        operands = (
            build.input(X),
            build.const(data, per_channel(shape, scales, 0)),
            build.const(np.asarray(bias, np.int32)),
        )
        return build.graph(build.node("conv2d", PLAIN, operands, s8((), 0.1, 3)))

    def test_channels_are_turned_round(self) -> None:
        before = self.graph([5, -127, 9], [-0.01, 0.02, -0.03], [100, 200, -300])
        after = positive_scales(before)
        _, weights, bias = (after.values[v or 0] for v in after.nodes[0].inputs)
        assert weights.const is not None and bias.const is not None
        assert weights.const[:, 0, 0, 0].tolist() == [-5, -127, -9]
        assert bias.const.tolist() == [-100, 200, 300]
        assert weights.type.quant is not None and min(weights.type.quant.scales) > 0
        assert_same(before, after)

    def test_what_has_no_negative_stays(self) -> None:
        for weights, bias in (([-128, 1], [0, 0]), ([100, 1], [-(2**31), 0])):
            before = self.graph(weights, [-0.01, 0.02], bias)
            assert positive_scales(before) is before

    def test_positive_scales_stay(self) -> None:
        before = self.graph([5, 6], [0.01, 0.02], [1, 2])
        assert positive_scales(before) is before

    @pytest.mark.parametrize("shift", [-14, -2, -1, 0, 5])
    def test_the_rule_is_odd_in_the_factor(self, shift: int) -> None:
        rng = np.random.default_rng(0)
        acc = np.concatenate([rng.integers(-(2**31) + 1, 2**31, 100000), np.arange(-70000, 70000)])
        for multiplier in (2**30, 2**30 + 1, 0x55555555, 2**31 - 1):
            a = int8.requantize_conv(acc, -multiplier, shift, 5)
            b = int8.requantize_conv(-acc, multiplier, shift, 5)
            np.testing.assert_array_equal(a, b)


class TestRemoveChannels:
    """x -> 1x1 convolution with dead channels -> reader -> output."""

    X = s8((1, 4, 4, 4), 0.05, -128)
    MIDDLE = s8((), 0.1, -128)

    def graph(self, bias: list[int], kernel: int, pad: int, middle: str = "") -> Graph:
        """Channels 2 .. 7 of the first convolution have no weights."""
        build = GraphBuilder()
        rng = np.random.default_rng(1)
        data = rng.integers(-127, 128, (8, 1, 1, 4), np.int8)
        data[2:] = 0
        weights = build.const(data, s8(data.shape, 0.01))
        operands = (build.input(self.X), weights, build.const(np.asarray(bias, np.int32)))
        y = build.node("conv2d", conv2d.Attrs(activation="relu"), operands, self.MIDDLE)
        if middle == "depthwise":
            y = build.depthwise(y, DepthwiseAttrs(pad=(1, 1, 1, 1)), 3, seed=3)
        elif middle == "pool":
            y = build.node("average_pool2d", average_pool2d.Attrs((2, 2)), (y,), self.MIDDLE)
        attrs = conv2d.Attrs(pad=(pad,) * 4)
        return build.graph(build.conv(y, 5, attrs, kernel, seed=2))

    @pytest.mark.parametrize("middle", ["", "pool"])
    @pytest.mark.parametrize(
        ("value", "kernel", "pad"), [(-50, 1, 0), (90000, 1, 0), (900, 2, 0), (0, 3, 1)]
    )
    def test_constants_go(self, value: int, kernel: int, pad: int, middle: str) -> None:
        before = self.graph([5, 6] + [value] * 6, kernel, pad, middle)
        after = remove_channels(before)
        assert after.type(after.nodes[0].outputs[0]).shape[3] == 4  # a word
        assert after.type(after.outputs[0]).shape == before.type(before.outputs[0]).shape
        assert_same(before, after)

    def test_what_padding_makes_different_stays(self) -> None:
        before = self.graph([5, 6] + [90000] * 6, 3, 1)
        assert remove_channels(before) is before

    def test_through_a_depthwise_convolution(self) -> None:
        before = self.graph([5, 6] + [-1] * 6, 1, 0, "depthwise")
        after = remove_channels(before)
        assert [after.type(n.outputs[0]).shape[3] for n in after.nodes] == [4, 4, 5]
        assert_same(before, after)

    def test_outputs_keep_their_channels(self) -> None:
        before = self.graph([5, 6] + [0] * 6, 1, 0)
        (middle,) = before.nodes[0].outputs
        shown = replace(before, outputs=(*before.outputs, middle))
        assert remove_channels(shown) is shown


class TestMergeDuplicates:
    def test_chains_that_are_equal(self) -> None:
        build = GraphBuilder()
        x = build.input(X)
        ends = [build.depthwise(build.conv(x, 3, PLAIN, 3, 5), DepthwiseAttrs(), 2) for _ in "ab"]
        before = build.graph(build.node("add", add.Attrs(), (ends[0], ends[1]), X))
        after = merge_duplicates(before)
        assert ops(after) == ["conv2d", "depthwise_conv2d", "add"]
        assert_same(before, after)

    def test_what_differs_or_is_an_output_stays(self) -> None:
        build = GraphBuilder()
        x = build.input(X)
        convolutions = [build.conv(x, 3, PLAIN, 3, seed) for seed in (5, 6)]
        again = build.conv(x, 3, PLAIN, 3, 5)
        before = build.graph(*convolutions, again)
        assert merge_duplicates(before) is before


class TestRemoveIdentities:
    def graph(self, op: str, attrs: object, like: TensorType) -> Graph:
        """x >= 0 -> op -> RELU of another scale."""
        build = GraphBuilder()
        x = build.node("relu", relu.Attrs(), (build.input(X),), s8((), 0.05, 0))
        y = build.node(op, attrs, (x,), like)
        return build.graph(build.node("relu", relu.Attrs("relu6"), (y,), s8((), 0.1, -128)))

    def test_an_activation_that_never_clips(self) -> None:
        before = self.graph("relu", relu.Attrs(), s8((), 0.05, 0))
        after = remove_identities(before)
        assert ops(after) == ["relu", "relu"]
        assert_same(before, after)

    def test_a_pool_of_single_elements(self) -> None:
        before = self.graph("average_pool2d", average_pool2d.Attrs((1, 1)), s8((), 0.05, 0))
        assert ops(remove_identities(before)) == ["relu", "relu"]

    def test_what_clips_or_rescales_stays(self) -> None:
        for attrs, like in ((relu.Attrs("relu_n1_to_1"), s8((), 0.05, 0)), (relu.Attrs(), S8)):
            before = self.graph("relu", attrs, like)
            assert remove_identities(before) is before

    @pytest.mark.parametrize(("scale", "left"), [(0.1, 1), (0.2, 2)])
    def test_conversions_in_a_row(self, scale: float, left: int) -> None:
        """Through uint8 and back is one conversion; through a coarser scale it is not."""
        build = GraphBuilder()
        x = build.input(s8((1, 256), 0.1, 0))
        u8 = TensorType((), DType.U8, Quant((scale,), (128,)))
        middle = build.node("quantize", quantize.Attrs(), (x,), u8)
        before = build.graph(build.node("quantize", quantize.Attrs(), (middle,), s8((), 0.1, 0)))
        after = remove_dead_nodes(remove_identities(before))
        assert len(after.nodes) == left
        every = [np.arange(-128, 128, dtype=np.int8)[np.newaxis]]
        np.testing.assert_array_equal(run_reference(before, every), run_reference(after, every))
