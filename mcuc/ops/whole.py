"""What ops share whose one kernel reads whole tensors: every tensor is one map, without a batch."""

from __future__ import annotations

from mcuc.ir.program import Box
from mcuc.ir.types import TensorType
from mcuc.ops.spec import Canonical, Hwc, Site


def one_map(type_: TensorType | None) -> Hwc:
    """[H, W, C] of a tensor with its batch in H; zeros where there is none."""
    if type_ is None:
        return (0, 0, 0)
    n, h, w, c = type_.nhwc
    return (n * h, w, c)


def canonical_whole(site: Site) -> Canonical:
    """Every tensor as one map: the op's axes may be that of the batch."""
    inputs = tuple(one_map(type_) for type_ in site.inputs)
    return Canonical(1, inputs, one_map(site.output), (False,) * len(inputs))


def region_whole(site: Site, out: Box) -> tuple[Box | None, ...]:
    """All of every run-time operand."""
    shapes = canonical_whole(site).inputs
    return tuple(
        None if type_ is None or const is not None else Box.of(shape)
        for type_, const, shape in zip(site.inputs, site.consts, shapes, strict=True)
    )
