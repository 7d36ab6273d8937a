"""How each op is written in ONNX: one handler per op, by its registry name.

Here stand products of matrices, sums over axes, and what moves elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mcuc.ir.graph import Node
from mcuc.ir.types import DType
from mcuc.ops import (
    arg_max,
    axes,
    batch_matmul,
    concatenation,
    gather,
    reduce,
    transpose,
)
from mcuc.ops import take as take_op
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS
from mcuc.ops.fully_connected import Attrs as FullyConnectedAttrs
from mcuc.ops.pad import fill_of, paddings_of
from mcuc.ops.spec import Site
from mcuc.quant import onnx_elementwise, onnx_maps
from mcuc.quant.onnx_export import ELEMENT, Exporter, Handler


def _fully_connected(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, FullyConnectedAttrs)
    depth = site.input(WEIGHTS).shape[1]
    flat = to.operand(node, INPUT, shape=(-1, depth))
    inputs = [flat, to.operand(node, WEIGHTS)]
    if to.present(node, BIAS):
        inputs.append(to.operand(node, BIAS, shape=(-1,)))
    result = to.activated(to.emit("Gemm", inputs, transB=1), attrs.activation, None)
    to.emit("Reshape", [result, to.ints(*site.output.shape)], to.name(node.outputs[0]))


def _mean(to: Exporter, node: Node, site: Site) -> None:
    _reduced(to, node, site, "ReduceMean", axes.reduced_axes(site))


def _reduce(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, reduce.Attrs)
    op = {"max": "ReduceMax", "min": "ReduceMin", "sum": "ReduceSum", "prod": "ReduceProd"}
    _reduced(to, node, site, op[attrs.kind], axes.reduced_axes(site))


def _reduced(to: Exporter, node: Node, site: Site, op: str, gone: frozenset[int]) -> None:
    result = to.emit(op, [to.operand(node, 0), to.ints(*sorted(gone))], keepdims=1)
    to.emit("Reshape", [result, to.ints(*site.output.shape)], to.result(node))


def _pad(to: Exporter, node: Node, site: Site) -> None:
    pairs = paddings_of(site)
    widths = to.ints(*(before for before, _ in pairs), *(after for _, after in pairs))
    fill = to.constant(fill_of(site).reshape(()))
    to.emit("Pad", [to.operand(node, 0), widths, fill], to.result(node), mode="constant")


def _concatenation(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, concatenation.Attrs)
    operands = [to.operand(node, i) for i in range(len(node.inputs))]
    to.emit("Concat", operands, to.result(node), axis=attrs.axis)


def _reshape(to: Exporter, node: Node, site: Site) -> None:
    to.emit("Reshape", [to.operand(node, 0), to.ints(*site.output.shape)], to.result(node))


def _transpose(to: Exporter, node: Node, site: Site) -> None:
    perm = list(transpose.permutation(site))
    to.emit("Transpose", [to.operand(node, 0)], to.result(node), perm=perm)


def _take(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, take_op.Attrs)
    x = to.operand(node, 0)
    for axis, pick in enumerate(attrs.picks):
        if pick is not None:
            x = to.emit("Gather", [x, to.ints(*pick)], axis=axis)
    to.emit("Identity", [x], to.result(node))


def _arg_max(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, arg_max.Attrs)
    op = "ArgMin" if attrs.least else "ArgMax"
    result = to.emit(op, [to.operand(node, 0)], axis=attrs.axis, keepdims=0)
    to.emit("Cast", [result], to.result(node), to=ELEMENT[site.output.dtype])


def _batch_matmul(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, batch_matmul.Attrs)
    operands = []
    for position, swapped in ((0, attrs.adj_a), (1, attrs.adj_b)):
        rank = len(site.input(position).shape)
        perm = [*range(rank - 2), rank - 1, rank - 2] if swapped else None
        operands.append(to.operand(node, position, perm))
    to.emit("MatMul", operands, to.result(node))


def _gather(to: Exporter, node: Node, site: Site) -> None:
    attrs = site.attrs
    assert isinstance(attrs, gather.Attrs)
    operands = [to.operand(node, 0), to.operand(node, 1)]
    if attrs.several:
        wide = to.emit("Cast", [operands[1]], to=ELEMENT[DType.S64])
        to.emit("GatherND", [operands[0], wide], to.result(node), batch_dims=attrs.batch_dims)
    elif attrs.batch_dims:
        raise site.error("E210", "a gather with shared axes cannot be exported to ONNX")
    else:
        to.emit("Gather", operands, to.result(node), axis=attrs.axis)


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        **onnx_elementwise.HANDLERS,
        **onnx_maps.HANDLERS,
        "arg_max": _arg_max,
        "batch_matmul": _batch_matmul,
        "concatenation": _concatenation,
        "fully_connected": _fully_connected,
        "gather": _gather,
        "mean": _mean,
        "pad": _pad,
        "reduce": _reduce,
        "reshape": _reshape,
        "take": _take,
        "transpose": _transpose,
    }
)
