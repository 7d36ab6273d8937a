"""RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in another shape. No code runs on the device."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mcuc.ir.graph import Array
from mcuc.ir.program import Box
from mcuc.ir.types import DType, TensorType
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, canonical, no_macs


@dataclass(frozen=True)
class Attrs:
    """shape: the new shape; one size may be -1, "what remains"."""

    shape: tuple[int, ...]


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", tuple(DType))
    if x is not None and site.output.dtype is not x.dtype:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    shape = () if x is None else _new_shape(problems, x)
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _new_shape(problems: Problems, x: TensorType) -> tuple[int, ...]:
    """The new shape without -1, or a recorded problem."""
    attrs = problems.site.attrs
    assert isinstance(attrs, Attrs)
    shape = attrs.shape
    unknown = [i for i, size in enumerate(shape) if size == -1]
    if len(unknown) > 1 or any(size < 1 and size != -1 for size in shape):
        problems.add("E115", f"{shape} is not a shape", why="one size may be -1, all others > 0")
        return ()
    known = math.prod(size for size in shape if size != -1)
    missing = x.elements // known
    if known * (missing if unknown else 1) != x.elements:
        problems.add(
            "E111", f"a tensor of shape {x.shape} ({x.elements} elements) cannot become {shape}"
        )
    return tuple(missing if size == -1 else size for size in shape)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    return (x.reshape(site.output.shape),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The same box where the map stays the same, else everything."""
    shapes = canonical(site)
    return (out if shapes.inputs[0] == shapes.output else Box.of(shapes.inputs[0]),)


SPEC = OpSpec(
    name="reshape",
    doc="RESHAPE, SQUEEZE and EXPAND_DIMS: another view of the same memory",
    Attrs=Attrs,
    operands=(OperandSpec("x", tuple(DType)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(),
    alias=True,
)
