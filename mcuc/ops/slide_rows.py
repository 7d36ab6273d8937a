"""Rows kept from run to run: the oldest go, the new ones come behind the others.

Not an op of any file: `mcuc.passes.slide` puts it where a model keeps rows of a sliding window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    return (site.input(0),)


def ref(site: Site, kept: Array, new: Array) -> tuple[Array, ...]:
    return (np.concatenate([kept[:, new.shape[1] :], new], axis=1),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    return tuple(Box.of(t.nhwc[1:]) for t in (site.input(0), site.input(1)))


def pack(site: Site) -> Params:
    sizes = [site.input(position).size_bytes for position in (0, 1)]
    return Params(
        "mcuc_slide_rows_params",
        "slide_rows/slide_rows.h",
        {"kept_bytes": sizes[0] - sizes[1], "new_bytes": sizes[1]},
    )


SPEC = OpSpec(
    name="slide_rows",
    doc="Rows of a sliding window: drops the oldest, appends the new ones",
    Attrs=Attrs,
    operands=(OperandSpec("kept", tuple(DType)), OperandSpec("new", tuple(DType))),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_slide_rows_s8_s8_s8__c",
            source="slide_rows/s8_s8_s8__c.c",
            form=Form.WHOLE,
            when=always,
            pack=pack,
            operands=(0, 1),
            inplace=(0,),
        ),
    ),
)
