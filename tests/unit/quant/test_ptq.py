"""Float graphs become integer graphs: recipes, special channels, islands, determinism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcuc.ir.graph import Graph
from mcuc.ir.types import DType
from mcuc.ops import (
    add,
    batch_matmul,
    concatenation,
    conv2d,
    max_pool2d,
    mul,
    pairwise,
    relu,
    softmax,
    unary,
)
from mcuc.ops.interpret import run_reference
from mcuc.passes.verify import verify_graph
from mcuc.quant.calibrate import calibrate
from mcuc.quant.equalize import equalization, equalized
from mcuc.quant.measure import measure_layers
from mcuc.quant.ptq import apply_recipe, make_recipe
from mcuc.quant.recipe import Recipe
from mcuc.quant.reciprocal import multiply_by_reciprocals
from mcuc.quant.runtime import run_values, sqnr_db
from tests.support.float_nets import F32, FloatBuilder, float_samples, mixed_net

pytest.importorskip("onnxruntime")


def on_integers(graph: Graph) -> set[DType]:
    """Element types of all results but those of conversions."""
    kinds = ("quantize", "dequantize")
    return {graph.type(n.outputs[0]).dtype for n in graph.nodes if n.op not in kinds}


def quantized(graph: Graph, **options):
    samples = float_samples(graph, 8)
    made = apply_recipe(graph, make_recipe(graph, samples, **options))
    verify_graph(made.graph)
    return made, samples


def loss_db(made, samples) -> float:
    """Of the last output, before its conversion."""
    wanted = np.concatenate([r[made.source.outputs[0]] for r in run_values(
        made.source, samples, made.source.outputs)])  # fmt: skip
    got = np.concatenate([run_reference(made.graph, list(s))[0] for s in samples])
    return sqnr_db(wanted, got)


@pytest.mark.parametrize(("precision", "least"), [("int8", 25.0), ("int16", 50.0)])
def test_a_net_of_many_ops(precision: str, least: float) -> None:
    made, samples = quantized(mixed_net(), precision=precision)
    wanted = DType.S8 if precision == "int8" else DType.S16
    assert on_integers(made.graph) == {wanted} and not made.floats
    assert loss_db(made, samples) > least


def test_the_recipe_is_all_it_takes() -> None:
    graph = mixed_net()
    samples = float_samples(graph, 4)
    recipe = make_recipe(graph, samples)
    again = make_recipe(graph, samples)
    assert recipe.as_json() == again.as_json()
    stored = Recipe.from_json(recipe.as_json())
    a, b = apply_recipe(graph, recipe).graph, apply_recipe(graph, stored).graph
    assert str(a) == str(b)
    for v, value in a.values.items():
        assert value.const is None or value.const.tobytes() == b.values[v].const.tobytes()


def test_layers_asked_for_stay_float() -> None:
    graph = mixed_net()
    samples = float_samples(graph, 4)
    recipe = make_recipe(graph, samples)
    index = next(i for i, n in enumerate(graph.nodes) if n.op == "mul")
    made = apply_recipe(graph, replace(recipe, floats=frozenset({index})))
    verify_graph(made.graph)
    floats = [n.op for n in made.graph.nodes if made.graph.type(n.outputs[0]).dtype is DType.F32]
    assert floats.count("mul") == 1 and set(floats) == {"mul", "dequantize"}
    assert list(made.floats.values()) == ["asked for"]


def test_auto_precision_makes_outputs_better() -> None:
    graph = mixed_net(classes=False)
    samples = float_samples(graph, 4)
    plain = apply_recipe(graph, make_recipe(graph, samples))
    recipe = make_recipe(graph, samples, auto_precision=True, enough_db=60.0)
    better = apply_recipe(graph, recipe)
    verify_graph(better.graph)
    assert recipe.wide and len(recipe.floats | recipe.wide) < len(graph.nodes)
    assert loss_db(better, samples) > loss_db(plain, samples) + 3
    layers = measure_layers(better, samples)
    assert {16} <= {x.activation_bits for x in layers} <= {8, 16, 32}


def test_a_layer_that_needs_the_range_gets_int16() -> None:
    """Sums whose difference is the result: int8 would hold little of it."""
    build = FloatBuilder()
    x = build.source(1, 4, 4, 4)
    large = build.conv2d(x, 4)
    z = build.one("add", add.Attrs(), large, build.const(np.full(4, 40, np.float32)))
    back = build.one("add", add.Attrs(), z, build.const(np.full(4, -40, np.float32)))
    graph = build.graph(build.conv2d(back, 3))
    samples = float_samples(graph, 4)
    plain = apply_recipe(graph, make_recipe(graph, samples))
    recipe = make_recipe(graph, samples, auto_precision=True)
    better = apply_recipe(graph, recipe)
    verify_graph(better.graph)
    assert recipe.wide == {z} and not recipe.floats
    assert loss_db(plain, samples) < 20 and loss_db(better, samples) > 28
    assert [x.activation_bits for x in measure_layers(better, samples)] == [8, 16, 8, 8]
    kinds = {better.graph.type(n.inputs[0]).dtype.value + better.graph.type(
        n.outputs[0]).dtype.value for n in better.graph.nodes if n.op == "quantize"}  # fmt: skip
    assert kinds == {"f32s8", "s8s16", "s16s8"}


def test_widening_int8_changes_no_number() -> None:
    """A product in int16 of operands of int8 is the same as of their real numbers."""
    build = FloatBuilder()
    x, y = build.source(1, 4, 4, 4), build.source(1, 4, 4, 4)
    a = build.one("relu", relu.Attrs("relu"), x)
    product = build.one("mul", mul.Attrs(), a, y)
    graph = build.graph(product)
    samples = float_samples(graph, 4)
    recipe = replace(make_recipe(graph, samples), wide=frozenset({product}))
    made = apply_recipe(graph, recipe)
    verify_graph(made.graph)
    assert not made.floats
    for sample in samples:
        found = run_reference(made.graph, list(sample), keep_all=True)
        real = [
            (found[q].astype(np.float64) - made.graph.type(q).quant.zero_point)
            * made.graph.type(q).quant.scale
            for q in (made.integers[a], made.integers[y], made.integers[product])
        ]
        step = made.graph.type(made.integers[product]).quant.scale
        inside = np.abs(found[made.integers[product]].astype(np.int32)) < 32767
        assert inside.sum() > 50
        assert np.abs(real[0] * real[1] - real[2])[inside].max() <= 0.51 * step


def test_equalization_changes_no_bit_of_the_float_model() -> None:
    build = FloatBuilder()
    y = build.conv2d(build.source(1, 6, 6, 4), 8, 3, "relu")
    z = build.depthwise2d(y, 3, "relu")
    graph = build.graph(build.conv2d(z, 3))
    values = dict(graph.values)
    small = 4.0 ** -np.arange(8)  # channels get smaller, and are made large again behind
    for node, factor in ((0, small.reshape(8, 1, 1, 1)), (1, 1 / small)):
        weights = graph.nodes[node].inputs[1]
        assert weights is not None and values[weights].const is not None
        data = (values[weights].const * factor).astype(np.float32)
        values[weights] = replace(values[weights], const=data)
    graph = graph.with_nodes(graph.nodes, values)
    samples = float_samples(graph, 4)
    factors = equalization(graph, calibrate(graph, samples).peaks)
    assert factors
    for sample in samples:
        (a,), (b,) = run_reference(graph, sample), run_reference(equalized(graph, factors), sample)
        assert a.tobytes() == b.tobytes()
    made, _ = quantized(graph)
    assert made.recipe.equalization
    without = apply_recipe(graph, replace(made.recipe, equalization={}, corrections={}, ranges=(
        calibrate(graph, samples).ranges)))  # fmt: skip
    assert loss_db(made, samples) > loss_db(without, samples) + 6


def test_concat_beside_relu6_is_int8() -> None:
    """B49."""
    build = FloatBuilder()
    y = build.conv2d(build.source(1, 2, 2, 2), 2)
    clipped = build.one("relu", relu.Attrs("relu6"), y)
    made, _ = quantized(build.graph(build.one("concatenation", concatenation.Attrs(3), y, clipped)))
    assert on_integers(made.graph) == {DType.S8} and not made.floats


def test_concat_of_a_softmax_is_requantized() -> None:
    """The softmax's scale is fixed, and too narrow for the other operand."""
    build = FloatBuilder()
    y = build.conv2d(build.source(1, 4, 4, 4), 4)
    z = build.one("softmax", softmax.Attrs(), y)
    wide = build.conv2d(build.one("unary", unary.Attrs("abs"), y), 4)
    net = build.graph(build.one("concatenation", concatenation.Attrs(3), wide, z))
    made, samples = quantized(net)
    assert on_integers(made.graph) == {DType.S8} and not made.floats
    assert loss_db(made, samples) > 25


def test_shared_weights_have_the_right_scale_for_each_reader() -> None:
    """B76: one tensor of weights behind inputs of very different scale."""
    build = FloatBuilder()
    x = build.source(1, 4, 4, 4)
    weights = build.weights((4, 1, 1, 4), 4)
    y = build.node("conv2d", conv2d.Attrs(), (x, *weights), F32, "first")
    z = build.one("unary", unary.Attrs("square"), y)
    made, samples = quantized(
        build.graph(build.node("conv2d", conv2d.Attrs(), (z, *weights), F32, "second"))
    )
    assert loss_db(made, samples) > 25


def test_an_outlier_channel_is_reported() -> None:
    """B71: one channel of an activation is 50 times the others."""
    build = FloatBuilder()
    y = build.conv2d(build.source(1, 4, 4, 4), 8)
    graph = build.graph(build.one("max_pool2d", max_pool2d.Attrs((2, 2), (2, 2)), y))
    weights = graph.nodes[0].inputs[1]
    values = dict(graph.values)
    assert weights is not None and values[weights].const is not None
    large = values[weights].const.copy()
    large[3] *= 50
    values[weights] = replace(values[weights], const=large)
    made, samples = quantized(graph.with_nodes(graph.nodes, values))
    first = measure_layers(made, samples)[0]
    assert first.outlier_channels == 1 and first.activation_bits == 8 and first.weight_bits == 8


def test_a_tensor_that_is_always_zero() -> None:
    """B28: weights of 0 and an activation of 0."""
    build = FloatBuilder()
    x = build.source(1, 4, 4, 2)
    zeros = build.const(np.zeros((3, 1, 1, 2), np.float32))
    y = build.node("conv2d", conv2d.Attrs(), (x, zeros), F32, "nothing")
    made, samples = quantized(build.graph(build.conv2d(y, 2)))
    (got,) = run_reference(made.graph, samples[0])
    (wanted,) = run_reference(made.source, samples[0])
    assert np.isfinite(got).all() and np.abs(got - wanted).max() < 0.01
    assert measure_layers(made, samples)[0].dead_channels == 3


def test_what_onnx_has_no_words_for_runs_in_the_reference(monkeypatch) -> None:
    graph = mixed_net()
    samples = float_samples(graph, 2)
    made, _ = quantized(graph)
    values = list(made.qdq.outputs)
    wanted = [found[values[0]] for found in run_values(made.qdq, samples, values)]
    monkeypatch.setattr("mcuc.quant.runtime.HANDLERS", {})
    got = [found[values[0]] for found in run_values(made.qdq, samples, values)]
    assert np.abs(np.asarray(wanted) - np.asarray(got)).max() <= 2 / 256
    assert make_recipe(graph, samples).as_json()["samples"] == 2


def test_weights_of_three_axes() -> None:
    """B67: a constant [H, K, N] behind a batched matrix product: one scale for all."""
    build = FloatBuilder()
    x = build.source(3, 4, 5)
    weights = build.const(np.random.default_rng(0).normal(0, 0.5, (3, 5, 6)).astype(np.float32))
    y = build.one("batch_matmul", batch_matmul.Attrs(), x, weights)
    made, samples = quantized(build.graph(y))
    assert on_integers(made.graph) == {DType.S8} and not made.floats
    assert loss_db(made, samples) > 35


@pytest.mark.parametrize("function", ["elu", "hard_sigmoid", "clip", "mish", "gelu", "hard_swish"])
def test_functions_without_a_rule_in_tflite_are_tables(function: str) -> None:
    build = FloatBuilder()
    numbers = {"elu": (1.0, 0.0), "hard_sigmoid": (0.2, 0.5), "clip": (-0.3, 0.4)}
    y = build.conv2d(build.source(1, 4, 4, 4), 4)
    attrs = unary.Attrs(function, *numbers.get(function, ()))
    made, samples = quantized(build.graph(build.one("unary", attrs, y)))
    assert on_integers(made.graph) == {DType.S8} and not made.floats
    assert loss_db(made, samples) > 25


def test_a_division_by_a_constant_is_a_product() -> None:
    build = FloatBuilder()
    y = build.conv2d(build.source(1, 4, 4, 4), 4)
    half = build.const(np.asarray(2.5, np.float32))
    graph = build.graph(build.one("pairwise", pairwise.Attrs("div", "relu"), y, half))
    product = multiply_by_reciprocals(graph)
    assert [n.op for n in product.nodes] == ["conv2d", "mul"]
    sample = float_samples(graph, 1)[0]
    (a,), (b,) = run_reference(graph, sample), run_reference(product, sample)
    assert np.allclose(a, b, rtol=1e-6, atol=0)
    made, _ = quantized(product)
    assert on_integers(made.graph) == {DType.S8}
