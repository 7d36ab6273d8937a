"""RESIZE_BILINEAR of int8, int16 or float32, all flags.

Source: TFLite reference_ops `resize_bilinear.h`. Integers interpolate with 10 fractional bits in
each direction and round halves away from zero; float32 as it stands there. What was uint8
interpolates as float32, and rounds halves up. Elements keep the
quantization, so input and output must have the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.ops.arithmetic import is_float, kernel_on
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs
from mcuc.ops.windows import Pair

BITS = 10
MAX_SIZE = 1 << 15  # rows or columns
_OFFSET = 128  # from int8 to uint8
DTYPES = (DType.S8, DType.S16, DType.F32)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Attrs:
    """size: rows and columns of the output; the flags as in the file; uint8: converted from it."""

    size: Pair
    align_corners: bool = False
    half_pixel_centers: bool = False
    uint8: bool = False


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def in_floats(site: Site) -> bool:
    """Whether it interpolates as float32."""
    return is_float(site) or attrs_of(site).uint8


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(0, "input", DTYPES)
    problems.same_quant(problems.per_tensor(x, "input"), problems.result_like(x), "both tensors")
    shape: tuple[int, ...] = ()
    if problems.rank(x, "input", 4) and problems.at_least("the size", attrs.size, 1):
        assert x is not None
        shape = (x.shape[0], *attrs.size, x.shape[3])
        if max(*x.shape[1:3], *attrs.size) > MAX_SIZE:
            problems.add("E117", f"a map of more than {MAX_SIZE} rows or columns")
    if attrs.align_corners and attrs.half_pixel_centers:
        problems.add("E115", "align_corners and half_pixel_centers exclude each other")
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def places(site: Site, axis: int) -> tuple[Ints, Ints, npt.NDArray[Any]]:
    """By output row (axis 0) or column: the two inputs it lies between, and how far from the first.

    The distance counts in 2^-10 for int8, and is a float32 for float32.
    """
    attrs = attrs_of(site)
    size, out = site.input().shape[1 + axis], attrs.size[axis]
    spans = (size - 1, out - 1) if attrs.align_corners and out > 1 else (size, out)
    at: npt.NDArray[Any]
    if in_floats(site):
        step = np.float32(spans[0]) / np.float32(spans[1])
        at = np.arange(out, dtype=np.float32)
        half = np.float32(0.5)
        at = (at + half) * step - half if attrs.half_pixel_centers else at * step
        low, high = np.floor(at).astype(np.int64), np.ceil(at).astype(np.int64)
    else:
        one = 1 << BITS
        whole = (one * spans[0] + spans[1] // 2) // spans[1]
        at = np.arange(out, dtype=np.int64) * whole
        if attrs.half_pixel_centers:
            at = at + whole // 2 - one // 2
        low, high = at >> BITS, (at + one - 1) >> BITS
    low, high = np.maximum(low, 0), np.clip(high, 0, size - 1)
    if in_floats(site):
        return low, high, at - low.astype(np.float32)
    return low, high, at - (low << BITS)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    y0, y1, dy = places(site, 0)
    x0, x1, dx = places(site, 1)
    kind = np.float32 if in_floats(site) else np.int64
    one: Any = kind(1) if in_floats(site) else kind(1 << BITS)
    wide: npt.NDArray[Any] = np.asarray(x, np.int64 if kind is np.int64 else np.float32)
    if attrs_of(site).uint8:
        wide = wide + np.float32(_OFFSET)
    down, right = dy[:, None, None], dx[:, None]
    total: npt.NDArray[Any] = wide[:, y0][:, :, x0] * (one - down) * (one - right)
    total = total + wide[:, y1][:, :, x0] * down * (one - right)
    total = total + wide[:, y0][:, :, x1] * (one - down) * right
    total = total + wide[:, y1][:, :, x1] * down * right
    if is_float(site):
        return (np.asarray(total, np.float32),)
    if attrs_of(site).uint8:
        return (((total + np.float32(0.5)).astype(np.int64) - _OFFSET).astype(np.int8),)
    half = 1 << (2 * BITS - 1)
    rounded = np.where(total > 0, total + half, total - half)
    return ((np.sign(rounded) * (np.abs(rounded) >> 2 * BITS)).astype(x.dtype),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    y0, y1, _ = places(site, 0)
    x0, x1, _ = places(site, 1)
    rows, columns = slice(out.y0, out.y1), slice(out.x0, out.x1)
    return (
        Box(
            int(min(y0[rows].min(), y1[rows].min())),
            int(max(y0[rows].max(), y1[rows].max())) + 1,
            int(min(x0[columns].min(), x1[columns].min())),
            int(max(x0[columns].max(), x1[columns].max())) + 1,
            out.c0,
            out.c1,
        ),
    )


def pack(site: Site) -> Params:
    """Pairs of inputs and distances, by row and by column."""
    (y0, y1, dy), (x0, x1, dx) = places(site, 0), places(site, 1)
    kind = np.float32 if in_floats(site) else np.int16
    return Params(
        f"mcuc_resize_bilinear_{'f32_' if in_floats(site) else ''}params",
        "resize_bilinear/resize_bilinear.h",
        {
            "rows": np.stack([y0, y1], 1).astype(np.int16),
            "columns": np.stack([x0, x1], 1).astype(np.int16),
            "down": dy.astype(kind),
            "right": dx.astype(kind),
            "channels": site.output.shape[3],
        },
    )


def _kernel(dtype: DType, file: str, uint8: bool) -> Kernel:
    def when(site: Site, target: Target) -> bool:
        return attrs_of(site).uint8 == uint8

    return kernel_on(dtype, f"resize_bilinear/{file}.c", Form.ROWS, pack, when=when)


SPEC = OpSpec(
    name="resize_bilinear",
    doc="Bilinear interpolation of rows and columns, all flags",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        _kernel(DType.S8, "s8_s8_u8__c", uint8=True),
        *(_kernel(d, f"{d.value}_{d.value}__c", uint8=False) for d in DTYPES),
    ),
)
