"""What becomes of inputs: overwritten by the run, kept by it, pushed row by row, or asked for.

Small random networks and the digits model, on the host under sanitizers and in QEMU, on arenas of
exactly the planned size between guard zones.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.compiler import bench as bench_module
from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import INPUT_MODES, OUTPUT_MODES, Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.device import harness
from mcuc.device.boards import load_board
from mcuc.errors import ScheduleError
from mcuc.frontends.tflite.load import load_tflite
from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc.schedule.spec import Group
from mcuc_codegen.project import Project, generate
from tests.support.cases import fill
from tests.support.models import DIGITS
from tests.support.networks import Network, random_network, strided_chain

RESET = 0
VECTORS = 2
PLACES = [
    pytest.param(None, marks=pytest.mark.gcc, id="host"),
    pytest.param("qemu_m4", marks=pytest.mark.qemu, id="qemu_m4"),
]


@dataclass(frozen=True)
class Trial:
    """A network compiled for one input mode."""

    graph: Graph
    unit: Unit

    @classmethod
    def of(cls, graph: Graph, mode: str, name: str, board: str | None, **more: Any) -> Trial:
        target = HOST if board is None else load_board(board).target
        made = lower_and_plan(graph, target, Options(input_mode=mode, **more))
        project = generate(made.program, made.plan, name, graph.name)
        return cls(graph, Unit(made.program, made.plan, project))

    def vectors(self) -> list[list[Array]]:
        rng = np.random.default_rng(3)
        return [
            [fill(rng, self.graph.type(v), "random") for v in self.graph.inputs]
            for _ in range(VECTORS)
        ]

    def check(self, vectors: list[list[Array]], records: list[harness.RunRecord]) -> None:
        per_vector = len(records) // VECTORS
        for i, record in enumerate(records):
            assert record.code == 0, self.graph.name
            wanted = run_reference(self.graph, vectors[i // per_vector])
            for got, want in zip(self.unit.decode(record.outputs), wanted, strict=True):
                assert got.tobytes() == want.tobytes(), self.graph.name


def ignoring_the_last_rows() -> Graph:
    """VALID with stride 3 on 12 rows: the last two are in no window."""
    net = Network("ignores", (1, 12, 7, 3))
    net.conv(4, (4, 3), stride=(3, 2), pad="VALID")
    net.depthwise((3, 3), pad="SAME")
    return net.graph()


def skip_of_the_input() -> Graph:
    """The input is read twice, by the first layer and by the last."""
    net = Network("skip", (1, 9, 6, 4))
    net.depthwise((3, 3), pad="SAME")
    net.conv(4, (1, 1))
    net.add(0)
    return net.graph()


def networks() -> list[Graph]:
    return [
        strided_chain("chain", (16, 12)),
        ignoring_the_last_rows(),
        skip_of_the_input(),
        load_tflite(DIGITS),
        *(random_network(seed) for seed in range(100, 116)),
    ]


def build(trials: list[Trial], folder: Path, board_id: str | None):
    board = None if board_id is None else load_board(board_id)
    units = [trial.unit for trial in trials]
    return units, build_bench(units, folder, board, sanitize=board is None, merge=True)


@pytest.mark.parametrize("board", PLACES)
@pytest.mark.parametrize("mode", INPUT_MODES)
def test_outputs_equal_the_reference(mode: str, board: str | None, tmp_path: Path) -> None:
    trials = [Trial.of(graph, mode, f"n{i}", board) for i, graph in enumerate(networks())]
    units, bench = build(trials, tmp_path, board)
    vectors = [trial.vectors() for trial in trials]
    for trial, given, records in zip(
        trials, vectors, run_bench(bench, units, vectors), strict=True
    ):
        trial.check(given, records)


# --- kept and consumed ----------------------------------------------------------------------------


@pytest.mark.parametrize("board", PLACES)
def test_kept_inputs_survive_and_consumed_ones_need_not(board: str | None, tmp_path: Path) -> None:
    graphs = networks()
    trials = [
        Trial.of(graph, mode, f"{mode}{i}", board)
        for mode in ("kept", "consumed")
        for i, graph in enumerate(graphs)
    ]
    _, bench = build(trials, tmp_path, board)
    requests = [
        harness.Request(model=i, vectors=tuple(trial.unit.encode(v) for v in trial.vectors()),
                        dump_ram=True)
        for i, trial in enumerate(trials)
    ]  # fmt: skip
    records = harness.run_requests(bench, requests, timeout_s=300)
    survived = []
    for trial, of_vectors in zip(trials, records, strict=True):
        port = trial.unit.project.inputs[0]
        same = True
        for vector, runs in zip(trial.vectors(), of_vectors, strict=True):
            ram = runs[0].ram[port.region]
            same &= ram[port.offset : port.offset + port.size_bytes] == vector[0].tobytes()
        survived.append(same)
    kept, consumed = survived[: len(graphs)], survived[len(graphs) :]
    assert all(kept)
    assert sum(consumed) < len(graphs) // 2, "a consumed input is space for what follows"


# --- output by rows -------------------------------------------------------------------------------


def a_map_comes_out(rows: int) -> Graph:
    """The output is the largest tensor."""
    net = Network(f"map{rows}", (1, rows, 6, 3), rows)
    net.conv(6, (3, 3), pad="SAME")
    net.depthwise((3, 3), pad="SAME")
    net.conv(8, (1, 1))
    return net.graph()


@pytest.mark.parametrize("board", PLACES)
@pytest.mark.parametrize("mode", INPUT_MODES)
def test_rows_are_given_in_order(mode: str, board: str | None, tmp_path: Path) -> None:
    graphs = [*networks()[:7], a_map_comes_out(9)]
    options = [{"schedule": "stream" if mode == "streamed" else "layer"}, {"schedule": "auto"}]
    trials = [
        Trial.of(graph, mode, f"n{i}{k}", board, output_mode="rows", **more)
        for i, graph in enumerate(graphs)
        for k, more in enumerate(options)
    ]
    units, bench = build(trials, tmp_path, board)
    vectors = [trial.vectors() for trial in trials]
    for trial, given, records in zip(
        trials, vectors, run_bench(bench, units, vectors), strict=True
    ):
        trial.check(given, records)


def test_giving_rows_saves_the_output() -> None:
    graph = a_map_comes_out(40)
    arena = {
        mode: Trial.of(graph, "streamed", "n", None, output_mode=mode, minimize="sram").unit.plan
        for mode in OUTPUT_MODES
    }
    (output,) = graph.outputs
    rows, whole = (arena[mode].arena_bytes for mode in ("rows", "whole"))
    assert rows < graph.type(output).size_bytes // 2 < whole


def test_outputs_that_no_rows_can_be_taken_of() -> None:
    net = Network("two", (1, 8, 8, 3))
    net.conv(4, (3, 3))
    graph = net.graph()
    two = replace(graph, outputs=(*graph.outputs, *graph.outputs))
    for made, why in ((two, "2 outputs"), (replace(graph, outputs=graph.inputs), "an input")):
        with pytest.raises(ScheduleError, match="E304") as caught:
            Trial.of(made, "consumed", "n", None, output_mode="rows")
        assert why in caught.value.why


# --- kept and consumed ----------------------------------------------------------------------------


def test_keeping_costs_memory_and_streaming_saves_it() -> None:
    graph = strided_chain("chain", (64, 64))
    arena = {mode: Trial.of(graph, mode, "n", None).unit.plan.arena_bytes for mode in INPUT_MODES}
    assert arena["streamed"] < arena["consumed"] < arena["kept"]
    assert arena["random"] == arena["streamed"]
    assert arena["streamed"] < graph.type(0).size_bytes < arena["consumed"]


# --- streamed -------------------------------------------------------------------------------------


def scripted(glue: str, project: Project, script: list[int]) -> str:
    """The glue with a run that follows a script: pushes of n rows, and resets.

    The run returns how many pushes gave another result than they should. Frames other than the last
    get the image's rows from its end, so that what is left of them would show.
    """
    pushed = project.pushed
    assert pushed is not None
    frames = _frames(script, pushed.rows)
    lines = ["  int32_t wrong = 0;"]
    for frame, pushes in enumerate(frames):
        row = 0
        for n in pushes:
            if n == RESET:
                lines.append(f"  {project.name}_reset(&own);")
                continue
            first = row if frame == len(frames) - 1 else pushed.rows - row - n
            done = int(row + n == pushed.rows)
            rows = f"{project.name}_test_image + {first} * {pushed.row_elements}"
            lines.append(f"  wrong += {project.name}_push_rows(&own, {rows}, {n}) != {done};")
            row += n
    body = re.compile(
        rf"(int {project.name}_test_run\(.*?\n\{{\n.*?\n)(.*?)(\n\}}\n)", re.S
    )  # fmt: skip
    found = body.search(glue)
    assert found is not None and "_push_rows" in found[2]
    return glue[: found.start(2)] + "\n".join([*lines, "  return wrong;"]) + glue[found.end(2) :]


def _frames(script: list[int], rows: int) -> list[list[int]]:
    """The script cut where a frame is full or given up."""
    frames: list[list[int]] = [[]]
    row = 0
    for n in script:
        if row == rows or (n == RESET and row):
            frames.append([])
            row = 0
        frames[-1].append(n)
        row += n
    assert row == rows, "the last frame is not full"
    return frames


def scripts(rows: int) -> dict[str, list[int]]:
    ones, all_ = [1] * rows, [rows]
    pieces = [2, 1, rows - 3]
    return {
        "one by one": [RESET, *ones],
        "all at once": [RESET, *all_],
        "in pieces": [RESET, *pieces],
        "two frames without a reset": [RESET, *ones, *pieces],
        "three frames": [RESET, *pieces, *all_, *ones],
        "a reset in mid-frame": [RESET, 1, 2, RESET, *ones],
        "a reset before the last row": [RESET, rows - 1, RESET, *pieces],
        "a reset, a frame, a reset": [RESET, *all_, RESET, 1, RESET, *all_],
    }


@pytest.mark.parametrize("board", PLACES)
def test_rows_in_every_rhythm(
    board: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = [
        strided_chain("chain", (16, 12)),
        ignoring_the_last_rows(),
        skip_of_the_input(),
        load_tflite(DIGITS),
    ]
    trials, plans = [], []
    for graph in graphs:
        rows = graph.type(graph.inputs[0]).nhwc[1]
        for script in scripts(rows).values():
            trials.append(Trial.of(graph, "streamed", f"n{len(trials)}", board))
            plans.append(script)
    made = bench_module.harness_glue([trial.unit.project for trial in trials])
    for trial, script in zip(trials, plans, strict=True):
        made = scripted(made, trial.unit.project, script)
    monkeypatch.setattr(bench_module, "harness_glue", lambda _: made)
    units, bench = build(trials, tmp_path, board)
    vectors = [trial.vectors() for trial in trials]
    for trial, given, records in zip(
        trials, vectors, run_bench(bench, units, vectors), strict=True
    ):
        trial.check(given, records)


def test_what_cannot_be_streamed_is_refused() -> None:
    batch = Network("batch", (2, 8, 8, 3))
    batch.conv(4, (3, 3))
    with pytest.raises(ScheduleError, match="E304"):
        Trial.of(batch.graph(), "streamed", "n", None)
    with pytest.raises(ScheduleError, match="E304"):
        Trial.of(strided_chain("chain", (8, 8)), "streamed", "n", None, schedule="layer")
    with pytest.raises(ScheduleError, match="E303"):
        Trial.of(strided_chain("chain", (24, 20)), "streamed", "n", None, groups=(PATCHES,))
    net = Network("itself", (1, 8, 8, 3))
    net.relu()
    with pytest.raises(ScheduleError, match="E304"):
        Trial.of(net.graph(0, net.last), "streamed", "n", None)


# --- random ---------------------------------------------------------------------------------------

PATCHES = Group("patch", (0, 1, 2), (2, 3))  # the copy behind the input, and two layers


@pytest.mark.parametrize("board", PLACES)
@pytest.mark.parametrize("schedule", ["layer", "stream", "least", "tiles", "patch"])
def test_a_model_asks_for_rows_in_every_schedule(
    schedule: str, board: str | None, tmp_path: Path
) -> None:
    graphs = [strided_chain("chain", (24, 20)), skip_of_the_input(), ignoring_the_last_rows()]
    more: dict[str, Any] = {"schedule": schedule}
    if schedule == "patch":
        graphs.remove(graphs[1])  # its input is read behind the patches, too
        more = {"groups": (PATCHES,)}
    elif schedule == "least":
        more = {"minimize": "sram"}
    elif schedule == "tiles":
        more = {"minimize": "sram", "max_recompute": math.inf}
    trials = [Trial.of(graph, "random", f"n{i}", board, **more) for i, graph in enumerate(graphs)]
    units, bench = build(trials, tmp_path, board)
    vectors = [trial.vectors() for trial in trials]
    for trial, given, records in zip(
        trials, vectors, run_bench(bench, units, vectors), strict=True
    ):
        trial.check(given, records)


def test_patches_of_an_input_outside_need_only_their_windows() -> None:
    graph = strided_chain("chain", (48, 48))
    kept = Trial.of(graph, "kept", "n", None, groups=(Group("patch", (0, 1), (4, 4)),))
    random = Trial.of(graph, "random", "n", None, groups=(Group("patch", (0, 1, 2), (4, 4)),))
    window = 17 * 17 * 3  # what 6x6 pixels of the second layer read
    image = graph.type(graph.inputs[0]).size_bytes
    scratch = 128  # of kernels; what else lies there need not
    assert random.unit.plan.arena_bytes <= kept.unit.plan.arena_bytes - image + window + scratch


# --- headers --------------------------------------------------------------------------------------

WORDS = {
    "kept": "Inputs survive a run.",
    "consumed": "Inputs are overwritten by a run.",
    "streamed": "The input is never whole in memory.",
    "random": "The model asks for the input as it needs it.",
}


@pytest.mark.gcc
@pytest.mark.parametrize("mode", INPUT_MODES)
def test_headers_say_what_happens_and_are_c_and_cpp(mode: str, tmp_path: Path) -> None:
    files = Trial.of(strided_chain("chain", (16, 12)), mode, "net", None).unit.project.files
    header = files["net.h"]
    assert [words for words in WORDS.values() if words in header] == [WORDS[mode]]
    assert ("net_push_rows(" in header) == ("net_reset(" in header) == (mode == "streamed")
    assert ("net_run_random(" in header) == (mode == "random")
    assert ("net_run(" in header) == ("*net_input(" in header) == (mode in ("kept", "consumed"))
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    gcc = shutil.which("gcc")
    assert gcc is not None
    flags = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-fsyntax-only"]
    sources = ["net.c", "net_arena.c", "example_main.c"]
    subprocess.run([gcc, "-std=c11", *flags, *sources], cwd=tmp_path, check=True)
    (tmp_path / "uses.cpp").write_text('#include "net.h"\n', "utf-8")
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("no g++")
    subprocess.run([gxx, "-std=c++11", *flags, "uses.cpp"], cwd=tmp_path, check=True)
