"""Programs of real boards: they link, and B104: with code that their cores can run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcuc.compiler.compile import compile_model
from mcuc.compiler.project import build_project
from mcuc.device.boards import load_board
from mcuc.device.elf import read_elf
from mcuc.device.firmware import HarnessConfig, assert_armv6m, build_program
from mcuc.device.toolchain import Source
from tests.support.models import DIGITS

pytestmark = pytest.mark.arm_gcc


def test_an_armv6m_program_with_aligned_tables(tmp_path: Path) -> None:
    project = compile_model(DIGITS, board="nucleo_g0b1re", schedule="layer").project
    board = load_board("nucleo_g0b1re")
    application = build_project(project, board, "balanced", tmp_path)
    assert_armv6m(application.path)
    tables = [s for s in read_elf(application.path).symbols if re.search(r"_data_\d+$", s.name)]
    assert tables and all(table.address % 16 == 0 for table in tables)


@pytest.mark.parametrize(
    "name",
    ["nucleo_f446re", "nucleo_l4r5zi", "nucleo_g0b1re", "nucleo_f767zi", "nucleo_n657x0_q"],
)
def test_the_test_program_of_real_boards_links(name: str, tmp_path: Path) -> None:
    """With each kind of serial port, counter and core; what verify --on board writes to the board.

    The record of a fault lies where start-up clears nothing."""
    board = load_board(name)
    config = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4, transport="uart")
    models = Path(__file__).parents[1] / "unit" / "device" / "models.c"
    program = build_program([Source(models)], config, tmp_path, board=board)
    names = {symbol.name for symbol in program.elf.symbols}
    assert {"mcuc_uart_open", "mcuc_start"} <= names
    kept = next(s for s in program.elf.sections if s.name == ".noinit")
    cleared = next(s for s in program.elf.sections if s.name == ".bss")
    assert not kept.stored and kept.size_bytes >= 44
    assert not cleared.address <= kept.address < cleared.address + cleared.size_bytes
