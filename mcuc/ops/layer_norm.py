"""Layer normalization over the last axis, with constant scale and bias.

    m = sum x / n,  v = sum (x - m)^2 / n,  y = (x - m) (1 / sqrt(v + epsilon)) scale + bias

ONNX LayerNormalization. float32: sums go through the channels in order, the root is that of IEEE
754. int8 and int16: on integers alone (mcuc/numerics/layer_norm.py); scale and bias stay float32 in
the graph and become factors of the kernel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32
from mcuc.numerics.layer_norm import Parameters, layer_norm, parameters
from mcuc.ops.arithmetic import is_float, kernel_on
from mcuc.ops.checks import combined, integer_range, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, canonical, no_macs

INPUT, SCALE, BIAS = range(3)
DTYPES = (DType.S8, DType.S16, DType.F32)
# Channels for which the sums stay below 2^63, deviations below 2^31.
_MOST = {DType.S8: 1 << 15, DType.S16: 1 << 11}


@dataclass(frozen=True)
class Attrs:
    """epsilon: added to the variance."""

    epsilon: float = 1e-5


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(INPUT, "input", DTYPES)
    quant = problems.per_tensor(x, "input")
    if x is not None and not x.shape:
        problems.add("E114", "the input has rank 0; an axis is needed")
    elif quant is not None and x is not None and x.shape[-1] > _MOST[x.dtype]:
        what = f"a normalization of {x.shape[-1]} integers; at most {_MOST[x.dtype]}"
        problems.add("E117", what)
    for position, name in ((SCALE, "scale"), (BIAS, "bias")):
        found = problems.operand(position, name, (DType.F32,), optional=True, const=True)
        if found is not None and x is not None and x.shape and found.elements != x.shape[-1]:
            problems.add("E111", f"the {name} is {found.shape} for the input {x.shape}")
    if not (math.isfinite(site.attrs.epsilon) and site.attrs.epsilon >= 0):
        problems.add("E115", f"epsilon is {site.attrs.epsilon}; it must not be negative")
    problems.result_like(x)
    problems.raise_all()
    if not is_float(site):
        combined(site, lambda *_: _integers(site))
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def _factors(site: Site) -> tuple[Array, Array]:
    """Scale and bias [C]."""
    depth = site.input().shape[-1]
    given = (*site.consts, None, None)
    scale, bias = (
        np.full(depth, default, np.float32) if data is None else np.asarray(data).reshape(depth)
        for data, default in ((given[SCALE], 1), (given[BIAS], 0))
    )
    return scale, bias


def _integers(site: Site) -> Parameters:
    assert isinstance(site.attrs, Attrs)
    x, y = quant_of(site.input()), quant_of(site.output)
    scale, bias = (data.astype(np.float64) for data in _factors(site))
    return parameters(scale, bias, site.attrs.epsilon, x.scale, y.scale, y.zero_point)


def ref(site: Site, x: Array, *_: Array | None) -> tuple[Array, ...]:
    assert isinstance(site.attrs, Attrs)
    if not is_float(site):
        dtype = site.output.dtype
        rows = np.asarray(x, np.int64).reshape(-1, x.shape[-1])
        result = layer_norm(rows, _integers(site), integer_range(dtype))
        return (result.astype(dtype.numpy).reshape(x.shape),)
    count, one = np.float32(x.shape[-1]), np.float32(1)
    scale, bias = _factors(site)
    with np.errstate(all="ignore"):
        mean = float32.ordered_sum(np.moveaxis(x, -1, 0)) / count
        centered = np.asarray(x, np.float32) - mean[..., np.newaxis]
        variance = float32.ordered_sum(np.moveaxis(centered * centered, -1, 0)) / count
        factor = one / np.sqrt(variance + np.float32(site.attrs.epsilon))
        return (centered * factor[..., np.newaxis] * scale + bias,)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The same pixels with all channels."""
    box = Box(out.y0, out.y1, out.x0, out.x1, 0, canonical(site).inputs[0][2])
    return (box, *(None,) * (len(site.inputs) - 1))


def pack(site: Site) -> Params:
    assert isinstance(site.attrs, Attrs)
    scale, bias = _factors(site)
    return Params(
        "mcuc_layer_norm_params",
        "layer_norm/layer_norm.h",
        {
            "channels": site.input().shape[-1],
            "epsilon": float(np.float32(site.attrs.epsilon)),
            "scale": scale,
            "bias": bias,
        },
    )


def pack_integers(site: Site) -> Params:
    own = _integers(site)
    low, high = integer_range(site.output.dtype)
    return Params(
        "mcuc_layer_norm_integer_params",
        "layer_norm/layer_norm.h",
        {
            "channels": site.input().shape[-1],
            "shift": own.shift,
            "low": low,
            "high": high,
            "halvings": own.halvings,
            "addend": np.asarray([own.addend], np.int64),
            "factor": own.factors.astype(np.int32),
            "offset": own.offsets,
        },
    )


SPEC = OpSpec(
    name="layer_norm",
    doc="Layer normalization over the last axis",
    Attrs=Attrs,
    operands=(
        OperandSpec("x", DTYPES),
        OperandSpec("scale", (DType.F32,), const=True, optional=True),
        OperandSpec("bias", (DType.F32,), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        *(
            kernel_on(d, f"layer_norm/{d.value}_{d.value}__c.c", Form.PIXEL, pack_integers,
                      inplace=(0,))
            for d in (DType.S8, DType.S16)
        ),
        kernel_on(DType.F32, "layer_norm/f32_f32__c.c", Form.PIXEL, pack, inplace=(0,)),
    ),
)  # fmt: skip
