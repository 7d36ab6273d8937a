"""MAX_POOL_2D of int8.

Source: TFLite reference_integer_ops `pooling.h`, `MaxPool`; rule in docs/numerics.md,
"MAX_POOL_2D": the greatest integer of the window's part inside the map, clamped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.checks import activation_range
from mcuc.ops.pooling import PoolAttrs, attrs_of, infer_pool, region_pool, window
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs
from mcuc.ops.windows import padded, taps


@dataclass(frozen=True)
class Attrs(PoolAttrs):
    """Geometry and fused activation."""


def infer(site: Site) -> tuple[TensorType, ...]:
    """[N, H, W, C] -> [N, OH, OW, C]."""
    return infer_pool(site)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    attrs = attrs_of(site)
    size = (site.output.shape[1], site.output.shape[2])
    greatest = taps(padded(x, attrs.pad, -128), window(site), size).max(axis=(4, 5))
    return (np.clip(greatest, *activation_range(site, attrs.activation)).astype(np.int8),)


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    low, high = activation_range(site, attrs.activation)
    return Params(
        "mcuc_max_pool2d_params",
        "max_pool2d/max_pool2d.h",
        {
            "channels": site.output.shape[3],
            "stride_w": attrs.stride[1],
            "low": low,
            "high": high,
        },
    )


SPEC = OpSpec(
    name="max_pool2d",
    doc="Maximum over windows of a feature map; padding never wins",
    Attrs=Attrs,
    operands=(OperandSpec("input", (DType.S8,)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_pool,
    kernels=(
        Kernel(
            symbol="mcuc_max_pool2d_s8_s8__c",
            source="max_pool2d/s8_s8__c.c",
            form=Form.WINDOW,
            when=always,
            pack=pack,
            window=window,
        ),
    ),
)
