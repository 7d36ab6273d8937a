"""Board descriptions: all that ship are sound, and bad ones name every problem."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from mcuc.data import data_dir
from mcuc.device.board_files import board_header, linker_script, model_regions
from mcuc.device.boards import list_boards, load_board, parse_board
from mcuc.errors import BoardError, InternalError

KIB = 1024


def test_all_boards_are_listed() -> None:
    expected = {"qemu_m0plus", "qemu_m3", "qemu_m4", "qemu_m7", "qemu_m33", "qemu_m55", "qemu_f405"}
    expected |= {"nucleo_f446re", "nucleo_f746zg", "nucleo_h743zi"}
    assert expected <= set(list_boards())


@pytest.mark.parametrize("name", list_boards())
def test_a_board_loads_and_says_who_it_is(name: str) -> None:
    board = load_board(name)
    assert board.id == name
    assert board.source and board.description
    assert board.region(board.stack_region).size_bytes > board.stack_bytes
    assert (board.emulator is not None) == name.startswith("qemu_")
    assert board.counter.unit == ("instructions" if board.emulator else "cycles")
    assert f"-mcpu={board.core}" in board.gcc_flags
    with pytest.raises(FrozenInstanceError):
        board.id = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "flash_kib", "regions"),
    [
        ("nucleo_f446re", 512, {"sram": (0x20000000, 128)}),
        (
            "nucleo_f746zg",
            1024,
            {"dtcm": (0x20000000, 64), "sram1": (0x20010000, 240), "sram2": (0x2004C000, 16)},
        ),
        (
            "nucleo_h743zi",
            2048,
            {
                "dtcm": (0x20000000, 128),
                "axi": (0x24000000, 512),
                "d2": (0x30000000, 288),
                "d3": (0x38000000, 64),
            },
        ),
    ],
)
def test_stm32_memories_are_those_of_the_datasheet(
    name: str, flash_kib: int, regions: dict[str, tuple[int, int]]
) -> None:
    board = load_board(name)
    assert board.flash.size_bytes == board.target.flash_bytes == flash_kib * KIB
    found = {r.name: (r.address, r.size_bytes // KIB) for r in board.target.regions}
    assert found == regions


def test_only_cores_with_the_extension_claim_it() -> None:
    targets = {name: load_board(name).target for name in list_boards()}
    assert [n for n, t in targets.items() if t.mve] == ["nucleo_n657x0_q", "qemu_m55"]
    assert not targets["qemu_m0plus"].dsp and not targets["qemu_m3"].dsp
    assert targets["qemu_m33"].dsp and targets["qemu_m4"].fpu


def test_an_unknown_board_gives_the_nearest_name() -> None:
    with pytest.raises(BoardError) as caught:
        load_board("nucleo_f446")
    assert caught.value.code == "E601"
    assert "nucleo_f446re" in caught.value.help


def test_a_folder_with_a_board_file_is_no_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hardware").mkdir()
    (tmp_path / "hardware" / "board.toml").write_text("", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BoardError) as caught:
        load_board("hardware")
    assert "board.toml'?" in caught.value.help


def test_a_missing_board_file_is_e601(tmp_path: Path) -> None:
    with pytest.raises(BoardError) as caught:
        load_board(tmp_path / "board.toml")
    assert caught.value.code == "E601"


def test_a_board_loads_by_path(tmp_path: Path) -> None:
    text = (data_dir("boards") / "qemu_m4" / "board.toml").read_text()
    (tmp_path / "board.toml").write_text(text.replace('"qemu_m4"', '"mine"'))
    assert load_board(tmp_path / "board.toml").id == "mine"
    assert load_board(tmp_path).id == "mine"


def test_all_problems_of_a_file_are_listed_at_once() -> None:
    text = (data_dir("boards") / "qemu_m4" / "board.toml").read_text()
    text = text.replace('core = "cortex-m4"', 'core = "cortex-m9"')
    text = text.replace("kib = 8192", "kib = -1").replace('"instructions"', "3")
    text = text.replace("icount_shift", "icount_shft").replace('region = "sram"', 'region = "x"')
    with pytest.raises(BoardError) as caught:
        parse_board(text.encode(), "bad.toml")
    problems = caught.value.data["problems"]
    assert caught.value.code == "E602"
    for part in (
        "core: 'cortex-m9'",
        "ram[0].kib: -1",
        "counter.unit: must be a str",
        "emulator.icount_shift: is missing",
        "emulator.icount_shft: is unknown",
        "stack.region: 'x'",
    ):
        assert any(part in p for p in problems), (part, problems)
    assert len(problems) == 6


@pytest.mark.parametrize("raw", [b"core = ", b"\xff\xfe", b"", b"ram = 3\nflash = []\n"])
def test_a_damaged_file_is_e602(raw: bytes) -> None:
    with pytest.raises(BoardError) as caught:
        parse_board(raw, "bad.toml")
    assert caught.value.code == "E602"


def test_overlapping_regions_are_a_problem() -> None:
    text = (data_dir("boards") / "nucleo_f746zg" / "board.toml").read_text()
    with pytest.raises(BoardError, match="1 problem") as caught:
        parse_board(text.replace("kib = 64", "kib = 65").encode(), "bad.toml")
    assert "overlap" in caught.value.why


def test_missing_data_is_an_internal_error() -> None:
    with pytest.raises(InternalError):
        data_dir("no_such_folder")


def test_model_regions_follow_the_board_or_the_names() -> None:
    board = load_board("nucleo_f746zg")
    assert model_regions(board, (), 4) == ("dtcm", "sram1", "sram2", "sram2")
    assert model_regions(board, ("sram1",), 1) == ("sram1",)
    with pytest.raises(BoardError) as caught:
        model_regions(board, ("ccm",), 1)
    assert caught.value.code == "E603"


def test_board_facts_reach_c_and_the_linker() -> None:
    board = load_board("nucleo_h743zi")
    assert "{0u, 0x580244dcu, 0xe0000000u, 0xe0000000u}," in board_header(board)
    assert "MCUC_BOARD_DATA_CACHE 1\n" in board_header(board)
    script = linker_script(board, ("axi",))
    assert "ram_axi (rwx) : ORIGIN = 0x24000000, LENGTH = 0x80000" in script
    assert "*(.model_ram.0)\n  } > ram_axi" in script
    assert "MCUC_BOARD_UNALIGN_TRAP 1u" in board_header(load_board("qemu_m0plus"))


def test_constants_may_lie_in_a_second_program_memory() -> None:
    board = load_board("qemu_m55")
    assert board.rodata is not None
    assert board.target.flash_bytes == board.flash.size_bytes + board.rodata.size_bytes
    script = linker_script(board, ("dtcm",))
    assert "rodata (r) : ORIGIN = 0x11000000, LENGTH = 0x200000" in script
    assert ".rodata : ALIGN(16) { *(.rodata .rodata.*) . = ALIGN(4); } > rodata" in script
    text = (data_dir("boards") / "qemu_m55" / "board.toml").read_text()
    with pytest.raises(BoardError) as caught:
        parse_board(text.replace("0x11000000", "0x00001000").encode(), "bad.toml")
    assert "overlap" in caught.value.why
    assert "> flash" in linker_script(load_board("qemu_m4"), ())
