"""FULLY_CONNECTED of a whole map, row by row: what a flattened map becomes (passes/flatten.py).

Its sums need no row twice, so the map is never whole in memory where it is streamed. Only sites
whose rounding is a proven line (`lines.py`) are made into it; arithmetic and attributes are those
of fully_connected.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.program import Box, Form, Params, Proof, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.ops import dsp_tables, fully_connected, lines, mac_tables
from mcuc.ops.convolution import INPUT, WEIGHTS
from mcuc.ops.fully_connected import Attrs, has_lines, line_fields, padded_units
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site

__all__ = ["SPEC", "Attrs"]


def infer(site: Site) -> tuple[TensorType, ...]:
    """A map [1, H, W, C] and weights [N, H * W * C] -> [1, N]."""
    (result,) = fully_connected.infer(site)
    problems = Problems(site)
    if len(site.input().shape) != 4 or result.shape[:-1] != (1,):
        problems.add("E114", "only one map of rank 4 can be read row by row")
    problems.raise_all()
    return (result,)


def canonical(site: Site) -> Canonical:
    _, *hwc = site.input(INPUT).nhwc
    absent = ((0, 0, 0),) * (len(site.inputs) - 1)
    shape = (hwc[0], hwc[1], hwc[2])
    return Canonical(1, (shape, *absent), (1, 1, site.input(WEIGHTS).shape[0]), (True,) * 3)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    return (Box.of(canonical(site).inputs[0]), *(None,) * (len(site.inputs) - 1))


def window(site: Site) -> Window:
    """The folded map."""
    height, width, _ = canonical(site).inputs[0]
    return Window((height, width))


def row_depth(site: Site) -> int:
    """Elements of a row of the map."""
    _, width, channels = canonical(site).inputs[0]
    return width * channels


def acc_bytes(site: Site) -> int:
    """An int32 for each unit, and the number of rows."""
    return 4 * (len(padded_units(site.const(WEIGHTS))) + 1)


def suits_dsp(site: Site, target: Target) -> bool:
    """The DSP extension, rows of whole words, weights that go in pairs."""
    weights = padded_units(site.const(WEIGHTS))
    return target.dsp and row_depth(site) % 4 == 0 and dsp_tables.can_pair(weights)


def _rows(site: Site) -> list[np.ndarray]:
    """Padded weights by row of the map."""
    height = canonical(site).inputs[0][0]
    return np.split(padded_units(site.const(WEIGHTS)), height, axis=1)


def pack_dsp(site: Site) -> Params:
    tables = []
    for row in _rows(site):
        paired = dsp_tables.pairs(row)
        tables.append(paired.reshape(len(paired) // 2, 2, -1, 2).transpose(0, 2, 3, 1))
    return _params(site, np.stack(tables), dsp_tables.pair_proof(padded_units(site.const(WEIGHTS))))


def pack_mac(site: Site) -> Params:
    return _params(site, np.stack([mac_tables.tiles(row, 4) for row in _rows(site)]))


def _params(site: Site, weights: np.ndarray, *proofs: Proof) -> Params:
    fields = {
        **line_fields(site),
        "depth": row_depth(site),
        "weights": np.ascontiguousarray(weights),
        "row_bytes": weights[0].nbytes,
    }
    header = "fully_connected_rows/fully_connected_rows.h"
    shown = (*proofs, lines.proof(site.input(WEIGHTS).shape[0]))
    return Params("mcuc_fully_connected_rows_params", header, fields, shown)


SPEC = OpSpec(
    name="fully_connected_rows",
    doc="FULLY_CONNECTED of a map that is read row by row; made by the compiler",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", (DType.S8,)),
        OperandSpec("weights", (DType.S8,), const=True),
        OperandSpec("bias", (DType.S32,), const=True, optional=True),
    ),
    infer=infer,
    ref=fully_connected.ref,
    macs=fully_connected.macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_fully_connected_rows_s8_s8_s8__dsp_1x4",
            source="fully_connected_rows/s8_s8_s8__dsp_1x4.c",
            form=Form.FOLD,
            when=suits_dsp,
            pack=pack_dsp,
            window=window,
            acc_bytes=acc_bytes,
        ),
        Kernel(
            symbol="mcuc_fully_connected_rows_s8_s8_s8__c",
            source="fully_connected_rows/s8_s8_s8__c.c",
            form=Form.FOLD,
            when=has_lines,
            pack=pack_mac,
            window=window,
            acc_bytes=acc_bytes,
        ),
    ),
    canonical=canonical,
)
