"""Moves transpositions behind what does not care for the order of axes, until two cancel.

    op(transpose(x, p))                ->  transpose(op'(x), p)
    transpose(transpose(x, p), q)      ->  transpose(x, p q), nothing where that is the identity
    reshape(transpose(x, p))           ->  transpose(reshape(x), p'), where the axes that are joined
                                           lie one behind the other in x too
    fully_connected(flatten(transpose(x, p)), w)  ->  fully_connected(flatten(x), w'), where the
                                           columns of the weights are moved
    sum over axes, padding, slices ... ->  the same over the axes of x

An importer of NCHW files writes every convolution between two transpositions; this pass leaves
those that something wants. The nodes are gone through once: a transposition is noted, and done only
where a reader wants its result. Where operands of an element-wise op disagree, what moves fewer
bytes is done, with regard to what the readers of the result want.

With `io` "nhwc" the model's own inputs and outputs take the order of the layers inside.

Numerics: exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ops import reshape, take, transpose
from mcuc.ops.spec import Site
from mcuc.passes.lazy import (
    Moved,
    Perm,
    Shape,
    compose,
    inverse,
    is_free,
    is_identity,
    moved_shape,
    through_reshape,
)
from mcuc.passes.left_over import axes_name
from mcuc.passes.spec import Pass

IO_LAYOUTS = ("nchw", "nhwc")
# Read and write one element after another, wherever it stands.
_ONE = ("unary", "relu", "logistic", "quantize", "dequantize", "cast")
_SEVERAL = ("add", "mul", "pairwise", "select")
_LAST_AXIS = ("softmax", "log_softmax", "layer_norm")


def layout_pass(io: str = IO_LAYOUTS[0]) -> Pass:
    """The pass for an order of axes at the model's border."""

    def layout(graph: Graph) -> Graph:
        if not any(node.op == "transpose" for node in graph.nodes):
            return graph
        return _Layout(graph, io == "nhwc").run()

    return Pass("layout", layout, "exact")


class _Layout:
    """The state while one graph is rewritten."""

    def __init__(self, graph: Graph, channels_last: bool) -> None:
        self.graph = graph
        self.channels_last = channels_last
        self.values: dict[int, Value] = dict(graph.values)
        self.nodes: list[Node] = []
        self.inputs = list(graph.inputs)
        self.moved: dict[int, Moved] = {}
        self.flat: dict[int, Moved] = {}  # v = reshape(transpose(u, perm)) that cannot be turned
        self.same: dict[int, int] = {}
        self.there: set[int] = set(graph.sources)
        self.wants = _wants(graph)
        self.next = max(graph.values, default=0) + 1
        self.done: dict[tuple[int, Perm], int] = {}

    def run(self) -> Graph:
        self._border_inputs()
        for node in self.graph.nodes:
            handler = self._handler(node)
            if handler is None or not handler(node):
                self._plain(node)
        outputs = tuple(self._output(v) for v in self.graph.outputs)
        states = tuple(replace(s, result=self._value(s.result)) for s in self.graph.states)
        used = {v for node in self.nodes for v in (*node.inputs, *node.outputs) if v is not None}
        used.update(outputs, self.inputs, (v for s in states for v in (s.source, s.result)))
        values = {v: x for v, x in self.values.items() if v in used}
        return replace(
            self.graph, nodes=tuple(self.nodes), values=values, inputs=tuple(self.inputs),
            outputs=outputs, states=states,
        )  # fmt: skip

    # Values

    def _shape(self, v: int) -> Shape:
        return self.values[v].type.shape

    def _new(self, like: int, shape: Shape) -> int:
        """A value as another one, in another shape."""
        held = self.graph.values[like]
        self.values[self.next] = Value(replace(held.type, shape=shape), held.name)
        self.next += 1
        return self.next - 1

    def _value(self, v: int) -> int:
        """A value in the order of axes that the graph says."""
        if v in self.same:
            return self.same[v]
        if v in self.there or self.values[v].const is not None:
            return v
        if v in self.flat:
            source = self.flat[v]
            between = self._transposed(source.u, source.perm, v)
            attrs = reshape.Attrs(self._shape(v))
            self.nodes.append(Node("reshape", (between,), (v,), attrs, self._loc(v)))
        else:
            source = self.moved[v]
            self._transposed(source.u, source.perm, v, v)
        self.there.add(v)
        return v

    def _loc(self, v: int):  # type: ignore[no-untyped-def]
        return next(node.loc for node in self.graph.nodes if v in node.outputs)

    def _transposed(self, u: int, perm: Perm, like: int, result: int | None = None) -> int:
        """The value of transpose(u, perm), each computed once."""
        if is_identity(perm):
            return u
        if result is None and (u, perm) in self.done:
            return self.done[u, perm]
        if self.values[u].const is not None:
            return self._constant(u, perm)
        if result is None:
            result = self._new(like, moved_shape(self._shape(u), perm))
            own = replace(self.values[u].type, shape=self._shape(result))
            self.values[result] = replace(self.values[result], type=own)
        loc = next((n.loc for n in self.graph.nodes if like in n.outputs), self.graph.nodes[0].loc)
        self.nodes.append(Node("transpose", (u,), (result,), transpose.Attrs(perm), loc))
        self.done[u, perm] = result
        return result

    def _constant(self, v: int, perm: Perm) -> int:
        held = self.values[v]
        assert held.const is not None
        data = np.ascontiguousarray(np.transpose(held.const, perm))
        quant = held.type.quant
        if quant is not None and quant.axis is not None:
            quant = replace(quant, axis=list(perm).index(quant.axis))
        type_ = replace(held.type, shape=data.shape, quant=quant)
        self.values[self.next] = Value(type_, held.name, data)
        self.next += 1
        return self.next - 1

    def _border_inputs(self) -> None:
        """Inputs whose readers want channels last are given so, if asked; else they are named."""
        for place, v in enumerate(self.graph.inputs):
            shape = self._shape(v)
            perm = (0, *range(2, len(shape)), 1)
            rolling = any(v in pair for pair in self.graph.rolling)
            if len(shape) not in (3, 4) or perm not in self.wants.get(v, {}):
                continue
            if not self.channels_last or rolling:
                self.values[v] = replace(self.values[v], axes=axes_name(len(shape), False))
            else:
                u = self._new(v, moved_shape(shape, perm))
                self.values[u] = replace(self.values[u], axes=axes_name(len(shape), True))
                self.inputs[place] = u
                self.there.discard(v)
                self.moved[v] = Moved(u, inverse(perm))

    def _output(self, v: int) -> int:
        source = self.moved.get(v)
        rank = 0 if source is None else len(source.perm)
        turned = source is not None and source.perm == (0, rank - 1, *range(1, rank - 1))
        if source is not None and turned and rank in (3, 4):
            if self.channels_last and v not in self.there:
                return self._named(source.u, v, axes_name(rank, True))
            return self._named(self._value(v), v, axes_name(rank, False))
        return self._named(self._value(v), v, "")

    def _named(self, u: int, v: int, axes: str) -> int:
        """The value u under the name of the output v."""
        if u not in self.graph.sources and self.values[u].const is None:
            name = self.graph.values[v].name
            self.values[u] = replace(self.values[u], name=name, axes=axes)
        return u

    # Nodes

    def _handler(self, node: Node) -> Callable[[Node], bool] | None:
        if len(node.outputs) != 1:
            return None
        if node.op in _SEVERAL:
            return self._several
        if node.op in _ONE:
            return self._one
        if node.op in _LAST_AXIS:
            return self._last_axis
        return {
            "transpose": self._transpose,
            "reshape": self._reshape,
            "concatenation": self._concatenation,
            "pad": self._pad,
            "take": self._take,
            "mean": self._reduce,
            "reduce": self._reduce,
            "fully_connected": self._fully_connected,
            "batch_matmul": self._batch_matmul,
        }.get(node.op)

    def _plain(self, node: Node) -> None:
        inputs = tuple(None if v is None else self._value(v) for v in node.inputs)
        self.nodes.append(replace(node, inputs=inputs))
        self.there.update(node.outputs)

    def _lazy(self, v: int | None) -> Moved | None:
        """How a value is moved; None if it is there as it should be."""
        return None if v is None or v in self.same else self.moved.get(v)

    def _emit(
        self, node: Node, inputs: tuple[int | None, ...], perm: Perm, attrs: Any = None
    ) -> bool:
        """The node on moved operands; its result is moved by perm."""
        (v,) = node.outputs
        u = self._new(v, moved_shape(self._shape(v), inverse(perm)))
        self.nodes.append(
            replace(node, inputs=inputs, outputs=(u,), attrs=node.attrs if attrs is None else attrs)
        )
        self._note(v, Moved(u, perm))
        return True

    def _note(self, v: int, source: Moved) -> None:
        self.there.add(source.u)
        if is_identity(source.perm):
            self.same[v] = source.u
        else:
            self.moved[v] = source

    def _transpose(self, node: Node) -> bool:
        x, v = node.inputs[0], node.outputs[0]
        assert x is not None
        perm = transpose.permutation(Site.of(self.graph, node))
        source = self._lazy(x)
        if source is None:
            source = Moved(self._value(x), tuple(range(len(perm))))
        self._note(v, Moved(source.u, compose(source.perm, perm)))
        return True

    def _one(self, node: Node) -> bool:
        source = self._lazy(node.inputs[0])
        if source is None:
            return False
        return self._emit(node, (source.u, *node.inputs[1:]), source.perm)

    def _last_axis(self, node: Node) -> bool:
        source = self._lazy(node.inputs[0])
        if source is None or source.perm[-1] != len(source.perm) - 1:
            return False
        return self._emit(node, (source.u, *node.inputs[1:]), source.perm)

    def _batch_matmul(self, node: Node) -> bool:
        """Operands whose last two axes are swapped are read so."""
        attrs: Any = node.attrs
        inputs = list(node.inputs)
        flips = [False, False]
        for k in range(2):
            source = self._lazy(inputs[k])
            if source is None:
                continue
            rank = len(source.perm)
            if source.perm == (*range(rank - 2), rank - 1, rank - 2):
                inputs[k], flips[k] = source.u, True
        if not any(flips):
            return False
        plain = tuple(
            v if v is None or flip else self._value(v)
            for v, flip in zip(inputs, flips, strict=True)
        )
        adj = {"adj_a": attrs.adj_a != flips[0], "adj_b": attrs.adj_b != flips[1]}
        self.nodes.append(replace(node, inputs=plain, attrs=replace(attrs, **adj)))
        self.there.update(node.outputs)
        return True

    def _several(self, node: Node) -> bool:
        """Element-wise ops of operands that broadcast."""
        perm = self._agreed(node)
        if perm is None:
            return False
        inputs = [v if v is None else self._operand(v, perm) for v in node.inputs]
        return self._emit(node, tuple(inputs), perm)

    def _agreed(self, node: Node) -> Perm | None:
        """The order in which an element-wise op is cheapest; None = that of the graph."""
        (result,) = node.outputs
        shape = self.graph.type(result).shape
        lazy = [self._lazy(v) for v in node.inputs]
        perms = {s.perm for s in lazy if s is not None and len(s.perm) == len(shape)}
        costs: dict[Perm | None, int] = {None: self._cost(node, None)}
        costs.update({perm: self._cost(node, perm) for perm in sorted(perms)})
        return [perm for perm, cost in costs.items() if cost == min(costs.values())][-1]

    def _cost(self, node: Node, perm: Perm | None) -> int:
        """Bytes that are moved for the operands, and for the readers of the result."""
        (result,) = node.outputs
        type_ = self.graph.type(result)
        identity = tuple(range(len(type_.shape)))
        wanted = identity if perm is None else perm
        total = 0
        for v in node.inputs:
            if v is None or self.graph.values[v].const is not None:
                continue
            source = self._lazy(v)
            rank = len(self.graph.type(v).shape)
            if rank != len(wanted):
                continue
            own = tuple(range(rank)) if source is None else source.perm
            if own != wanted and not (wanted == identity and v in self.there):
                size = self.graph.type(v).size_bytes
                total += 0 if self._same_memory(v, own, wanted) else size
        for asked in self.wants.get(result, {}):
            if not is_free(moved_shape(type_.shape, inverse(wanted)), compose(wanted, asked)):
                total += type_.size_bytes
        return total

    def _same_memory(self, v: int, own: Perm, wanted: Perm) -> bool:
        shape = moved_shape(self.graph.type(v).shape, inverse(own))
        return is_free(shape, compose(own, inverse(wanted)))

    def _operand(self, v: int, perm: Perm) -> int:
        """An operand as the op reads it whose result is moved by perm."""
        shape = self.graph.type(v).shape
        source = self._lazy(v)
        if source is not None and source.perm == perm:
            return source.u
        if math.prod(shape) == 1 and self.values[v].const is not None:
            return v
        if source is not None:
            return self._transposed(source.u, compose(source.perm, inverse(perm)), v)
        found = self._value(v)
        if len(shape) < len(perm):
            found = self._grown(found, (1,) * (len(perm) - len(shape)) + shape)
        return self._transposed(found, inverse(perm), v)

    def _grown(self, v: int, shape: Shape) -> int:
        """A value with more axes of size 1 in front."""
        held = self.values[v]
        quant = held.type.quant
        if held.const is not None:
            if quant is not None and quant.axis is not None:
                quant = replace(quant, axis=quant.axis + len(shape) - len(held.type.shape))
            type_ = replace(held.type, shape=shape, quant=quant)
            self.values[self.next] = Value(type_, held.name, held.const.reshape(shape))
            self.next += 1
            return self.next - 1
        u = self.next
        self.values[u] = Value(replace(held.type, shape=shape), held.name)
        self.next += 1
        loc = self.nodes[-1].loc if self.nodes else self.graph.nodes[0].loc
        self.nodes.append(Node("reshape", (v,), (u,), reshape.Attrs(shape), loc))
        return u

    def _concatenation(self, node: Node) -> bool:
        perm = self._agreed(node)
        if perm is None:
            return False
        attrs: Any = node.attrs
        axis = perm[attrs.axis % len(perm)]
        inputs = [v if v is None else self._operand(v, perm) for v in node.inputs]
        return self._emit(node, tuple(inputs), perm, replace(attrs, axis=axis))

    def _pad(self, node: Node) -> bool:
        source = self._lazy(node.inputs[0])
        if source is None or node.inputs[1] is None:
            return False
        paddings = self.values[node.inputs[1]]
        assert paddings.const is not None
        moved = paddings.const[list(inverse(source.perm))]
        self.values[self.next] = replace(paddings, const=np.ascontiguousarray(moved))
        inputs = (source.u, self.next, *node.inputs[2:])
        self.next += 1
        return self._emit(node, inputs, source.perm)

    def _take(self, node: Node) -> bool:
        source = self._lazy(node.inputs[0])
        if source is None:
            return False
        assert isinstance(node.attrs, take.Attrs)
        picks = tuple(node.attrs.picks[i] for i in inverse(source.perm))
        return self._emit(node, (source.u,), source.perm, take.Attrs(picks))

    def _reduce(self, node: Node) -> bool:
        """Over the axes of u; what is left of them keeps its order."""
        source = self._lazy(node.inputs[0])
        if source is None:
            return False
        attrs: Any = node.attrs
        rank = len(source.perm)
        gone = {axis % rank for axis in attrs.axes}
        axes = tuple(sorted(source.perm[axis] for axis in gone))
        perm = source.perm
        if not attrs.keep_dims:
            left = [source.perm[i] for i in range(rank) if i not in gone]
            perm = tuple(sorted(left).index(axis) for axis in left)
        return self._emit(node, (source.u,), perm, replace(attrs, axes=axes))

    def _reshape(self, node: Node) -> bool:
        source = self._lazy(node.inputs[0])
        if source is None:
            return False
        (v,) = node.outputs
        x = node.inputs[0]
        assert x is not None
        before = self.graph.type(x).shape
        found = through_reshape(before, source.perm, self.graph.type(v).shape)
        if found is not None:
            shape, perm = found
            u = source.u
            if self._shape(u) != shape:
                u = self._new(v, shape)
                own = (source.u,)
                self.nodes.append(
                    replace(node, inputs=own, outputs=(u,), attrs=reshape.Attrs(shape))
                )
            self._note(v, Moved(u, perm))
            return True
        if v in self.graph.results or not self._only_products(v, before[0]):
            return False
        self.flat[v] = source
        return True

    def _only_products(self, v: int, rows: int) -> bool:
        """Whether all readers are products with weights whose columns can be moved."""
        readers = [node for node in self.graph.nodes if v in node.inputs]
        shape = self.graph.type(v).shape
        return (
            len(shape) == 2
            and shape[0] == rows
            and all(node.op == "fully_connected" and node.inputs[0] == v for node in readers)
        )

    def _fully_connected(self, node: Node) -> bool:
        x = node.inputs[0]
        if x in self.flat:
            return self._flat_product(node, self.flat[x])
        source = self._lazy(x)
        if source is None or source.perm[-1] != len(source.perm) - 1:
            return False
        attrs: Any = node.attrs
        if not attrs.keep_num_dims:
            return False
        return self._emit(node, (source.u, *node.inputs[1:]), source.perm)

    def _flat_product(self, node: Node, source: Moved) -> bool:
        """The columns of the weights in the order of u's elements."""
        x, w = node.inputs[0], node.inputs[1]
        assert x is not None and w is not None
        held = self.values[w]
        if source.perm[0] != 0 or held.const is None:
            return False
        shape = moved_shape(self._shape(source.u), source.perm)
        axes = inverse(source.perm)
        columns = held.const.reshape(len(held.const), *shape[1:]).transpose(axes)
        data = np.ascontiguousarray(columns.reshape(held.const.shape))
        self.values[self.next] = replace(held, const=data)
        weights = self.next
        self.next += 1
        flat = self._new(x, self._shape(x))
        attrs = reshape.Attrs(self._shape(x))
        self.nodes.append(Node("reshape", (source.u,), (flat,), attrs, self._loc(x)))
        self.nodes.append(replace(node, inputs=(flat, weights, *node.inputs[2:])))
        self.there.update(node.outputs)
        return True


def _wants(graph: Graph) -> dict[int, dict[Perm, None]]:
    """By value: the transpositions of it that are read, found behind ops that keep the order."""
    wants: dict[int, dict[Perm, None]] = {}
    plain: set[int] = set(graph.results)
    for node in reversed(graph.nodes):
        if node.op == "transpose" and node.inputs[0] is not None:
            perm = transpose.permutation(Site.of(graph, node))
            wants.setdefault(node.inputs[0], {})[perm] = None
            continue
        through = node.op in (*_ONE, *_SEVERAL, "concatenation", "pad", "take")
        (result, *_) = node.outputs
        for v in node.inputs:
            if v is None or graph.values[v].const is not None:
                continue
            rank = len(graph.type(v).shape)
            asked = wants.get(result, {}) if through and result not in plain else {}
            wants.setdefault(v, {}).update({p: None for p in asked if len(p) == rank})
    return wants


LAYOUT = layout_pass()
