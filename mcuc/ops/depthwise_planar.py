"""Depthwise convolutions channel by channel: what their kernels are given.

Twin: runtime_c/src/depthwise_conv2d/depthwise_planar.h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, ParamValue, Proof, Window
from mcuc.ops import convolution, depthwise_taps, dsp_tables
from mcuc.ops.checks import quant_of
from mcuc.ops.convolution import INPUT, WEIGHTS, attrs_of
from mcuc.ops.spec import Site

_PIXELS = 32  # MCUC_PLANAR_PIXELS
_SHIFT = 4  # MCUC_DSP_LINE_SHIFT
_CHANNELS = 4  # that are sorted together
# From how many output columns on sorting is worth it, by the kernel's size; 3x3 with the DSP
# extension is sorted into columns (depthwise_columns.py).
_MIN_COLUMNS_DSP = {3: 4, 5: 6, 7: 5}
_MIN_COLUMNS_MAC = {3: 12, 5: 6, 7: 5}


def suits_dsp(site: Site, size: int) -> bool:
    """The geometry, and factors that are not negative."""
    if not _fits(site, size, _MIN_COLUMNS_DSP[size]):
        return False
    return dsp_tables.can_scale(convolution.multipliers(site, site.output.shape[3])[0])


def suits_mac(site: Site, size: int) -> bool:
    """The geometry, and factors that have the form of mcuc/mac.h."""
    return _fits(site, size, _MIN_COLUMNS_MAC[size]) and depthwise_taps.mac_scales(site) is not None


def _fits(site: Site, size: int, columns: int) -> bool:
    """Square windows of that size, strides of 1 or 2, rows long enough."""
    attrs = attrs_of(site)
    return (
        convolution.kernel_size(site) == (size, size)
        and attrs.stride[1] in (1, 2)
        and attrs.dilation[1] == 1
        and site.output.shape[2] >= columns
        and site.input(INPUT).shape[3] >= _CHANNELS
    )


def pack_dsp(site: Site) -> Params:
    """For cores with the DSP extension."""
    weights = site.const(WEIGHTS)
    _, size, _, channels = weights.shape
    halves = np.zeros((channels, size, size + 1), np.int16)
    halves[:, :, :size] = weights[0].transpose(2, 0, 1)
    ends, lines = depthwise_taps.dsp_ends(site, (_SHIFT,))
    proofs = depthwise_taps.line_proofs(site, lines)
    return _params(site, proofs, ends, _words(halves), lines=int(lines != 0))


def pack_mac(site: Site) -> Params:
    """For the other cores."""
    weights = site.const(WEIGHTS)
    channels = weights.shape[3]
    taps = weights.reshape(-1, channels).T
    scales = depthwise_taps.mac_scales(site)
    assert scales is not None
    proofs = (depthwise_taps.mac_proof(site),)
    return _params(site, proofs, scales, _words(np.pad(taps, ((0, 0), (0, -taps.shape[1] % 4)))))


def _params(
    site: Site, proofs: tuple[Proof, ...], *parts: dsp_tables.Words, lines: int = 0
) -> Params:
    header = "depthwise_conv2d/depthwise_planar.h"
    return Params("mcuc_depthwise_planar_params", header, fields(site, *parts, lines=lines), proofs)


def fields(site: Site, *parts: dsp_tables.Words, lines: int) -> dict[str, ParamValue]:
    """Members of the record; parts [channels, words] make one stream, channel by channel."""
    return {
        "stream": np.concatenate(parts, axis=1),
        "channels": len(parts[0]),
        "stride": attrs_of(site).stride[1],
        "lines": lines,
        "in_zero": quant_of(site.input(INPUT)).zero_point,
        **convolution.output_fields(site, attrs_of(site).activation),
    }


def _words(weights: Array) -> dsp_tables.Words:
    """Weights [channels, ..] as words [channels, words]."""
    flat = np.ascontiguousarray(weights).reshape(len(weights), -1)
    return flat.view("<i4").astype(np.int32)


def window(site: Site) -> Window:
    """The geometry, for whole rows."""
    return replace(convolution.window(site), edges=True)


def scratch(site: Site) -> int:
    """Bytes of the planes."""
    return 2 * _PIXELS * _CHANNELS * convolution.kernel_size(site)[0]
