"""Layers that a float file holds in pieces are put together, unless somebody sees the pieces."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import prepare
from mcuc.ops.interpret import run_reference
from tests.support.onnx_build import Array, floats, load, model, node

HALF, ONE = np.float32(0.5), np.float32(1)


def fused(nodes: list[object], constants: dict[str, Array], outputs: str = "y") -> list[str]:
    """The ops left; they compute what the graph as loaded does."""
    graph = load(model(nodes, {"x": [1, 5, 8]}, outputs.split(), constants)).graph
    ready = prepare(graph, Options())
    x = floats(7, 1, 5, 8)
    for found, want in zip(run_reference(ready, [x]), run_reference(graph, [x]), strict=True):
        assert np.allclose(found, want, rtol=1e-5, atol=1e-6)
    return [n.op for n in ready.nodes]


ERF = [node("Div", "x r", "d"), node("Erf", "d", "e"), node("Add", "e one", "a")]
ERF_MUL = [node("Mul", "x q", "d"), *ERF[1:]]
TANH = [
    node("Pow", "x three", "c"),
    node("Mul", "c k", "c2"),
    node("Add", "x c2", "i"),
    node("Mul", "i t", "d"),
    node("Tanh", "d", "e"),
    node("Add", "e one", "a"),
]
ENDS = {
    "x a, then half": [node("Mul", "x a", "m"), node("Mul", "m half", "y")],
    "half x, then a": [node("Mul", "half x", "m"), node("Mul", "m a", "y")],
    "a half, then x": [node("Mul", "a half", "m"), node("Mul", "x m", "y")],
}
GELU = {
    "r": np.float32(math.sqrt(2)), "q": np.float32(math.sqrt(0.5)), "one": ONE, "half": HALF,
    "three": np.float32(3), "k": np.float32(0.044715), "t": np.float32(math.sqrt(2 / math.pi)),
}  # fmt: skip


@pytest.mark.parametrize("curve", [ERF, ERF_MUL, TANH], ids=["erf", "erf of product", "tanh"])
@pytest.mark.parametrize("end", ENDS)
def test_all_spellings_of_gelu_are_one_op(curve: list[object], end: str) -> None:
    assert fused([*curve, *ENDS[end]], GELU) == ["unary"]


def test_a_gelu_whose_inner_value_is_read_stays() -> None:
    nodes = [*ERF, *ENDS["x a, then half"]]
    assert len(fused(nodes, GELU, "y e")) > 1


NORM = [
    node("ReduceMean", "x", "m", axes=[-1]),
    node("Sub", "x m", "c"),
    node("Pow", "c two", "s"),
    node("ReduceMean", "s", "v", axes=[-1]),
    node("Add", "v eps", "w"),
    node("Sqrt", "w", "r"),
    node("Div", "c r", "n"),
]
AFFINE = [node("Mul", "n g", "o"), node("Add", "o b", "y")]
NORMS = {"two": np.float32(2), "g": floats(1, 8), "b": floats(2, 8)}


@pytest.mark.parametrize("eps", [1e-5, 1e-12])
@pytest.mark.parametrize("square", ["pow", "product"])
def test_b70_a_layer_norm_in_pieces_is_one_op(eps: float, square: str) -> None:
    nodes = list(NORM)
    if square == "product":
        nodes[2] = node("Mul", "c c", "s")
    assert fused([*nodes, *AFFINE], {**NORMS, "eps": np.float32(eps)}) == ["layer_norm"]


def test_b70_over_other_axes_it_stays_in_pieces() -> None:
    nodes = list(NORM)
    nodes[0] = node("ReduceMean", "x", "m", axes=[1, 2])
    nodes[3] = node("ReduceMean", "s", "v", axes=[1, 2])
    left = fused([*nodes, *AFFINE], {**NORMS, "eps": np.float32(1e-5)})
    assert "layer_norm" not in left and len(left) > 5


def test_b70_a_layer_norm_whose_mean_is_read_stays() -> None:
    left = fused([*NORM, *AFFINE], {**NORMS, "eps": np.float32(1e-5)}, "y m")
    assert "layer_norm" not in left


def test_a_batch_normalization_behind_a_convolution_over_one_axis_is_in_its_weights() -> None:
    nodes = [
        node("Conv", "x w bias", "h"),
        node("BatchNormalization", "h s b m v", "n"),
        node("Relu", "n", "y"),
    ]
    constants = {
        "w": floats(1, 4, 5, 3), "bias": floats(2, 4), "s": floats(3, 4), "b": floats(4, 4),
        "m": floats(5, 4), "v": np.abs(floats(6, 4)) + ONE,
    }  # fmt: skip
    left = fused(nodes, constants)
    assert [op for op in left if op not in ("reshape", "transpose")] == ["conv2d"]


def test_a_convolution_that_others_read_keeps_its_result() -> None:
    nodes = [node("Conv", "x w", "h"), node("Add", "h c", "y")]
    constants = {"w": floats(1, 4, 5, 3), "c": floats(2, 4, 1)}
    left = fused(nodes, constants, "y h")
    assert "add" in left
