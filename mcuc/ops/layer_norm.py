"""Layer normalization of float32 over the last axis, with constant scale and bias.

    m = sum x / n,  v = sum (x - m)^2 / n,  y = (x - m) (1 / sqrt(v + epsilon)) scale + bias

ONNX LayerNormalization; sums go through the channels in order, the root is that of IEEE 754.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, canonical, no_macs

INPUT, SCALE, BIAS = range(3)


@dataclass(frozen=True)
class Attrs:
    """epsilon: added to the variance."""

    epsilon: float = 1e-5


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(INPUT, "input", (DType.F32,))
    if x is not None and not x.shape:
        problems.add("E114", "the input has rank 0; an axis is needed")
    for position, name in ((SCALE, "scale"), (BIAS, "bias")):
        found = problems.operand(position, name, (DType.F32,), optional=True, const=True)
        if found is not None and x is not None and x.shape and found.elements != x.shape[-1]:
            problems.add("E111", f"the {name} is {found.shape} for the input {x.shape}")
    if not (math.isfinite(site.attrs.epsilon) and site.attrs.epsilon >= 0):
        problems.add("E115", f"epsilon is {site.attrs.epsilon}; it must not be negative")
    problems.result_like(x)
    problems.raise_all()
    return (TensorType(site.input().shape, DType.F32),)


def _factors(site: Site) -> tuple[Array, Array]:
    """Scale and bias [C]."""
    depth = site.input().shape[-1]
    given = (*site.consts, None, None)
    scale, bias = (
        np.full(depth, default, np.float32) if data is None else np.asarray(data).reshape(depth)
        for data, default in ((given[SCALE], 1), (given[BIAS], 0))
    )
    return scale, bias


def ref(site: Site, x: Array, *_: Array | None) -> tuple[Array, ...]:
    assert isinstance(site.attrs, Attrs)
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


SPEC = OpSpec(
    name="layer_norm",
    doc="Layer normalization over the last axis",
    Attrs=Attrs,
    operands=(
        OperandSpec("x", (DType.F32,)),
        OperandSpec("scale", (DType.F32,), const=True, optional=True),
        OperandSpec("bias", (DType.F32,), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_layer_norm_f32_f32__c",
            source="layer_norm/f32_f32__c.c",
            form=Form.PIXEL,
            when=always,
            pack=pack,
            inplace=(0,),
        ),
    ),
)
