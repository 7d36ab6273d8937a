"""MAX_POOL_2D of int8, int16 or float32.

Source: TFLite reference_integer_ops `pooling.h`, `MaxPool`; rule in docs/numerics.md,
"MAX_POOL_2D": the greatest number of the window's part inside the map, clamped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32
from mcuc.ops.arithmetic import is_float, kernel_on
from mcuc.ops.checks import activation_range, integer_range
from mcuc.ops.pooling import (
    DTYPES,
    PoolAttrs,
    attrs_of,
    float_params,
    infer_pool,
    region_pool,
    window,
)
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs
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
    if is_float(site):
        fields = taps(padded(x, attrs.pad, -float32.LARGEST), window(site), size)
        return (float32.clamp(fields.max(axis=(4, 5)), float32.bounds(attrs.activation)),)
    lowest = integer_range(site.input().dtype)[0]
    greatest = taps(padded(x, attrs.pad, lowest), window(site), size).max(axis=(4, 5))
    return (np.clip(greatest, *activation_range(site, attrs.activation)).astype(x.dtype),)


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    low, high = activation_range(site, attrs.activation)
    return Params(
        "mcuc_max_pool2d_params",
        "max_pool2d/max_pool2d.h",
        {
            "channels": site.output.shape[3],
            "stride_w": attrs.stride[1],
            "dilation_w": attrs.dilation[1],
            "low": low,
            "high": high,
        },
    )


def pack_float(site: Site) -> Params:
    record = float_params(site, "mcuc_max_pool2d_f32_params", "max_pool2d/max_pool2d_f32.h")
    return replace(record, fields={**record.fields, "dilation_w": attrs_of(site).dilation[1]})


SPEC = OpSpec(
    name="max_pool2d",
    doc="Maximum over windows of a feature map; padding never wins",
    Attrs=Attrs,
    operands=(OperandSpec("input", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_pool,
    kernels=(
        kernel_on(DType.S8, "max_pool2d/s8_s8__c.c", Form.WINDOW, pack, window=window),
        kernel_on(DType.S16, "max_pool2d/s16_s16__c.c", Form.WINDOW, pack, window=window),
        kernel_on(DType.F32, "max_pool2d/f32_f32__c.c", Form.WINDOW, pack_float, window=window),
    ),
)
