"""Which arithmetic a node computes in. The element type of its first operand tells.

One op has one rule of shapes, regions and attributes, and a reference and kernels for each
arithmetic. Where these are many they stand in modules of their own: `float32` has those of all ops.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.ops.spec import Kernel, Site


def is_float(site: Site) -> bool:
    """float32, computed as such."""
    return site.input().dtype is DType.F32


def kernels_on(
    dtype: DType, *kernels: Kernel, others: tuple[Kernel, ...] = ()
) -> tuple[Kernel, ...]:
    """Kernels that apply only where the first operand has the element type, and others before."""
    return (*others, *(_restricted(kernel, dtype) for kernel in kernels))


def _restricted(kernel: Kernel, dtype: DType) -> Kernel:
    def when(site: Site, target: Target) -> bool:
        return site.input().dtype is dtype and kernel.when(site, target)

    return replace(kernel, when=when)
