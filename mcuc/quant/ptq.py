"""Post-training quantization: a float graph and samples -> a recipe -> the integer graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array, Graph
from mcuc.ops.spec import NUMERICS
from mcuc.quant.calibrate import Statistics, calibrate
from mcuc.quant.correct_bias import corrections
from mcuc.quant.equalize import equalization, equalized
from mcuc.quant.fold_qdq import fold_qdq
from mcuc.quant.insert_qdq import Inserted, insert_qdq
from mcuc.quant.recipe import Recipe, fingerprint
from mcuc.quant.rules import rule_of
from mcuc.quant.runtime import Samples, ratio_db, run_values, spread

Doubles = npt.NDArray[np.float64]

_NO_LAYERS: Mapping[int, str] = MappingProxyType({})
# --auto-precision: what a layer with more bits must gain, and where enough is enough.
_GAIN_DB = 0.5
ENOUGH_DB = 30.0


@dataclass(frozen=True)
class Quantized:
    """A quantized model in all its forms.

    Attributes:
        source: The float graph.
        qdq: With pairs.
        graph: On integers.
        integers: Value of the float graph -> integer value of the other two.
        floats: Value of the float graph whose node stays float -> why.
        recipe: What made it.
    """

    source: Graph
    qdq: Graph
    graph: Graph
    integers: Mapping[int, int]
    floats: Mapping[int, str]
    recipe: Recipe


def apply_recipe(graph: Graph, recipe: Recipe, numerics: str = NUMERICS[0]) -> Quantized:
    """The integer graph of a float graph.

    Args:
        graph: The float graph that the recipe was made of.
        recipe: All decisions.
        numerics: Rule set of the integer ops.
    """
    inserted = _inserted(graph, recipe)
    kept = frozenset(v for i in recipe.floats for v in graph.nodes[i].outputs)
    folded = fold_qdq(inserted.graph, numerics, kept)
    there = folded.graph.values
    integers = {v: q for v, q in inserted.integers.items() if q in there}
    asked = dict.fromkeys(kept, "asked for")
    no_rule = {
        node.outputs[0]: f"{node.op} has no arithmetic on integers"
        for node in graph.nodes
        if rule_of(node) is None and graph.type(node.outputs[0]).dtype.value == "f32"
    }
    floats = {**no_rule, **folded.floats, **asked}
    scaled = equalized(graph, recipe.equalization)
    return Quantized(scaled, inserted.graph, folded.graph, integers, floats, recipe)


def _inserted(graph: Graph, recipe: Recipe) -> Inserted:
    return insert_qdq(equalized(graph, recipe.equalization), recipe)


def make_recipe(
    graph: Graph,
    samples: Samples,
    *,
    precision: str = "int8",
    method: str = "minmax",
    layers: Mapping[int, str] = _NO_LAYERS,
    auto_precision: bool = False,
    enough_db: float = ENOUGH_DB,
    numerics: str = NUMERICS[0],
) -> Recipe:
    """Calibrates, and decides what to do about the loss by measuring it.

    Equalization and bias correction are taken where the outputs come closer to float by them.

    Args:
        graph: Float.
        samples: One array per input each, at least one.
        precision: "int8" or "int16".
        method: How ranges follow from what is seen.
        layers: "int16" or "float32" by node, for those that are to have it.
        auto_precision: Layers get int16 or stay float32, the most harmful first, until the
            outputs have `enough_db` or no layer gains anything.
        enough_db: For that.
        numerics: Rule set.
    """
    statistics = calibrate(graph, samples, method)
    judge = _Judge(graph, spread(samples))
    own = fingerprint(graph)
    best = Recipe(
        precision,
        statistics.ranges,
        floats=frozenset(i for i, kind in layers.items() if kind == "float32"),
        wide=frozenset(
            v for i, kind in layers.items() if kind == "int16" for v in graph.nodes[i].outputs
        ),
        samples=statistics.samples,
        method=method,
        graph=own,
    )
    best = _with_corrections(graph, best, statistics, judge)
    factors = equalization(graph, statistics.peaks)
    if factors:
        scaled = equalized(graph, factors)
        again = calibrate(scaled, samples, method)
        plain = replace(best, corrections={})
        other = replace(plain, ranges=again.ranges, equalization=factors)
        other = _with_corrections(scaled, other, again, judge)
        if judge.db(other) > judge.db(best):
            best = other
    if auto_precision:
        best = _with_more_bits(graph, best, judge, enough_db, numerics)
    return best


def _with_corrections(graph: Graph, recipe: Recipe, found: Statistics, judge: _Judge) -> Recipe:
    other = replace(recipe, corrections=corrections(graph, insert_qdq(graph, recipe), found.means))
    return other if judge.db(other) > judge.db(recipe) else recipe


def _with_more_bits(
    graph: Graph, recipe: Recipe, judge: _Judge, enough_db: float, numerics: str
) -> Recipe:
    """Layers in order of the loss that each causes alone get more bits, as long as it helps.

    More bits are int16 for the result where the kernels for it exist, else float32.
    """
    if judge.db(recipe) >= enough_db:
        return recipe
    floats = _floats(graph, recipe, numerics)
    layers = {
        i
        for i, node in enumerate(graph.nodes)
        if (rule := rule_of(node)) is not None and not rule.exact and node.outputs[0] not in floats
    }
    every = frozenset(range(len(graph.nodes)))
    alone = {i: judge.db(replace(recipe, floats=every - {i})) for i in sorted(layers)}
    best = recipe
    for i in sorted(layers, key=lambda i: (alone[i], i)):
        if judge.db(best) >= enough_db:
            break
        least = judge.db(best) + _GAIN_DB
        wide = _widened(graph, best, i)
        if judge.db(wide) >= least and _floats(graph, wide, numerics) <= floats:
            best = wide
            continue
        other = replace(best, floats=best.floats | {i})
        if judge.db(other) >= least:
            best = other
            floats = _floats(graph, best, numerics)
    return best


def _floats(graph: Graph, recipe: Recipe, numerics: str) -> set[int]:
    """Values that float nodes compute."""
    return set(apply_recipe(graph, recipe, numerics).floats)


def _widened(graph: Graph, recipe: Recipe, index: int) -> Recipe:
    """With int16 for the result of a node, and for what it alone reads of the model's inputs."""
    node = graph.nodes[index]
    consumers = graph.consumers()
    own = (v for v in node.inputs if v in graph.inputs and set(consumers[v]) == {index})
    return replace(recipe, wide=recipe.wide.union(node.outputs, own))


class _Judge:
    """Measures recipes: the signal-to-noise ratio of all outputs, before a last softmax."""

    def __init__(self, graph: Graph, samples: Samples) -> None:
        self.graph = graph
        self.samples = samples
        self.values = tuple(_judged(graph, v) for v in graph.outputs)
        self.wanted = [self._numbers(found, self.values) for found in self._run(graph, self.values)]
        self.known: dict[int, tuple[Recipe, float]] = {}

    def _run(self, graph: Graph, values: tuple[int, ...]) -> list[dict[int, Array]]:
        return list(run_values(graph, self.samples, values))

    @staticmethod
    def _numbers(found: Mapping[int, Array], values: tuple[int, ...]) -> list[Doubles]:
        return [found[v].astype(np.float64).ravel() for v in values]

    def db(self, recipe: Recipe) -> float:
        """Decibels: the worst output's."""
        if id(recipe) not in self.known:
            self.known[id(recipe)] = (recipe, self._measure(recipe))
        return self.known[id(recipe)][1]

    def _measure(self, recipe: Recipe) -> float:
        inserted = _inserted(self.graph, recipe)
        graph = inserted.graph
        signal, noise = np.zeros(len(self.values)), np.zeros(len(self.values))
        # The value as its readers see it: behind its pair, if it has one.
        values = tuple(inserted.real.get(v, v) for v in self.values)
        for wanted, found in zip(self.wanted, self._run(graph, values), strict=True):
            for k, (a, b) in enumerate(zip(wanted, self._numbers(found, values), strict=True)):
                signal[k] += (a * a).sum()
                noise[k] += ((a - b) ** 2).sum()
        return min((ratio_db(s, n) for s, n in zip(signal, noise, strict=True)), default=0.0)


def _judged(graph: Graph, v: int) -> int:
    """An output, or what its softmax reads: probabilities near 0 and 1 hide what went wrong."""
    producer = next((node for node in graph.nodes if v in node.outputs), None)
    if producer is not None and producer.op == "softmax" and producer.inputs[0] is not None:
        return producer.inputs[0]
    return v
