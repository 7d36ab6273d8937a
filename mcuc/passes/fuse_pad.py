"""Moves a PAD of rows and columns into the convolutions behind it.

    conv(pad(x, p, value = z), w, pads q)  ->  conv(x, w, pads p + q)

where z is the zero point of x and pad(x), or 0 of float32, conv is conv2d or depthwise_conv2d
(whose own padding has that value), pad(x) is no graph output, and p concerns rows and columns only.
x and pad(x) must have the same quantization, to the last bit, since the convolution then reads x.

Numerics: exact; a float sum begins with 0, so that products with 0 may be left out. Never for
pools: they leave out padding, but count the elements of a PAD. A PAD with several readers is moved
only if all of them can take it, for else it is computed anyway.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.ops.convolution import ConvAttrs
from mcuc.ops.pad import INPUT, fill_of, paddings_of
from mcuc.ops.spec import Site
from mcuc.ops.windows import Pad
from mcuc.passes.spec import Pass

_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")


def fuse_pad(graph: Graph) -> Graph:
    """The graph with such PADs removed."""
    consumers = graph.consumers()
    nodes: list[Node | None] = list(graph.nodes)
    # Backwards: of two PADs in a row the second goes first, then the convolution reads the other.
    for index in reversed(range(len(nodes))):
        pad_node = nodes[index]
        assert pad_node is not None
        pad = _foldable(graph, pad_node)
        if pad is None:
            continue
        (result,) = pad_node.outputs
        readers = consumers.get(result, ())
        source = pad_node.inputs[INPUT]
        assert source is not None
        convolutions = {i: nodes[i] for i in readers}
        if not readers or not all(_takes(node, result) for node in convolutions.values()):
            continue
        for i, node in convolutions.items():
            assert node is not None
            nodes[i] = _with_padding(node, source, pad)
        consumers[source] = tuple(i for i in consumers[source] if i != index) + readers
        nodes[index] = None
    left = tuple(node for node in nodes if node is not None)
    if len(left) == len(graph.nodes):
        return graph
    gone = {v for node in graph.nodes for v in node.outputs}
    gone -= {v for node in left for v in node.outputs}
    return graph.with_nodes(left, {v: x for v, x in graph.values.items() if v not in gone})


def _foldable(graph: Graph, node: Node) -> Pad | None:
    """The paddings of rows and columns of a PAD that a convolution could do, else None."""
    if node.op != "pad" or node.outputs[0] in graph.results:
        return None
    site = Site.of(graph, node)
    quant = site.input(INPUT).quant
    if len(site.output.shape) != 4 or quant != site.output.quant:
        return None
    neutral = 0 if quant is None else quant.zero_point
    batch, rows, columns, channels = paddings_of(site)
    if any(batch + channels) or fill_of(site)[0] != neutral:
        return None
    return (*rows, *columns)


def _takes(node: Node | None, value: int) -> bool:
    """Whether the value is the map that a convolution reads, and nothing else of it."""
    return (
        node is not None
        and node.op in _CONVOLUTIONS
        and [i for i, v in enumerate(node.inputs) if v == value] == [0]
    )


def _with_padding(node: Node, source: int, pad: Pad) -> Node:
    attrs = node.attrs
    assert isinstance(attrs, ConvAttrs)
    top, bottom, left, right = (a + b for a, b in zip(attrs.pad, pad, strict=True))
    return replace(
        node,
        inputs=(source, *node.inputs[1:]),
        attrs=replace(attrs, pad=(top, bottom, left, right)),
    )


FUSE_PAD = Pass("fuse-pad", fuse_pad, "exact")
