"""Transpositions of NCHW files move and cancel, and what is computed stays the same."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import prepare
from mcuc.ops.interpret import run_reference
from mcuc.passes.lazy import through_reshape
from tests.support.onnx_build import floats, load, model, node

C = {"w": floats(1, 6, 3, 3, 4), "v": floats(2, 6, 6, 1, 1)}
X = {"x": [1, 3, 8, 8]}


def transposes(nodes: list[object], constants: dict[str, object], io: str = "nhwc") -> int:
    """How many are left; the outputs are those of the graph as loaded."""
    graph = load(model(nodes, X, ["y"], constants)).graph  # type: ignore[arg-type]
    ready = prepare(graph, Options(io_layout=io))
    x = floats(3, 1, 3, 8, 8)
    (want,) = run_reference(graph, [x])
    turned = io == "nhwc" and ready.type(ready.inputs[0]).shape == (1, 8, 8, 3)
    (found,) = run_reference(ready, [x.transpose(0, 2, 3, 1) if turned else x])
    if found.shape != want.shape:
        found = found.transpose(0, 3, 1, 2)
    assert np.allclose(found, want, rtol=1e-5, atol=1e-5)
    return sum(n.op == "transpose" for n in ready.nodes)


CHAINS = {
    "activations": [node("Sigmoid", "h", "y")],
    "residual": [node("Conv", "h v", "k"), node("Add", "h k", "y")],
    "gate": [
        node("GlobalAveragePool", "h", "s"),
        node("Conv", "s v", "t"),
        node("HardSigmoid", "t", "u"),
        node("Mul", "h u", "y"),
    ],
    "concat": [node("Relu", "h", "r"), node("Concat", "h r", "y", axis=1)],
    "channel constants": [node("Mul", "h perchannel", "n"), node("Sub", "n perchannel", "y")],
    "softmax over channels": [node("Softmax", "h", "y", axis=1)],
    "slices": [node("Slice", "h starts ends axes", "y")],
    "pads": [node("Pad", "h pads", "y")],
    "means": [node("ReduceMean", "h", "y", axes=[2, 3], keepdims=0)],
    "b89 flatten and gemm": [node("Flatten", "h", "f"), node("Gemm", "f g", "y")],
    "b89 tokens": [
        node("Reshape", "h tokens", "t"),
        node("Transpose", "t", "p", perm=[0, 2, 1]),
        node("MatMul", "p m", "y"),
    ],
    "b89 reshape of a map": [node("Reshape", "h split", "r"), node("Reshape", "r whole", "y")],
}
CONSTANTS = {
    **C,
    "perchannel": floats(4, 6, 1, 1),
    "starts": np.asarray([1, 2]),
    "ends": np.asarray([5, 6]),
    "axes": np.asarray([1, 3]),
    "pads": np.asarray([0, 1, 2, 0, 0, 0, 1, 1]),
    "g": floats(5, 6 * 30, 10),
    "tokens": np.asarray([1, 6, 30]),
    "m": floats(6, 6, 5),
    "split": np.asarray([2, 3, 6, 5]),
    "whole": np.asarray([1, 6, 6, 5]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_no_transposition_is_left_between_layers(name: str) -> None:
    used = {i for n in CHAINS[name] for i in n.input}
    constants = {k: v for k, v in CONSTANTS.items() if k in used or k == "w"}
    assert transposes([node("Conv", "x w", "h"), *CHAINS[name]], constants) == 0


def test_units_of_a_product_come_in_the_order_that_a_map_wants() -> None:
    nodes = [
        node("Flatten", "x", "f"),
        node("Gemm", "f g b", "h"),
        node("Reshape", "h shape", "m"),
        node("Conv", "m w", "c"),
        node("ReduceMean", "c", "y", axes=[2, 3], keepdims=0),
    ]
    constants = {
        "g": floats(1, 192, 60), "b": floats(2, 60), "shape": np.asarray([1, 3, 4, 5]),
        "w": floats(3, 6, 3, 3, 3),
    }  # fmt: skip
    assert transposes(nodes, constants, "nchw") == 0


def test_one_transposition_per_border_where_the_file_keeps_its_order() -> None:
    nodes = [node("Conv", "x w", "h"), node("Relu", "h", "y")]
    assert transposes(nodes, {"w": C["w"]}, "nchw") == 2


def test_a_transposition_that_stays_is_named_with_its_reason() -> None:
    from mcuc.passes.left_over import left_over

    nodes = [node("Conv", "x w", "h"), node("Flatten", "h", "y")]
    graph = prepare(load(model(nodes, X, ["y"], {"w": C["w"]})).graph, Options())
    border, inner = left_over(graph)
    assert "input of the model" in border and "--io-layout nhwc" in border
    assert "it is an output" in inner or "reads the axes" in inner


def test_the_border_says_what_its_axes_are() -> None:
    data = model([node("Conv", "x w", "y")], X, ["y"], {"w": C["w"]})
    for io, axes in (("nchw", "NCHW"), ("nhwc", "NHWC")):
        graph = prepare(load(data).graph, Options(io_layout=io))
        ports = (graph.inputs[0], graph.outputs[0])
        assert [graph.values[v].axes for v in ports] == [axes, axes]


def test_reshapes_move_through_transpositions_only_where_that_is_the_same() -> None:
    shapes = [(2, 3, 4), (6, 4), (2, 12), (24,), (2, 1, 3, 4), (3, 8), (1, 2, 3, 2, 2), (4, 6)]
    moved = 0
    for shape, perm, after in itertools.product(
        [(2, 3, 4), (4, 1, 6), (1, 4, 6)], itertools.permutations(range(3)), shapes
    ):
        u = np.arange(math.prod(shape)).reshape(shape)
        v = u.transpose(perm)
        found = through_reshape(v.shape, perm, after)
        if found is not None:
            moved += 1
            new, then = found
            assert np.array_equal(u.reshape(new).transpose(then), v.reshape(after))
    assert moved > 40
