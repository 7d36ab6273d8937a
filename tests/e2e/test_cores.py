"""What a core, its emulator and its compiler have to do for a kernel, seen on their own."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.compile import compile_model
from mcuc.device.boards import load_board
from mcuc.device.elf import read_elf
from mcuc.device.firmware import HarnessConfig, build_program
from mcuc.device.harness import Request, run_requests
from mcuc.device.toolchain import Options, Source, compile_objects, find_toolchain, link
from mcuc.errors import ToolchainError
from mcuc.numerics import int8
from tests.support.models import DIGITS

EXTENSIONS = Path(__file__).parents[1] / "unit" / "device" / "extensions.c"


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize(
    "name", ["qemu_m0plus", "qemu_m3", "qemu_m4", "qemu_f405", "qemu_m7", "qemu_m33", "qemu_m55"]
)
def test_b107_the_emulated_core_has_what_its_board_claims(name: str, tmp_path: Path) -> None:
    """Helium, DSP and FPU instructions give their results, and are compiled for cores that have
    them: a macro of the compiler that the board's flags do not switch on leaves a zero."""
    board = load_board(name)
    program = build_program(
        [Source(EXTENSIONS)], HarnessConfig(region_bytes=(16,)), tmp_path, board=board
    )
    record = run_requests(program, [Request(0, ((bytes(16),),))])[0][0][0]
    smlad, product, vmladav, _ = struct.unpack("<4I", record.outputs[0])
    has = board.target
    assert smlad == ((100 - 14 - 15) if has.dsp else 0)
    assert product == (struct.unpack("<I", struct.pack("<f", 50331648.0))[0] if has.fpu else 0)
    assert vmladav == ((-240) & 0xFFFFFFFF if has.mve else 0)


@pytest.mark.arm_gcc
def test_b104_objects_of_two_float_abis_do_not_link(tmp_path: Path) -> None:
    board = load_board("qemu_f405")
    soft = replace(board, gcc_flags=("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"))
    tools = find_toolchain(board, "arm-none-eabi-gcc")
    library, user = tmp_path / "library.c", tmp_path / "user.c"
    library.write_text("float twice(float x);\nfloat twice(float x) { return x + x; }\n")
    user.write_text(
        "float twice(float x);\nvoid mcuc_reset(void);\n"
        "volatile float value;\nvoid mcuc_reset(void) { value = twice(value); }\n"
    )
    script = tmp_path / "any.ld"
    script.write_text("ENTRY(mcuc_reset)\nSECTIONS { .text 0x8000000 : { *(.text*) } }\n")
    objects = compile_objects(tools, board, [Source(library)], Options(), tmp_path / "hard")
    objects += compile_objects(tools, soft, [Source(user)], Options(), tmp_path / "soft")
    with pytest.raises(ToolchainError) as caught:
        link(tools, board, objects, tmp_path / "mixed.elf", script=script)
    assert caught.value.code == "E504" and "VFP register arguments" in caught.value.why


@pytest.mark.arm_gcc
@pytest.mark.parametrize("board", ["qemu_m0plus", "qemu_m55"])
def test_b104_constants_lie_where_kernels_may_read_words(board: str, tmp_path: Path) -> None:
    made = compile_model(DIGITS, board=board, out=tmp_path / "made")
    from mcuc.device.application import build_application

    sources = [f"{made.project.name}.c", f"{made.project.name}_arena.c", "example_main.c"]
    built = build_application(tmp_path / "made", sources, made.project.run_function, made.board)
    tables = [s for s in read_elf(built.path).symbols if "_data_" in s.name and s.kind == "object"]
    assert len(tables) > 5
    assert all(table.address % 16 == 0 for table in tables)


@pytest.mark.gcc
def test_b116_the_header_quantizes_as_the_model_was_trained(tmp_path: Path) -> None:
    """A raw image through the header's own helper is the input that the reference quantizes."""
    made = compile_model(DIGITS)
    name = made.project.name
    type_ = made.lowered.whole.type(made.lowered.whole.inputs[0])
    assert type_.quant is not None
    header = made.project.files[f"{name}.h"]
    (port,) = made.project.inputs
    assert f"{port.macro}_SCALE" in header and f"{port.macro}_ZERO_POINT" in header
    assert "real value = SCALE * (q - ZERO_POINT)" in header
    scale = np.float32(type_.quant.scale[0] if np.ndim(type_.quant.scale) else type_.quant.scale)
    steps = np.arange(-700, 700, dtype=np.float32) / np.float32(4)  # ties, and beyond the range
    real = np.concatenate([steps * scale, np.arange(256, dtype=np.float32) / np.float32(255)])
    for path, text in made.project.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "raw.c").write_text(
        f'#include "{name}.h"\n#include <stdio.h>\n'
        "int main(void) { float x; while (fread(&x, 4, 1, stdin) == 1) "
        f'printf("%d\\n", (int){name}_quantize_{port.name}(x)); return 0; }}\n'
    )
    tools = find_toolchain(None)
    program = tmp_path / "raw"
    subprocess.run(
        [*tools.command, "-std=c11", "-ffp-contract=off", "raw.c", "-o", program],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    done = subprocess.run([program], input=real.tobytes(), capture_output=True, check=True)
    got = np.array([int(line) for line in done.stdout.split()])
    want = int8.quantize(real, type_.quant.scale, type_.quant.zero_point)
    np.testing.assert_array_equal(got, want)
