"""Models in one firmware, and the generated C as other people's builds see it."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import build_bench
from mcuc.compiler.compile import Compiled, compile_model
from mcuc.device.boards import load_board
from mcuc.device.harness import Request, run_requests
from mcuc.device.toolchain import (
    Options,
    Source,
    compile_objects,
    find_toolchain,
    run_tool,
    target_flags,
)
from mcuc.errors import ToolchainError
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from tests.support import nets
from tests.support.models import DIGITS
from tests.support.nets import Net, compiled

HOST = pytest.param(None, marks=pytest.mark.gcc, id="host")
M4 = pytest.param("qemu_m4", marks=(pytest.mark.arm_gcc, pytest.mark.qemu), id="qemu_m4")

WARNINGS = (
    *("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"),
    *("-Wshadow", "-Wmissing-prototypes", "-Wstrict-prototypes", "-Wundef", "-Wcast-align"),
    *("-Wwrite-strings", "-Wdouble-promotion", "-Wfloat-equal", "-Wvla"),
)
CXX_WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Wshadow", "-Werror")
COMPILERS = [
    pytest.param(None, "gcc", marks=pytest.mark.gcc, id="host gcc"),
    pytest.param("qemu_m4", "arm-none-eabi-gcc", marks=pytest.mark.arm_gcc, id="arm gcc"),
    pytest.param("qemu_m0plus", "arm-none-eabi-gcc", marks=pytest.mark.arm_gcc, id="arm gcc v6"),
    pytest.param(None, "zig", marks=pytest.mark.zig, id="host zig"),
    pytest.param("qemu_m55", "zig", marks=pytest.mark.zig, id="arm zig"),
]
NASTY = (
    *("int", "main", "a.b", "a/b", "a_b", "1", "é漢", "", "n" * 300, "n" * 300 + "2"),
    *("*/ int evil; /*", '"*/', "new\nline", "back\\slash\\", "??/", "%s%n", "a_b_2", "INT8_MAX"),
    *(
        "input",
        "output",
        "my_input_3",
        "output_proj",
        "memory",
        "net",
        "net_run",
        "NET_ARENA_BYTES",
    ),
    *("uint8_t", "bytes", "\u202egnp", "x\x00y", "float real", "{{ name }}", "*", "/", "//"),
)


def write(made: Compiled, folder: Path) -> Path:
    for path, text in made.project.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def two() -> list[Compiled]:
    """Two models that have operators, kernels, shapes and labels in common."""
    first = compiled(nets.residual(9, 6, seed=1), "first")
    return [first, compiled(nets.residual(5, 3, seed=2), "second")]


def reference(made: Compiled, vector: Sequence[Array]) -> tuple[bytes, ...]:
    return tuple(array.tobytes() for array in run_reference(made.lowered.graph, vector))


@pytest.mark.parametrize("board", [HOST, M4])
def test_two_models_take_turns_in_one_arena(board: str | None, tmp_path: Path) -> None:
    """B101: A, B, A, B in the memory of the larger one, with what the other left in it."""
    made = two()
    units = [m.unit for m in made]
    target = None if board is None else load_board(board)
    program = build_bench(units, tmp_path, target, sanitize=board is None)
    sizes = [m.lowered.plan.arena_bytes for m in made]
    assert program.config.region_bytes == (max(sizes),)
    assert min(sizes) < max(sizes)
    vectors = [random_vectors(m.lowered.graph, 2) for m in made]
    turns = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 0)]
    requests = [Request(m, (units[m].encode(vectors[m][v]),), runs=2) for m, v in turns]
    for (m, v), ((first, second),) in zip(turns, run_requests(program, requests), strict=True):
        assert first.outputs == second.outputs == reference(made[m], vectors[m][v])


MAIN = """\
#include <stdio.h>
#include <string.h>
#include "first.h"
#include "second.h"
static _Alignas(16) unsigned char shared[FIRST_ARENA_BYTES > SECOND_ARENA_BYTES ? FIRST_ARENA_BYTES
                                                                              : SECOND_ARENA_BYTES];
static unsigned char given[2][4096];
int main(void)
{
  const first_memory f = {{shared}, 0};
  const second_memory s = {{shared}, 0};
  int turn;
  if (fread(given, sizeof given, 1, stdin) != 1) {
    return 1;
  }
  for (turn = 0; turn < 3; ++turn) {
    memcpy(first_input(turn == 2 ? &first_static : &f), given[0], FIRST_INPUT_BYTES);
    if (first_run(turn == 2 ? &first_static : &f) != 0) {
      return 2;
    }
    fwrite(first_output(turn == 2 ? &first_static : &f), FIRST_OUTPUT_BYTES, 1, stdout);
    memcpy(second_input(turn == 2 ? &second_static : &s), given[1], SECOND_INPUT_BYTES);
    if (second_run(turn == 2 ? &second_static : &s) != 0) {
      return 3;
    }
    fwrite(second_output(turn == 2 ? &second_static : &s), SECOND_OUTPUT_BYTES, 1, stdout);
  }
  return 0;
}
"""


@pytest.mark.gcc
def test_two_models_link_as_a_user_would(tmp_path: Path) -> None:
    """B101: as separate objects without clashes, with a shared arena and with their own."""
    made = two()
    folders = [write(m, tmp_path / m.project.name) for m in made]
    (tmp_path / "main.c").write_text(MAIN)
    sources = [f / f"{m.project.name}{s}.c" for f, m in zip(folders, made, strict=True)
               for s in ("", "_arena")]  # fmt: skip
    binary = tmp_path / "both"
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Werror", *(f"-I{f}" for f in folders)]
    run_tool([*command, str(tmp_path / "main.c"), *map(str, sources), "-o", str(binary)])
    vectors = [random_vectors(m.lowered.graph, 1)[0] for m in made]
    given = b"".join(v[0].tobytes().ljust(4096, b"\0") for v in vectors)
    done = subprocess.run([binary], input=given, capture_output=True, check=True)
    once = b"".join(reference(m, v)[0] for m, v in zip(made, vectors, strict=True))
    assert done.stdout == once * 3


@pytest.mark.arm_gcc
def test_only_names_with_the_models_prefix_are_visible(tmp_path: Path) -> None:
    made = compiled(nets.residual(), "mine")
    folder, board = write(made, tmp_path), load_board("qemu_m4")
    sources = [Source(folder / "mine.c"), Source(folder / "mine_arena.c")]
    options = Options(include_dirs=(folder,))
    objects = compile_objects(find_toolchain(board), board, sources, options, tmp_path / "o")
    lines = run_tool(["arm-none-eabi-nm", "-g", *map(str, objects)]).splitlines()
    defined = {line.split()[2] for line in lines if len(line.split()) == 3}
    assert defined == {"mine_run", "mine_input", "mine_output", "mine_static"}
    wanted = {line.split()[1] for line in lines if len(line.split()) == 2}
    assert wanted <= {"memcpy", "memset", "memmove"}, "nothing but string.h is needed"


@pytest.mark.parametrize(("board", "compiler"), COMPILERS)
def test_all_generated_c_is_free_of_warnings(
    board: str | None, compiler: str, tmp_path: Path
) -> None:
    target = None if board is None else load_board(board)
    try:
        toolchain = find_toolchain(target, compiler)
    except ToolchainError as error:
        pytest.skip(error.what)
    for number, made in enumerate((compile_model(DIGITS), nasty(), *two())):
        folder, name = write(made, tmp_path / str(number)), made.project.name
        for file in (f"{name}.c", f"{name}_arena.c", "example_main.c"):
            command = [*toolchain.command, *target_flags(toolchain, target), "-std=c11", "-O2"]
            run_tool([*command, *WARNINGS, f"-I{folder}", "-c", str(folder / file),
                      "-o", str(folder / "x.o")])  # fmt: skip


@pytest.mark.parametrize(
    "compiler",
    [
        pytest.param(("g++",), marks=pytest.mark.gcc),
        pytest.param(("arm-none-eabi-g++", "-mcpu=cortex-m4"), marks=pytest.mark.arm_gcc),
    ],
    ids=lambda c: c[0],
)
@pytest.mark.parametrize("standard", ["c++11", "c++17"])
def test_the_header_is_cxx_too(compiler: tuple[str, ...], standard: str, tmp_path: Path) -> None:
    for number, made in enumerate((compile_model(DIGITS), nasty())):
        folder, name = write(made, tmp_path / str(number)), made.project.name
        user = folder / "user.cc"
        user.write_text(
            f'#include "{name}.h"\nint use() {{ return {name}_run(&{name}_static); }}\n'
        )
        run_tool([*compiler, f"-std={standard}", *CXX_WARNINGS, f"-I{folder}", "-c", str(user),
                  "-o", str(folder / "user.o")])  # fmt: skip


@functools.cache
def nasty() -> Compiled:
    """B73, B74: every nasty name on an input, an inner tensor and an output."""
    net = Net()
    inputs = [net.tensor((1, 2, 2, 3), name) for name in NASTY]
    inner = [net.conv(x, 2, name=name) for x, name in zip(inputs, NASTY, strict=True)]
    outputs = [net.add(y, y, name) for y, name in zip(inner, NASTY, strict=True)]
    return compiled(net.build(inputs, outputs))


def test_nasty_names_stay_apart_and_cannot_leave_their_comments() -> None:
    made = nasty()
    for kind, ports in (("input", made.project.inputs), ("output", made.project.outputs)):
        names = [port.name for port in ports]
        assert len(set(names)) == len(NASTY)
        assert all(name.startswith(f"{kind}_") and name.isidentifier() for name in names)
        assert all(name.isascii() and len(name) < 64 for name in names)
    assert nasty.__wrapped__().project.files == made.project.files, "names are stable"
    for path, text in made.project.files.items():
        assert all(c.isprintable() or c == "\n" for c in text), path
        for code in _without_comments(text):
            assert "int evil" not in code, path


def _without_comments(text: str) -> list[str]:
    """The pieces of C between block comments (the generated C has // only inside of them)."""
    pieces = []
    while text:
        code, _, rest = text.partition("/*")
        pieces.append(code)
        _, _, text = rest.partition("*/")
    return pieces


@pytest.mark.gcc
@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.litert
def test_nasty_names_compute(tmp_path: Path) -> None:
    nets.check_together([nasty()], tmp_path)


@pytest.mark.parametrize("name", ["int", "1", "é", "*", "a b.c", "n" * 300, "MCUC", "run"])
@pytest.mark.gcc
def test_file_names_become_identifiers(name: str, tmp_path: Path) -> None:
    data = nets.residual()
    path = tmp_path / f"{name[:200]}.tflite"
    path.write_bytes(data)
    made = compile_model(path, out=tmp_path / "out")
    own = made.project.name
    assert own.isidentifier() and own.isascii() and len(own) <= 64
    run_tool(["gcc", "-std=c11", *WARNINGS, "-c", str(tmp_path / "out" / f"{own}.c"),
              f"-I{tmp_path / 'out'}", "-o", str(tmp_path / "x.o")])  # fmt: skip


def shared_weights() -> list[bytes]:
    """B76: one filter for two convolutions; equal ones in two buffers; one buffer as two shapes."""
    once = Net(1)
    x = once.tensor((1, 4, 4, 8))
    filter_ = once.weights((8, 3, 3, 8))
    y = once.conv(once.conv(x, 8, 3, filter_=filter_), 8, 3, filter_=filter_)
    models = [once.build([x], [y])]

    twice = Net(1)
    x = twice.tensor((1, 4, 4, 8))
    data = np.random.default_rng(5).integers(-127, 128, (8, 3, 3, 8), np.int8)
    y = x
    for scale in (0.004, 0.009):  # per tensor, and other multipliers
        filter_ = twice.model.const("w", data, scale=scale)
        bias = twice.model.const("b", np.arange(8, dtype=np.int32), scale=scale * nets.SCALE)
        z = twice.tensor((1, 4, 4, 8))
        options = {"stride_h": 1, "stride_w": 1}
        twice.model.op("CONV_2D", [y, filter_, bias], [z], options, version=3)
        y = z
    models.append(twice.build([x], [y]))
    return models


@pytest.mark.gcc
@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.litert
def test_shared_weights_are_stored_once(tmp_path: Path) -> None:
    made = [
        compiled(data, f"shared{i}", board="qemu_m0plus") for i, data in enumerate(shared_weights())
    ]
    filter_bytes = 8 * 3 * 3 * 8
    for m in made:
        assert filter_bytes <= m.project.weights_bytes < 2 * filter_bytes, m.project.name
    nets.check_together(made, tmp_path)


def batched(batch: int) -> bytes:
    """B82: every kind of layer with more than one element in the batch."""
    net = Net(batch)
    x = net.tensor((batch, 6, 6, 3))
    y = net.max_pool(net.add(net.conv(x, 4, 3), net.depthwise(net.conv(x, 4))))
    flat = net.tensor((batch, 36))
    net.model.op("RESHAPE", [y, net.model.const("shape", np.array([batch, 36], np.int32))], [flat])
    logits = net.tensor((batch, 5))
    rng = np.random.default_rng(batch)
    weights = rng.integers(-127, 128, (5, 36), np.int8)
    filter_ = net.model.const("w", weights, scale=0.004)
    bias = net.model.const("b", rng.integers(-900, 900, 5, np.int32), scale=0.004 * nets.SCALE)
    net.model.op("FULLY_CONNECTED", [flat, filter_, bias], [logits], {}, version=4)
    shares = net.model.tensor("shares", (batch, 5), "int8", scale=1 / 256, zero_point=-128)
    net.model.op("SOFTMAX", [logits], [shares], {"beta": 1.0}, version=2)
    return net.build([x], [shares, y])


@pytest.mark.gcc
@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.litert
def test_batches_compute(tmp_path: Path) -> None:
    made = [compiled(batched(batch), f"batch{batch}") for batch in (1, 2, 3)]
    nets.check_together(made, tmp_path)


def odd_outputs() -> dict[str, bytes]:
    """B83: constants, inputs and repetitions among the outputs; models without any operator."""

    def net(build) -> bytes:
        made = Net()
        x = made.tensor((1, 4, 4, 2))
        return made.build(*build(made, x))

    return {
        "constant_output": net(lambda n, x: ([x], [n.constant((1, 2, 2, 2)), n.relu(x)])),
        "folded_output": net(
            lambda n, x: (
                [x],
                [n.add(n.constant((1, 2, 2, 2)), n.constant((1, 2, 2, 2))), n.relu(x)],
            )
        ),
        "only_a_constant": net(lambda n, x: ([x], [n.constant((1, 4, 4, 2))])),
        "no_input": net(lambda n, x: ([], [n.relu(n.constant((1, 4, 4, 2)))])),
        "input_is_output": net(lambda n, x: ([x], [x, n.relu(x)])),
        "twice": net(lambda n, x: ([x], [n.relu(x)] * 2)),
        "mixed": net(lambda n, x: ([x], [(y := n.relu(x)), x, y, x])),
        "no_operator": net(lambda n, x: ([x], [x])),
        "crossed": net(lambda n, x: ([x, (z := n.tensor((1, 3)))], [z, x, x])),
        "unused_input": net(lambda n, x: ([x, (z := n.tensor((1, 3, 1, 1)))], [n.relu(z)])),
    }


@pytest.mark.gcc
@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.litert
def test_odd_outputs_and_models_without_operators(tmp_path: Path) -> None:
    made = [compiled(data, name) for name, data in odd_outputs().items()]
    assert any(not m.lowered.program.steps() for m in made)
    nets.check_together(made, tmp_path)
    for m in made:  # their example programs compile and link as well
        folder = write(m, tmp_path / m.project.name)
        sources = [str(folder / f) for f in m.project.files if f.endswith(".c")]
        run_tool(["gcc", "-std=c11", *WARNINGS, f"-I{folder}", *sources, "-o", str(folder / "a")])
