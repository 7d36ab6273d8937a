"""Rows of an input that the application delivers, copied to where the program keeps them.

Not an op of any file: `mcuc.passes.stream_input` puts it behind a streamed input. Its operand is
outside the plan; its output is a ring of rows, or whatever the schedule makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    return (site.input(),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    return (x.copy(),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    return (out,)


def pack(site: Site) -> Params:
    operand = site.input()
    size = operand.nhwc[3] * operand.dtype.size_bytes
    return Params("mcuc_copy_params", "copy/copy.h", {"bytes": size})


SPEC = OpSpec(
    name="copy_rows",
    doc="Rows of a streamed input, as the application delivers them",
    Attrs=Attrs,
    operands=(OperandSpec("x", tuple(DType)),),
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
)
