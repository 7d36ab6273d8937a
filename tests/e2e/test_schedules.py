"""Streams and patches give the bytes of layer by layer: through the same kernels and loop.

The schedules are given explicitly. All networks of a test are one program; it runs under sanitizers
on the host and in QEMU, on arenas of exactly the planned size between guard zones.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.device.boards import load_board
from mcuc.errors import ScheduleError
from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import HOST, Target
from mcuc.ops.interpret import run_reference
from mcuc.plan.solve import plan_memory
from mcuc.proof.wrong_step import step_rows
from mcuc.schedule.lower import lower
from mcuc.schedule.spec import Group, with_groups
from mcuc_codegen.project import generate
from tests.support.cases import fill
from tests.support.networks import Network, inverted_residual, random_network, strided_chain

VECTORS = 2


@dataclass(frozen=True)
class Trial:
    """A network under one schedule."""

    graph: Graph
    groups: tuple[Group, ...]

    def unit(self, name: str, target: Target) -> Unit:
        program = lower(self.graph, target, with_groups(self.graph, *self.groups))
        plan = plan_memory(program)
        return Unit(program, plan, generate(program, plan, name, self.graph.name))

    def inputs(self) -> list[list[Array]]:
        rng = np.random.default_rng(7)
        return [
            [fill(rng, self.graph.type(v), "random") for v in self.graph.inputs]
            for _ in range(VECTORS)
        ]


def everything(graph: Graph, kind: str, grid: tuple[int, int] = (1, 1)) -> Trial:
    """All nodes in one group."""
    return Trial(graph, (Group(kind, tuple(range(len(graph.nodes))), grid),))


def check(trials: list[Trial], folder: Path, board_id: str | None) -> None:
    board = None if board_id is None else load_board(board_id)
    target = HOST if board is None else board.target
    units = [trial.unit(f"n{i}", target) for i, trial in enumerate(trials)]
    bench = build_bench(units, folder, board, sanitize=board is None, trace=True, merge=True)
    inputs = [trial.inputs() for trial in trials]
    records = run_bench(bench, units, inputs, trace=True)
    for trial, unit, vectors, runs in zip(trials, units, inputs, records, strict=True):
        per_vector = len(runs) // VECTORS
        for v, vector in enumerate(vectors):
            truth = run_reference(trial.graph, vector, keep_all=True)
            for record in runs[v * per_vector : (v + 1) * per_vector]:
                got = unit.decode(record.outputs)
                for array, port in zip(got, trial.graph.outputs, strict=True):
                    assert array.tobytes() == truth[port].tobytes(), trial.graph.name
            _check_trace(unit, runs[v * per_vector], truth)


def _check_trace(unit: Unit, record, truth: dict[int, Array]) -> None:
    """Every step whose whole box was produced has the hash of the reference's box."""
    crcs = {entry.id: entry.crc32 for entry in record.trace}
    for number, step in enumerate(unit.program.steps()):
        if step.keep:
            rows = step_rows(unit.program.graph, step, truth)
            assert crcs[number] == zlib.crc32(rows.tobytes())


def proofs() -> list[Trial]:
    block = inverted_residual("block", (9, 7))
    chain = strided_chain("chain", (16, 12))
    odd = strided_chain("odd", (15, 13))
    return [
        everything(block, "stream"),
        everything(block, "patch", (2, 2)),
        everything(chain, "stream"),
        everything(chain, "patch", (2, 2)),
        everything(chain, "patch", (3, 1)),
        everything(odd, "stream"),
        everything(odd, "patch", (2, 2)),
        Trial(chain, (Group("patch", (0, 1), (2, 2)), Group("stream", (2, 3)))),
        everything(_two_outputs(), "stream"),
        everything(_head(), "stream"),
        everything(inverted_residual("pads", (8, 8), zero_point=-128), "patch", (4, 4)),
        everything(_dilated(), "stream"),
        everything(_dilated(), "patch", (3, 2)),
        everything(inverted_residual("k7", (11, 9), kernel=7, zero_point=127), "patch", (2, 2)),
    ]


def _two_outputs() -> Graph:
    """A stream whose middle is wanted outside as well, and a reader that needs fewer rows."""
    net = Network("two_outputs", (1, 11, 6, 4))
    middle = net.conv(5, (3, 3), pad="SAME")
    net.conv(3, (3, 3), stride=(2, 2), pad="VALID")
    return net.graph(middle, net.last)


def _dilated() -> Graph:
    """Windows whose first kernel row or column in the map is not the first, nor the next one."""
    net = Network("dilated", (1, 10, 9, 3), -77)
    net.conv(4, (3, 3), dilation=(2, 3), pad=(1, 2, 2, 1))
    net.depthwise((3, 3), dilation=(3, 2), pad=(4, 2, 1, 3))
    net.conv(3, (2, 3), dilation=(2, 2), stride=(2, 1), pad=(1, 1, 1, 3))
    return net.graph()


def _head() -> Graph:
    """Convolution, then a fold that eats its rows as they come, then a pointwise on the result."""
    net = Network("head", (1, 10, 8, 4))
    net.conv(6, (3, 3), pad="SAME", activation="relu")
    net.mean()
    net.conv(3, (1, 1))
    return net.graph()


def random_trials(count: int) -> list[Trial]:
    trials = []
    for seed in range(count):
        graph = random_network(seed)
        rng = np.random.default_rng(1000 + seed)
        nodes = len(graph.nodes)
        first = int(rng.integers(0, nodes - 1))
        last = int(rng.integers(first + 1, nodes + 1))
        span = tuple(range(first, last))
        grid = (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        trials.append(Trial(graph, (Group("stream", span),)))
        patch = Trial(graph, (Group("patch", span, grid),))
        try:
            lower(graph, HOST, with_groups(graph, *patch.groups))
        except ScheduleError as error:  # a mean inside, too small an output, an inner reader
            assert error.code == "E303"
        else:
            trials.append(patch)
    return trials


@pytest.mark.gcc
def test_proofs_on_the_host(tmp_path: Path) -> None:
    check(proofs(), tmp_path, None)


@pytest.mark.qemu
@pytest.mark.parametrize("board", ["qemu_m4", "qemu_m0plus"])
def test_proofs_in_qemu(board: str, tmp_path: Path) -> None:
    check(proofs(), tmp_path, board)


@pytest.mark.gcc
def test_random_networks_on_the_host(tmp_path: Path) -> None:
    trials = random_trials(40)
    kinds = [trial.groups[0].kind for trial in trials]
    assert kinds.count("patch") >= 15
    check(trials, tmp_path, None)


@pytest.mark.qemu
def test_random_networks_in_qemu(tmp_path: Path) -> None:
    check(random_trials(25), tmp_path, "qemu_m4")


def test_streaming_needs_less_memory_and_no_more_macs() -> None:
    """A map that is expanded in between is the gain: it is never whole in memory."""
    graph = inverted_residual("block", (16, 16))
    plain = Trial(graph, ()).unit("plain", HOST)
    stream = everything(graph, "stream").unit("stream", HOST)
    patch = everything(graph, "patch", (2, 2)).unit("patch", HOST)
    expanded = max(value.type.size_bytes for value in graph.values.values())
    arenas = [unit.plan.arena_bytes for unit in (stream, patch, plain)]
    assert arenas == sorted(set(arenas))
    assert arenas[0] < expanded < arenas[2]
    macs = [sum(s.macs for s in unit.program.steps()) for unit in (plain, stream, patch)]
    assert macs[1] <= macs[0] < macs[2], "a stream recomputes nothing, a halo is computed twice"


def test_groups_that_cannot_be_scheduled_are_refused() -> None:
    graph = _head()
    with pytest.raises(ScheduleError, match="E303"):
        lower(graph, HOST, with_groups(graph, Group("patch", (0, 1, 2), (2, 2))))
    with pytest.raises(ScheduleError, match="E302"):
        with_groups(graph, Group("stream", (0, 2)))
    with pytest.raises(ScheduleError, match="E302"):
        with_groups(graph, Group("stream", (0, 1)), Group("stream", (1, 2)))
