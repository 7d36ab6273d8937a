"""Firmware reached by the emulated boards' serial ports: results, and each way of failing."""

from __future__ import annotations

import functools
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.models import model_file
from mcuc.build import places
from mcuc.build.compile import Compiled, compile_model
from mcuc.build.places import Access
from mcuc.build.run import profiled
from mcuc.build.vectors import random_vectors
from mcuc.build.verify import verify_model
from mcuc.device import link, qemu, remote
from mcuc.device.boards import Counter, load_board
from mcuc.device.elf import Elf
from mcuc.device.firmware import HarnessConfig, Program, build_program
from mcuc.device.harness import Request, RunRecord
from mcuc.device.protocol import Command, Patience
from mcuc.device.toolchain import Source
from mcuc.errors import DeviceError, McucError, exit_code
from tests.support.models import DIGITS

pytestmark = [pytest.mark.arm_gcc, pytest.mark.qemu]

BOARDS = ("qemu_f405", "qemu_m7", "qemu_m33", "qemu_m55")
UART = Access("uart")
# Beside the example small ones of other kinds: fully connected, depthwise, recurrent.
MODELS = (
    "repo/emlearn_mnist_cnn_int8",
    "repo/tflm_hello_world_int8",
    "repo/tflm_micro_speech_int8",
    "repo/tflm_mnist_lstm_int8",
)
HAND_WRITTEN = Path(__file__).parents[1] / "unit" / "device" / "models.c"
INPUT, OUTPUT = bytes(range(3, 40)), bytes(range(4, 41))


@functools.cache
def digits(board: str) -> Compiled:
    return compile_model(DIGITS, board=board)


@pytest.mark.parametrize("board", BOARDS)
def test_a_model_gives_the_reference_s_bytes(board: str) -> None:
    """Outputs of all runs, and every layer's rows."""
    report = verify_model(digits(board), ("qemu",), 2, access=UART, profile=True)
    verdict = report["verify"]
    assert (verdict["mismatches"], verdict["transport"]) == (0, "uart")
    assert verdict["stack_bytes"] > 0
    assert all(layer["instructions"] > 0 for layer in report["layers"])


@pytest.mark.data
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", MODELS)
def test_small_models_give_the_reference_s_bytes(name: str, board: str) -> None:
    made = compile_model(model_file(name), board=board)
    verdict = verify_model(made, ("qemu",), 1, access=UART)["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]


def test_layers_take_as_many_instructions_as_without_a_serial_port() -> None:
    made = digits("qemu_f405")
    (vector,) = random_vectors(made.lowered.whole, 1)
    counts = []
    for access in (UART, Access()):
        with places.bench(made, "qemu", access) as bench:
            layers = profiled(bench, made.report, vector)["layers"]
            counts.append([layer["instructions"] for layer in layers])
    assert counts[0] == counts[1]


@functools.cache
def hand_written(board: str) -> tuple[Program, tuple[str, ...]]:
    """The models of tests/unit/device/models.c with a serial port, and their names."""
    text = HAND_WRITTEN.read_text()
    config = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4, transport="uart")
    folder = Path(tempfile.mkdtemp(prefix=f"mcuc-uart-{board}-"))
    made = build_program([Source(HAND_WRITTEN)], config, folder, board=load_board(board))
    return made, tuple(re.findall(r"MODEL\((\w+), \w+, \d", text))


def run(board: str, name: str, **changes: float) -> RunRecord:
    program, names = hand_written(board)
    request = Request(names.index(name), ((INPUT,),))
    limits = {"timeout_s": 20.0, "run_s": 10.0, **changes}
    return remote.run_requests(program, [request], **limits)[0][0][0]


@pytest.mark.parametrize("board", BOARDS)
def test_b106_each_way_of_ending_has_its_own_exit_code(board: str) -> None:
    """Passes, faults with its place, hangs, resets; none looks like another."""
    assert run(board, "add").outputs == (OUTPUT,)
    for name, cause in (("fault", "undefined instruction"), ("bad_address", "data bus error")):
        with pytest.raises(DeviceError) as caught:
            run(board, name)
        assert (caught.value.code, exit_code(caught.value)) == ("E610", 7)
        assert cause in caught.value.why
        assert caught.value.data["function"] == name
        assert re.fullmatch(r"models\.c:\d+", caught.value.data["line"])
    began = time.monotonic()
    with pytest.raises(DeviceError) as caught:
        run(board, "hang", run_s=0.5)
    assert (caught.value.code, exit_code(caught.value)) == ("E620", 6)
    assert time.monotonic() - began < 5.0
    with pytest.raises(DeviceError) as caught:
        run(board, "reset")
    assert (caught.value.code, exit_code(caught.value)) == ("E634", 7)
    with pytest.raises(DeviceError) as caught:
        run(board, "lockup")
    assert (caught.value.code, exit_code(caught.value)) == ("E611", 7)


def test_a_fault_s_line_is_that_of_the_instruction() -> None:
    with pytest.raises(DeviceError) as caught:
        run("qemu_f405", "fault")
    line = int(caught.value.data["line"].partition(":")[2])
    function = "\n".join(HAND_WRITTEN.read_text().splitlines()[line - 2 : line + 3])
    assert "fault(" in function and "0xde00" in function


class BadLine:
    """A link that loses, changes and adds bytes both ways, always the same ones."""

    def __init__(self, link: link.Link, odds: int) -> None:
        self.name, self.link, self.odds, self.harm = link.name, link, odds, 0
        self.random = random.Random(7)

    def spoil(self, data: bytes) -> bytes:
        out = bytearray()
        for value in data:
            chance = self.random.randrange(self.odds)
            self.harm += chance < 3
            if chance != 0:
                out.append(value ^ 1 << self.random.randrange(8) if chance == 1 else value)
            if chance == 2:
                out.append(self.random.randrange(256))
        return bytes(out)

    def read(self, timeout_s: float) -> bytes:
        return self.spoil(self.link.read(timeout_s))

    def write(self, data: bytes, timeout_s: float) -> None:
        self.link.write(self.spoil(data), timeout_s)

    def close(self) -> None:
        self.link.close()


def test_a_bad_line_costs_time_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real firmware behind it: every output is right, and every run was run once."""
    program, names = hand_written("qemu_f405")
    lines: list[BadLine] = []

    @contextmanager
    def bad(*_: object) -> Iterator[BadLine]:
        with qemu.serial_link(program) as good:
            lines.append(BadLine(good, 400))
            yield lines[-1]

    monkeypatch.setattr(remote, "_link", bad)
    vectors = tuple((bytes([i] * 37),) for i in range(8))
    requests = [Request(names.index("add"), vectors), Request(names.index("count"), vectors)]
    records = remote.run_requests(
        program, requests, timeout_s=60.0, run_s=10.0, patience=Patience(retry_s=0.05, damaged=50)
    )
    for i, (add, count) in enumerate(zip(*records, strict=True)):
        assert add[0].outputs == count[0].outputs == (bytes([i + 1] * 37),)
        assert count[0].code == 101 + i
    assert lines[0].harm > 15


def test_guards_and_stack_are_checked_in_each_run() -> None:
    assert not run("qemu_f405", "write_behind").guards_intact
    assert not run("qemu_f405", "overrun_stack").guards_intact
    assert 1000 <= (run("qemu_f405", "deep").stack_bytes or 0) <= 1064


def test_the_record_of_a_fault_outlives_the_reset_and_is_told_once() -> None:
    program, names = hand_written("qemu_f405")
    with remote.connected(program, "", 20.0) as (device, identity):
        assert not identity.faulted
        device.words(Command.OPEN, names.index("fault"), 0)
        with pytest.raises(DeviceError) as caught:
            device.call(Command.RUN, bytes(12), 5.0)
        assert caught.value.data["function"] == "fault"
        assert not device.connect().faulted and device.call(Command.FAULT) == b""


def test_requests_that_make_no_sense_are_refused_and_do_no_harm() -> None:
    program, names = hand_written("qemu_f405")
    with remote.connected(program, "", 20.0) as (device, _):
        for command, words in (
            (Command.READ, (0, 0, 0, 1)),  # nothing is open
            (Command.OPEN, (99, 0)),
            (Command.OPEN, (names.index("traced") + 1, 0)),  # needs more RAM than the build has
            (Command.MODEL, (99,)),
        ):
            with pytest.raises(DeviceError) as caught:
                device.words(command, *words)
            assert caught.value.code == "E636"
        device.words(Command.OPEN, names.index("add"), 0x55)
        for command, words in (
            (Command.WRITE, (0, 30, 0, 0)),  # ends behind the input
            (Command.WRITE, (0, 0xFFFFFFFC, 0, 0)),
            (Command.WRITE, (9, 0)),
            (Command.WRITE, ()),
            (Command.RUN, (1,)),
            (Command.READ, (0, 0, 30, 8)),
            (Command.READ, (0, 0, 0xFFFFFFFF, 2)),
            (Command.READ, (0, 9, 0, 1)),
            (Command.READ, (1, 0, 0xFFFFFFFF, 2)),
            (Command.READ, (7, 0, 0, 0)),
        ):
            with pytest.raises(DeviceError) as caught:
                device.words(command, *words)
            assert caught.value.code == "E636"
        assert device.connect().models == len(names)


def test_memory_use_is_told() -> None:
    program, names = hand_written("qemu_f405")
    with remote.connected(program, "", 20.0) as (device, _):
        device.words(Command.OPEN, names.index("deep"), 0)
        device.call(Command.RUN, bytes(12), 5.0)
        stack, most, broken = (
            int.from_bytes(device.call(Command.MEMORY)[i : i + 4], "little") for i in (0, 4, 8)
        )
    assert (stack, broken) == (16 * 1024, 0) and 1000 <= most <= 1064


def test_a_device_restarts_when_it_is_asked() -> None:
    program, names = hand_written("qemu_f405")
    with remote.connected(program, "", 20.0) as (device, _):
        device.words(Command.OPEN, names.index("add"), 0)
        device.call(Command.RESTART)
        with pytest.raises(DeviceError) as caught:  # it begins anew, whatever is asked
            device.words(Command.FILL, 0)
        assert caught.value.code in ("E634", "E636")
        assert device.connect().models == len(names)


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


def flip_multiply(symbol: str, elf: Elf, raw: bytearray) -> None:
    """SMLAD becomes SMLADX: one bit, and products of the wrong halves."""
    kernel = next(s for s in elf.symbols if s.name == symbol)
    text = subprocess.run(
        ["arm-none-eabi-objdump", "-d", f"--start-address={kernel.address:#x}",
         f"--stop-address={kernel.address + kernel.size_bytes:#x}", str(elf.path)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    address = int(next(line for line in text.splitlines() if "smlad\t" in line).split(":")[0], 16)
    raw[file_offset(elf, address) + 2] ^= 0x10


@pytest.mark.parametrize(
    ("access", "function", "layer"),
    [
        (UART, "mcuc_fully_connected_s8_s8_s8_line__dsp_1x4", 8),
        (UART, "mcuc_conv2d_dsp_pixel", 0),
        (Access(), "mcuc_fully_connected_s8_s8_s8_line__dsp_1x4", 8),
    ],
    ids=["uart, late", "uart, first", "semihosting"],
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


def test_a_board_at_a_port_is_flashed_and_verified(tmp_path: Path) -> None:
    """The emulator stands for the board: an upload command starts it, a port reaches it."""
    import socket

    made = digits("qemu_f405")
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    port = f"tcp://127.0.0.1:{number}"
    serial = f"tcp:127.0.0.1:{number},server=on,wait=off,nodelay=on"
    elf = tmp_path / "flashed.elf"
    board = tmp_path / "board"
    pid = tmp_path / "pid"
    board.write_text(
        f"#!/bin/sh\ncp $1 {elf}\n"
        f"{qemu.find_qemu()} -M netduinoplus2 -display none -monitor none -serial {serial} "
        f"-daemonize -pidfile {pid} -kernel {elf}\n"
    )
    board.chmod(0o755)
    try:
        access = Access(port=port, upload=f"{board} {{elf}}")
        report = verify_model(made, ("reference", "board"), 1, access=access)
        assert report["verify"]["mismatches"] == 0
        assert report["verify"]["board"] == "qemu_f405"
    finally:
        if pid.exists():
            subprocess.run(["kill", pid.read_text().strip()], check=False)


def test_b112_a_counter_that_does_not_run_is_told() -> None:
    """The emulator has no DWT cycle counter: results are there, times are not made up."""
    made = digits("qemu_f405")
    counter = Counter("dwt", 0xE0001000, "cycles", 1, 1)
    silent = replace(made, board=replace(made.board, counter=counter))
    with places.bench(silent, "qemu", UART) as bench:
        (record,) = bench.run(random_vectors(made.lowered.whole, 1))
        assert record.instructions is None and record.outputs
        with pytest.raises(DeviceError) as caught:
            profiled(bench, made.report, random_vectors(made.lowered.whole, 1)[0])
    assert (caught.value.code, exit_code(caught.value)) == ("E637", 7)


@pytest.mark.parametrize("board", ["nucleo_f446re", "nucleo_f746zg", "nucleo_g0b1re"])
def test_firmware_of_real_boards_links(board: str, tmp_path: Path) -> None:
    """Every kind of serial port and core of the real boards; no flash and no RAM overlaps."""
    config = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4, transport="uart")
    made = build_program([Source(HAND_WRITTEN)], config, tmp_path, board=load_board(board))
    kept = next(s for s in made.elf.sections if s.name == ".noinit")
    cleared = next(s for s in made.elf.sections if s.name == ".bss")
    assert not kept.stored and kept.size_bytes >= 44
    assert not cleared.address <= kept.address < cleared.address + cleared.size_bytes
