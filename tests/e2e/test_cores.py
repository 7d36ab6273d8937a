"""B104: every core gets code that it can run, and objects of another float ABI are not linked."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mcuc.build.compile import compile_model
from mcuc.build.project import build_project, sources_of
from mcuc.device.application import build_application
from mcuc.device.boards import load_board
from mcuc.device.elf import read_elf
from mcuc.device.firmware import HarnessConfig, assert_armv6m, build_program
from mcuc.device.toolchain import Options, Source, compile_objects, find_toolchain, link
from mcuc.errors import ToolchainError
from tests.support.models import DIGITS

pytestmark = pytest.mark.arm_gcc


def test_an_armv6m_program_with_aligned_tables(tmp_path: Path) -> None:
    project = compile_model(DIGITS, board="nucleo_g0b1re", schedule="layer").project
    board = load_board("nucleo_g0b1re")
    application = build_project(project, board, "balanced", tmp_path)
    assert_armv6m(application.path)
    tables = [s for s in read_elf(application.path).symbols if re.search(r"_data_\d+$", s.name)]
    assert tables and all(table.address % 16 == 0 for table in tables)


def test_objects_of_another_float_abi_are_not_linked(tmp_path: Path) -> None:
    board = load_board("nucleo_f446re")
    soft = replace(board, gcc_flags=("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"))
    project = compile_model(DIGITS, board="nucleo_f446re", schedule="layer").project
    application = build_application(
        _written(project.files, tmp_path), sources_of(project), project.run_function, board
    )
    toolchain = find_toolchain(board, "arm-none-eabi-gcc")
    foreign = tmp_path / "foreign.c"
    foreign.write_text("float half(float x);\nfloat half(float x) { return 0.5f * x; }\n", "utf-8")
    objects = compile_objects(toolchain, soft, [Source(foreign)], Options(), tmp_path / "soft")
    mine = sorted((tmp_path / "build" / "model").glob("*.o"))
    mine += sorted((tmp_path / "build" / "start").glob("*.o"))
    script = application.path.parent / "firmware.ld"
    with pytest.raises(ToolchainError) as caught:
        link(toolchain, board, [*mine, *objects], tmp_path / "mixed.elf", script=script)
    assert caught.value.code == "E504" and "VFP register arguments" in caught.value.why


def _written(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    "name", ["nucleo_l4r5zi", "nucleo_g0b1re", "nucleo_f767zi", "nucleo_n657x0_q", "nucleo_h563zi"]
)
def test_the_test_program_of_real_boards_links(name: str, tmp_path: Path) -> None:
    """With each kind of serial port and counter; what verify --on board writes to the board."""
    board = load_board(name)
    config = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4, transport="uart")
    models = Path(__file__).parents[1] / "unit" / "device" / "models.c"
    program = build_program([Source(models)], config, tmp_path, board=board)
    names = {symbol.name for symbol in program.elf.symbols}
    assert {"mcuc_uart_open", "mcuc_start"} <= names
