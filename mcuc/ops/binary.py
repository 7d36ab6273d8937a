"""What the element-wise ops of two operands share: broadcast, regions, kernel parameters.

Both operands are seen as [N, H, W, C] aligned with the output from the last axis. An operand that
is 1 where the output is not is broadcast: over N it is shared by all batch elements, over H and W
its view has the stride 0, over C the kernel steps by 0 channels. So one pixel kernel serves every
broadcast. Beyond rank 4 neighbouring axes that are broadcast alike count as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32
from mcuc.numerics.float32 import Floats
from mcuc.ops.arithmetic import kernel_on
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Hwc, Kernel, Site, always

ARITHMETIC = (DType.S8, DType.S16, DType.F32)  # of ADD and MUL


@dataclass(frozen=True)
class ActivationAttrs:
    """activation: fused activation, "none", "relu", "relu6" or "relu_n1_to_1"."""

    activation: str = "none"


def activation_of(site: Site) -> str:
    """The activation that is fused into a node of ADD or MUL."""
    assert isinstance(site.attrs, ActivationAttrs)
    return site.attrs.activation


def infer_binary(
    site: Site, activation: str, dtypes: tuple[DType, ...] = (DType.S8,)
) -> tuple[TensorType, ...]:
    """The broadcast shape; both operands and the output of the same one of `dtypes`."""
    problems = Problems(site)
    a = problems.operand(0, "first operand", dtypes)
    b = problems.operand(1, "second operand", dtypes if a is None else (a.dtype,))
    shape = broadcast_shape(problems, a, b) if a is not None and b is not None else ()
    problems.per_tensor(a, "first operand")
    problems.per_tensor(b, "second operand")
    problems.activation(activation, problems.result_like(a))
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def broadcast_shape(problems: Problems, *operands: TensorType) -> tuple[int, ...]:
    """Shape of the operands together, or a recorded problem."""
    shapes = [operand.shape for operand in operands]
    names = " and ".join(map(str, shapes))
    rank = max(map(len, shapes))
    aligned = [_aligned(shape, rank) for shape in shapes]
    result = tuple(max(sizes) for sizes in zip(*aligned, strict=True))
    if any(set(sizes) - {1, most} for *sizes, most in zip(*aligned, result, strict=True)):
        problems.add(
            "E111",
            f"the shapes {names} do not broadcast",
            why="counted from the last axis, sizes must be equal or one of them 1",
        )
    elif rank > 4 and len(_groups(aligned, result)) > 4:
        problems.add(
            "E114",
            f"the shapes {names} alternate between broadcast and other axes more than 3 times",
            help="broadcast one operand first",
        )
    return result


def canonical_binary(site: Site) -> Canonical:
    """[H, W, C] of the operands aligned with the output's (a default view would not align)."""
    output = site.output.shape
    types = [type_ for type_ in site.inputs if type_ is not None]
    aligned = [_aligned(type_.shape, len(output)) for type_ in types]
    if len(output) > 4 and any(shape != output for shape in aligned):
        groups = _groups(aligned, output)
        aligned, output = [_merged(shape, groups) for shape in aligned], _merged(output, groups)
    batch, *hwc = TensorType(output, site.output.dtype).nhwc
    shapes = [replace(type_, shape=shape).nhwc for type_, shape in zip(types, aligned, strict=True)]
    return Canonical(
        batch=batch,
        inputs=tuple(shape[1:] for shape in shapes),
        output=(hwc[0], hwc[1], hwc[2]),
        batched=tuple(shape[0] == batch for shape in shapes),
    )


def _groups(aligned: list[tuple[int, ...]], output: tuple[int, ...]) -> list[list[int]]:
    """Axes that are broadcast alike and neighbours, axes of size 1 apart, in their order."""
    groups: list[list[int]] = []
    last: tuple[bool, ...] = ()
    for axis, size in enumerate(output):
        alike = tuple(shape[axis] == size for shape in aligned)
        if size == 1:
            continue
        if groups and alike == last:
            groups[-1].append(axis)
        else:
            groups.append([axis])
        last = alike
    return groups


def _merged(shape: tuple[int, ...], groups: list[list[int]]) -> tuple[int, ...]:
    """A shape of rank 4 with an axis for each group."""
    sizes = tuple(math.prod(shape[axis] for axis in group) for group in groups)
    return _aligned(sizes, 4)


def region_binary(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The same box, cut to the single row, column or channel where an operand is broadcast."""
    shapes = canonical_binary(site).inputs
    return tuple(
        None if const is not None else _operand_box(shape, out)
        for shape, const in zip(shapes, site.consts, strict=True)
    )


def broadcast_params(site: Site) -> dict[str, int]:
    """Members of the kernels' records: channels of the output and steps of both operands."""
    shapes = canonical_binary(site)
    channels = shapes.output[2]
    a_step, b_step = (int(shape[2] == channels) for shape in shapes.inputs)
    return {"channels": channels, "a_step": a_step, "b_step": b_step}


def apply_float(
    function: Callable[[Floats, Floats], Floats], a: Array, b: Array, activation: str
) -> Array:
    """The function of two float32 arrays that broadcast, clamped."""
    with np.errstate(all="ignore"):
        result = function(np.asarray(a, np.float32), np.asarray(b, np.float32))
    return float32.clamp(result, float32.bounds(activation))


def pack_float(site: Site) -> Params:
    """The record of the kernels of ADD and MUL on float32."""
    low, high = float32.bounds(activation_of(site))
    fields = {**broadcast_params(site), "low": low, "high": high}
    return Params("mcuc_binary_f32_params", "binary/binary_f32.h", fields)


def pair_kernel(
    dtype: DType,
    source: str,
    pack: Callable[[Site], Params],
    when: Callable[[Site, Target], bool] = always,
) -> Kernel:
    """A kernel that may write its result over either operand."""
    return kernel_on(dtype, source, Form.PIXEL, pack, when=when, operands=(0, 1), inplace=(0, 1))


def _aligned(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(shape)) + shape


def _operand_box(shape: Hwc, out: Box) -> Box:
    height, width, channels = shape
    y0, y1 = (out.y0, out.y1) if height > 1 else (0, 1)
    x0, x1 = (out.x0, out.x1) if width > 1 else (0, 1)
    c0, c1 = (out.c0, out.c1) if channels > 1 else (0, 1)
    return Box(y0, y1, x0, x1, c0, c1)
