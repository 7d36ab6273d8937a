"""BATCH_MATMUL of int8, int16 or float32: products of matrices, both computed at run time.

    y[.., i, j] = sum_k a[.., i, k] b[.., k, j]

The last two axes of an operand may be swapped; the others broadcast. Sources: TFLite
`batch_matmul.cc`, reference_ops `BatchMatMul`; rule in docs/numerics.md, "BATCH_MATMUL".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import fixed, float32, int16, params
from mcuc.numerics.fixed import Ints
from mcuc.ops.arithmetic import is_float, is_int16, kernel_on
from mcuc.ops.binary import ARITHMETIC
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site
from mcuc.ops.whole import canonical_whole, region_whole

MOST_PRODUCTS = {DType.S8: 1 << 15, DType.S16: 1 << 16}  # of a sum, which stays in its type


@dataclass(frozen=True)
class Attrs:
    """Whether the last two axes of an operand are swapped."""

    adj_a: bool = False
    adj_b: bool = False


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    a = problems.operand(0, "first operand", ARITHMETIC)
    b = problems.operand(1, "second operand", ARITHMETIC if a is None else (a.dtype,))
    problems.per_tensor(a, "first operand")
    problems.per_tensor(b, "second operand")
    problems.result_like(a)
    shape: tuple[int, ...] = ()
    if a is not None and b is not None:
        shape = _shape(problems, a, b)
    problems.raise_all()
    if not is_float(site):
        _factor(site)
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _shape(problems: Problems, a: TensorType, b: TensorType) -> tuple[int, ...]:
    if min(len(a.shape), len(b.shape)) < 2:
        problems.add("E114", f"the operands are {a.shape} and {b.shape}; rank 2 is the least")
        return ()
    attrs = problems.site.attrs
    assert isinstance(attrs, Attrs)
    rows, depth = a.shape[:-3:-1] if attrs.adj_a else a.shape[-2:]
    other, columns = b.shape[:-3:-1] if attrs.adj_b else b.shape[-2:]
    if depth != other:
        problems.add("E111", f"sums over {depth} and {other} elements ({a.shape}, {b.shape})")
    if depth > MOST_PRODUCTS.get(a.dtype, depth):
        problems.add("E117", f"sums of {depth} products; at most {MOST_PRODUCTS[a.dtype]}")
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        problems.add("E111", f"the leading axes of {a.shape} and {b.shape} do not broadcast")
        return ()
    return (*batch, rows, columns)


def _factor(site: Site) -> params.Multiplier:
    a, b, out = (quant_of(t).scale for t in (site.input(0), site.input(1), site.output))

    def factor(*_: float) -> params.Multiplier:
        found = params.quantize_multiplier(params.conv_real_multiplier(a, b, out))
        if is_int16(site):
            _reduced(found)
        return found

    return combined(site, factor)


def _reduced(factor: params.Multiplier) -> tuple[Ints, Ints]:
    """Of 15 bits, for sums of 64."""
    return int16.reduced(np.asarray([factor.multiplier]), np.asarray([factor.shift]))


def ref(site: Site, a: Array, b: Array) -> tuple[Array, ...]:
    attrs = site.attrs
    assert isinstance(attrs, Attrs)
    left = np.swapaxes(a, -1, -2) if attrs.adj_a else a
    right = np.swapaxes(b, -1, -2) if attrs.adj_b else b
    if is_float(site):
        return (_product(left, right).reshape(site.output.shape),)
    zeros = [quant_of(site.input(k)).zero_point for k in (0, 1)]
    acc = (left.astype(np.int64) - zeros[0]) @ (right.astype(np.int64) - zeros[1])
    factor, out = _factor(site), quant_of(site.output)
    if is_int16(site):
        return (int16.requantize_conv(acc, _reduced(factor), int16.INT16_RANGE),)
    scaled = fixed.multiply_by_quantized_multiplier(acc, factor.multiplier, factor.shift)
    return (np.clip(scaled + out.zero_point, -128, 127).astype(np.int8),)


def _product(a: Array, b: Array) -> Array:
    """Sums of float32 in order."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    left = np.broadcast_to(a, (*batch, *a.shape[-2:])).reshape(-1, *a.shape[-2:])
    right = np.broadcast_to(b, (*batch, *b.shape[-2:])).reshape(-1, *b.shape[-2:])
    pairs = zip(left, right, strict=True)
    return np.stack([float32.ordered_product(x, y) for x, y in pairs])


def macs(site: Site) -> int:
    return site.output.elements * _depth(site)


def _depth(site: Site) -> int:
    assert isinstance(site.attrs, Attrs)
    return site.input(0).shape[-2 if site.attrs.adj_a else -1]


def _starts(shape: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """Elements before the matrix of each batch element."""
    count = math.prod(shape[:-2])
    places = np.arange(count, dtype=np.int32).reshape(shape[:-2]) * math.prod(shape[-2:])
    return np.broadcast_to(places, batch).ravel().astype(np.int32)


def pack(site: Site) -> Params:
    attrs = site.attrs
    assert isinstance(attrs, Attrs)
    a, b, out = site.input(0).shape, site.input(1).shape, site.output.shape
    fields: dict[str, ParamValue] = {
        "batch": math.prod(out[:-2]),
        "rows": out[-2],
        "columns": out[-1],
        "depth": _depth(site),
        "a_start": _starts(a, out[:-2]),
        "b_start": _starts(b, out[:-2]),
        "a_row": 1 if attrs.adj_a else a[-1],
        "a_step": a[-1] if attrs.adj_a else 1,
        "b_column": b[-1] if attrs.adj_b else 1,
        "b_step": 1 if attrs.adj_b else b[-1],
    }
    numbers = dict.fromkeys(("a_zero", "b_zero", "multiplier", "shift", "out_offset"), 0)
    if not is_float(site):
        factor = _factor(site)
        multiplier, shift = factor.multiplier, factor.shift
        if is_int16(site):
            multiplier, shift = (int(n[0]) for n in _reduced(factor))
        numbers = {
            "a_zero": quant_of(site.input(0)).zero_point,
            "b_zero": quant_of(site.input(1)).zero_point,
            "multiplier": multiplier,
            "shift": shift,
            "out_offset": quant_of(site.output).zero_point,
        }
    return Params("mcuc_batch_matmul_params", "batch_matmul/batch_matmul.h", {**fields, **numbers})


SPEC = OpSpec(
    name="batch_matmul",
    doc="Products of matrices that are computed at run time, either one transposed, with broadcast",
    Attrs=Attrs,
    operands=(OperandSpec("a", ARITHMETIC), OperandSpec("b", ARITHMETIC)),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region_whole,
    kernels=tuple(
        kernel_on(
            dtype,
            f"batch_matmul/{dtype.value}_{dtype.value}_{dtype.value}__c.c",
            Form.WHOLE,
            pack,
            operands=(0, 1),
        )
        for dtype in ARITHMETIC
    ),
    canonical=canonical_whole,
)
