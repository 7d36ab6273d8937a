"""Which kernel runs a node: the first of the op's list whose `when` holds."""

from __future__ import annotations

from mcuc.errors import ScheduleError
from mcuc.ir.target import Target
from mcuc.ops.spec import Kernel, OpSpec, Site


def applicable(spec: OpSpec, site: Site, target: Target) -> list[Kernel]:
    """The kernels that may run a site, best first."""
    return [kernel for kernel in spec.kernels if kernel.when(site, target)]


def select_kernel(
    spec: OpSpec,
    site: Site,
    target: Target,
    forced: str | None = None,
    scratch_limit: int | None = None,
) -> Kernel:
    """The kernel for a site.

    Args:
        forced: Symbol of a kernel to take instead of the best one (tests).
        scratch_limit: Bytes of scratch; where no kernel keeps to it, the one that needs least.

    Raises:
        ScheduleError: E301 when no kernel applies, with the kernels that were rejected.
    """
    kernels = applicable(spec, site, target)
    if forced is not None:
        kernels = [kernel for kernel in kernels if kernel.symbol == forced]
    if not kernels:
        raise ScheduleError(
            "E301",
            f"no kernel of {spec.name} applies",
            loc=site.loc,
            why="rejected: " + ", ".join(kernel.symbol for kernel in spec.kernels),
        )
    if scratch_limit is None:
        return kernels[0]
    scratch = [kernel.scratch(site) if kernel.scratch else 0 for kernel in kernels]
    small = [k for k, size in zip(kernels, scratch, strict=True) if size <= scratch_limit]
    return small[0] if small else kernels[scratch.index(min(scratch))]
