"""CAST between element types: integers keep their low bits, floats are cut to integers.

Source: TFLite `kernels/cast.cc`, which is C++'s `static_cast`; scales do not matter. A float that
the integer type cannot hold is undefined there and here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.lut import region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs

# In the order of runtime_c/src/cast/cast.h.
DTYPES = (DType.S8, DType.U8, DType.S16, DType.S32, DType.S64, DType.F32, DType.BOOL,
          DType.U32)  # fmt: skip


@dataclass(frozen=True)
class Attrs:
    """No attributes: the types say everything."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    problems.operand(0, "input", DTYPES)
    if site.output.dtype not in DTYPES:
        problems.add("E110", f"a CAST to {site.output.dtype.value} is not supported")
    problems.raise_all()
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    with np.errstate(all="ignore"):
        wide = x.astype(np.int64) if x.dtype.kind == "f" and _integer(site) else x
        return (wide.astype(site.output.dtype.numpy),)


def _integer(site: Site) -> bool:
    return site.output.dtype not in (DType.F32, DType.BOOL)


def pack(site: Site) -> Params:
    return Params(
        "mcuc_cast_params",
        "cast/cast.h",
        {
            "channels": site.input().nhwc[3],
            "source": DTYPES.index(site.input().dtype),
            "result": DTYPES.index(site.output.dtype),
        },
    )


SPEC = OpSpec(
    name="cast",
    doc="Another element type, scales disregarded",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        Kernel(
            symbol="mcuc_cast_s8_s8__c",
            source="cast/s8_s8__c.c",
            form=Form.PIXEL,
            when=always,
            pack=pack,
        ),
    ),
)
