"""CONCATENATION of tensors of equal scale along any axis.

Source: TFLite reference_ops `Concatenation`. Each operand is one step that copies its pixels into
its place in the output (`OpSpec.assemble`), so any number of operands, constant or repeated, works
with one kernel of one operand. TFLite refuses int8 operands of different scale; so does this op.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs

DTYPES = tuple(DType)

_QUANTIZED = (DType.S8, DType.U8, DType.S16)

# Position in [N, H, W, C] of each axis, by rank (TensorType.nhwc).
_NHWC_AXES = {1: (3,), 2: (2, 3), 3: (0, 2, 3), 4: (0, 1, 2, 3)}


@dataclass(frozen=True)
class Attrs:
    """axis: where to join, negative counts from the end; activation: only "none" exists."""

    axis: int
    activation: str = "none"


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    if not site.inputs:
        problems.add("E112", "there are no operands to concatenate")
    found = [problems.operand(i, f"operand {i}", DTYPES) for i in range(len(site.inputs))]
    operands = [type_ for type_ in found if type_ is not None]
    if site.attrs.activation != "none":
        problems.add(
            "E115", f"the fused activation {site.attrs.activation!r} of a concatenation is unknown"
        )
    if len(operands) == len(site.inputs) and operands:
        _check_shapes(problems, operands, site.attrs.axis)
        _check_types(problems, operands)
    problems.raise_all()
    axis = site.attrs.axis % len(operands[0].shape)
    shape = list(operands[0].shape)
    shape[axis] = sum(type_.shape[axis] for type_ in operands)
    return (TensorType(tuple(shape), operands[0].dtype, site.output.quant),)


def _check_shapes(problems: Problems, operands: list[TensorType], axis: int) -> None:
    rank = len(operands[0].shape)
    if rank not in _NHWC_AXES:
        problems.add("E114", f"the operands have rank {rank}; 1 to 4 is supported")
        return
    if not -rank <= axis < rank:
        problems.add("E115", f"axis {axis} does not exist in tensors of rank {rank}")
        return
    axis %= rank
    first = operands[0].shape
    for i, type_ in enumerate(operands):
        rest = type_.shape[:axis] + type_.shape[axis + 1 :]
        if len(type_.shape) != rank or rest != first[:axis] + first[axis + 1 :]:
            problems.add(
                "E111",
                f"operand {i} of shape {type_.shape} does not fit to operand 0 of shape {first}",
                why=f"all sizes except that of axis {axis} must be equal",
            )


def _check_types(problems: Problems, operands: list[TensorType]) -> None:
    dtype = operands[0].dtype
    different = [i for i, type_ in enumerate(operands) if type_.dtype is not dtype]
    for i in different:
        problems.add("E110", f"operand {i} is {operands[i].dtype.value}, operand 0 {dtype.value}")
    if dtype not in _QUANTIZED:
        if problems.site.output.dtype is not dtype:
            result = problems.site.output.dtype.value
            problems.add("E110", f"the result is {result}, not {dtype.value}")
        return
    out = problems.result(dtype)
    for i, type_ in enumerate(operands):
        if i not in different:
            quant = problems.per_tensor(type_, f"operand {i}")
            # TFLite demands the very same numbers
            problems.same_quant(quant, out, f"operand {i} and the result", tolerance=0.0)


def assemble(site: Site) -> tuple[tuple[int, tuple[int, int, int, int]], ...]:
    """(operand position, its origin in the output as [N, H, W, C] coordinates)."""
    assert isinstance(site.attrs, Attrs)
    place = _place(site)
    parts = []
    start = 0
    for position in range(len(site.inputs)):
        origin = [0, 0, 0, 0]
        origin[place] = start
        parts.append((position, (origin[0], origin[1], origin[2], origin[3])))
        start += site.input(position).nhwc[place]
    return tuple(parts)


def _place(site: Site) -> int:
    """The joined axis as a position in [N, H, W, C]."""
    assert isinstance(site.attrs, Attrs)
    rank = len(site.input().shape)
    return _NHWC_AXES[rank][site.attrs.axis % rank]


def ref(site: Site, *operands: Array) -> tuple[Array, ...]:
    assert isinstance(site.attrs, Attrs)
    return (np.concatenate(operands, axis=site.attrs.axis),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The part of each operand that lies in the box, in the operand's own coordinates."""
    return tuple(
        None if site.consts[position] is not None else _part(site, position, origin, out)
        for position, origin in assemble(site)
    )


def _part(site: Site, position: int, origin: tuple[int, int, int, int], out: Box) -> Box | None:
    shape = site.input(position).nhwc[1:]
    ranges: list[int] = []
    limits = ((out.y0, out.y1), (out.x0, out.x1), (out.c0, out.c1))
    for size, start, (first, end) in zip(shape, origin[1:], limits, strict=True):
        low, high = max(first - start, 0), min(end - start, size)
        if low >= high:
            return None
        ranges += (low, high)
    return Box(*ranges)


def pack(site: Site) -> Params:
    """For the site narrowed to the one operand that a step copies: it is operand 0 here."""
    operand = site.input()
    size = operand.nhwc[3] * operand.dtype.size_bytes
    return Params("mcuc_copy_params", "copy/copy.h", {"bytes": size})


SPEC = OpSpec(
    name="concatenation",
    doc="Joins any number of tensors of equal scale along any axis",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_copy_s8_s8__c",
            source="copy/s8_s8__c.c",
            form=Form.PIXEL,
            when=always,
            pack=pack,
        ),
    ),
    assemble=assemble,
    variadic=True,
)
