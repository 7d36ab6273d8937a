"""SELECT and SELECT_V2: where a condition holds an element of x, else one of y, with broadcast.

Source: TFLite `select.cc`. Elements are moved as they are, so quantized x, y and result must be
quantized alike; others are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.ops.binary import broadcast_shape, canonical_binary, region_binary
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs

CONDITION, YES, NO = range(3)
_QUANTIZED = (DType.S8, DType.U8, DType.S16)


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def _is_quantized(site: Site, *choices: TensorType) -> bool:
    """Integers with scales; without any they are copied as they are."""
    scaled = any(type_.quant for type_ in (*choices, site.output))
    return scaled and choices[0].dtype in _QUANTIZED


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    condition = problems.operand(CONDITION, "condition", (DType.BOOL,))
    yes = problems.operand(YES, "first choice", tuple(DType))
    no = problems.operand(NO, "second choice", tuple(DType) if yes is None else (yes.dtype,))
    shape: tuple[int, ...] = ()
    if condition is not None and yes is not None and no is not None:
        shape = broadcast_shape(problems, condition, yes, no)
    if yes is not None and site.output.dtype is not yes.dtype:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {yes.dtype.value}")
    elif yes is not None and no is not None and _is_quantized(site, yes, no):
        out = problems.result_like(yes)
        for type_, name in ((yes, "first"), (no, "second")):
            quant = problems.per_tensor(type_, f"{name} choice")
            problems.same_quant(quant, out, f"the {name} choice and the output")
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def ref(site: Site, condition: Array, yes: Array, no: Array) -> tuple[Array, ...]:
    return (np.where(condition, yes, no),)


def pack(site: Site) -> Params:
    shapes = canonical_binary(site)
    fields: dict[str, ParamValue] = {
        "channels": shapes.output[2],
        "bytes": site.output.dtype.size_bytes,
    }
    for place, name in enumerate(("row", "column", "step")):
        moves = [int(shape[place] == shapes.output[place]) for shape in shapes.inputs]
        fields[name] = np.asarray(moves, np.int32)
    return Params("mcuc_select_params", "select/select.h", fields)


SPEC = OpSpec(
    name="select",
    doc="Where a condition holds an element of one tensor, else of another, with broadcast",
    Attrs=Attrs,
    operands=(
        OperandSpec("condition", (DType.BOOL,)),
        OperandSpec("yes", tuple(DType)),
        OperandSpec("no", tuple(DType)),
    ),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_binary,
    kernels=(
        Kernel(
            symbol="mcuc_select_u8_s8_s8__c",
            source="select/u8_s8_s8__c.c",
            form=Form.ROWS,
            when=always,
            pack=pack,
            operands=(CONDITION, YES, NO),
        ),
    ),
    canonical=canonical_binary,
)
