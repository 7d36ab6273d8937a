"""Which schedule is compiled: by the user's word, or from the front that the search finds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mcuc.compiler.options import Options, usage
from mcuc.errors import MemoryBudgetError, ScheduleError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Program
from mcuc.ir.target import Target
from mcuc.plan.problem import MemoryPlan
from mcuc.plan.solve import plan_memory
from mcuc.schedule.call import Caller
from mcuc.schedule.front import Point, front
from mcuc.schedule.lower import callers_of, lower, sparing
from mcuc.schedule.spec import Group, Schedule, with_groups

EXTRA_WORK = 1.03  # "auto" may predict this many times the instructions of the fastest
SMALL_SCRATCH = 2048  # bytes that kernels are to keep to where memory counts
LEAST_SCRATCH = 256  # the same where memory counts more than work that is done twice
RESERVE_BYTES = 1024  # for stack and static data, which are not known before C is compiled


@dataclass(frozen=True)
class Chosen:
    """A planned program, the front it was chosen from, and which point it is (None: by hand)."""

    program: Program
    plan: MemoryPlan
    kind: str
    front: tuple[Point, ...]
    point: int | None


def choose(graph: Graph, target: Target, options: Options) -> Chosen:
    """Lowers and plans the graph under the schedule that the options ask for.

    Raises:
        ScheduleError: E302..E307. MemoryBudgetError: E401.
    """
    by_hand = _by_hand(graph, target, options)
    if by_hand is not None:
        program, plan = _planned(graph, target, by_hand, options)
        return Chosen(program, plan, by_hand.kind, (), None)
    points = front(
        graph, _kernels(graph, target, options), options.input_mode, options.max_recompute
    )
    refusal: MemoryBudgetError | None = None
    best: Chosen | None = None
    for number in _preferred(points, options):
        if best is not None and best.plan.arena_bytes <= points[number].ram_bytes:
            break  # the points that follow need more
        schedule = points[number].schedule
        try:
            program, plan = _planned(graph, target, schedule, options)
        except MemoryBudgetError as error:
            refusal = error
            continue
        made = Chosen(program, plan, schedule.kind, points, number)
        if options.minimize != "sram" or options.point is not None:
            return made
        if best is None or plan.arena_bytes < best.plan.arena_bytes:
            best = made  # placement may add to the need of the first points
    if best is not None:
        return best
    assert refusal is not None
    raise refusal


def _kernels(graph: Graph, target: Target, options: Options) -> dict[int | None, dict[int, Caller]]:
    """The fastest kernels, and where that makes a difference those with little scratch."""
    fastest = callers_of(graph, target, options.numerics)
    found: dict[int | None, dict[int, Caller]] = {None: fastest}
    for limit in (SMALL_SCRATCH, LEAST_SCRATCH) if options.max_recompute > 0 else (SMALL_SCRATCH,):
        small = sparing(fastest, target, limit)
        if any(small[i] is not fastest[i] for i in fastest):
            found[limit] = small
    return found


def _preferred(points: tuple[Point, ...], options: Options) -> Iterator[int]:
    """Points in the order in which they are tried; the first that fits is taken."""
    if options.point is not None:
        if not 0 <= options.point < len(points):
            raise usage("point", f"{options.point} is not one of 0 to {len(points) - 1}")
        yield options.point
        return
    most = math.inf if options.latency is None else options.latency
    fast = [n for n, point in enumerate(points) if point.instructions <= most]
    if not fast:
        raise ScheduleError(
            "E307",
            f"no schedule is predicted to take {most:,} instructions or less",
            why=f"the fastest takes {points[-1].instructions:,}",
            help="`mcuc schedule` shows all choices; the prediction is in instructions, not cycles",
        )
    if options.minimize == "sram":
        yield from fast
    elif options.minimize == "latency" or options.sram_bytes is not None:
        limit = math.inf if options.sram_bytes is None else options.sram_bytes - RESERVE_BYTES
        yield from (n for n in reversed(fast) if points[n].ram_bytes <= limit)
        yield fast[0]
    else:
        most = min(most, EXTRA_WORK * points[-1].instructions)
        first = next((n for n in fast if points[n].instructions <= most), fast[-1])
        yield from range(first, fast[0] - 1, -1)


def _planned(
    graph: Graph, target: Target, schedule: Schedule, options: Options
) -> tuple[Program, MemoryPlan]:
    program = lower(
        graph, target, schedule, numerics=options.numerics, input_mode=options.input_mode
    )
    return program, plan_memory(program)


def _by_hand(graph: Graph, target: Target, options: Options) -> Schedule | None:
    """The schedule of `groups`, "layer", "stream" or "patch:HxW@INDEX"; None for a search."""
    if options.groups or options.schedule == "layer":
        return with_groups(graph, *options.groups)
    if options.schedule == "stream":
        return with_groups(graph, *_everything(graph, target, options))
    if options.patch is None:
        return None
    rows, columns, index = options.patch
    nodes = [i for i, n in enumerate(graph.nodes) if (n.loc.op_index or 0) <= index]
    if not nodes or graph.nodes[nodes[-1]].loc.op_index != index:
        known = [n.loc.op_index for n in graph.nodes if n.loc.op_index is not None]
        raise ScheduleError(
            "E306",
            f"op {index} cannot end the patches",
            why="it is not among the compiled ops " + ", ".join(map(str, known)),
            help="take an op index that `mcuc inspect` shows",
        )
    return with_groups(graph, Group("patch", tuple(range(nodes[-1] + 1)), (rows, columns)))


def _everything(graph: Graph, target: Target, options: Options) -> list[Group]:
    """The longest runs of nodes that can stream."""
    callers = callers_of(graph, target, options.numerics)
    groups: list[list[int]] = [[]]
    for i in range(len(graph.nodes)):
        if i not in callers or not callers[i].streams:
            groups.append([])
            continue
        written = {callers[k].node.outputs[0]: callers[k] for k in groups[-1]}
        caller = callers[i]
        for position in caller.kernel.operands:
            producer = written.get(caller.operand_value(position))
            if producer is not None and not caller.reads_rows_of(position, producer):
                groups.append([])
                break
        groups[-1].append(i)
    return [Group("stream", tuple(nodes)) for nodes in groups if len(nodes) > 1]
