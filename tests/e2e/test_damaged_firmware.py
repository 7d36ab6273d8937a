"""Firmware that was damaged after linking: constants, and one bit of a kernel."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mcuc.compiler.compile import Compiled, compile_model
from mcuc.device.boards import load_board
from mcuc.device.elf import Elf
from mcuc.device.firmware import Program
from mcuc.errors import DeviceError, McucError, exit_code
from mcuc.proof import places
from mcuc.proof.places import Access
from mcuc.proof.verify import verify_model
from tests.support.models import DIGITS
from tests.support.uart import UART, digits

pytestmark = [pytest.mark.arm_gcc, pytest.mark.qemu]


def damaged(made: Compiled, damage: Callable[[Elf, bytearray], None]) -> Callable[..., Program]:
    """`build_bench` whose program is changed after linking."""
    build = places.build_bench

    def build_damaged(*args: object, **options: object) -> Program:
        program: Program = build(*args, **options)  # type: ignore[arg-type]
        raw = bytearray(program.path.read_bytes())
        damage(program.elf, raw)
        program.path.write_bytes(raw)
        return program

    return build_damaged


def file_offset(elf: Elf, address: int) -> int:
    """Where an address's byte stands in the ELF file: objdump knows."""
    text = subprocess.run(
        [shutil.which("arm-none-eabi-objdump") or "objdump", "-h", str(elf.path)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 7 and fields[0].isdigit():
            size, start, offset = int(fields[2], 16), int(fields[3], 16), int(fields[5], 16)
            if start <= address < start + size:
                return offset + address - start
    raise AssertionError(f"nothing stands at {address:#x}")


def blank(elf: Elf, raw: bytearray) -> None:
    section = next(s for s in elf.sections if s.name == ".rodata")
    at = file_offset(elf, section.address)
    raw[at : at + section.size_bytes] = b"\xff" * section.size_bytes


def flip_weight(elf: Elf, raw: bytearray) -> None:
    table = next(s for s in elf.symbols if s.name.endswith("_data_3"))
    raw[file_offset(elf, table.address) + table.size_bytes // 2] ^= 0x10


def away(elf: Elf, raw: bytearray) -> None:
    """The first table seems to lie in a memory that does not answer, as before its set-up."""
    listed = next(s for s in elf.symbols if s.name == "digits_int8_constants")
    at = file_offset(elf, listed.address)
    raw[at : at + 4] = (0xF0000000).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("board", "damage", "code"),
    [("qemu_m55", blank, "E633"), ("qemu_m7", away, "E633"), ("qemu_f405", flip_weight, "E632")],
    ids=["blank", "unreadable", "one bit"],
)
def test_weights_are_checked_before_the_first_inference(
    board: str, damage: Callable[[Elf, bytearray], None], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the Cortex-M55 the constants lie in a memory of their own, as an external flash does."""
    made = digits(board)
    monkeypatch.setattr(places, "build_bench", damaged(made, damage))
    with pytest.raises(McucError) as caught:
        verify_model(made, ("qemu",), 1, access=UART)
    assert (caught.value.code, exit_code(caught.value)) == (code, 7)
    data = caught.value.data
    region = load_board(board).rodata or load_board(board).flash
    if damage is away:
        assert data["address"] == 0xF0000000 and "cannot be read" in caught.value.what
    else:
        assert region.address <= data["address"] < region.address + region.size_bytes


def flip_multiply(prefix: str, elf: Elf, raw: bytearray) -> None:
    """SMLAD becomes SMLADX: one bit, and products of the wrong halves.

    The first one in the functions of that name; the compiler may have moved it into one of its own.
    """
    for kernel in (s for s in elf.symbols if s.name.startswith(prefix)):
        text = subprocess.run(
            ["arm-none-eabi-objdump", "-d", f"--start-address={kernel.address:#x}",
             f"--stop-address={kernel.address + kernel.size_bytes:#x}", str(elf.path)],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        lines = [line for line in text.splitlines() if "smlad\t" in line]
        if lines:
            raw[file_offset(elf, int(lines[0].split(":")[0], 16)) + 2] ^= 0x10
            return
    raise AssertionError(f"no SMLAD in {prefix}*")


@pytest.mark.parametrize(
    ("access", "function", "layer"),
    [
        (UART, "mcuc_fully_connected_", 8),
        (UART, "mcuc_conv2d_dsp_pixel", 1),
        (Access(), "mcuc_fully_connected_", 8),
    ],
    ids=["uart, late", "uart, early", "semihosting"],
)
def test_one_flipped_bit_in_a_kernel_names_the_right_layer(
    access: Access, function: str, layer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = digits("qemu_f405")
    flip = functools.partial(flip_multiply, function)
    monkeypatch.setattr(places, "build_bench", damaged(made, flip))
    verdict = verify_model(made, ("qemu",), 1, access=access)["verify"]
    first = verdict["first_mismatch"]
    assert verdict["mismatches"] > 0
    assert first["op_index"] == made.report["layers"][layer]["index"]
    elements = first["elements"]
    assert elements and all(element["got"] != element["want"] for element in elements)
    assert [e["at"] for e in elements] == sorted(e["at"] for e in elements)


def test_another_model_on_the_device_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = digits("qemu_f405")
    folder = Path(tempfile.mkdtemp(prefix="mcuc-other-"))
    other = compile_model(DIGITS, board="qemu_f405", minimize="sram", schedule="layer")
    assert other.project.digest != made.project.digest
    program = places.build_bench([other.unit], folder, made.board, trace=True, transport="uart")
    monkeypatch.setattr(places, "build_bench", lambda *args, **options: program)
    with pytest.raises(DeviceError) as caught:
        verify_model(made, ("qemu",), 1, access=UART)
    assert (caught.value.code, exit_code(caught.value)) == ("E631", 7)
