"""Takes a transposition behind a matrix product of one row into the order of its units.

    transpose(reshape(fully_connected(x, w, b)), p)  ->  reshape(fully_connected(x, w', b'))

where the product has one row and nothing else reads it or the RESHAPE; the rows of w and the bias,
with their scales, are put into the order of the transposition. Decoders have it: a Gemm, a Reshape
to a map, a convolution. Numerics: exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import Quant
from mcuc.numerics.fixed import Ints
from mcuc.ops import reshape, transpose
from mcuc.ops.spec import Site
from mcuc.passes.match import Matcher
from mcuc.passes.spec import Pass


def permute_units(graph: Graph) -> Graph:
    """The graph without such transpositions; the very same object if there are none."""
    match = Matcher(graph)
    values = dict(graph.values)
    nodes = list(graph.nodes)
    for node in graph.nodes:
        product = _product(match, node)
        if product is None:
            continue
        units = graph.type(product.outputs[0]).shape[-1]
        source = graph.type(node.inputs[0] or 0).shape
        perm = transpose.permutation(Site.of(graph, node))
        order = np.arange(units).reshape(source).transpose(perm).ravel()
        inputs = [_ordered(values, v, order) if i else v for i, v in enumerate(product.inputs)]
        nodes[nodes.index(product)] = replace(product, inputs=tuple(inputs))
        attrs = reshape.Attrs(graph.type(node.outputs[0]).shape)
        nodes[nodes.index(node)] = replace(node, op="reshape", attrs=attrs)
    return graph if nodes == list(graph.nodes) else graph.with_nodes(tuple(nodes), values)


def _product(match: Matcher, node: Node) -> Node | None:
    """The matrix product whose units a transposition moves."""
    v = node.inputs[0] if node.op == "transpose" else None
    while v is not None and match.reader(v) is not None:
        product = match.maker(v, "fully_connected")
        if product is not None:
            shape, weights = match.graph.type(v).shape, match.graph.operand_consts(product)[1]
            one_row = weights is not None and match.graph.type(v).elements == len(weights)
            return product if one_row and shape[-1] == match.graph.type(v).elements else None
        before = match.maker(v, "reshape")
        v = None if before is None else before.inputs[0]
    return None


def _ordered(values: dict[int, Value], v: int | None, order: Ints) -> int | None:
    """Weights or a bias with the units in another order, their scales with them."""
    if v is None:
        return None
    held = values[v]
    assert held.const is not None
    data = np.ascontiguousarray(held.const.reshape(len(order), -1)[order]).reshape(held.const.shape)
    quant = held.type.quant
    if quant is not None and quant.per_channel:
        scales = tuple(quant.scales[i] for i in order)
        quant = Quant(scales, tuple(quant.zero_points[i] for i in order), quant.axis)
    key = max(values) + 1
    values[key] = Value(replace(held.type, quant=quant), held.name, data)
    return key


PERMUTE_UNITS = Pass("permute-units", permute_units, "exact")
