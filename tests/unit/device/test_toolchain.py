"""Compilers: found or asked for, failures in the tool's own words, sizes from the ELF file."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mcuc.device import qemu
from mcuc.device.boards import load_board
from mcuc.device.elf import read_elf, sizes
from mcuc.device.faults import decode_cfsr, exit_error, parse_fault
from mcuc.device.toolchain import (
    Options,
    Source,
    compile_objects,
    find_toolchain,
    run_tool,
    version,
)
from mcuc.errors import ToolchainError
from tests.unit.device.test_harness import EVERYWHERE, program


def test_a_missing_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for board, package in ((None, "gcc"), (load_board("qemu_m4"), "gcc-arm-none-eabi")):
        prefer = "gcc" if board is None else "arm-none-eabi-gcc"
        with pytest.raises(ToolchainError) as caught:
            find_toolchain(board, prefer)
        assert caught.value.code == "E501" and package in caught.value.help
    with pytest.raises(ToolchainError) as caught:
        qemu.find_qemu()
    assert caught.value.code == "E501" and "qemu-system-arm" in caught.value.help
    assert caught.value.exit_code == 5


def test_a_host_compiler_does_not_serve_a_board() -> None:
    with pytest.raises(ToolchainError):
        find_toolchain(load_board("qemu_m4"), "gcc")


@pytest.mark.arm_gcc
def test_the_cross_compiler_is_preferred() -> None:
    found = find_toolchain(load_board("qemu_m4"))
    assert found.name == "arm-none-eabi-gcc" and found.cross and found.is_gcc
    assert "arm-none-eabi-gcc" in version(found)


@pytest.mark.gcc
def test_compiler_errors_keep_command_and_words(tmp_path: Path) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text("int f(long x) { return x; }\n")
    host = find_toolchain(None)
    with pytest.raises(ToolchainError) as caught:
        compile_objects(host, None, [Source(bad)], Options(), tmp_path / "out")
    assert caught.value.code == "E503" and caught.value.data["exit_code"] == 1
    assert "conversion" in caught.value.data["stderr"]
    assert str(bad) in caught.value.data["command"]
    loose = Options(strict=False)
    (made,) = compile_objects(host, None, [Source(bad)], loose, tmp_path / "out")
    assert made.is_file()


@pytest.mark.gcc
def test_defines_of_a_source_are_its_own(tmp_path: Path) -> None:
    file = tmp_path / "d.c"
    file.write_text('int A; _Static_assert(N == COMMON, "");\n')
    options = replace(Options(), defines={"COMMON": "4"})
    host = find_toolchain(None)
    compile_objects(host, None, [Source(file, {"N": "4"})], options, tmp_path)
    with pytest.raises(ToolchainError):
        compile_objects(host, None, [Source(file, {"N": "5"})], options, tmp_path)


def test_a_tool_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(ToolchainError) as caught:
        run_tool(["sleep", "5"], timeout_s=0.1)
    assert caught.value.code == "E505"
    with pytest.raises(ToolchainError) as caught:
        run_tool(["no-such-tool-at-all"])
    assert caught.value.code == "E501"


@pytest.mark.parametrize("where", EVERYWHERE)
def test_the_elf_reader_knows_the_symbols(where: str) -> None:
    elf = program(where).elf
    add = next(s for s in elf.symbols if s.name == "add")
    assert add.kind == "func" and add.size_bytes > 8
    assert elf.function_at(add.address + 2) == add
    assert sizes(elf).symbols[(add.section, "add")] == add.size_bytes


@pytest.mark.arm_gcc
def test_sizes_agree_with_the_binutils() -> None:
    built = program("qemu_m4")
    done = subprocess.run(
        ["arm-none-eabi-size", str(built.path)], capture_output=True, text=True, check=True
    )
    text, data, bss = map(int, done.stdout.splitlines()[1].split()[:3])
    found = sizes(built.elf)
    assert (found.text + found.rodata, found.data, found.bss) == (text, data, bss)
    assert found.flash == text + data
    assert found.sections[".model_ram.0"] == 2 * 1024 + 100
    assert found.sections[".stack"] == 16 * 1024 + 512


@pytest.mark.parametrize("raw", [b"", b"\x7fELF", b"MZ" * 40, b"\x7fELF\x01\x01" + b"\xff" * 60])
def test_a_damaged_elf_is_an_error(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.elf"
    path.write_bytes(raw)
    with pytest.raises(ToolchainError) as caught:
        read_elf(path)
    assert caught.value.code == "E508"


@pytest.mark.gcc
def test_exit_statuses_are_told_apart() -> None:
    elf = program("host").elf
    text = "mcuc-fault exception=00000003 pc=00000000 lr=fffffff9 sp=0 cfsr=0 hfsr=40000000"
    codes = [
        (0, "", None),
        (10, "", "E613"),
        (11, "", "E614"),
        (20, "", "E610"),
        (20, text + " mmfar=0 bfar=0\n", "E610"),
        (-6, "qemu: fatal: Lockup: can't escalate 3 to HardFault\n", "E611"),
        (-11, "", "E612"),
        (-99, "", "E612"),
        (77, "", "E615"),
    ]
    for status, console, code in codes:
        error = exit_error(status, console, elf)
        assert (error.code if error else None) == code, status


def test_fault_registers_become_words() -> None:
    assert decode_cfsr(0x8200) == ("precise data bus error", "BFAR holds the address")
    assert decode_cfsr(1 << 24) == ("unaligned access",)
    assert parse_fault("noise\nmcuc-fault pc=00000010 lr=ff\n") == {"pc": 16, "lr": 255}
    assert parse_fault("nothing") is None
