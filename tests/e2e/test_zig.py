"""The zig compiler in the place of arm-none-eabi-gcc: the same bytes from the DSP kernels too."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcuc.compiler.bench import build_bench, run_bench
from mcuc.compiler.compile import compile_model
from mcuc.device.toolchain import find_toolchain
from mcuc.inputs.vectors import random_vectors
from mcuc.ops.interpret import run_reference

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits_int8.tflite"


@pytest.mark.zig
@pytest.mark.qemu
@pytest.mark.parametrize("board", ["qemu_m0plus", "qemu_m4", "qemu_m33"])
def test_digits_built_by_zig(board: str, tmp_path: Path) -> None:
    compiled = compile_model(DIGITS, board=board)
    graph = compiled.lowered.graph
    vectors = random_vectors(graph, 3)
    zig = find_toolchain(compiled.board, "zig")
    made = build_bench([compiled.unit], tmp_path, compiled.board, compiler=zig)
    (records,) = run_bench(made, [compiled.unit], [vectors], runs=1, poisons=(0x55,))
    for record, vector in zip(records, vectors, strict=True):
        (got,) = compiled.unit.decode(record.outputs)
        (want,) = run_reference(graph, vector)
        assert got.tobytes() == want.tobytes()
