"""REDUCE_MAX, REDUCE_MIN of int8, int16; of other numbers also SUM, REDUCE_PROD; any axes.

REDUCE_ANY and REDUCE_ALL are the maximum and the minimum of bool, as are TFLite's sum and product
of it. int32 and int64 wrap around.

Source: TFLite `kernels/reduce.cc`. Maximum and minimum compare the stored integers of tensors
quantized alike. LiteRT 2.3 reads the int8 operand of a SUM as uint8, and adds in 8 bits where input
and output are quantized alike: a SUM of int8 has no meaning to agree with, and is refused.
Axes that are the rows and columns of a map fold row by row; others need the whole tensor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32
from mcuc.ops import axes
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

KINDS = ("max", "min", "sum", "prod")
QUANTIZED = (DType.S8, DType.S16)
_FOLDING = (*QUANTIZED, DType.F32, DType.S32, DType.BOOL)
DTYPES = (*_FOLDING, DType.S64)


@dataclass(frozen=True)
class Attrs(axes.AxesAttrs):
    """axes, keep_dims: as of MEAN; kind: one of KINDS."""

    kind: str = "sum"


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    if x is not None:
        if x.dtype in QUANTIZED:
            _check_quant(problems, x)
        elif site.output.dtype is not x.dtype:
            problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
        if x.dtype is DType.BOOL and _attrs(site).kind not in ("max", "min"):
            problems.add("E110", f"the {_attrs(site).kind} of bool tensors is not supported")
        axes.check_axes(problems, x)
    problems.raise_all()
    return (TensorType(axes.result_shape(site), site.output.dtype, site.output.quant),)


def _attrs(site: Site) -> Attrs:
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def _check_quant(problems: Problems, x: TensorType) -> None:
    kind = _attrs(problems.site).kind
    quant, out = problems.per_tensor(x, "input"), problems.result_like(x)
    problems.same_quant(quant, out, "input and output of a reduction")
    if kind not in ("max", "min"):
        problems.add(
            "E110",
            f"the {kind} of {x.dtype.value} tensors is not supported",
            why="TFLite 2.3 gives no meaningful result for it",
            help="use MEAN, or float32",
        )


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    kind = _attrs(site).kind
    gone = tuple(sorted(axes.reduced_axes(site)))
    if kind in ("max", "min"):
        result = np.asarray(getattr(np, kind)(x, axis=gone))
    else:
        result = _in_order(x, gone, np.multiply if kind == "prod" else np.add)
    return (result.reshape(site.output.shape),)


def _in_order(x: Array, gone: tuple[int, ...], step: np.ufunc) -> Array:
    """One element after another, in the order of memory."""
    kept = [axis for axis in range(x.ndim) if axis not in gone]
    rows = x.transpose((*gone, *kept)).reshape(-1, *(x.shape[axis] for axis in kept))
    total = np.full(rows.shape[1:], step.identity, x.dtype)
    with np.errstate(all="ignore"):
        for row in rows:
            total = np.asarray(step(total, row), x.dtype)
    return total


def _range(dtype: DType) -> tuple[int, int]:
    """Least and greatest number of a type of integers."""
    if dtype is DType.BOOL:
        return 0, 1
    info = np.iinfo(dtype.numpy.name)
    return int(info.min), int(info.max)


def pack(site: Site) -> Params:
    """For both forms: each reads its own of `channels` and the loops."""
    loops = axes.loops(site)
    real = site.input().dtype is DType.F32
    limits = (-float32.LARGEST, float32.LARGEST) if real else _range(site.input().dtype)
    zero, one = (0.0, 1.0) if real else (0, 1)
    start = {"max": limits[0], "min": limits[1], "sum": zero, "prod": one}[_attrs(site).kind]
    kinds = {DType.F32: "f32_", DType.S64: "s64_"}
    return Params(
        f"mcuc_reduce_{kinds.get(site.input().dtype, '')}params",
        "reduce/reduce.h",
        {
            "channels": site.input().nhwc[3],
            "kept": loops[0],
            "reduced": loops[1],
            "kind": KINDS.index(_attrs(site).kind),
            "start": start,
        },
    )


SPEC = OpSpec(
    name="reduce",
    doc="Maximum, minimum, sum or product over any axes",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=axes.region_reduced,
    kernels=(
        *(
            kernel
            for dtype in _FOLDING
            for kernel in axes.reduction_kernels("reduce", dtype, pack, pack)
        ),
        axes.whole_kernel("reduce", DType.S64, pack),
    ),
    canonical=axes.canonical_reduced,
)
