"""Turns `dequantize -> float op -> quantize` into the op on integers.

    q_y = Q(op(DQ(q_x), DQ(q_w), DQ(q_b)))   ->   q_y = op_int(q_x, q_w, q_b')

where op_int is the same op on int8 or int16, by TFLite's rules (docs/numerics.md); it differs from
the left side by its own rounding, at most one step for most ops. Also:

* Q and DQ commute with ops that only move or compare numbers: such ops take integers whether or not
  pairs stand around them. An activation function is taken into the op before it.
* A bias that is not in the scale of the accumulator is brought there (docs/numerics.md); where it
  would not fit into int32, the scales of the weights are widened.
* Operands of another scale than a "same" op needs are requantized first, results afterwards.
* uint8 becomes int8, exactly; uint8 inputs and outputs stay.

What has no integer op stays float, with a `quantize` and `dequantize` at its edges, and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import quantize
from mcuc.ops.spec import NUMERICS
from mcuc.quant.folding import CannotFoldError, Folding, same_quant
from mcuc.quant.integer_weights import integer_weights
from mcuc.quant.prepare_qdq import prepare_qdq
from mcuc.quant.rules import Rule, required_output, rule_of

_INTEGERS = (DType.S8, DType.S16)


@dataclass(frozen=True)
class Folded:
    """The integer graph.

    Attributes:
        graph: Without pairs that could be folded.
        floats: Result of each node that stayed float -> why.
    """

    graph: Graph
    floats: Mapping[int, str]


def has_qdq(graph: Graph) -> bool:
    """Whether a node computes on dequantized numbers."""
    dequantized = {n.outputs[0] for n in graph.nodes if n.op == "dequantize"}
    return any(v in dequantized for n in graph.nodes if n.op != "quantize" for v in n.inputs)


def fold_qdq(
    graph: Graph, numerics: str = NUMERICS[0], keep_float: frozenset[int] = frozenset()
) -> Folded:
    """The graph on integers wherever that is possible.

    Args:
        graph: Float ops with `quantize` and `dequantize`.
        numerics: Rule set of the integer ops.
        keep_float: Results of nodes that are to stay float.
    """
    return _Fold(prepare_qdq(graph), numerics, keep_float).run()


class _Fold(Folding):
    """The walk over the nodes, and what each becomes."""

    def __init__(self, graph: Graph, numerics: str, keep_float: frozenset[int]) -> None:
        super().__init__(graph, numerics)
        self.keep_float = keep_float
        self.consumers = graph.consumers()
        self.done: set[int] = set()  # results of `quantize` that their producer gives
        self.floats: dict[int, str] = {}

    def run(self) -> Folded:
        self.stored_constants()
        for node in self.graph.nodes:
            if node.op == "dequantize" and self._is_pairable(node):
                self.integer[node.outputs[0]] = self.alias(_first(node))
            elif node.op == "quantize":
                self._quantize(node)
            else:
                self._op(node)
        outputs = tuple(self.result(v) for v in self.graph.outputs)
        states = tuple(replace(s, result=self.result(s.result)) for s in self.graph.states)
        graph = replace(
            self.graph, nodes=tuple(self.nodes), values=self.values, outputs=outputs, states=states
        )
        return Folded(graph.without_dead(), self.floats)

    def _is_pairable(self, node: Node) -> bool:
        type_ = self.values[_first(node)].type
        return type_.quant is not None and type_.dtype is not DType.F16

    def _quantize(self, node: Node) -> None:
        x, y = _first(node), node.outputs[0]
        if y in self.done:
            return
        wanted = self.type(y)
        if x not in self.integer:
            self.nodes.append(replace(node, inputs=(self.alias(x),)))
            return
        q = self.integer[x]
        if _equal(self.type(q), wanted) and y not in self.graph.results:
            self.same[y] = q
            return
        try:
            self.emit(node, quantize.Attrs(), "quantize", [q], wanted, y)
        except CannotFoldError:  # from int8 to int16, for example
            self.nodes.append(replace(node, inputs=(self.real(x),)))

    def _op(self, node: Node) -> None:
        rule = rule_of(node)
        if self.keep_float.intersection(node.outputs):
            self.floats[node.outputs[0]] = "asked for"
        elif rule is not None and self._touches_integers(node, rule):
            try:
                self._on_integers(node, rule)
                return
            except CannotFoldError as reason:
                self.floats[node.outputs[0]] = str(reason)
        elif any(v in self.integer for v in node.inputs if v is not None):
            self.floats[node.outputs[0]] = f"{node.op} has no arithmetic on integers"
        inputs = tuple(None if v is None else self.result(v) for v in node.inputs)
        self.nodes.append(replace(node, inputs=inputs))
        self.there.update(node.outputs)

    def _touches_integers(self, node: Node, rule: Rule) -> bool:
        return any(node.inputs[p] in self.integer for p in rule.activations(node))

    def _on_integers(self, node: Node, rule: Rule) -> None:
        """Emits the integer op; before CannotFoldError nothing is emitted but constants."""
        result = node.outputs[0]
        target = self._target(result)
        operands = {p: self._operand(node, p) for p in rule.activations(node)}
        running = [q for q in operands.values() if q is not None and self.values[q].const is None]
        if not running:
            raise CannotFoldError("all its operands are constants")
        dtype = self.type(running[0]).dtype
        for p, q in operands.items():
            if q is not None and q not in running and self.type(q).dtype is not dtype:
                operands[p] = None
        types = [self.type(q) for q in operands.values() if q is not None]
        if dtype not in _INTEGERS or any(t.dtype is not dtype for t in types):
            raise CannotFoldError(f"its operands are {', '.join(t.dtype.value for t in types)}")
        if target is None and not rule.exact:
            raise CannotFoldError("its result is not quantized, or in several ways")
        out, asked = self._output_quant(node, rule, dtype, types, target)
        inputs = list(node.inputs)
        for p, q in operands.items():
            if q is None:
                quant = out if rule.kind == "same" else None
                q = self.constant(node, p, dtype, quant)
            elif rule.kind == "same":
                q = self.requantized(node, q, out)
            inputs[p] = q
        for p in range(len(inputs)):
            if rule.kind == "free" and p not in operands:
                inputs[p] = self.real_constant(inputs[p])
        attrs = node.attrs
        if rule.kind == "weights":
            attrs = self._weights(node, rule, inputs, out)
        if node.op == "pad" and len(inputs) > 2 and inputs[2] is not None:
            inputs[2] = self.constant(node, 2, dtype, out)
        plain = [v if v is None else self.alias(v) for v in inputs]
        final = self.type(target[0]) if target is not None else None
        direct = target is not None and final is not None and final.dtype is dtype and not asked
        shape = self.type(result).shape
        wanted = TensorType(shape, dtype, out)
        if direct and target is not None:
            self.emit(node, attrs, node.op, plain, wanted, target[0])
            made = target[0]
        else:
            made = self.add(Value(wanted, self.values[result].name))
            self.emit(node, attrs, node.op, plain, wanted, made)
        self.integer[result] = made
        if target is not None and direct:
            self.done.update(target)
            self.same.update(dict.fromkeys(target[1:], made))

    def _target(self, result: int) -> tuple[int, ...] | None:
        """The `quantize` results that all readers of a value are, if they are all alike."""
        if result in self.graph.results:
            return None
        readers = [self.graph.nodes[i] for i in self.consumers.get(result, ())]
        if not readers or any(r.op != "quantize" for r in readers):
            return None
        found = tuple(r.outputs[0] for r in readers)
        first = self.type(found[0])
        if any(not _equal(self.type(v), first) for v in found[1:]):
            return None
        if len(found) > 1 and any(v in self.graph.results for v in found[1:]):
            return None
        return found

    def _operand(self, node: Node, position: int) -> int | None:
        """The integers of an operand; None: a float constant, to be quantized."""
        v = node.inputs[position]
        assert v is not None
        if v in self.integer:
            return self.integer[v]
        if self.values[v].const is not None and self.type(v).dtype is DType.F32:
            return None
        raise CannotFoldError(f"operand {position} is not quantized")

    def _output_quant(
        self,
        node: Node,
        rule: Rule,
        dtype: DType,
        types: list[TensorType],
        target: tuple[int, ...] | None,
    ) -> tuple[Quant, bool]:
        """Quantization of the integer result; whether a `quantize` must follow it."""
        final = self.type(target[0]).quant if target is not None else None
        fixed = required_output(node, dtype)
        if fixed is not None:
            return fixed, final is None or not same_quant(fixed, final)
        if rule.kind != "same":
            assert final is not None
            return final, False
        first = types[0].quant
        assert first is not None
        if len(types) == 1 and final is not None and not same_quant(first, final):
            return first, True  # one operand: moved as it is, then requantized
        differ = any(t.quant is None or not same_quant(t.quant, first) for t in types)
        if final is None and differ:
            raise CannotFoldError("its operands are quantized differently, its result is not")
        return (first if final is None or len(types) == 1 else final), False

    def _weights(self, node: Node, rule: Rule, inputs: list[int | None], out: Quant) -> object:
        """Puts integer weights and bias into the operands; the attributes that they need."""
        w, b = node.inputs[1], node.inputs[2] if len(node.inputs) > 2 else None
        x = inputs[0]
        assert x is not None
        if w is None or w not in self.integer or self.values[self.integer[w]].const is None:
            raise CannotFoldError("its weights are not quantized constants")
        weights = self.values[self.integer[w]]
        bias = None if b is None else self.values[self.integer.get(b, b)]
        made = integer_weights(node, rule.axis, self.type(x), weights, bias, out)
        if isinstance(made, str):
            raise CannotFoldError(made)
        inputs[1] = self.integer[w] if made.weights is weights else self.add(made.weights)
        if b is not None:
            assert made.bias is not None
            old = self.integer.get(b, b)
            inputs[2] = old if made.bias is bias else self.add(made.bias)
        return made.attrs


def _first(node: Node) -> int:
    v = node.inputs[0]
    assert v is not None
    return v


def _equal(a: TensorType, b: TensorType) -> bool:
    return a.dtype is b.dtype and a.quant == b.quant
