"""Puts a GELU together that a file spells out.

    x * 0.5 * (1 + erf(x / sqrt(2)))                                ->  gelu(x)
    x * 0.5 * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))           ->  gelu_tanh(x)

in any order of the factors, x / sqrt(2) also as x * 0.7071, x^3 as x * x^2. It stays as it is where
another node reads a value between x and the result, or where one is an output.

Numerics: bounded: the same formula, its products rounded in another order.
"""

from __future__ import annotations

import math
from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType
from mcuc.ops import unary
from mcuc.passes.match import Matcher, near
from mcuc.passes.spec import Pass

_ROOT_HALF, _CUBIC, _TANH = math.sqrt(0.5), 0.044715, math.sqrt(2 / math.pi)


def fuse_gelu(graph: Graph) -> Graph:
    """The graph with such nodes joined; the very same object if there are none."""
    match = Matcher(graph)
    nodes = list(graph.nodes)
    for node in graph.nodes:
        found = _found(match, node)
        if found is not None:
            last, x, function = found
            made = replace(last, op="unary", inputs=(x,), attrs=unary.Attrs(function))
            nodes[nodes.index(last)] = made
    return graph if nodes == list(graph.nodes) else graph.without_dead(nodes)


def _found(match: Matcher, node: Node) -> tuple[Node, int, str] | None:
    """(last node, x, function) of a GELU around an erf or a tanh."""
    curve = match.function(node.outputs[0], "erf", "tanh")
    if curve is None or match.graph.type(curve.outputs[0]).dtype is not DType.F32:
        return None
    is_erf = curve is match.function(node.outputs[0], "erf")
    x = _argument_of_erf(match, curve) if is_erf else _argument_of_tanh(match, curve)
    one = match.reader(curve.outputs[0])
    plus = match.with_number(one) if one is not None and one.op == "add" else None
    if x is None or one is None or plus is None or plus[1] != 1:
        return None
    last = _product(match, one, x)
    return None if last is None else (last, x, "gelu" if is_erf else "gelu_tanh")


def _argument_of_erf(match: Matcher, curve: Node) -> int | None:
    v = curve.inputs[0]
    product, quotient = match.maker(v, "mul"), match.pairwise(v, "div")
    if v is None or match.reader(v) is None:
        return None
    if product is not None:
        found = match.with_number(product)
        return found[0] if found is not None and near(found[1], _ROOT_HALF) else None
    if quotient is not None:
        number = match.number(quotient.inputs[1])
        if number is not None and near(number, 1 / _ROOT_HALF):
            return quotient.inputs[0]
    return None


def _argument_of_tanh(match: Matcher, curve: Node) -> int | None:
    """Of sqrt(2 / pi) (x + 0.044715 x^3)."""
    outer = _times(match, curve.inputs[0], _TANH)
    inner = None if outer is None else match.maker(outer, "add")
    if outer is None or inner is None or match.reader(outer) is None:
        return None
    for x, other in (inner.inputs, tuple(reversed(inner.inputs))):
        cube = _times(match, other, _CUBIC)
        if x is not None and cube is not None and _is_cube(match, cube, x):
            return x
    return None


def _times(match: Matcher, v: int | None, number: float) -> int | None:
    """The u of v = number u."""
    product = match.maker(v, "mul")
    found = None if product is None else match.with_number(product)
    if v is None or match.reader(v) is None or found is None:
        return None
    return found[0] if near(found[1], number) else None


def _is_cube(match: Matcher, v: int, x: int) -> bool:
    product = match.maker(v, "mul")
    if product is None or match.reader(v) is None or x not in product.inputs:
        return False
    a, b = product.inputs
    other = b if a == x else a
    square = match.function(other, "square")
    squared = match.maker(other, "mul")
    alone = other is not None and match.reader(other) is not None
    is_square = square is not None and square.inputs[0] == x
    return alone and (is_square or (squared is not None and squared.inputs == (x, x)))


def _product(match: Matcher, one: Node, x: int) -> Node | None:
    """The last of the products that bring x and 0.5 to the sum."""
    node, half, times_x = one, False, False
    while not (half and times_x):
        reader = match.reader(node.outputs[0])
        if reader is None or reader.op != "mul":
            return None
        a, b = reader.inputs
        other = b if a == node.outputs[0] else a
        if other == x and not times_x:
            times_x = True
        elif match.number(other) == 0.5 and not half:
            half = True
        elif _is_half(match, other, x, reader) and not half and not times_x:
            half = times_x = True
        else:
            return None
        node = reader
    return node


def _is_half(match: Matcher, v: int | None, x: int, reader: Node) -> bool:
    """Whether a value is 0.5 x."""
    product = match.maker(v, "mul")
    found = None if product is None else match.with_number(product)
    return v is not None and match.only(v, reader) and found == (x, 0.5)


FUSE_GELU = Pass("fuse-gelu", fuse_gelu, "bounded")
