"""CONCATENATION of tensors of equal scale along any axis.

Source: TFLite reference_ops `Concatenation`. One kernel puts each output row together from rows of
its operands: any number of them, constant or repeated, of any element type. TFLite refuses int8
operands of different scale; so does this op.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Hwc, Kernel, OperandSpec, OpSpec, Site, always, no_macs

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
    plain = not any(type_.quant for type_ in (*operands, problems.site.output))
    if dtype not in _QUANTIZED or plain:
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


def canonical_concatenation(site: Site) -> Canonical:
    """[H, W, C] with the batch in H: it may be what is joined."""
    shapes = [_hwc(type_) for type_ in site.inputs if type_ is not None]
    return Canonical(
        batch=1,
        inputs=tuple(shapes),
        output=_hwc(site.output),
        batched=(True,) * len(shapes),
    )


def _hwc(type_: TensorType) -> Hwc:
    n, h, w, c = type_.nhwc
    return (n * h, w, c)


def _place(site: Site) -> int:
    """The joined axis as a position in [N, H, W, C]."""
    assert isinstance(site.attrs, Attrs)
    rank = len(site.input().shape)
    return _NHWC_AXES[rank][site.attrs.axis % rank]


def starts(site: Site) -> list[int]:
    """Where each operand begins along the joined axis of the output, and where the last ends."""
    place = _place(site)
    found = [0]
    for type_ in site.inputs:
        assert type_ is not None
        n, h, *_ = type_.nhwc
        found.append(found[-1] + (n * h if place == 0 else type_.nhwc[place]))
    return found


def ref(site: Site, *operands: Array) -> tuple[Array, ...]:
    assert isinstance(site.attrs, Attrs)
    return (np.concatenate(operands, axis=site.attrs.axis),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The part of each operand that lies in the box, in the operand's own coordinates."""
    boxes = []
    shapes = canonical_concatenation(site).inputs
    for position, (shape, start) in enumerate(zip(shapes, starts(site), strict=False)):
        const = site.consts[position] is not None
        boxes.append(None if const else _part(site, shape, start, out))
    return tuple(boxes)


def _part(site: Site, shape: Hwc, start: int, out: Box) -> Box | None:
    """What of an operand of `shape` that begins at `start` lies in an output box."""
    axis = max(0, _place(site) - 1)
    if axis == 0 and site.output.nhwc[0] > 1 and _place(site) == 1:
        return Box.of(shape)  # its rows lie in several places
    ranges: list[int] = []
    limits = ((out.y0, out.y1), (out.x0, out.x1), (out.c0, out.c1))
    for i, (size, (first, end)) in enumerate(zip(shape, limits, strict=True)):
        origin = start if i == axis else 0
        low, high = max(first - origin, 0), min(end - origin, size)
        if low >= high:
            return None
        ranges += (low, high)
    return Box(*ranges)


def pack(site: Site) -> Params:
    join = max(0, _place(site) - 1)
    elem = site.output.dtype.size_bytes
    places = np.array(starts(site), np.int32) * (elem if join == 2 else 1)
    return Params(
        "mcuc_concatenation_params",
        "concatenation/concatenation.h",
        {
            "join": join,
            "count": len(site.inputs),
            "starts": places.astype(np.int32),
            "bytes": site.output.nhwc[3] * elem,
        },
    )


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
            symbol="mcuc_concatenation_s8_s8__c",
            source="concatenation/s8_s8__c.c",
            form=Form.ROWS,
            when=always,
            pack=pack,
        ),
    ),
    canonical=canonical_concatenation,
    variadic=True,
)
