"""Checks that the `infer` of many ops share: element types, quantization, fused activations.

Each raises at once; `mcuc.ops.problems` collects what several of them raise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from mcuc.errors import QuantError
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.numerics import params
from mcuc.ops.spec import Site

T = TypeVar("T")

ACTIVATIONS = ("none", "relu", "relu6", "relu_n1_to_1")


def integer_range(dtype: DType) -> tuple[int, int]:
    """Least and greatest value of an integer element type."""
    info = np.iinfo(dtype.numpy.name)
    return int(info.min), int(info.max)


def require_dtype(site: Site, type_: TensorType, name: str, *dtypes: DType) -> None:
    """Refuses element types other than `dtypes` (E110) and tensors without elements (E116)."""
    if type_.dtype not in dtypes:
        wanted = " or ".join(dtype.value for dtype in dtypes)
        raise site.error(
            "E110",
            f"{name} is {type_.dtype.value}; only {wanted} is supported here",
            help="quantize the model to int8 (full integer quantization)"
            if type_.dtype is DType.F32
            else "",
        )
    if min(type_.shape, default=1) < 1:
        raise site.error("E116", f"{name} has no elements (shape {type_.shape})")


def quant_error(site: Site, code: str, what: str, why: str = "", help: str = "") -> QuantError:
    """A QuantError that points at the site's node."""
    return QuantError(code, what, loc=site.loc, why=why, help=help)


def per_tensor(site: Site, type_: TensorType, name: str) -> Quant:
    """The quantization of an integer tensor, checked: one scale and one zero point, in range.

    Raises:
        QuantError: E201 missing, E202 scale out of range, E203 zero point out of range, E204 per
            channel.
    """
    quant = type_.quant
    if quant is None or not quant.scales or len(quant.scales) != len(quant.zero_points):
        raise quant_error(
            site,
            "E201",
            f"{name} has no quantization parameters",
            help="convert the model with full integer quantization",
        )
    if quant.per_channel:
        raise quant_error(
            site, "E204", f"{name} is quantized per channel; one scale for all is needed here"
        )
    if not (math.isfinite(quant.scale) and quant.scale > 0):
        raise quant_error(
            site, "E202", f"{name} has the scale {quant.scale:g}; it must be positive and finite"
        )
    # TFLite's kernels on int16 know no zero points.
    low, high = (0, 0) if type_.dtype is DType.S16 else integer_range(type_.dtype)
    if not low <= quant.zero_point <= high:
        raise quant_error(
            site, "E203", f"{name} has the zero point {quant.zero_point}, outside {low} .. {high}"
        )
    return quant


def quant_of(type_: TensorType) -> Quant:
    """The quantization of a tensor that `infer` has checked."""
    assert type_.quant is not None
    return type_.quant


def combined(site: Site, factor: Callable[..., T], *args: float) -> T:
    """`factor(*args)` of mcuc.numerics.params; scales that cannot be combined are E206."""
    try:
        return factor(*args)
    except (ValueError, OverflowError, ZeroDivisionError) as problem:
        raise quant_error(
            site,
            "E206",
            "the scales of this operator's tensors cannot be combined",
            why=str(problem),
            help="calibrate again with data that covers the real range of these tensors",
        ) from None


def require_activation(site: Site, activation: str) -> None:
    """Refuses fused activations other than ACTIVATIONS (E115)."""
    if activation not in ACTIVATIONS:
        raise site.error(
            "E115",
            f"the fused activation {activation!r} is not supported",
            help=f"use one of {', '.join(ACTIVATIONS)}",
        )


def activation_range(site: Site, activation: str) -> tuple[int, int]:
    """Clamping range of the integer output for a fused activation, one of ACTIVATIONS."""
    require_activation(site, activation)
    quant = quant_of(site.output)
    limits = integer_range(site.output.dtype)

    def bounds(scale: float) -> tuple[int, int]:
        name = activation.upper()
        return params.calculate_activation_range(name, scale, quant.zero_point, *limits)

    return combined(site, bounds, quant.scale)
