"""Writes a model as C: one folder with one header for the application."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import jinja2
import numpy as np

from mcuc.around.plan import Around
from mcuc.ir.program import Program
from mcuc.plan.problem import BASE_ALIGN, MemoryPlan
from mcuc.version import __version__
from mcuc_codegen.around import AroundCode, generate_around
from mcuc_codegen.literals import comment
from mcuc_codegen.ports import PortView, port_views
from mcuc_codegen.sources import driver_headers, kernel_header, kernel_sources, runtime_files
from mcuc_codegen.tables import Tables

DIGEST_BYTES = 16  # MCUC_DIGEST_BYTES
STATE_BYTES = 4  # rows of the input that have come, or runs of a sliding window


@dataclass(frozen=True)
class Region:
    """One RAM region of the model in C."""

    index: int
    name: str
    macro: str
    size_bytes: int


@dataclass(frozen=True)
class Project:
    """The generated files, and what the report and the harness need to know of them.

    Attributes:
        name: Prefix of every public symbol.
        files: Path -> text.
        inputs, outputs: As in the header.
        regions: Used RAM regions in the order of `<name>_memory.ram`.
        weights_bytes: Size of all constant data tables.
        state_bytes: Memory that lives from one call to the next.
        window: Rows of the sliding window that the input is the newest part of; 0 = none slides.
        window_runs: Runs that fill it.
        delivery: How an input outside the plan comes: "pushed", "fetched", or "" without one.
        around: The functions around the model, if there are any.
    """

    name: str
    files: dict[str, str]
    inputs: tuple[PortView, ...]
    outputs: tuple[PortView, ...]
    regions: tuple[Region, ...]
    weights_bytes: int
    state_bytes: int = 0
    delivery: str = ""
    window: int = 0
    window_runs: int = 1
    around: AroundCode | None = None

    @property
    def digest(self) -> bytes:
        """16 bytes that tell this C from any other."""
        parts = (part for item in sorted(self.files.items()) for part in item)
        return hashlib.sha256("\0".join(parts).encode()).digest()[:DIGEST_BYTES]

    @property
    def run_function(self) -> str:
        """The function that computes: what the stack bound is for."""
        if self.window:
            return f"{self.name}_run_hop"
        kinds = {"": "run", "pushed": "push_rows", "fetched": "run_random"}
        return f"{self.name}_{kinds[self.delivery]}"

    @property
    def pushed(self) -> PortView | None:
        """The input that the application pushes in rows."""
        return _outside(self.inputs) if self.delivery == "pushed" else None

    @property
    def fetched(self) -> PortView | None:
        """The input whose rows the model asks the application for."""
        return _outside(self.inputs) if self.delivery == "fetched" else None

    @property
    def given(self) -> PortView | None:
        """The output that the application takes row by row."""
        return _outside(self.outputs)


def _outside(ports: Sequence[PortView]) -> PortView | None:
    """The port that is in no buffer."""
    return next((port for port in ports if port.outside), None)


_MOST_SAID = 20  # lines of a header that repeat what the model file says


@functools.cache
def environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("mcuc_codegen"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def generate(
    program: Program,
    plan: MemoryPlan,
    name: str,
    model_file: str,
    around: Around | None = None,
    said: Sequence[str] = (),
) -> Project:
    """All files of a model.

    Args:
        name: A C identifier; prefixes every symbol and file.
        model_file: The user's file name, for comments.
        around: What is made around the model.
        said: What the model file says of itself, for a comment in the header.
    """
    tables = Tables(program, plan, name)
    inputs = port_views(program.inputs, program.graph, tables, "input", name)
    outputs = port_views(program.outputs, program.graph, tables, "output", name)
    extra = generate_around(around, name, inputs, outputs, environment()) if around else None
    regions = _regions(program, plan, tables, name)
    state_bytes = STATE_BYTES if program.pushes or program.graph.window else program.state_bytes
    context: dict[str, object] = {
        "name": name,
        "NAME": name.upper(),
        "version": __version__,
        "model_file": comment(model_file),
        "said": [comment(line, 96) for line in said[:_MOST_SAID]],
        "numerics": program.numerics,
        "arena_bytes": plan.arena_bytes,
        "align": BASE_ALIGN,
        "regions": regions,
        "inputs": inputs,
        "pushed": _outside(inputs) if program.pushes else None,
        "fetched": _outside(inputs) if program.fetches else None,
        "given": _outside(outputs),
        "sliding": program.window_runs if program.graph.window else 0,
        "window": program.graph.window,
        "state_bytes": state_bytes,
        "states": [_state(program, tables, i) for i in range(len(program.states))],
        "kept": _kept(program),
        "write": f", {name}_write_row write, void *write_context" if _outside(outputs) else "",
        "outputs": outputs,
        "tables": tables,
        "around": extra,
        **_includes(program),
    }
    return Project(
        name=name,
        files=_files(program, name, context),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        regions=tuple(regions),
        weights_bytes=tables.size_bytes + (extra.table_bytes if extra else 0),
        state_bytes=state_bytes,
        window=program.graph.window,
        window_runs=program.window_runs,
        delivery="pushed" if program.pushes else "fetched" if program.fetches else "",
        around=extra,
    )


def _includes(program: Program) -> dict[str, list[str]]:
    """The headers that the model's file includes."""
    params = sorted({step.params.header for step in program.kernel_calls()})
    return {
        "drivers": driver_headers(program) if program.segments else [],
        "kernels": [kernel_header(source) for source in kernel_sources(program)],
        "params_headers": [header.rpartition("/")[2] for header in params],
    }


def _files(program: Program, name: str, context: dict[str, object]) -> dict[str, str]:
    """All files, sorted by name."""
    files = runtime_files(program) | _program_header()
    around = context["around"]
    files |= around.files if isinstance(around, AroundCode) else {}
    for template, path in (
        ("model.h.j2", f"{name}.h"),
        ("model.c.j2", f"{name}.c"),
        ("data.h.j2", f"{name}_data.h"),
        ("arena.c.j2", f"{name}_arena.c"),
        ("main.c.j2", "example_main.c"),
    ):
        files[path] = environment().get_template(template).render(context)
    return dict(sorted(files.items()))


def _state(program: Program, tables: Tables, index: int) -> dict[str, object]:
    """What the templates need of a state: its place, what it starts with and ends with."""
    kept, source = program.states[index], program.graph.states[index].source
    raw = np.ascontiguousarray(kept.initial).view(np.uint8).reshape(-1)
    if kept.result.buffer is None:
        assert kept.result.const is not None
        result = tables.array(kept.result.const, "state after a run")
    else:
        region, offset = tables.place(kept.result.buffer, kept.result.offset)
        result = f"(const uint8_t *)memory->ram[{region}] + {offset}"
    flat = raw.size == 0 or bool((raw == raw[0]).all())
    return {
        "offset": kept.place.offset,
        "size": kept.size_bytes,
        "label": comment(program.graph.values[source].name),
        "initial": "" if flat else tables.array(kept.initial, "state at first"),
        "fill": int(raw[0]) if flat and raw.size else 0,
        "result": result,
    }


def _kept(program: Program) -> bool:
    """Whether all inputs live to the end of a run."""
    buffers = [program.buffers[p.view.buffer] for p in program.inputs if p.view.buffer is not None]
    return bool(buffers) and all(b.last >= len(program.segments) for b in buffers)


def _program_header() -> dict[str, str]:
    """mcuc/program.h is wanted even by a model without steps."""
    from mcuc.data import data_dir

    path = data_dir("runtime_c") / "include" / "mcuc" / "program.h"
    return {"mcuc/program.h": path.read_text(encoding="utf-8")}


def _regions(program: Program, plan: MemoryPlan, tables: Tables, name: str) -> list[Region]:
    return [
        Region(
            index=i,
            name=program.target.regions[r].name,
            macro=f"{name}_ram_{program.target.regions[r].name}_bytes".upper(),
            size_bytes=plan.used_bytes[r],
        )
        for i, r in enumerate(tables.regions)
    ]


def harness_glue(projects: Sequence[Project]) -> str:
    """C source of the table through which the test harness runs models (boards/common)."""
    return environment().get_template("glue.c.j2").render({"projects": projects})
