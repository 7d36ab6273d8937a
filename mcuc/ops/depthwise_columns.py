"""Depthwise convolutions 3x3 on cores with the DSP extension: what their kernel is given.

Twin: runtime_c/src/depthwise_conv2d/depthwise_columns.h.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.program import Params
from mcuc.ops import depthwise_planar, depthwise_taps, dsp_tables
from mcuc.ops.convolution import WEIGHTS, attrs_of
from mcuc.ops.spec import Site

SIZE = 3
_COLUMNS = 26  # MCUC_COLUMNS
_BYTES = 32  # of a column of four channels
# Shifts of lines that there is code for, by stride.
_SHIFTS = {1: (2, 0), 2: (2,)}


def pack(site: Site) -> Params:
    """Weights by column: rows 0 and 1 in pairs, then row 2; and the factors."""
    rows = site.const(WEIGHTS)[0].transpose(2, 0, 1)
    halves = np.zeros((len(rows), 10), np.int16)
    halves[:, 0:6:2] = rows[:, 0]
    halves[:, 1:7:2] = rows[:, 1]
    halves[:, 6:9] = rows[:, 2]
    words = halves.view("<i4").astype(np.int32)
    ends, lines = depthwise_taps.dsp_ends(site, _SHIFTS[attrs_of(site).stride[1]])
    return Params(
        "mcuc_depthwise_columns_params",
        "depthwise_conv2d/depthwise_columns.h",
        {
            "rare": int(not lines and dsp_tables.has_rare(ends)),
            **depthwise_planar.fields(site, words, ends, lines=lines),
        },
        depthwise_taps.line_proofs(site, lines),
    )


def scratch(site: Site) -> int:
    """Bytes of the columns that a row takes, or a piece of it."""
    columns = (site.output.shape[2] - 1) * attrs_of(site).stride[1] + SIZE
    return _BYTES * min(columns, _COLUMNS)
