"""AVERAGE_POOL_2D of int8, int16 or float32.

Source: TFLite reference_integer_ops `pooling.h`, `AveragePool`; rule in docs/numerics.md,
"AVERAGE_POOL_2D": the sum of the integers over the number of elements of the map in the window,
rounded half away from zero. Models that were uint8 round half up instead, as uint8 TFLite does.
A pool that counts padding (ONNX `count_include_pad`) is a PAD followed by a pool without padding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import fixed, float32
from mcuc.ops.arithmetic import is_float, kernel_on
from mcuc.ops.checks import activation_range
from mcuc.ops.pooling import (
    DTYPES,
    PoolAttrs,
    attrs_of,
    float_params,
    infer_pool,
    region_pool,
    window,
)
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs
from mcuc.ops.windows import padded, taps

ROUNDINGS = ("half_away", "half_up")


@dataclass(frozen=True)
class Attrs(PoolAttrs):
    """Geometry, fused activation, and how halves are rounded.

    Attributes:
        rounding: "half_away" from zero (int8), or "half_up" (converted from uint8).
    """

    rounding: str = "half_away"


def infer(site: Site) -> tuple[TensorType, ...]:
    """[N, H, W, C] -> [N, OH, OW, C]."""
    result = infer_pool(site)
    if _rounding(site) not in ROUNDINGS:
        raise site.error("E115", f"the rounding {_rounding(site)!r} is not one of {ROUNDINGS}")
    if attrs_of(site).dilation != (1, 1):
        raise site.error("E115", "an average over windows with gaps is not supported")
    return result


def _rounding(site: Site) -> str:
    assert isinstance(site.attrs, Attrs)
    return site.attrs.rounding


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    attrs = attrs_of(site)
    if is_float(site):
        return (_average_float(site, x),)
    rows, columns = site.output.shape[1:3]
    total = _sums(site, x.astype(np.int32))
    ones = np.ones((1, *x.shape[1:3], 1), np.int32)
    count = _sums(site, ones)
    assert total.shape[1:3] == count.shape[1:3] == (rows, columns)
    clamp = activation_range(site, attrs.activation)
    half_away = _rounding(site) == "half_away"
    divide = fixed.divide_rounding_half_away if half_away else fixed.divide_rounding_half_up
    return (np.clip(divide(total, count), *clamp).astype(x.dtype),)


def _average_float(site: Site, x: Array) -> Array:
    """Sums in the order of rows and columns, over the number of elements."""
    size = (site.output.shape[1], site.output.shape[2])
    attrs = attrs_of(site)
    fields = taps(padded(x, attrs.pad, 0), window(site), size)
    terms = fields.transpose(4, 5, 0, 1, 2, 3).reshape(-1, *site.output.shape)
    count = _sums(site, np.ones((1, *x.shape[1:3], 1), np.int32)).astype(np.float32)
    return float32.clamp(float32.ordered_sum(terms) / count, float32.bounds(attrs.activation))


def _sums(site: Site, x: Array) -> Array:
    """Sums [N, OH, OW, C] over the windows, padding counting as 0."""
    size = (site.output.shape[1], site.output.shape[2])
    result: Array = taps(padded(x, attrs_of(site).pad, 0), window(site), size).sum(axis=(4, 5))
    return result


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    low, high = activation_range(site, attrs.activation)
    return Params(
        "mcuc_average_pool2d_params",
        "average_pool2d/average_pool2d.h",
        {
            "channels": site.output.shape[3],
            "stride_w": attrs.stride[1],
            "half_up": int(_rounding(site) == "half_up"),
            "low": low,
            "high": high,
        },
    )


def pack_global(site: Site) -> Params:
    low, high = activation_range(site, attrs_of(site).activation)
    _, height, width, channels = site.input().shape
    return Params(
        "mcuc_average_pool2d_global_params",
        "average_pool2d/average_pool2d.h",
        {
            "channels": channels,
            "elements": height * width,
            "half_up": int(_rounding(site) == "half_up"),
            "low": low,
            "high": high,
        },
    )


def pack_float(site: Site) -> Params:
    header = "average_pool2d/average_pool2d_f32.h"
    return float_params(site, "mcuc_average_pool2d_f32_params", header)


def pack_float_global(site: Site) -> Params:
    low, high = float32.bounds(attrs_of(site).activation)
    _, height, width, channels = site.input().shape
    fields = {"channels": channels, "elements": height * width, "low": low, "high": high}
    header = "average_pool2d/average_pool2d_f32.h"
    return Params("mcuc_average_pool2d_f32_global_params", header, fields)


def _is_global(site: Site, target: Target) -> bool:
    """One window that holds the whole map, and the batch slice by slice."""
    geometry = window(site)
    size = site.input().shape[1:3]
    covers = all(geometry.kernel[axis] - geometry.pad[axis] >= size[axis] for axis in range(2))
    return covers and site.output.shape[1:3] == (1, 1)


def _is_global_mve(site: Site, target: Target) -> bool:
    """The same on a core with Helium."""
    return target.mve and _is_global(site, target)


def _acc_bytes(site: Site) -> int:
    return 4 * site.input().shape[3]


def _map_window(site: Site) -> Window:
    return Window(kernel=(site.input().shape[1], site.input().shape[2]))


def _kernels(
    dtype: DType, whole: Callable[[Site], Params], windows: Callable[[Site], Params]
) -> tuple[Kernel, ...]:
    """The kernel of one window that is the whole map, and the one of any windows."""
    file = f"average_pool2d/{dtype.value}_{dtype.value}"
    return (
        kernel_on(
            dtype,
            f"{file}_global__c.c",
            Form.FOLD,
            whole,
            when=_is_global,
            window=_map_window,
            acc_bytes=_acc_bytes,
        ),
        kernel_on(dtype, f"{file}__c.c", Form.WINDOW, windows, window=window),
    )


SPEC = OpSpec(
    name="average_pool2d",
    doc="Average over windows of a feature map; padding does not count",
    Attrs=Attrs,
    operands=(OperandSpec("input", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_pool,
    kernels=(
        kernel_on(
            DType.S8,
            "average_pool2d/s8_s8_global__mve_16.c",
            Form.FOLD,
            pack_global,
            when=_is_global_mve,
            window=_map_window,
            acc_bytes=_acc_bytes,
        ),
        *_kernels(DType.S8, pack_global, pack),
        *_kernels(DType.S16, pack_global, pack),
        *_kernels(DType.F32, pack_float_global, pack_float),
    ),
)
