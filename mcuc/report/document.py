"""The report document, schema version 1 (docs/report.md). Plain data: JSON types only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from mcuc.cost.model import predicted
from mcuc.ir.graph import Graph, Node
from mcuc.ir.program import Buffer, Form, Program, Segment, Step
from mcuc.ops import spec_of
from mcuc.ops.spec import Site
from mcuc.plan.problem import MemoryPlan, Problem, occupied_bytes, peak

SCHEMA_VERSION = 1
Json = dict[str, Any]


@dataclass(frozen=True)
class Origin:
    """What was compiled, and how.

    Attributes:
        file: Model file name.
        sha256: Of the model file.
        name: Prefix of the generated C.
        board, core: Ids.
        clock: Of a real board, what measurements depend on: see docs/report.md.
        options: The user's options as given.
        version: mcuc's version.
    """

    file: str
    sha256: str
    name: str
    board: str
    core: str
    options: Json
    version: str
    clock: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Footprint:
    """Sizes of the linked firmware with the example application; None where no compiler was found.

    Attributes:
        stack_bytes: Bound on the stack of a run, from the compiler's call graph.
        static_bytes: .data and .bss without the arena.
        code_bytes: Flash without weights: code, tables, start-up.
        total_bytes: Flash, all of it.
        symbols: Function or table -> flash bytes.
        compiler: Name and version.
    """

    stack_bytes: int | None
    static_bytes: int | None
    code_bytes: int | None
    total_bytes: int | None
    symbols: dict[str, int]
    compiler: str


def document(
    origin: Origin,
    source: Graph,
    program: Program,
    plan: MemoryPlan,
    weights_bytes: int,
    state_bytes: int,
    footprint: Footprint,
    schedule: Json,
) -> Json:
    """The report of a compilation; `run`, `verify` and `accuracy` are null until measured."""
    return {
        "schema": SCHEMA_VERSION,
        "mcuc": origin.version,
        "model": {"file": origin.file, "sha256": origin.sha256, "name": origin.name},
        "board": {"id": origin.board, "core": origin.core, **origin.clock},
        "options": origin.options,
        "numerics": program.numerics,
        "inputs": [port(program.graph, p.value) for p in program.inputs],
        "outputs": [port(program.graph, p.value) for p in program.outputs],
        "memory": _memory(program, plan, footprint, state_bytes),
        "flash": {
            "weights_bytes": weights_bytes,
            "code_bytes": footprint.code_bytes,
            "total_bytes": footprint.total_bytes,
            "limit_bytes": program.target.flash_bytes,
            "symbols": footprint.symbols,
            "compiler": footprint.compiler,
        },
        "macs": {
            "model": graph_macs(source, program.numerics),
            "layer_by_layer": graph_macs(program.graph, program.numerics),
            "executed": sum(step.macs for step in program.steps()),
        },
        "removed": _removed(source, program.graph),
        "schedule": {**schedule, "segments": _segments(program, plan)},
        "layers": _layers(program, plan),
        "run": None,
        "verify": None,
        "accuracy": None,
        "evidence": None,
        "notes": [*program.notes, *_external(program, plan)],
    }


def graph_macs(graph: Graph, numerics: str) -> int:
    """Multiply-accumulates of a graph, every output element once."""
    return sum(spec_of(n.op).macs(Site.of(graph, n, numerics)) for n in graph.nodes)


def _removed(source: Graph, graph: Graph) -> list[Json]:
    """The layers of the model that the passes took away or made narrower."""
    left = {node.loc.op_index: _channels(graph, node) for node in graph.nodes}
    # of the nodes that an operator became the last one speaks for it
    layers = {node.loc.op_index: node for node in source.nodes}
    result = []
    for index, node in layers.items():
        channels, now = _channels(source, node), left.get(index)
        if now != channels:
            result.append(
                {
                    "index": index,
                    "name": node.loc.tensor,
                    "op": node.loc.op or node.op,
                    "channels": None if now is None else channels - now,
                }
            )
    return result


def _channels(graph: Graph, node: Node) -> int:
    shape = graph.type(node.outputs[0]).shape
    return shape[-1] if shape else 1


def port(graph: Graph, value: int) -> Json:
    """An input or output: name, shape, element type, quantization."""
    v = graph.values[value]
    quant = v.type.quant
    return {
        "name": v.name,
        "shape": list(v.type.shape),
        "dtype": v.type.dtype.value,
        "scale": None if quant is None else quant.scale,
        "zero_point": None if quant is None else quant.zero_point,
    }


def _memory(program: Program, plan: MemoryPlan, footprint: Footprint, state_bytes: int) -> Json:
    regions = [
        {"name": r.name, "used_bytes": used, "size_bytes": r.size_bytes}
        for r, used in zip(program.target.regions, plan.used_bytes, strict=True)
    ]
    known = [footprint.static_bytes or 0, footprint.stack_bytes or 0]
    return {
        "arena_bytes": plan.arena_bytes,
        "state_bytes": state_bytes,
        "static_bytes": footprint.static_bytes,
        "stack_bytes": footprint.stack_bytes,
        "total_bytes": plan.arena_bytes + state_bytes + sum(known),
        "lower_bound_bytes": plan.lower_bound_bytes,
        "solver": plan.solver,
        "optimal": plan.optimal,
        "regions": regions,
        "buffers": [
            _buffer(b, program.target.regions[p.region].name, p.offset)
            for b, p in zip(program.buffers, plan.placements, strict=True)
        ],
        "peak": _peak(program),
    }


def _external(program: Program, plan: MemoryPlan) -> list[str]:
    """What nobody should overlook: tensors in external memory."""
    return [
        f"{used:,} bytes of the arena lie in external memory ({region.name}), as they fit nowhere "
        "else: runs will be slow"
        for region, used in zip(program.target.regions, plan.used_bytes, strict=True)
        if region.external and used
    ]


def _buffer(buffer: Buffer, region: str, offset: int) -> Json:
    return {
        "label": buffer.label,
        "kind": buffer.kind,
        "bytes": buffer.size_bytes,
        "first": buffer.first,
        "last": buffer.last,
        "region": region,
        "offset": offset,
    }


def _peak(program: Program) -> Json | None:
    """What limits the arena: the live buffers at the moment of most use, largest first."""
    if not program.buffers:
        return None
    moment, live_bytes = peak(Problem.of(program).conflicts)
    live = [b for b in program.buffers if b.first <= moment <= b.last]
    segment = program.segments[moment] if 0 <= moment < len(program.segments) else None
    return {
        "segment": moment,
        "layer": None if segment is None else _segment_name(program, segment),
        "live_bytes": live_bytes,
        "live": [
            {"label": b.label, "kind": b.kind, "bytes": b.size_bytes}
            for b in sorted(live, key=lambda b: -b.size_bytes)
        ],
        "advice": _advice(live),
    }


def _advice(live: list[Buffer]) -> list[str]:
    """What would lower the peak, from what is live there."""
    largest = max(live, key=lambda b: b.size_bytes)
    advice = []
    if largest.kind in ("input", "activation"):
        advice.append(
            f"{largest.label} ({largest.size_bytes:,} B) is held whole: streaming its rows through "
            "a segment, or a smaller resolution or width there, lowers the peak"
        )
    scratch = sum(b.size_bytes for b in live if b.kind == "scratch")
    if scratch:
        advice.append(f"{scratch:,} B of the peak are kernel scratch")
    held = [b for b in live if b.kind == "activation" and b is not largest]
    if len(held) > 1:
        advice.append(
            f"{len(held)} more tensors are live at the peak: a skip connection that starts later "
            "would free one"
        )
    return advice


def _segment_name(program: Program, segment: Segment) -> str:
    first = program.graph.nodes[segment.steps[0].node]
    return f"{first.op} {first.loc.tensor}".strip()


def _segments(program: Program, plan: MemoryPlan) -> list[Json]:
    result = []
    number = 0
    for moment, segment in enumerate(program.segments):
        live = occupied_bytes(program.buffers, plan, moment)
        ids = list(range(number, number + len(segment.steps)))
        number += len(segment.steps)
        result.append(
            {"kind": segment.kind, "label": segment.label, "steps": ids, "live_bytes": live}
        )
    return result


def predicted_of(step: Step) -> int:
    """Instructions that the cost model of the search expects of a step."""
    box = step.box
    calls = 1 if step.form in (Form.PIXEL, Form.WHOLE) else step.rows[1] - step.rows[0]
    elements = box.height * box.width * box.channels
    return round(predicted(step.symbol, step.macs, elements, calls))


def _layers(program: Program, plan: MemoryPlan) -> list[Json]:
    """One entry per node of the compiled graph that executes, in order of first execution."""
    by_node: dict[int, Json] = {}
    for moment, segment in enumerate(program.segments):
        live = occupied_bytes(program.buffers, plan, moment)
        for step in (leaf for outer in segment.steps for leaf in outer.leaves):
            node = program.graph.nodes[step.node]
            entry = by_node.setdefault(
                step.node,
                {
                    "index": node.loc.op_index,
                    "name": node.loc.tensor,
                    "op": node.loc.op or node.op,
                    "shape": list(program.graph.type(node.outputs[0]).shape),
                    "macs": 0,
                    "kernel": step.symbol,
                    "proofs": [asdict(proof) for proof in step.params.proofs],
                    "instructions": None,
                    "predicted": 0,
                    "ram_bytes": 0,
                },
            )
            entry["macs"] += step.macs
            entry["predicted"] += predicted_of(step)
            entry["ram_bytes"] = max(entry["ram_bytes"], live)
    return list(by_node.values())
