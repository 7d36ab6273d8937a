"""The compiler on one screen: passes and stages in order, each with its reason."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from mcuc.build.options import Options
from mcuc.errors import InternalError, McucError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Program
from mcuc.ir.target import Target
from mcuc.passes.fold_constants import fold_constants
from mcuc.passes.fuse_pad import fuse_pad
from mcuc.passes.remove_dead_nodes import remove_dead_nodes
from mcuc.passes.strip_io_quantize import strip_io_quantize
from mcuc.passes.transpose_to_reshape import transpose_to_reshape
from mcuc.passes.verify import verify
from mcuc.plan.problem import MemoryPlan
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import lower
from mcuc.schedule.order import reorder
from mcuc.schedule.spec import with_groups

# Graph -> Graph, all exact: the outputs keep every bit.
PASSES = (
    remove_dead_nodes,  # what no output needs is neither checked nor compiled further
    fold_constants,  # nodes over constants alone are computed here
    transpose_to_reshape,  # a transpose that moves only axes of size 1 costs nothing
    fuse_pad,  # a convolution pads for free
    remove_dead_nodes,  # what the passes above left behind
    reorder,  # branches in the order that needs the least memory
)


@dataclass(frozen=True)
class Lowered:
    """A compiled program with its memory plan.

    Attributes:
        source: The graph as loaded (after `--io`).
        graph: The graph as compiled.
    """

    source: Graph
    graph: Graph
    program: Program
    plan: MemoryPlan
    schedule_kind: str


def prepare(graph: Graph, io: str = "stored") -> tuple[Graph, Graph]:
    """(the model as asked for, the same after all passes); verified after each pass."""
    verify(graph)
    if io == "quantized":
        graph = strip_io_quantize(graph)
        verify(graph)
    source = graph
    for run in PASSES:
        try:
            graph = run(graph)
            verify(graph)
        except McucError:
            raise
        except Exception as error:
            raise InternalError("E903", f"pass {run.__name__} failed", why=repr(error)) from error
    return source, graph


def lower_and_plan(graph: Graph, target: Target, options: Options) -> Lowered:
    """Everything between the loaded graph and C."""
    source, prepared = prepare(graph, options.io)
    schedule = with_groups(prepared, *options.groups)
    program = lower(prepared, target, schedule, numerics=options.numerics)
    if options.sram_bytes is not None:
        program = dataclasses.replace(program, target=limited(target, options.sram_bytes))
    plan = plan_memory(program)
    return Lowered(source, prepared, program, plan, schedule.kind)


def limited(target: Target, sram_bytes: int) -> Target:
    """The target with no more RAM in total than given, regions cut from the last."""
    regions = []
    left = sram_bytes
    for region in target.regions:
        size = min(region.size_bytes, left)
        left -= size
        if size:
            regions.append(dataclasses.replace(region, size_bytes=size))
    return dataclasses.replace(target, regions=tuple(regions))
