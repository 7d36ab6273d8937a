"""Lowers a graph to a program under an explicit schedule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from mcuc.errors import InternalError, McucError, ScheduleError, raise_all
from mcuc.ir.graph import Graph, State
from mcuc.ir.program import Form, Kept, Port, Program, Segment, Step
from mcuc.ir.target import Target
from mcuc.ops import spec_of
from mcuc.ops.spec import NUMERICS, Site
from mcuc.schedule import layer, patch, stream
from mcuc.schedule.call import Caller
from mcuc.schedule.select import select_kernel
from mcuc.schedule.spec import Group, Schedule, layer_by_layer
from mcuc.schedule.storage import Storage, renumber
from mcuc.schedule.tile import tiled


def lower(
    graph: Graph,
    target: Target,
    schedule: Schedule | None = None,
    *,
    numerics: str = NUMERICS[0],
    input_mode: str = "consumed",
    forced: Mapping[int, str] | None = None,
) -> Program:
    """Chooses kernels and writes every step with its views; buffers have no offsets yet.

    Args:
        graph: In execution order, verified.
        target: Decides which kernels apply.
        schedule: Default layer by layer.
        numerics: Rule set.
        input_mode: "consumed", "kept", "streamed" or "random": what becomes of the inputs.
        forced: Node index -> kernel symbol, for tests.

    Raises:
        ScheduleError: E301 no kernel, E302/E303 a group that cannot be scheduled as asked.
    """
    schedule = schedule or layer_by_layer(graph)
    callers = scheduled(callers_of(graph, target, numerics, forced), target, schedule, forced or ())
    times, end = _times(schedule, callers)
    storage = Storage.of(graph, times, end, input_mode)
    segments: list[Segment] = []
    for group in schedule.groups:
        live = [i for i in group.nodes if i in callers]
        if not live:
            continue
        build = {"layer": layer.build, "stream": stream.build, "patch": patch.build}[group.kind]
        segments += build(replace(group, nodes=tuple(live)), callers, storage, len(segments))
    ports = {v: _port(storage, v) for v in (*graph.inputs, *graph.outputs)}
    rolling = tuple((ports[before], ports[after]) for before, after in graph.rolling)
    if any(before.view.buffer != after.view.buffer for before, after in rolling):
        raise InternalError("E902", "rows that live from run to run would have to be moved")
    count = len(rolling)  # they are the last of the inputs and of the outputs
    states = tuple(_kept(storage, state) for state in graph.states)
    return Program(
        graph=graph,
        target=target,
        segments=tuple(_resolved(segment, storage) for segment in segments),
        buffers=storage.buffers(),
        inputs=tuple(ports[v] for v in graph.inputs[: len(graph.inputs) - count]),
        outputs=tuple(ports[v] for v in graph.outputs[: len(graph.outputs) - count]),
        overlaps=storage.overlaps(),
        numerics=numerics,
        states=tuple(replace(s, result=renumber(s.result, storage)) for s in states),
        rolling=rolling,
    )


def callers_of(
    graph: Graph,
    target: Target,
    numerics: str = NUMERICS[0],
    forced: Mapping[int, str] | None = None,
) -> dict[int, Caller]:
    """Every node that executes, with its kernel; node index -> caller.

    Raises:
        ScheduleError: E301 for all nodes that no kernel runs.
    """
    errors: list[McucError] = []
    callers: dict[int, Caller] = {}
    for i, node in enumerate(graph.nodes):
        spec = spec_of(node.op)
        if spec.alias:
            continue
        site = Site.of(graph, node, numerics)
        try:
            kernel = select_kernel(spec, site, target, (forced or {}).get(i))
        except ScheduleError as error:
            errors.append(error)
            continue
        if spec.variadic:
            kernel = replace(kernel, operands=tuple(range(len(node.inputs))))
        callers[i] = Caller(i, node, spec, site, kernel)
    raise_all(errors)
    return callers


def scheduled(
    callers: Mapping[int, Caller], target: Target, schedule: Schedule, forced: Collection[int] = ()
) -> dict[int, Caller]:
    """The fastest callers as a schedule wants them: with less scratch, and in tiles.

    Args:
        callers: As `callers_of` gives them.
        target: Decides which kernels apply.
        schedule: What is wanted.
        forced: Nodes whose kernels are given.
    """
    result = dict(callers)
    if schedule.scratch_limit is not None:
        given = schedule.fastest.union(forced)
        free = {i: caller for i, caller in callers.items() if i not in given}
        result |= sparing(free, target, schedule.scratch_limit)
    return tiled(result, schedule.tiles)


def sparing(callers: Mapping[int, Caller], target: Target, scratch_limit: int) -> dict[int, Caller]:
    """The callers, those whose kernels take more scratch than that with others where there are."""
    result = dict(callers)
    for i, caller in callers.items():
        kernel = select_kernel(caller.spec, caller.site, target, scratch_limit=scratch_limit)
        if kernel.symbol != caller.kernel.symbol:
            if caller.spec.variadic:
                kernel = replace(kernel, operands=caller.kernel.operands)
            result[i] = replace(caller, kernel=kernel)
    return result


def _times(schedule: Schedule, callers: Mapping[int, Caller]) -> tuple[dict[int, int], int]:
    """Node -> index of the segment at whose end it is complete; and the number of segments."""
    times: dict[int, int] = {}
    now = 0
    for group in schedule.groups:
        for i in group.nodes:
            if i not in callers:  # a reshape: done as soon as what precedes it; part of a tile
                times[i] = max(0, now - 1) if group.kind == "layer" else now
        live = [i for i in group.nodes if i in callers]
        if not live:
            continue
        count = _segment_count(group, live, callers)
        for i in live:
            times[i] = now + count - 1
        now += count
    return times, now


def _segment_count(group: Group, live: list[int], callers: Mapping[int, Caller]) -> int:
    if group.kind == "stream":
        return 1
    if group.kind == "patch":
        return patch.segment_count(group.grid, len(live))
    return 1


def _kept(storage: Storage, state: State) -> Kept:
    place, result = (_port(storage, v).view for v in (state.source, state.result))
    size = storage.graph.type(state.source).size_bytes
    return Kept(place, result, size, state.initial)


def _port(storage: Storage, value: int) -> Port:
    shape = storage.graph.type(value).nhwc
    view = storage.dense(value, (shape[0] * shape[1], shape[2], shape[3]), 0, False)
    return Port(value, renumber(view, storage))


def _form(step: Step, storage: Storage) -> Form:
    """Rows that cross the border by a function of the application have forms of their own."""
    if storage.graph.nodes[step.node].outputs[0] in storage.outside:
        return Form.GIVE
    asks = storage.fetches and any(operand.outside for operand in step.inputs)
    return Form.FETCH if asks and step.form is Form.PIXEL else step.form


def _resolved(segment: Segment, storage: Storage) -> Segment:
    def step(s: Step) -> Step:
        return replace(
            s,
            form=_form(s, storage),
            parts=tuple(step(part) for part in s.parts),
            inputs=tuple(replace(o, view=renumber(o.view, storage)) for o in s.inputs),
            output=renumber(s.output, storage),
            line=None if s.line is None else renumber(s.line, storage),
            scratch=None if s.scratch is None else storage.resolve(s.scratch),
        )

    return replace(
        segment,
        steps=tuple(step(s) for s in segment.steps),
        progress=None if segment.progress is None else storage.resolve(segment.progress),
    )
