"""The arena: exactly as large as said, nothing outside of it or in its gaps is touched."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.compile import Compiled, compile_model
from mcuc.device.application import ARENA_PREFIX, build_application
from mcuc.device.boards import load_board
from mcuc.device.elf import read_elf
from mcuc.device.firmware import Program as Firmware
from mcuc.device.harness import Request, run_requests
from mcuc.device.toolchain import Options, Source, compile_objects, find_toolchain
from mcuc.errors import DeviceError, ToolchainError
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from tests.support import nets
from tests.support.models import DIGITS
from tests.support.nets import Net, compiled

GUARD = 1024
HOST = pytest.param(None, marks=pytest.mark.gcc, id="host")
M4 = pytest.param("qemu_m4", marks=(pytest.mark.arm_gcc, pytest.mark.qemu), id="qemu_m4")
M0PLUS = pytest.param(
    "qemu_m0plus", marks=(pytest.mark.arm_gcc, pytest.mark.qemu), id="qemu_m0plus"
)


def digits() -> Compiled:
    return compile_model(DIGITS)


def odd_sizes() -> bytes:
    """Sizes that are no multiple of any alignment, branches, scratch of border windows."""
    net = Net(3)
    x = net.tensor((1, 9, 7, 3))
    a = net.conv(x, 5, 3)
    b = net.depthwise(a, 5)
    c = net.add(a, b)
    d = net.max_pool(net.concat([c, net.relu(b), a]))
    return net.build([x], [net.conv(d, 3, 3), net.relu(d)])


def build(made: Compiled, folder: Path, board: str | None, sanitize: bool = False) -> Firmware:
    return build_bench(
        [made.unit], folder, None if board is None else load_board(board), sanitize=sanitize
    )


def shifted(made: Compiled, bytes_: int) -> Unit:
    """The model as if its plan were wrong: all of its accesses lie `bytes_` further."""
    files = dict(made.project.files)
    name = f"{made.project.name}.c"
    plain = "places.ram[0] = memory->ram[0];"
    assert plain in files[name]
    files[name] = files[name].replace(
        plain, f"places.ram[0] = (uint8_t *)memory->ram[0] + ({bytes_});"
    )
    project = dataclasses.replace(made.project, files=files)
    return Unit(made.lowered.program, made.lowered.plan, project)


def reference(made: Compiled, vectors: Sequence[Sequence[Array]]) -> list[list[Array]]:
    return [run_reference(made.lowered.graph, vector) for vector in vectors]


MADE = {"digits": digits, "odd sizes": lambda: compiled(odd_sizes())}


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize("name", MADE)
def test_the_linked_arena_is_what_the_report_says(name: str, tmp_path: Path) -> None:
    """B95: the test program holds exactly that between its guards, the application no more."""
    made = MADE[name]()
    arena = made.report["memory"]["arena_bytes"]
    program = build(made, tmp_path / "test", "qemu_m4")
    assert program.config.region_bytes == (arena,)
    assert program.config.guard_bytes == GUARD
    (section,) = [s for s in program.elf.sections if s.name == ".model_ram.0"]
    assert section.size_bytes == arena + 2 * GUARD
    for path, text in made.project.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    own = made.project.name
    sources = (f"{own}.c", f"{own}_arena.c", "example_main.c")
    application = build_application(tmp_path, sources, f"{own}_run", made.board)
    assert application.arena_bytes == arena
    sections = read_elf(application.path).sections
    assert [s.size_bytes for s in sections if s.name.startswith(ARENA_PREFIX)] == [arena]
    vectors = random_vectors(made.lowered.graph, 2)
    (records,) = run_bench(program, [made.unit], [vectors])
    for record, want in zip(records, np.repeat(np.arange(2), 4), strict=True):
        assert record.guards_intact
        got = made.unit.decode(record.outputs)
        for a, b in zip(got, reference(made, vectors)[want], strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("board", [HOST, M4])
@pytest.mark.parametrize(("distance", "side"), [(16, "behind"), (-16, "before")])
def test_a_write_outside_of_the_arena_is_found(
    board: str | None, distance: int, side: str, tmp_path: Path
) -> None:
    # portable kernels: what is last in the arena is a tensor, every byte of which is written
    made = compiled(nets.residual(), board="qemu_m0plus")
    unit = shifted(made, distance)
    assert made.lowered.plan.arena_bytes == max(
        p.offset + b.size_bytes
        for p, b in zip(made.lowered.plan.placements, made.lowered.program.buffers, strict=True)
    ), "the plan leaves no room at its end that would hide the shift"
    bench = build_bench([unit], tmp_path, None if board is None else load_board(board))
    with pytest.raises(DeviceError) as caught:
        run_bench(bench, [unit], [random_vectors(made.lowered.graph, 1)])
    assert caught.value.code == "E617"
    assert f"{side} region0" in caught.value.why


@pytest.mark.gcc
def test_the_sanitizer_finds_an_access_outside_of_the_arena(tmp_path: Path) -> None:
    unit = shifted(compiled(nets.residual()), 16)
    bench = build_bench([unit], tmp_path, None, sanitize=True)
    with pytest.raises(DeviceError) as caught:
        run_bench(bench, [unit], [random_vectors(unit.program.graph, 1)])
    assert caught.value.code == "E618"


@pytest.mark.parametrize("board", [HOST, M4])
@pytest.mark.parametrize("name", MADE)
def test_one_byte_less_does_not_build(name: str, board: str | None, tmp_path: Path) -> None:
    made = MADE[name]()
    own, arena = made.project.name, made.lowered.plan.arena_bytes
    for path, text in made.project.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    target = None if board is None else load_board(board)
    sources = [Source(tmp_path / f"{own}.c"), Source(tmp_path / f"{own}_arena.c")]

    def compile_with_arena(size: int) -> None:
        defines = {f"{own.upper()}_ARENA_BYTES": f"{size}u"}
        options = Options(include_dirs=(tmp_path,), defines=defines)
        compile_objects(find_toolchain(target), target, sources, options, tmp_path / "objects")

    compile_with_arena(arena)
    compile_with_arena(arena + 1)
    with pytest.raises(ToolchainError) as caught:
        compile_with_arena(arena - 1)
    assert caught.value.code == "E503"
    assert "the arena is smaller than the memory plan" in caught.value.why


@pytest.mark.parametrize("board", [HOST, M4, M0PLUS])
@pytest.mark.parametrize("poison", [0x55, 0xAA])
def test_gaps_of_the_plan_are_never_written(board: str | None, poison: int, tmp_path: Path) -> None:
    """B115 too: what no buffer covers keeps its poison, and every output byte is written."""
    made = compiled(odd_sizes(), board="qemu_m0plus")  # whose plan has gaps
    plan, program = made.lowered.plan, made.lowered.program
    covered = np.zeros(plan.arena_bytes, bool)
    for place, buffer in zip(plan.placements, program.buffers, strict=True):
        covered[place.offset : place.offset + buffer.size_bytes] = True
    assert 0 < (~covered).sum() < 64, "this plan is meant to have a few gaps"
    bench = build(made, tmp_path, board)
    vectors = random_vectors(made.lowered.graph, 1)
    request = Request(
        0, tuple(made.unit.encode(v) for v in vectors), poison=poison, runs=2, dump_ram=True
    )
    for record in run_requests(bench, [request])[0][0]:
        ram = np.frombuffer(record.ram[0], np.uint8)
        assert (ram[~covered] == poison).all()
        got = made.unit.decode(record.outputs)
        for a, b in zip(got, reference(made, vectors)[0], strict=True):
            assert np.array_equal(a, b)


def test_scratch_shares_nothing_with_what_lives_beside_it() -> None:
    """B92: live buffers are apart, but for an output that trails a dying input; scratch lives
    exactly during its segment."""
    found = 0
    for width in (1, 2, 3, 7, 16, 33):
        net = Net(width)
        x = net.tensor((1, 5, width, 3))
        y = net.conv(net.conv(x, 7, 5), 2, 3)
        made = compiled(net.build([x], [net.global_pool(y), y]))
        program, plan = made.lowered.program, made.lowered.plan
        users: dict[int, set[int]] = {}
        for number, segment in enumerate(program.segments):
            for step in segment.steps:
                if step.scratch is not None:
                    users.setdefault(step.scratch, set()).add(number)
        trailing = {(o.out, o.source) for o in program.overlaps}
        for index, buffer in enumerate(program.buffers):
            assert (buffer.kind == "scratch") == (index in users)
            if index in users:
                found += 1
                assert users[index] == set(range(buffer.first, buffer.last + 1))
        places = list(zip(program.buffers, plan.placements, strict=True))
        for i, (a, p) in enumerate(places):
            assert p.offset % a.align == 0
            for j, (b, q) in enumerate(places[:i]):
                if {(i, j), (j, i)} & trailing:
                    continue  # proven row by row by the validator
                alive = a.first <= b.last and b.first <= a.last
                apart = p.offset + a.size_bytes <= q.offset or q.offset + b.size_bytes <= p.offset
                assert apart or not alive, (a, b)
    assert found >= 6


@pytest.mark.parametrize("board", [HOST, M4])
def test_five_runs_in_a_row_are_the_same(board: str | None, tmp_path: Path) -> None:
    """B94: a run leaves nothing behind that another one sees; constants cannot change."""
    made = digits()
    program = build(made, tmp_path, board, sanitize=board is None)
    vectors = random_vectors(made.lowered.graph, 1)
    (records,) = run_bench(program, [made.unit], [vectors], runs=5)
    assert len(records) == 10
    assert len({record.outputs for record in records}) == 1
    assert len({record.instructions for record in records}) == 1
    tables = [s for s in program.elf.symbols if s.name.startswith(made.project.name)]
    tables = [s for s in tables if s.kind == "object"]
    assert sum(s.size_bytes for s in tables) >= made.project.weights_bytes
    if board is not None:  # a host program's tables of pointers are relocated when it starts
        # both in flash; the second holds what the test program itself brings
        assert {s.section for s in tables} <= {".rodata", ".own_constants"}


EVERYWHERE = (pytest.mark.gcc, pytest.mark.arm_gcc, pytest.mark.qemu, pytest.mark.litert)


def everywhere(test):
    for mark in EVERYWHERE:
        test = mark(test)
    return test


@everywhere
def test_a_depthwise_input_that_is_needed_again_survives(tmp_path: Path) -> None:
    """B100: the convolution must not be computed in place of what a later addition reads."""
    sizes = ((7, 5), (8, 8), (1, 3))
    made = [compiled(nets.residual(*size), f"n{i}") for i, size in enumerate(sizes)]
    nets.check_together(made, tmp_path)


@everywhere
def test_extents_beyond_16_bits(tmp_path: Path) -> None:
    """B97: rows, strides and loops of more than 65535, and weights of more than 64 KiB."""
    made = []
    for shape, channels in (
        ((1, 1, 70_001, 1), 1),
        ((1, 70_001, 1, 1), 1),
        ((1, 2, 300, 230), 300),
        ((1, 2, 2, 70_001), 1),
    ):
        net = Net()
        x = net.tensor(shape)
        data = net.build([x], [net.conv(net.relu(x), channels)])
        made.append(compiled(data, f"n{len(made)}"))
    nets.check_together(made, tmp_path)


@everywhere
def test_many_nodes_compile(tmp_path: Path) -> None:
    """B103: no recursion error, and an end; half a minute on an idle machine."""
    started = time.monotonic()
    made = [compiled(nets.chain(1000), "chain"), compiled(nets.dense(60), "dense")]
    assert time.monotonic() - started < 600
    assert len(made[0].lowered.program.steps()) == 1000
    assert len(made[1].lowered.graph.nodes) == 59 + 59
    nets.check_together(made, tmp_path)
