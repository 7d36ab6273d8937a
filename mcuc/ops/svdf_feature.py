"""First half of SVDF: the state, with the oldest step dropped and the features of the input behind.

    state[f, :] = (state[f, 1:], clamp(sum_d (x[d] - z_x) w[f, d] factor + z_s))

Sources: TFLite `svdf.cc`, `reference/svdf.h`, and on int8 states TFLM's `svdf_common.cc`; rule in
docs/numerics.md, "SVDF". A state of int8 is kept as (q - z_s) cut to 8 bits, so that the zeros that
a model starts with are zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import fixed, float32
from mcuc.numerics.params import Multiplier, quantize_multiplier
from mcuc.ops.arithmetic import is_float
from mcuc.ops.checks import combined, integer_range, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site
from mcuc.ops.whole import canonical_whole, region_whole

INPUT, STATE, WEIGHTS = range(3)
DTYPES = (DType.S8, DType.F32)
# Element types of the state by the input's
STATES = {DType.S8: (DType.S16, DType.S8), DType.F32: (DType.F32,)}
MOST = 1 << 15  # products of a sum of 32 bits


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def state_zero(type_: TensorType) -> int:
    """The zero point of a state."""
    return 0 if type_.quant is None else type_.quant.zero_point


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(INPUT, "input", DTYPES)
    state = problems.operand(STATE, "state", STATES[DType.S8] if x is None else STATES[x.dtype])
    weights = problems.operand(
        WEIGHTS, "feature weights", DTYPES if x is None else (x.dtype,), const=True
    )
    for type_, name in ((x, "input"), (state, "state"), (weights, "feature weights")):
        quant = problems.per_tensor(type_, name)
        if name == "feature weights" and quant is not None and quant.zero_point:
            problems.add("E203", "the feature weights have a zero point")
    for type_, name in ((x, "input"), (state, "state"), (weights, "weights")):
        problems.rank(type_, name, 2)
    if x is not None and state is not None and weights is not None and not problems.found:
        if x.shape != (1, weights.shape[1]) or state.shape[0] != weights.shape[0]:
            problems.add(
                "E111", f"shapes {x.shape}, {state.shape}, {weights.shape} of input, state, weights"
            )
        if x.dtype is DType.S8 and x.shape[1] > MOST:
            problems.add("E117", f"a sum of {x.shape[1]} products; at most {MOST}")
    problems.raise_all()
    kept = site.input(STATE)
    if not is_float(site):
        _factor(site)
    return (TensorType(kept.shape, kept.dtype, kept.quant),)


def _factor(site: Site) -> Multiplier:
    x, w, s = (np.float32(quant_of(site.input(k)).scale) for k in (INPUT, WEIGHTS, STATE))
    return combined(site, lambda *_: quantize_multiplier(float(x * w / s)))


def ref(site: Site, x: Array, state: Array, weights: Array) -> tuple[Array, ...]:
    if is_float(site):
        new = float32.ordered_product(x, np.asarray(weights, np.float32).T)[0]
        return (np.concatenate([state[:, 1:], new[:, np.newaxis]], axis=1),)
    centered = x[0].astype(np.int64) - quant_of(site.input(INPUT)).zero_point
    factor, zero = _factor(site), state_zero(site.input(STATE))
    total = weights.astype(np.int64) @ centered
    scaled = fixed.multiply_by_quantized_multiplier(total, factor.multiplier, factor.shift)
    clamped = np.clip(scaled + zero, *integer_range(site.input(STATE).dtype)) - zero
    column = clamped.astype(state.dtype)[:, np.newaxis]
    return (np.concatenate([state[:, 1:], column], axis=1),)


def macs(site: Site) -> int:
    return site.input(WEIGHTS).elements


def pack(site: Site) -> Params:
    filters, memory = site.input(STATE).shape
    fields: dict[str, ParamValue] = {
        "filters": filters,
        "memory": memory,
        "depth": site.input(INPUT).shape[1],
        "weights": site.const(WEIGHTS),
    }
    if is_float(site):
        return Params("mcuc_svdf_feature_f32_params", "svdf_feature/svdf_feature.h", fields)
    zero_point = quant_of(site.input(INPUT)).zero_point
    sums = site.const(WEIGHTS).astype(np.int64).sum(axis=1)
    factor = _factor(site)
    fields |= {
        "bias": (-zero_point * sums).astype(np.int32),
        "multiplier": factor.multiplier,
        "shift": factor.shift,
        "zero_point": state_zero(site.input(STATE)),
    }
    return Params("mcuc_svdf_feature_params", "svdf_feature/svdf_feature.h", fields)


def _kernel(x: str, state: str) -> Kernel:
    return Kernel(
        symbol=f"mcuc_svdf_feature_{x}_{x}_{state}__c",
        source=f"svdf_feature/{x}_{x}_{state}__c.c",
        form=Form.WHOLE,
        when=lambda site, target: site.input(STATE).dtype.value == state,
        pack=pack,
        operands=(INPUT, STATE),
    )


SPEC = OpSpec(
    name="svdf_feature",
    doc="First half of SVDF: a state that the features of an input enter",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", DTYPES),
        OperandSpec("state", (DType.S16, DType.S8, DType.F32)),
        OperandSpec("feature weights", DTYPES, const=True),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region_whole,
    kernels=(_kernel("f32", "f32"), _kernel("s8", "s16"), _kernel("s8", "s8")),
    canonical=canonical_whole,
)
