"""Puts `quantize -> dequantize` pairs into a float graph, as a recipe says.

    y = op(x, w, b)   ->   y = op(DQ(Q(x)), DQ(w'), DQ(b'));  readers of y read DQ(Q(y))

for every op that has a rule on integers and is to be quantized. w' and b' are the constants as
integers. Values that a "same" op ties together share their parameters; where a fixed scale (of a
softmax) prevents that, the operand gets a second pair. The result is a float graph still: what it
computes is what its integer form computes, up to the rounding inside of an op.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mcuc.errors import Loc
from mcuc.ir.graph import Array, Graph, Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import dequantize, quantize
from mcuc.quant.qparams import (
    Range,
    activation_quant,
    bias_scales,
    quantized_bias,
    quantized_constant,
    quantized_weights,
    weight_scales,
)
from mcuc.quant.recipe import Recipe
from mcuc.quant.rules import Rule, rule_of
from mcuc.quant.share import shared_quants

WEIGHTS, BIAS = 1, 2


@dataclass(frozen=True)
class Inserted:
    """A graph with pairs.

    Attributes:
        graph: The QDQ graph.
        integers: Value of the float graph -> the integer value that stands for it.
    """

    graph: Graph
    integers: dict[int, int]


def insert_qdq(graph: Graph, recipe: Recipe) -> Inserted:
    """The QDQ graph of a float graph.

    Args:
        graph: Float, with the value ids and node order of the recipe.
        recipe: Ranges of all values that are quantized.
    """
    return _Insertion(graph, recipe).run()


class _Insertion:
    def __init__(self, graph: Graph, recipe: Recipe) -> None:
        self.graph = graph
        self.recipe = recipe
        self.dtype = DType.S16 if recipe.precision == "int16" else DType.S8
        self.values: dict[int, Value] = dict(graph.values)
        self.nodes: list[Node] = []
        self.next = max(graph.values, default=0) + 1
        self.rules: dict[int, Rule] = {
            i: rule
            for i, node in enumerate(graph.nodes)
            if (rule := rule_of(node)) is not None and i not in recipe.floats
            if self._is_float(node, rule)
        }
        self.quants = shared_quants(graph, self.rules, recipe.ranges, self.dtype)
        self.pairs: dict[tuple[int, Quant], tuple[int, int]] = {}
        self.integers: dict[int, int] = {}
        self.now: dict[int, int] = {}  # value -> what its readers read

    def _is_float(self, node: Node, rule: Rule) -> bool:
        types = [self.graph.type(node.inputs[p] or 0) for p in rule.activations(node)]
        types.append(self.graph.type(node.outputs[0]))
        floats = all(t.dtype is DType.F32 for t in types)
        if rule.kind == "weights":
            weights = node.inputs[WEIGHTS]
            floats = floats and weights is not None and self._const(weights) is not None
        runtime = any(self._const(node.inputs[p] or 0) is None for p in rule.activations(node))
        return floats and runtime and len(node.outputs) == 1

    def _const(self, v: int) -> Array | None:
        return self.graph.values[v].const

    def run(self) -> Inserted:
        """Pairs behind each value that something computes on integers, or is to read so."""
        read = {
            v
            for i, rule in self.rules.items()
            for p in rule.activations(self.graph.nodes[i])
            if (v := self.graph.nodes[i].inputs[p]) is not None
        }
        for v in self.graph.inputs:
            if v in read:
                self._main_pair(v)
        for i, node in enumerate(self.graph.nodes):
            rule = self.rules.get(i)
            self.nodes.append(self._float_node(node) if rule is None else self._node(i, node, rule))
            for v in node.outputs:
                if rule is not None or v in read:
                    self._main_pair(v)
                if rule is not None:
                    self.now[v] = self.pairs[v, self.quants[v]][1]
        outputs = tuple(self.now.get(v, v) for v in self.graph.outputs)
        states = tuple(
            replace(s, result=self.now.get(s.result, s.result)) for s in self.graph.states
        )
        graph = replace(
            self.graph,
            nodes=tuple(self.nodes),
            values=self._named(outputs),
            outputs=outputs,
            states=states,
        )
        return Inserted(graph, self.integers)

    def _named(self, outputs: tuple[int, ...]) -> dict[int, Value]:
        """Outputs keep the model's names; what they replace gets another."""
        for old, new in zip(self.graph.outputs, outputs, strict=True):
            if old != new:
                name = self.graph.values[old].name
                self.values[old] = replace(self.values[old], name=f"{name}_float")
                self.values[new] = replace(self.values[new], name=name)
        return self.values

    def _main_pair(self, v: int) -> None:
        self.integers[v] = self._pair(v, v, self.quants[v])[0]

    def _pair(self, v: int, source: int, quant: Quant) -> tuple[int, int]:
        """The integers of a value and their real numbers; made where it is asked for first."""
        key = (v, quant)
        if key not in self.pairs:
            value = self.graph.values[v]
            shape, loc = value.type.shape, self._loc(v)
            q = self._add(Value(TensorType(shape, self.dtype, quant), value.name))
            d = self._add(Value(TensorType(shape, DType.F32), f"{value.name}_dequantized"))
            self.nodes.append(Node("quantize", (source,), (q,), quantize.Attrs(), loc))
            self.nodes.append(Node("dequantize", (q,), (d,), dequantize.Attrs(), loc))
            self.pairs[key] = (q, d)
        return self.pairs[key]

    def _loc(self, v: int) -> Loc:
        producer = next((n for n in self.graph.nodes if v in n.outputs), None)
        readers = (n for n in self.graph.nodes if v in n.inputs)
        node = producer or next(readers)
        return replace(node.loc, tensor=self.graph.values[v].name)

    def _add(self, value: Value) -> int:
        v = self.next
        self.next += 1
        self.values[v] = value
        return v

    def _float_node(self, node: Node) -> Node:
        inputs = tuple(None if v is None else self.now.get(v, v) for v in node.inputs)
        return replace(node, inputs=inputs)

    def _node(self, index: int, node: Node, rule: Rule) -> Node:
        """A node that reads pairs."""
        inputs = list(self._float_node(node).inputs)
        result = self.quants[node.outputs[0]]
        for p in rule.activations(node):
            v = node.inputs[p]
            assert v is not None
            wanted = result if rule.kind == "same" else self.quants.get(v)
            inputs[p] = self._activation(v, wanted)
        if rule.kind == "same" and node.op == "pad" and len(inputs) > 2 and inputs[2] is not None:
            inputs[2] = self._activation(inputs[2], result)
        if rule.kind == "weights":
            self._weights(index, node, rule, inputs)
        return replace(node, inputs=tuple(inputs))

    def _activation(self, v: int, wanted: Quant | None) -> int:
        data = self._const(v)
        if data is not None:
            if wanted is None:
                low, high = float(data.min()), float(data.max())
                wanted = activation_quant(Range(low, high), self.dtype)
            return self._constant(v, quantized_constant(data, wanted, self.dtype), wanted)
        own = self.quants[v]
        assert wanted is not None
        first = self.pairs[v, own][1]
        return first if wanted == own else self._pair(v, first, wanted)[1]

    def _constant(self, v: int, data: Array, quant: Quant) -> int:
        """A constant as integers, and the real numbers behind a `dequantize`."""
        key = (v, quant)
        if key not in self.pairs:
            name = self.graph.values[v].name
            q = self._add(Value(TensorType(data.shape, DType.of(data.dtype), quant), name, data))
            d = self._add(Value(TensorType(data.shape, DType.F32), f"{name}_dequantized"))
            self.nodes.append(Node("dequantize", (q,), (d,), dequantize.Attrs(), self._loc(v)))
            self.pairs[key] = (q, d)
        return self.pairs[key][1]

    def _weights(self, index: int, node: Node, rule: Rule, inputs: list[int | None]) -> None:
        """Replaces weights and bias; the bias is corrected, and made where there was none."""
        x, w = node.inputs[0], node.inputs[WEIGHTS]
        assert x is not None and w is not None
        weights = self._const(w)
        assert weights is not None
        b = node.inputs[BIAS] if len(node.inputs) > BIAS else None
        bias = None if b is None else self._const(b)
        correction = self.recipe.corrections.get(index)
        if correction is not None:
            shift = np.asarray(correction, np.float32)
            bias = shift if bias is None else bias.ravel().astype(np.float32) + shift
        x_scale, out_scale = self.quants[x].scale, self.quants[node.outputs[0]].scale
        scales = weight_scales(weights, rule.axis, bias, x_scale, out_scale, self.dtype)
        quant = Quant(scales, (0,) * len(scales), rule.axis)
        inputs[WEIGHTS] = self._constant(w, quantized_weights(weights, scales, rule.axis), quant)
        if bias is None:
            return
        data = quantized_bias(bias, x_scale, scales, self.dtype)
        bias_quant = Quant(bias_scales(x_scale, scales), (0,) * len(scales), 0)
        name = f"{self.graph.values[w].name}_bias" if b is None else self.graph.values[b].name
        type_ = TensorType(data.shape, DType.of(data.dtype), bias_quant)
        q = self._add(Value(type_, name, data))
        d = self._add(Value(TensorType(data.shape, DType.F32), f"{name}_dequantized"))
        self.nodes.append(Node("dequantize", (q,), (d,), dequantize.Attrs(), node.loc))
        inputs[BIAS:] = [d]
