"""Depthwise convolutions in blocks of four channels: what their kernels are given.

Twin: runtime_c/src/depthwise_conv2d/depthwise_taps.h.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Params
from mcuc.ops import convolution, dsp_lines, dsp_tables, mac_tables, mve_tables
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import INPUT, WEIGHTS, attrs_of
from mcuc.ops.spec import Site

Words = npt.NDArray[np.int32]

# Channels of a block.
BLOCK = 4


def suits_dsp(site: Site) -> bool:
    """Whether the factors are such that cores with the DSP extension can apply them."""
    return dsp_tables.can_scale(convolution.multipliers(site, _taps(site).shape[1])[0])


def pack_dsp(site: Site) -> Params:
    """For cores with the DSP extension."""
    taps = _taps(site)
    factors = convolution.multipliers(site, taps.shape[1])
    scales = dsp_scales(site)
    rare = dsp_tables.rare_channels(taps, scales, *factors)
    return _params(site, dsp_tables.channel_stream(taps, scales), rare)


def suits_mac(site: Site) -> bool:
    """Whether all factors have the form of mcuc/mac.h."""
    return mac_scales(site) is not None


def pack_mac(site: Site) -> Params:
    """For the other cores."""
    scales = mac_scales(site)
    assert scales is not None
    taps = _taps(site)
    none = np.zeros((0, BLOCK + dsp_tables.padded_taps(len(taps))), np.int32)
    return _params(site, mac_tables.channel_stream(taps, scales), none)


def suits_mve(site: Site) -> bool:
    """Weights whose products go in pairs, and factors of the form of mcuc/mve_end.h."""
    return int(site.const(WEIGHTS).min()) >= -127 and mac_scales(site) is not None


def pack_mve(site: Site) -> Params:
    """For cores with Helium."""
    scales = mac_scales(site)
    assert scales is not None
    taps = _taps(site)
    taps = np.pad(taps, ((0, len(taps) % 2), (0, 0)))
    none = np.zeros((0, BLOCK + len(taps)), np.int32)
    return _params(site, mve_tables.channel_stream(taps, scales), none, len(taps))


def scratch(site: Site) -> int:
    """A word per tap."""
    kernel_h, kernel_w = convolution.kernel_size(site)
    return 4 * dsp_tables.padded_taps(kernel_h * kernel_w)


def scratch_mve(site: Site) -> int:
    """A word per tap, of an even number of them."""
    kernel_h, kernel_w = convolution.kernel_size(site)
    return 8 * (-(-kernel_h * kernel_w // 2))


def _params(site: Site, stream: Words, rare: Words, taps: int | None = None) -> Params:
    fields = convolution.window_fields(site)
    zero = fields.pop("in_zero")
    kernel_h, kernel_w = convolution.kernel_size(site)
    channels = site.input(INPUT).shape[3]
    return Params(
        "mcuc_depthwise_taps_params",
        "depthwise_conv2d/depthwise_taps.h",
        {
            "stream": stream,
            "rare": rare,
            "rares": len(rare),
            "padding": np.full(channels, zero, np.int8),
            "channels": channels,
            "taps": taps or dsp_tables.padded_taps(kernel_h * kernel_w),
            **fields,
            **convolution.output_fields(site, attrs_of(site).activation),
        },
    )


def _taps(site: Site) -> Array:
    """Weights as [taps, channels]."""
    weights = site.const(WEIGHTS)
    return weights.reshape(-1, weights.shape[3])


def _bias(site: Site) -> Words:
    return convolution.fold_bias(site, _taps(site).astype(np.int64).sum(axis=0))


def dsp_scales(site: Site) -> Words:
    """`mcuc_dsp_scale` of each channel."""
    return dsp_tables.scales(_bias(site), *convolution.multipliers(site, site.output.shape[3]))


def dsp_ends(site: Site) -> tuple[Words, bool]:
    """As `dsp_scales`, or lines: with the constant in place of the power; and which of them."""
    lines = dsp_lines_of(site, dsp_lines.Form())
    return (dsp_scales(site), False) if lines is None else (lines, True)


def dsp_lines_of(site: Site, form: dsp_lines.Form) -> Words | None:
    """Bias and what is added to it, multiplier, and constant of each channel, if all have lines."""
    rule = dsp_lines.rule_of(site, _taps(site).T)
    lines = dsp_lines.of_site(site, _taps(site).T, rule, form)
    if lines is None:
        return None
    words = np.stack([rule.bias + lines.added, lines.multiplier, lines.constant], axis=1)
    return words.astype(np.int32)


def mac_scales(site: Site) -> Words | None:
    """`mcuc_mac_scale` of each channel, if all have one."""
    taps = _taps(site)
    factors = convolution.multipliers(site, taps.shape[1])
    zero_point = quant_of(site.output).zero_point
    low, _ = activation_range(site, attrs_of(site).activation)
    return mac_tables.scales(taps.T, _bias(site), factors, zero_point, low)
