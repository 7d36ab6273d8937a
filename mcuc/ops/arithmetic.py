"""Which arithmetic a node computes in. The element type of its first operand tells.

One op has one rule of shapes, regions and attributes, and a reference and kernels for each
arithmetic. Where these are many they stand in modules of their own: `float32` has those of all ops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mcuc.ir.program import Form, Params, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.ops.spec import Kernel, Site, always


def is_float(site: Site) -> bool:
    """float32, computed as such."""
    return site.input().dtype is DType.F32


def is_int16(site: Site) -> bool:
    """int16 activations."""
    return site.input().dtype is DType.S16


def kernels_on(
    dtype: DType,
    *kernels: Kernel,
    others: tuple[Kernel, ...] = (),
    only: Callable[[Site, Target], bool] = always,
) -> tuple[Kernel, ...]:
    """Kernels with a constraint in common, and others before.

    Args:
        dtype: Element type of the first operand.
        kernels: Best first.
        others: Put before them as they are.
        only: What else they demand.
    """
    return (*others, *(_restricted(kernel, dtype, only) for kernel in kernels))


def kernel_on(
    dtype: DType,
    source: str,
    form: Form,
    pack: Callable[[Site], Params],
    *,
    when: Callable[[Site, Target], bool] = always,
    operands: tuple[int, ...] = (0,),
    inplace: tuple[int, ...] = (),
    window: Callable[[Site], Window] | None = None,
    acc_bytes: Callable[[Site], int] | None = None,
) -> Kernel:
    """A kernel for an element type of the first operand, with the name that its file gives it."""
    symbol = f"mcuc_{source.replace('/', '_').removesuffix('.c')}"
    kernel = Kernel(symbol, source, form, when, pack, window, operands, inplace, None, acc_bytes)
    return _restricted(kernel, dtype, always)


def _restricted(kernel: Kernel, dtype: DType, only: Callable[[Site, Target], bool]) -> Kernel:
    def when(site: Site, target: Target) -> bool:
        return site.input().dtype is dtype and only(site, target) and kernel.when(site, target)

    return replace(kernel, when=when)
