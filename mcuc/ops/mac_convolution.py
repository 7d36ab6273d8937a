"""Convolutions of one group on cores without the DSP extension: what their kernels are given.

The filters are an argument: a DEPTHWISE_CONV_2D of one channel is a convolution too. Twin:
runtime_c/src/conv2d/conv2d_mac.h.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, Proof
from mcuc.ops import convolution, mac_tables
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.spec import Site

# Bytes of scratch up to which windows are copied.
_MAX_SCRATCH = 1 << 12


def suits(site: Site, filters: Array) -> bool:
    """Whether all factors have the form that the kernels know."""
    return scales(site, filters) is not None


def pack(site: Site, filters: Array) -> Params:
    """Filters [outputs, kernel_h, kernel_w, channels] in tiles of three outputs, and of two."""
    out, _, kernel_w, channels = filters.shape
    matrix = filters.reshape(out, -1)
    triples = out // 3 if out % 3 != 1 else max(out - 4, 0) // 3
    rest = matrix[3 * triples :]
    rest = np.pad(rest, ((0, len(rest) % 2), (0, 0)))
    found = scales(site, filters)
    assert found is not None
    fields = convolution.window_fields(site)
    zero = fields.pop("in_zero")
    parts = [mac_tables.tiles(matrix[: 3 * triples], 3), mac_tables.tiles(rest, 2)]
    output = convolution.output_fields(site, convolution.attrs_of(site).activation)
    output.pop("out_offset")
    return Params(
        "mcuc_conv2d_mac_params",
        "conv2d/conv2d_mac.h",
        {
            "weights": np.concatenate([part.ravel() for part in parts]),
            "scales": np.pad(found, ((0, 3 * triples + len(rest) - out), (0, 0))),
            "padding": np.full(kernel_w * channels, zero, np.int8),
            "in": channels,
            "out": out,
            "depth": matrix.shape[1],
            "triples": triples,
            **fields,
            **output,
        },
        (proof(site, filters),),
    )


def scratch(filters: Array) -> int:
    """Bytes of two windows."""
    depth: int = filters[0].size
    return 2 * depth


def may_copy(filters: Array) -> bool:
    """Whether copies of windows are worth their memory."""
    return scratch(filters) <= _MAX_SCRATCH


def proof(site: Site, filters: Array) -> Proof:
    """What `scales` has shown where it found records."""
    return mac_tables.proof(*_sums(site, filters))


def _sums(site: Site, filters: Array) -> tuple[Array, mac_tables.Words]:
    """Weights [outputs, depth] and biases."""
    matrix = filters.reshape(len(filters), -1)
    return matrix, convolution.fold_bias(site, matrix.astype(np.int64).sum(axis=1))


def scales(site: Site, filters: Array) -> mac_tables.Words | None:
    """`mcuc_mac_scale` records of the outputs; None if the factors of some have another form."""
    matrix, bias = _sums(site, filters)
    factors = convolution.multipliers(site, len(filters))
    zero_point = quant_of(site.output).zero_point
    low, _ = activation_range(site, convolution.attrs_of(site).activation)
    return mac_tables.scales(matrix, bias, factors, zero_point, low)
