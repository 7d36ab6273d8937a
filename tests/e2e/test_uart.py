"""Firmware reached by the emulated boards' serial ports: results, and each way of failing."""

from __future__ import annotations

import functools
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.models import model_file
from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.compile import compile_model
from mcuc.device import link, qemu, remote
from mcuc.device.board import Counter
from mcuc.device.boards import load_board
from mcuc.device.firmware import HarnessConfig, Program, build_program
from mcuc.device.harness import Request, RunRecord
from mcuc.device.protocol import Command, Patience
from mcuc.device.toolchain import Source
from mcuc.errors import DeviceError, exit_code
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.proof import places, verify
from mcuc.proof.places import Access, Bench
from mcuc.proof.run import profiled
from mcuc.proof.verify import verify_model
from tests.support.uart import UART, digits

pytestmark = [pytest.mark.arm_gcc, pytest.mark.qemu]

BOARDS = ("qemu_f405", "qemu_m7", "qemu_m33", "qemu_m55")
# Beside the example small ones of other kinds: fully connected, depthwise, recurrent.
MODELS = (
    "repo/emlearn_mnist_cnn_int8",
    "repo/tflm_hello_world_int8",
    "repo/tflm_micro_speech_int8",
    "repo/tflm_mnist_lstm_int8",
)
HAND_WRITTEN = Path(__file__).parents[1] / "unit" / "device" / "models.c"
INPUT, OUTPUT = bytes(range(3, 40)), bytes(range(4, 41))


@pytest.mark.parametrize("board", BOARDS)
def test_a_model_gives_the_reference_s_bytes(board: str) -> None:
    """Outputs of all runs, and every layer's rows."""
    report = verify_model(digits(board), ("qemu",), 2, access=UART, profile=True)
    verdict = report["verify"]
    assert (verdict["mismatches"], verdict["transport"]) == (0, "uart")
    assert verdict["stack_bytes"] > 0
    assert all(layer["instructions"] > 0 for layer in report["layers"])


@dataclass(frozen=True)
class OneOfSeveral(Bench):
    """The bench of one model in a firmware that holds several: they are built and linked once."""

    firmware: tuple[Program, list[Unit], int] | None = None

    def run(self, vectors: Sequence[Sequence[Array]], **how: Any) -> list[RunRecord]:
        assert self.firmware
        program, units, index = self.firmware
        thorough = how.pop("thorough", False)
        chosen = [list(vectors) if i == index else [] for i in range(len(units))]
        poisons = (0x55, 0xAA) if thorough else (0x55,)
        return run_bench(program, units, chosen, runs=1 + thorough, poisons=poisons, **how)[index]

    def program(self, trace: bool) -> Program:
        assert self.firmware
        return self.firmware[0]


@pytest.mark.data
@pytest.mark.parametrize("board", BOARDS)
def test_small_models_give_the_reference_s_bytes(
    board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each as `mcuc verify --transport uart` does it, but all in one firmware."""
    made = [compile_model(model_file(name), board=board) for name in MODELS]
    units = [one.unit for one in made]
    program = build_bench(units, tmp_path, made[0].board, trace=True, transport="uart", merge=True)
    for index, one in enumerate(made):
        firmware = (program, units, index)
        bench = OneOfSeveral(one, "qemu", tmp_path, one.board, UART, firmware=firmware)
        monkeypatch.setattr(verify, "bench", lambda *_, found=bench: nullcontext(found))
        verdict = verify_model(one, ("qemu",), 1, access=UART)["verify"]
        assert (verdict["mismatches"], verdict["device"]["board"]) == (0, board), verdict


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
