"""The test bench: one or more compiled models in one test program, on the host or a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcuc.device import firmware, harness, remote, toolchain
from mcuc.device.board import Board
from mcuc.ir.graph import Array
from mcuc.ir.program import Program
from mcuc.plan.problem import MemoryPlan
from mcuc_codegen.project import Project, harness_glue

POISONS = (0x55, 0xAA)


@dataclass(frozen=True)
class Unit:
    """One compiled model of a bench."""

    program: Program
    plan: MemoryPlan
    project: Project

    def encode(self, vector: Sequence[Array]) -> tuple[bytes, ...]:
        """The bytes of one set of inputs."""
        return tuple(np.ascontiguousarray(array).tobytes() for array in vector)

    def decode(self, outputs: Sequence[bytes]) -> list[Array]:
        """Outputs as arrays."""
        types = [self.program.graph.type(port.value) for port in self.program.outputs]
        return [
            np.frombuffer(raw, type_.dtype.numpy).reshape(type_.shape)
            for raw, type_ in zip(outputs, types, strict=True)
        ]


def build_bench(
    units: Sequence[Unit],
    folder: Path,
    board: Board | None,
    *,
    optimize: str = "balanced",
    trace: bool = False,
    sanitize: bool = False,
    stack_usage: bool = False,
    merge: bool = False,
    compiler: toolchain.Toolchain | None = None,
    transport: str = "semihosting",
) -> firmware.Program:
    """Writes the sources of all units into `folder` and links them with the harness.

    The arena of the test program is exactly as large as the largest plan, between guard zones.

    Args:
        merge: Compile all units as one translation unit that shares its kernels: fast for many
            small models.
        compiler: Default: the best one installed.
        transport: Of firmware.TRANSPORTS.
    """
    sources = _written(units, folder, merge)
    steps = max((len(unit.program.steps()) for unit in units), default=0)
    config = firmware.HarnessConfig(
        region_bytes=_region_bytes(units),
        region_names=_region_names(units, board),
        state_bytes=max(unit.project.state_bytes for unit in units),
        guard_bytes=_guard_bytes(board),
        max_steps=max(1, steps) if trace else 0,
        sanitize=sanitize,
        transport=transport,
    )
    return firmware.build_program(
        sources,
        config,
        folder / "build",
        board=board,
        toolchain=compiler,
        options=toolchain.Options(
            optimize=optimize,
            include_dirs=tuple(folder / unit.project.name for unit in units),
            stack_usage=stack_usage,
        ),
    )


def _guard_bytes(board: Board | None) -> int:
    """A real part, or a fenced one that stands for it, is small."""
    if board is None or (board.emulator is not None and not board.emulator.ram_limit_bytes):
        return 1024
    return 256


def _written(units: Sequence[Unit], folder: Path, merge: bool) -> list[toolchain.Source]:
    """What is compiled: the models, in one file if they are merged, and the harness's glue."""
    for unit in units:
        for name, text in unit.project.files.items():
            path = folder / unit.project.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    glue = folder / "glue.c"
    glue.write_text(harness_glue([unit.project for unit in units]), encoding="utf-8")
    models = [f"{unit.project.name}/{unit.project.name}.c" for unit in units]
    if not merge:
        return [*(toolchain.Source(folder / model) for model in models), toolchain.Source(glue)]
    merged = folder / "models.c"
    rows = max(rows_of(unit) for unit in units)
    defines = f"#define MCUC_MAX_REGIONS 4\n#define MCUC_MAX_KERNEL_ROWS {rows}\n"
    includes = "".join(f'#include "{model}"\n' for model in models)
    merged.write_text(defines + includes, encoding="utf-8")
    return [toolchain.Source(merged), toolchain.Source(glue)]


def rows_of(unit: Unit) -> int:
    """Kernel rows of the largest window of a model: MCUC_MAX_KERNEL_ROWS."""
    return max((s.window.kernel[0] for s in unit.program.leaves() if s.window), default=1)


def _region_bytes(units: Sequence[Unit]) -> tuple[int, ...]:
    count = max(1, *(len(unit.project.regions) for unit in units))
    return tuple(
        max(
            (u.project.regions[i].size_bytes for u in units if i < len(u.project.regions)),
            default=0,
        )
        for i in range(count)
    )


def _region_names(units: Sequence[Unit], board: Board | None) -> tuple[str, ...]:
    if board is None:
        return ()
    widest = max(units, key=lambda unit: len(unit.project.regions))
    known = {region.name for region in board.target.regions}
    names = tuple(r.name for r in widest.project.regions)
    return names if set(names) <= known else ()


def run_bench(
    bench: firmware.Program,
    units: Sequence[Unit],
    vectors: Sequence[Sequence[Sequence[Array]]],
    *,
    runs: int = 2,
    poisons: Sequence[int] = POISONS,
    trace: bool = False,
    watch: tuple[int, int] = (-1, 0),
    timeout_s: float = 600.0,
    run_s: float | None = None,
    port: str = "",
) -> list[list[harness.RunRecord]]:
    """Runs all vectors of all units; by unit, the records of every vector, poison and run.

    Args:
        vectors: By unit, the sets of inputs.
        runs: How often each vector runs in a row.
        poisons: What the arena is filled with before; each gives its own runs.
        watch: See `harness.Request`.
        timeout_s: For everything.
        run_s: For one run, where that can be told; None = as for everything.
        port: Of the device, for a program with a serial port; "" = its board's emulator.

    Raises:
        DeviceError: a fault, or memory outside the model's was written.
    """
    requests = [
        harness.Request(
            model=i,
            vectors=tuple(unit.encode(vector) for vector in vectors[i]),
            poison=poison,
            runs=runs,
            trace=trace,
            watch=watch,
        )
        for i, unit in enumerate(units)
        for poison in poisons
    ]
    if bench.config.transport == "uart":
        records = remote.run_requests(
            bench,
            requests,
            timeout_s=timeout_s,
            run_s=timeout_s if run_s is None else run_s,
            port=port,
            digests=[unit.project.digest for unit in units],
        )
    else:
        records = harness.run_requests(bench, requests, timeout_s=timeout_s)
    result: list[list[harness.RunRecord]] = []
    for i in range(len(units)):
        mine = records[i * len(poisons) : (i + 1) * len(poisons)]
        by_vector = zip(*mine, strict=True)
        result.append([record for group in by_vector for runs_ in group for record in runs_])
    return result
