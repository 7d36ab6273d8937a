"""Puts `quantize -> dequantize` pairs into a float graph, as a recipe says.

    y = op(x, w, b)   ->   y = op(DQ(Q(x)), DQ(w'), DQ(b'));  readers of y read DQ(Q(y))

for every op that has a rule on integers and is to be quantized. w' and b' are the constants as
integers. Values that a "same" op ties together share their parameters; where a fixed scale (of a
softmax) prevents that, the operand gets a second pair. An op with int16 among its operands or for
its result computes in int16: operands of int8 are widened by a second pair, which changes no
number, and a result of int8 has a pair of int16 before its own. What comes out is a float graph
still: it computes what its integer form computes, up to the rounding inside of an op.
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
from mcuc.quant.rules import Rule, fixed_output, rule_of
from mcuc.quant.share import Integers, shared_integers

WEIGHTS, BIAS = 1, 2
_WIDER = 128  # |q - z| of int8 is at most 255


@dataclass(frozen=True)
class Inserted:
    """A graph with pairs.

    Attributes:
        graph: The QDQ graph.
        integers: Value of the float graph -> the integer value that stands for it.
        real: Value of the float graph -> the real numbers that these integers stand for.
    """

    graph: Graph
    integers: dict[int, int]
    real: dict[int, int]


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
        self.stored = shared_integers(graph, self.rules, recipe.ranges, self.dtype, recipe.wide)
        self.pairs: dict[tuple[int, Integers], tuple[int, int]] = {}
        self.integers: dict[int, int] = {}
        self.real: dict[int, int] = {}
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
                if rule is not None:
                    self._main_pair(v, self._inner(node, rule))
                    self.now[v] = self.real[v]
                elif v in read:
                    self._main_pair(v)
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
        return Inserted(graph, self.integers, self.real)

    def _named(self, outputs: tuple[int, ...]) -> dict[int, Value]:
        """Outputs keep the model's names; what they replace gets another."""
        for old, new in zip(self.graph.outputs, outputs, strict=True):
            if old != new:
                name = self.graph.values[old].name
                self.values[old] = replace(self.values[old], name=f"{name}_float")
                self.values[new] = replace(self.values[new], name=name)
        return self.values

    def _main_pair(self, v: int, inner: Integers | None = None) -> None:
        """The pair that readers read; behind that of what the op computes, if it is another."""
        source = v if inner in (None, self.stored[v]) else self._pair(v, v, inner)[1]
        self.integers[v], self.real[v] = self._pair(v, source, self.stored[v])

    def _inner(self, node: Node, rule: Rule) -> Integers:
        """What a node computes: its result as stored, or the int16 before it."""
        (v,) = node.outputs
        operands = (node.inputs[p] for p in rule.activations(node))
        among = {self.stored[x].dtype for x in operands if x in self.stored}
        own = self.stored[v]
        if own.dtype is DType.S16 or DType.S16 not in among:
            return own
        fixed = fixed_output(node, DType.S16)
        return Integers(DType.S16, fixed or activation_quant(self.recipe.ranges[v], DType.S16))

    def _pair(self, v: int, source: int, integers: Integers) -> tuple[int, int]:
        """The integers of a value and their real numbers; made where it is asked for first."""
        key = (v, integers)
        if key not in self.pairs:
            value = self.graph.values[v]
            shape, loc = value.type.shape, self._loc(v)
            q = self._add(Value(TensorType(shape, *integers), value.name))
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
        result = self._inner(node, rule)
        for p in rule.activations(node):
            v = node.inputs[p]
            assert v is not None
            inputs[p] = self._activation(v, result, tied=rule.kind == "same")
        if rule.kind == "same" and node.op == "pad" and len(inputs) > 2 and inputs[2] is not None:
            inputs[2] = self._activation(inputs[2], result, tied=True)
        if rule.kind == "weights":
            self._weights(index, node, rule, inputs, result)
        return replace(node, inputs=tuple(inputs))

    def _activation(self, v: int, result: Integers, *, tied: bool) -> int:
        """The real numbers that a node reads, of integers of its result's type."""
        data = self._const(v)
        dtype = result.dtype
        if data is not None:
            seen = Range(float(data.min()), float(data.max()))
            quant = result.quant if tied else activation_quant(seen, dtype)
            integers = Integers(dtype, quant)
            return self._constant(v, quantized_constant(data, quant, dtype), integers)
        own = self.stored[v]
        wanted = result if tied else own if own.dtype is dtype else _widened(own)
        return self._pair(v, self.real[v], wanted)[1]

    def _constant(self, v: int, data: Array, integers: Integers) -> int:
        """A constant as integers, and the real numbers behind a `dequantize`."""
        key = (v, integers)
        if key not in self.pairs:
            name = self.graph.values[v].name
            q = self._add(Value(TensorType(data.shape, *integers), name, data))
            d = self._add(Value(TensorType(data.shape, DType.F32), f"{name}_dequantized"))
            self.nodes.append(Node("dequantize", (q,), (d,), dequantize.Attrs(), self._loc(v)))
            self.pairs[key] = (q, d)
        return self.pairs[key][1]

    def _weights(
        self, index: int, node: Node, rule: Rule, inputs: list[int | None], result: Integers
    ) -> None:
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
        own, dtype = self.stored[x], result.dtype
        x_scale = (own if own.dtype is dtype else _widened(own)).quant.scale
        scales = weight_scales(weights, rule.axis, bias, x_scale, result.quant.scale, dtype)
        integers = Integers(DType.S8, Quant(scales, (0,) * len(scales), rule.axis))
        inputs[WEIGHTS] = self._constant(w, quantized_weights(weights, scales, rule.axis), integers)
        if bias is None:
            return
        data = quantized_bias(bias, x_scale, scales, dtype)
        bias_quant = Quant(bias_scales(x_scale, scales), (0,) * len(scales), 0)
        name = f"{self.graph.values[w].name}_bias" if b is None else self.graph.values[b].name
        type_ = TensorType(data.shape, DType.of(data.dtype), bias_quant)
        q = self._add(Value(type_, name, data))
        d = self._add(Value(TensorType(data.shape, DType.F32), f"{name}_dequantized"))
        self.nodes.append(Node("dequantize", (q,), (d,), dequantize.Attrs(), node.loc))
        inputs[BIAS:] = [d]


def _widened(integers: Integers) -> Integers:
    """int8 as int16, exactly: (q - z) s = (128 (q - z)) (s / 128)."""
    return Integers(DType.S16, Quant((integers.quant.scale / _WIDER,), (0,)))
