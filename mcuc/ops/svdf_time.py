"""Second half of SVDF: the state along time, summed up by ranks of filters.

    y[u] = clamp((bias[u] + sum_r sum_m (state[f, m] - z_s) v[f, m]) factor + z_y),  f = u ranks + r

Sources and state: `mcuc/ops/svdf_feature.py`. The fused activation of integers is what the output's
range does; RELU is taken where that begins at zero.
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
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.convolution import Ints, wrap_int32
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site
from mcuc.ops.svdf_feature import state_zero
from mcuc.ops.whole import canonical_whole, region_whole

STATE, WEIGHTS, BIAS = range(3)
STATES = (DType.S16, DType.S8, DType.F32)


@dataclass(frozen=True)
class Attrs:
    """rank: filters that are summed up to one unit; activation: fused."""

    rank: int
    activation: str = "none"


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    attrs = attrs_of(site)
    state = problems.operand(STATE, "state", STATES)
    kinds = STATES if state is None else (state.dtype,)
    weights = problems.operand(WEIGHTS, "time weights", kinds, const=True)
    real = state is not None and state.dtype is DType.F32
    sums = (DType.F32 if real else DType.S32,)
    bias = problems.operand(BIAS, "bias", sums, const=True, optional=True)
    quant = problems.per_tensor(weights, "time weights")
    if quant is not None and quant.zero_point:
        problems.add("E203", "the time weights have a zero point")
    problems.per_tensor(state, "state")
    out = problems.result(DType.F32 if real else DType.S8)
    problems.activation(attrs.activation, out)
    if out is not None and (attrs.activation, out.zero_point) not in (
        ("none", out.zero_point),
        ("relu", -128),
    ):
        problems.add("E115", f"{attrs.activation} in an SVDF of zero point {out.zero_point}")
    shape: tuple[int, ...] = ()
    if problems.rank(state, "state", 2) and weights is not None:
        assert state is not None
        filters = state.shape[0]
        if weights.shape != state.shape:
            problems.add("E111", f"the time weights are {weights.shape}, the state {state.shape}")
        if attrs.rank < 1 or filters % attrs.rank:
            problems.add("E115", f"{filters} filters of rank {attrs.rank}")
        else:
            shape = (1, filters // attrs.rank)
            if bias is not None and bias.elements != shape[1]:
                problems.add("E111", f"the bias is {bias.shape} for {shape[1]} units")
    problems.raise_all()
    if not is_float(site):
        _factor(site)
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _factor(site: Site) -> Multiplier:
    types = site.input(STATE), site.input(WEIGHTS), site.output
    s, w, y = (np.float32(quant_of(type_).scale) for type_ in types)
    return combined(site, lambda *_: quantize_multiplier(float(s * w / y)))


def _bias(site: Site) -> Array:
    """[units], zeros where there is none."""
    given = site.consts[BIAS] if len(site.consts) > BIAS else None
    kind = np.float32 if is_float(site) else np.int32
    return np.zeros(site.output.shape[1], kind) if given is None else np.asarray(given, kind)


def ref(site: Site, state: Array, weights: Array, *_: Array | None) -> tuple[Array, ...]:
    rank = attrs_of(site).rank
    if is_float(site):
        terms = np.asarray(state, np.float32) * np.asarray(weights, np.float32)
        sums = float32.ordered_sum(terms.T).reshape(-1, rank)
        real = np.asarray(_bias(site), np.float32)
        for term in sums.T:
            real = real + term
        return (float32.clamp(real, float32.bounds(attrs_of(site).activation))[np.newaxis],)
    products = _centered(site, state) * np.asarray(weights, np.int64)
    total = wrap_int32(_bias(site) + products.sum(axis=1).reshape(-1, rank).sum(axis=1))
    factor, zero = _factor(site), quant_of(site.output).zero_point
    scaled = fixed.multiply_by_quantized_multiplier(total, factor.multiplier, factor.shift)
    return (np.clip(scaled + zero, -128, 127).astype(np.int8)[np.newaxis],)


def _centered(site: Site, state: Array) -> Ints:
    """A state's numbers without zero point: int8 is kept cut to 8 bits."""
    wide = np.asarray(state, np.int64)
    if state.dtype != np.int8:
        return wide
    zero = state_zero(site.input(STATE))
    return ((wide + zero + 128) % 256 - 128) - zero


def macs(site: Site) -> int:
    return site.input(STATE).elements


def pack(site: Site) -> Params:
    memory = site.input(STATE).shape[1]
    fields: dict[str, ParamValue] = {
        "units": site.output.shape[1],
        "rank": attrs_of(site).rank,
        "memory": memory,
        "weights": site.const(WEIGHTS),
        "bias": _bias(site),
    }
    if is_float(site):
        low, high = float32.bounds(attrs_of(site).activation)
        limits: dict[str, ParamValue] = {"low": low, "high": high}
        return Params("mcuc_svdf_time_f32_params", "svdf_time/svdf_time.h", {**fields, **limits})
    factor = _factor(site)
    fields |= {
        "state_zero": state_zero(site.input(STATE)),
        "multiplier": factor.multiplier,
        "shift": factor.shift,
        "out_offset": quant_of(site.output).zero_point,
    }
    return Params(
        f"mcuc_svdf_time_{site.input(STATE).dtype.value}_params", "svdf_time/svdf_time.h", fields
    )


def _kernel(state: str, result: str) -> Kernel:
    return Kernel(
        symbol=f"mcuc_svdf_time_{state}_{state}_{result}__c",
        source=f"svdf_time/{state}_{state}_{result}__c.c",
        form=Form.WHOLE,
        when=lambda site, target: site.input(STATE).dtype.value == state,
        pack=pack,
    )


SPEC = OpSpec(
    name="svdf_time",
    doc="Second half of SVDF: a state along time, summed up by ranks of filters",
    Attrs=Attrs,
    operands=(
        OperandSpec("state", STATES),
        OperandSpec("time weights", STATES, const=True),
        OperandSpec("bias", (DType.S32, DType.F32), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region_whole,
    kernels=(_kernel("f32", "f32"), _kernel("s16", "s8"), _kernel("s8", "s8")),
    canonical=canonical_whole,
)
