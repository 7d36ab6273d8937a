"""Every op, every kernel that applies, every case: the C gives the bytes of the reference.

One program per op holds all its cases, each compiled as a model of one node with the kernel forced.
It runs under ASan and UBSan on the host and in QEMU, every case twice in a row on an arena
pre-filled with 0x55 and 0xAA, between guard zones.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.device.boards import load_board
from mcuc.ir.graph import Array
from mcuc.ir.target import HOST, Target
from mcuc.ops import registry, spec_of
from mcuc.ops.spec import Site
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import lower
from mcuc.schedule.select import applicable
from mcuc_codegen.project import generate
from tests.support.cases import Case

VECTORS = 2
OPS = sorted(registry())
# What the DSP extension and Helium do has plain C twins: all kernels run on the host.
HOST_ALL = replace(HOST, dsp=True, mve=True)
DSP, MVE = "__dsp", "__mve"
# Register tiles of multiply-accumulate: assembly on Armv7-M, other C on Armv6-M.
TILES = r"__c_\d+x\d+$"


def ops_with(kernels: str) -> list[str]:
    """Ops that have kernels with a pattern in their names."""
    return [op for op in OPS if any(re.search(kernels, k.symbol) for k in spec_of(op).kernels)]


def cases_of(op: str) -> list[Case]:
    module = importlib.import_module(f"tests.vectors.{op}")
    return list(module.cases() if hasattr(module, "cases") else module.CASES)


@dataclass(frozen=True)
class Trial:
    """A case with one of its kernels."""

    case: Case
    kernel: str | None
    unit: Unit
    inputs: list[list[Array]]
    expected: list[tuple[Array, ...]]


def trials(op: str, target: Target, only: str = "") -> list[Trial]:
    """Each case with each kernel that applies, or only those whose names have a pattern."""
    result = []
    for number, case in enumerate(cases_of(op)):
        graph = case.graph()
        node = graph.nodes[0]
        spec = spec_of(op)
        site = Site.of(graph, node, case.numerics)
        kernels = [k.symbol for k in applicable(spec, site, target)] or [None]
        if only:
            kernels = [kernel for kernel in kernels if kernel and re.search(only, kernel)]
        if not kernels:
            continue
        inputs = case.inputs(VECTORS)
        expected = [_reference(site, node, graph, vector) for vector in inputs]
        for k, kernel in enumerate(kernels):
            forced = {} if kernel is None else {0: kernel}
            program = lower(graph, target, numerics=case.numerics, forced=forced)
            plan = plan_memory(program)
            project = generate(program, plan, f"c{number}_{k}", case.name)
            result.append(Trial(case, kernel, Unit(program, plan, project), inputs, expected))
    return result


def _reference(site, node, graph, vector) -> tuple[Array, ...]:
    given = dict(zip(graph.inputs, vector, strict=True))
    operands = [None if v is None else given.get(v, graph.values[v].const) for v in node.inputs]
    return spec_of(node.op).ref(site, *operands)


def bits(x: Array) -> bytes:
    """The bytes; NaN, whose sign and payload machines choose, always the same."""
    alike = np.where(np.isnan(x), np.float32(np.nan), x) if x.dtype == np.float32 else x
    return np.ascontiguousarray(alike).tobytes()


def check(
    made: list[Trial], folder: Path, board_id: str | None, optimize: str = "balanced"
) -> None:
    board = None if board_id is None else load_board(board_id)
    units = [trial.unit for trial in made]
    bench = build_bench(units, folder, board, sanitize=board is None, merge=True, optimize=optimize)
    records = run_bench(bench, units, [trial.inputs for trial in made])
    wrong = []
    for trial, runs in zip(made, records, strict=True):
        per_vector = len(runs) // VECTORS
        for i, record in enumerate(runs):
            outputs = trial.unit.decode(record.outputs)
            for got, want in zip(outputs, trial.expected[i // per_vector], strict=True):
                assert got.dtype == want.dtype
                assert got.shape == want.shape
                if bits(got) != bits(want):
                    where = np.argwhere(got != want)
                    wrong.append(
                        f"{trial.case.name} {trial.kernel} run {i}: {len(where)} of {got.size} "
                        f"differ, first at {where[0].tolist() if len(where) else 'sign of zero'}: "
                        f"{got[tuple(where[0])] if len(where) else ''} != "
                        f"{want[tuple(where[0])] if len(where) else ''}"
                    )
                    break
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.gcc
@pytest.mark.parametrize("op", OPS)
def test_kernels_on_the_host_under_sanitizers(op: str, tmp_path: Path) -> None:
    check(trials(op, HOST_ALL), tmp_path, None)


@pytest.mark.qemu
@pytest.mark.parametrize("op", OPS)
def test_kernels_on_cortex_m4(op: str, tmp_path: Path) -> None:
    check(trials(op, load_board("qemu_m4").target), tmp_path, "qemu_m4")


@pytest.mark.qemu
@pytest.mark.parametrize("board", ["qemu_m7", "qemu_m33"])
@pytest.mark.parametrize("op", ops_with(DSP))
def test_kernels_on_other_cores_with_dsp(op: str, board: str, tmp_path: Path) -> None:
    check(trials(op, load_board(board).target, DSP), tmp_path, board)


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("op", "kernels"),
    [("conv2d", "1x1__dsp_3"), ("depthwise_conv2d", "k3__dsp|dsp_6x1"), ("fully_connected", DSP)],
)
def test_assembly_does_not_depend_on_where_it_lies(op: str, kernels: str, tmp_path: Path) -> None:
    """With -Os functions begin at any halfword."""
    check(trials(op, load_board("qemu_m4").target, kernels), tmp_path, "qemu_m4", "size")


@pytest.mark.qemu
@pytest.mark.parametrize("board", ["qemu_m3", "qemu_m0plus"])
@pytest.mark.parametrize("op", ops_with(TILES))
def test_tiles_on_cores_without_dsp(op: str, board: str, tmp_path: Path) -> None:
    check(trials(op, load_board(board).target, TILES), tmp_path, board)


@pytest.mark.qemu
@pytest.mark.parametrize("op", ops_with(MVE))
def test_helium_on_cortex_m55(op: str, tmp_path: Path) -> None:
    check(trials(op, load_board("qemu_m55").target, MVE), tmp_path, "qemu_m55")
