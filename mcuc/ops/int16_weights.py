"""CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED on int16 with int8 weights: records and kernels.

    acc[o] = bias[o] + sum x * w[o]     in int64, with a bias of int64; all zero points are 0

Sources: TFLite reference_integer_ops `conv.h`, `depthwise_conv.h`, `fully_connected.h` and
`MultiplyByQuantizedMultiplier(int64_t, ...)` of `common.cc`; rules in docs/numerics.md, "Operators
on int16". The references are those of int8, which end in `requantized` here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType
from mcuc.numerics import int16, params
from mcuc.ops.arithmetic import kernels_on
from mcuc.ops.checks import activation_range, combined
from mcuc.ops.convolution import (
    BIAS,
    INPUT,
    WEIGHTS,
    Ints,
    attrs_of,
    bias_or_zero,
    groups_of,
    is_pointwise,
    multipliers,
    window,
)
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, Site, always


def check(problems: Problems, depth: int, outputs: int | None = None) -> None:
    """Requires accumulators of `depth` products that stay small, and factors TFLite allows.

    Args:
        problems: Of the node.
        depth: Products in an accumulator.
        outputs: Channels of a convolution, whose factors have 15 bits.
    """
    site = problems.site
    bias = site.consts[BIAS] if len(site.consts) > BIAS else None
    largest = 0 if bias is None else max(abs(int(b)) for b in np.asarray(bias).ravel())
    if largest + (depth << 22) >= int16.LARGEST_ACCUMULATOR:
        problems.add(
            "E117",
            "the sums of this operator could reach 2^47",
            why="a bias of 64 bits is too large, or the window has too many elements",
        )
    if outputs is not None and not problems.found:
        problems.attempt(_factors, outputs)


def requantized(site: Site, acc: Ints, activation: str) -> Array:
    """Outputs of a convolution from its accumulators [..., O]."""
    clamp = activation_range(site, activation)
    return int16.requantize_conv(acc, _factors(site, acc.shape[-1]), clamp)


def _factors(site: Site, outputs: int) -> tuple[Ints, Ints]:
    return combined(site, lambda: int16.reduced(*multipliers(site, outputs)))


def _limits(site: Site, activation: str, outputs: int) -> dict[str, ParamValue]:
    """Members of the records for bias and clamping range."""
    bias = site.consts[BIAS] if len(site.consts) > BIAS else None
    low, high = activation_range(site, activation)
    return {"bias": bias_or_zero(bias, outputs), "low": low, "high": high}


def ending(site: Site, activation: str, outputs: int) -> dict[str, ParamValue]:
    """Members of the records of convolutions that end a sum."""
    multiplier, right = _factors(site, outputs)
    return {
        "multiplier": multiplier.astype(np.int16),
        "right": right.astype(np.int8),
        **_limits(site, activation, outputs),
    }


def _conv_fields(site: Site, outputs: int) -> dict[str, ParamValue]:
    geometry = window(site)
    return {
        "weights": site.const(WEIGHTS),
        "kernel_h": geometry.kernel[0],
        "kernel_w": geometry.kernel[1],
        "stride_w": geometry.stride[1],
        "dilation_w": geometry.dilation[1],
        **ending(site, attrs_of(site).activation, outputs),
    }


def _pack_conv2d(site: Site) -> Params:
    outputs, per_group = site.input(WEIGHTS).shape[0], site.input(WEIGHTS).shape[3]
    groups = groups_of(site)
    fields: dict[str, ParamValue] = {
        "groups": groups,
        "group_in": per_group,
        "group_out": outputs // groups,
        **_conv_fields(site, outputs),
    }
    return Params("mcuc_conv2d_s16_params", "conv2d/conv2d_s16.h", fields)


def _pack_depthwise_conv2d(site: Site) -> Params:
    channels, outputs = site.input(INPUT).shape[3], site.input(WEIGHTS).shape[3]
    fields: dict[str, ParamValue] = {
        "channels": channels,
        "channel_multiplier": outputs // channels,
        **_conv_fields(site, outputs),
    }
    header = "depthwise_conv2d/depthwise_conv2d_s16.h"
    return Params("mcuc_depthwise_conv2d_s16_params", header, fields)


def pack_fully_connected(site: Site, activation: str, factors: Sequence[float]) -> Params:
    """The record of FULLY_CONNECTED; one factor per scale of the weights."""
    units, depth = site.input(WEIGHTS).shape
    parts = [params.decompose_double(factor) for factor in factors]
    fields: dict[str, ParamValue] = {
        "weights": site.const(WEIGHTS),
        "mantissa": np.asarray([m for m, _ in parts], np.uint64),
        "right_shift": np.asarray([s for _, s in parts], np.int16),
        "factor_step": int(len(parts) > 1),
        "depth": depth,
        "units": units,
        **_limits(site, activation, units),
    }
    header = "fully_connected/fully_connected_s16.h"
    return Params("mcuc_fully_connected_s16_params", header, fields)


CONV2D = kernels_on(
    DType.S16,
    Kernel(
        symbol="mcuc_conv2d_s16_s8_s16_1x1__c",
        source="conv2d/s16_s8_s16_1x1__c.c",
        form=Form.PIXEL,
        when=is_pointwise,
        pack=_pack_conv2d,
    ),
    Kernel(
        symbol="mcuc_conv2d_s16_s8_s16__c",
        source="conv2d/s16_s8_s16__c.c",
        form=Form.WINDOW,
        when=always,
        pack=_pack_conv2d,
        window=window,
    ),
)
DEPTHWISE_CONV2D = kernels_on(
    DType.S16,
    Kernel(
        symbol="mcuc_depthwise_conv2d_s16_s8_s16__c",
        source="depthwise_conv2d/s16_s8_s16__c.c",
        form=Form.WINDOW,
        when=always,
        pack=_pack_depthwise_conv2d,
        window=window,
    ),
)
