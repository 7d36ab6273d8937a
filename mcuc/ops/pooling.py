"""What AVERAGE_POOL_2D and MAX_POOL_2D share: geometry, checks, regions.

A pool's result has the quantization of its input: TFLite compares and averages the integers as they
are. Windows are clipped to the map, so padding is never read: a maximum is never won by padding
and an average counts only elements of the map.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mcuc.ir.program import Box, Params, Window
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Site
from mcuc.ops.windows import (
    Pad,
    Pair,
    check_geometry,
    check_no_empty_window,
    map_size,
    window_region,
)

DTYPES = (DType.S8, DType.S16, DType.F32)
MOST_INT16 = 65535  # elements of a window, whose sum fits in 32 bits


@dataclass(frozen=True)
class PoolAttrs:
    """Attributes of pools.

    Attributes:
        filter: Rows and columns of the window.
        stride: (vertical, horizontal).
        pad: Rows above, rows below, columns left, columns right.
        activation: Fused activation, "none", "relu", "relu6" or "relu_n1_to_1".
        dilation: Distance of the window's elements, (vertical, horizontal); of maxima alone.
    """

    filter: Pair
    stride: Pair = (1, 1)
    pad: Pad = (0, 0, 0, 0)
    activation: str = "none"
    dilation: Pair = (1, 1)


def attrs_of(site: Site) -> PoolAttrs:
    """The attributes of a pool."""
    assert isinstance(site.attrs, PoolAttrs)
    return site.attrs


def window(site: Site) -> Window:
    """The geometry for the driver."""
    attrs = attrs_of(site)
    return Window(attrs.filter, attrs.stride, attrs.dilation, pad=(attrs.pad[0], attrs.pad[2]))


def infer_pool(site: Site) -> tuple[TensorType, ...]:
    """[N, H, W, C] -> [N, OH, OW, C]."""
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(0, "input", DTYPES)
    has_rank = problems.rank(x, "input", 4)
    x_quant, out_quant = problems.per_tensor(x, "input"), problems.result_like(x)
    problems.same_quant(x_quant, out_quant, "input and output of a pool")
    problems.activation(attrs.activation, out_quant)
    shape: tuple[int, ...] = ()
    if x is not None and has_rank:
        size = check_geometry(problems, map_size(x.shape), window(site), attrs.pad)
        if x.dtype is DType.S16 and math.prod(attrs.filter) > MOST_INT16:
            problems.add("E117", f"a window of {math.prod(attrs.filter)} elements is too large")
        if size is not None:
            check_no_empty_window(problems, map_size(x.shape), size, window(site))
        shape = (x.shape[0], *(size or (0, 0)), x.shape[3])
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def float_params(site: Site, struct: str, header: str) -> Params:
    """The record of a kernel on float32."""
    attrs = attrs_of(site)
    low, high = float32.bounds(attrs.activation)
    fields = {
        "channels": site.output.shape[3],
        "stride_w": attrs.stride[1],
        "low": low,
        "high": high,
    }
    return Params(struct, header, fields)


def region_pool(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The part of the map that the windows see, same channels."""
    _, height, width, depth = site.input(0).shape
    return (window_region(out, window(site), (height, width, depth), (out.c0, out.c1)),)
