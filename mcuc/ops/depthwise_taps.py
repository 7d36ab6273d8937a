"""Depthwise convolutions in blocks of four channels: what their kernels are given.

Twin: runtime_c/src/depthwise_conv2d/depthwise_taps.h.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, Proof
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
    return _params(site, mac_tables.channel_stream(taps, scales), none, mac_proof(site))


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
    stream = mve_tables.channel_stream(taps, scales)
    return _params(site, stream, none, mac_proof(site), taps=len(taps))


def scratch(site: Site) -> int:
    """A word per tap."""
    kernel_h, kernel_w = convolution.kernel_size(site)
    return 4 * dsp_tables.padded_taps(kernel_h * kernel_w)


def scratch_mve(site: Site) -> int:
    """A word per tap, of an even number of them."""
    kernel_h, kernel_w = convolution.kernel_size(site)
    return 8 * (-(-kernel_h * kernel_w // 2))


def _params(
    site: Site, stream: Words, rare: Words, *proofs: Proof, taps: int | None = None
) -> Params:
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
        proofs,
    )


def _taps(site: Site) -> Array:
    """Weights as [taps, channels]."""
    weights = site.const(WEIGHTS)
    return weights.reshape(-1, weights.shape[3])


def _bias(site: Site) -> Words:
    return convolution.fold_bias(site, _taps(site).astype(np.int64).sum(axis=0))


def dsp_scales(site: Site) -> Words:
    """`mcuc_dsp_scale` of each channel, of a simpler rule where its output is constant."""
    rule = dsp_lines.rule_of(site, _taps(site).T)
    return dsp_tables.scales(rule.bias, rule.multiplier, rule.shift)


def dsp_ends(site: Site, shifts: tuple[int, ...], above: int = 0) -> tuple[Words, int]:
    """As `dsp_scales`, or lines: bias and what is added, multiplier, constant.

    Args:
        shifts: Of lines that the kernel has code for, in the order of the search.
        above: As of :class:`dsp_lines.Form`.

    Returns:
        Words of each channel, and 1 + the shift of their lines, or 0.
    """
    taps = _taps(site).T
    rule = dsp_lines.rule_of(site, taps)
    for shift in shifts:
        lines = dsp_lines.of_site(site, taps, rule, dsp_lines.Form(shift, above=above))
        if lines is not None:
            words = [rule.bias + lines.added, lines.multiplier, lines.constant]
            return np.stack(words, axis=1).astype(np.int32), 1 + shift
    return dsp_scales(site), 0


def line_proofs(site: Site, lines: int) -> tuple[Proof, ...]:
    """What `dsp_ends` has shown, if it gave lines."""
    taps = _taps(site).T
    return (dsp_lines.proof(dsp_lines.rule_of(site, taps), taps),) if lines else ()


def mac_proof(site: Site) -> Proof:
    """What `mac_scales` has shown."""
    return mac_tables.proof(_taps(site).T, _bias(site))


def mac_scales(site: Site) -> Words | None:
    """`mcuc_mac_scale` of each channel, if all have one."""
    taps = _taps(site)
    factors = convolution.multipliers(site, taps.shape[1])
    zero_point = quant_of(site.output).zero_point
    low, _ = activation_range(site, attrs_of(site).activation)
    return mac_tables.scales(taps.T, _bias(site), factors, zero_point, low)
