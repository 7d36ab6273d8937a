"""Start-up: the clocks that a board's steps make, in which order, and the C that carries them out.

B113: cache, wait states and clock are set up, and known.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from mcuc.compiler.compile import compile_model
from mcuc.data import data_dir
from mcuc.device import qemu, remote
from mcuc.device.board import Board, Clock
from mcuc.device.boards import list_boards, load_board, parse_board
from mcuc.device.firmware import HarnessConfig, build_program
from mcuc.device.harness import Request, run_requests
from mcuc.device.protocol import Device
from mcuc.device.startup import DELAY, FIELD, WAIT, Startup, Step
from mcuc.device.toolchain import Source
from mcuc.errors import BoardError, DeviceError, exit_code
from mcuc.report.html import write_html
from tests.support.models import DIGITS
from tests.support.stm32_clocks import WAIT_STATES, decode, family, given_up

BOARDS = [name for name in list_boards() if load_board(name).startup.steps]


def test_every_real_board_has_its_start_up() -> None:
    assert [name for name in list_boards() if not name.startswith("qemu_")] == BOARDS
    assert len(BOARDS) == 16


@pytest.mark.parametrize("name", BOARDS)
def test_the_registers_give_the_clock_that_the_file_says(name: str) -> None:
    board = load_board(name)
    assert board.clock is not None
    clocks = decode(board)
    assert clocks.core == board.clock.hz
    assert clocks.uart == board.uart.clock_hz
    assert clocks.wait_states == board.clock.flash_wait_states


@pytest.mark.parametrize("name", BOARDS)
def test_whichever_wait_fails_the_clock_is_that_out_of_reset(name: str) -> None:
    board = load_board(name)
    assert board.clock is not None and board.startup.waits
    for done in range(len(board.startup.steps) + 1):
        if done == len(board.startup.steps) or board.startup.steps[done].kind == WAIT:
            assert given_up(board, done) == board.clock.reset_hz


def test_a_report_says_what_its_cycles_depend_on() -> None:
    """B113: clock, wait states, caches, optimisation."""
    report = compile_model(DIGITS, board="nucleo_f746zg", schedule="layer").report
    assert report["board"] == {
        "id": "nucleo_f746zg", "core": "cortex-m7", "clock_hz": 216_000_000,
        "clock_origin": "HSI 16 MHz, PLL, over-drive", "flash_wait_states": 7,
        "caches": ["instruction", "data"],
    }  # fmt: skip
    assert report["options"]["optimize"] == "balanced"
    page = write_html(report)
    assert "at 216.0 MHz, 7 flash wait states, caches: instruction and data" in page


@pytest.mark.parametrize("name", BOARDS)
def test_wait_states_are_those_of_the_manual(name: str) -> None:
    board = load_board(name)
    assert board.clock is not None
    kind = family(board)
    if kind == "n6":
        return  # runs from RAM
    limits = WAIT_STATES["l4+" if name == "nucleo_l4r5zi" else kind]
    mhz = board.clock.hz // (2 if kind == "h7" else 1) // 1_000_000
    assert board.clock.flash_wait_states == next(i for i, top in enumerate(limits) if mhz <= top)


@pytest.mark.parametrize("name", BOARDS)
def test_wait_states_come_before_the_faster_clock(name: str) -> None:
    board = load_board(name)
    steps = board.startup.steps
    flash = [i for i, s in enumerate(steps) if s.address in (0x40023C00, 0x40022000, 0x52002000)]
    waits = [i for i, s in enumerate(steps) if s.kind == WAIT]
    # The switch to the PLL is the last step that is waited for.
    switch = max(waits) - 1
    assert steps[switch].address == steps[switch + 1].address
    assert all(i < switch for i in flash)
    assert bool(flash) == (family(board) != "n6")


@pytest.mark.parametrize("name", BOARDS)
def test_two_pins_are_given_to_the_serial_port(name: str) -> None:
    """Two pins in MODER as alternate function, each with its number in AFR."""
    steps = load_board(name).startup.peripherals
    moder = [s for s in steps if s.kind == FIELD and s.address & 0x3FF == 0 and _pins(s)]
    pins = [(s.address, pin) for s in moder for pin in _pins(s)]
    assert len(pins) == 2
    for port, pin in pins:
        afr = next(s for s in steps if s.address == port + (0x20 if pin < 8 else 0x24))
        assert (afr.mask >> 4 * (pin % 8)) & 15 == 15
        assert (afr.value >> 4 * (pin % 8)) & 15 in (1, 7, 8)


def _pins(step: Step) -> list[int]:
    pairs = [((step.mask >> 2 * p) & 3, (step.value >> 2 * p) & 3) for p in range(16)]
    wanted = [p for p, pair in enumerate(pairs) if pair == (3, 2)]
    return wanted if all(pair in ((0, 0), (3, 2)) for pair in pairs) else []


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("7", "must be a list"),
        ("[]", "must be a list"),
        ('["sett", 4, 1]', "must be a list that begins with one of set, clear"),
        ('["set", 4]', "'set' takes 2 numbers, not 1"),
        ('["set", 4, -1]', "no 32-bit word"),
        ('["set", 4, true]', "no 32-bit word"),
        ('["set", 5, 1]', "0x5 is not the address"),
        ('["wait", 4, 0, 0]', "empty mask"),
        ('["field", 4, 1, 2]', "0x2 has bits outside the mask 0x1"),
        ('["delay", 1, 2]', "takes 1 numbers"),
    ],
)
def test_a_wrong_step_is_named(step: str, problem: str) -> None:
    text = f"schema = 1\n[startup]\nsteps = [['set', 0, 1], {step}]\n"
    with pytest.raises(BoardError) as caught:
        parse_board(text.encode(), "bad.toml")
    assert any(problem in p for p in caught.value.data["problems"] if "startup.steps[1]" in p)


def test_what_a_wait_needs_is_named() -> None:
    """The clock when it fails, fast enough for the serial port; no waits where none may fail."""
    good = (data_dir("boards") / "nucleo_f446re" / "board.toml").read_text("utf-8")
    for old, new, problem in (
        ("reset_hz = 16000000\n", "", "clock.reset_hz: is missing"),
        (
            "reset_hz = 16000000",
            "reset_hz = 1000000",
            "clock.reset_hz: the serial port needs 1843200",
        ),
        ('["clear", 0x40023808', '["wait", 0x40023808', "startup.fallback[0]: 'wait' takes 3"),
        (
            '["set", 0x40023830,',
            '["wait", 0x40023830, 1,',
            "startup.peripherals[0]: a wait can fail",
        ),
    ):
        with pytest.raises(BoardError) as caught:
            parse_board(good.replace(old, new, 1).encode(), "bad.toml")
        assert problem in " ".join(caught.value.data["problems"])


# A word of RAM that the program leaves alone, at the end of the emulated board's memory.
SPARE = 0x20000000 + (8 << 20) - 16
STEPS = (
    Step(FIELD, SPARE, 0xFFFFFFFF, 0x0000F00F),
    Step(FIELD, SPARE, 0x000000FF, 0x000000A0),
    Step(FIELD, SPARE, 0x0000F000, 0),
    Step(WAIT, SPARE, 0xFFFFFFFF, 0x000000A0),
    Step(DELAY, 0, 0, 100),
)
INPUT = bytes(range(3, 40))


def _output(board: Board, folder: Path, timeout_s: float = 20.0) -> bytes:
    """What the first of the test models, which adds 1, gives on a board."""
    config = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4)
    source = Source(Path(__file__).parent / "models.c")
    program = build_program([source], config, folder, board=board)
    record = run_requests(program, [Request(0, ((INPUT,),))], timeout_s=timeout_s)[0][0][0]
    return record.outputs[0]


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize("name", ["qemu_m7", "qemu_m0plus"])
def test_the_steps_and_caches_run(name: str, tmp_path: Path) -> None:
    board = load_board(name)
    caches = ("instruction", "data") if board.core == "cortex-m7" else ()
    startup = Startup(steps=STEPS, caches=caches)
    output = _output(replace(board, startup=startup), tmp_path / "good")
    assert output == bytes(byte + 1 for byte in INPUT)


# A wait for what never comes. Each list sends a letter by the emulated board's serial port.
DATA, CTRL, DIVIDER = 0x40004000, 0x40004008, 0x40004010


def _send(letter: str) -> Step:
    return Step(FIELD, DATA, 0xFFFFFFFF, ord(letter))


NEVER = Startup(
    steps=(*STEPS[:3], replace(STEPS[3], value=0x000000A1), _send("X")),
    fallback=(Step(FIELD, DIVIDER, 0xFFFFFFFF, 16), Step(FIELD, CTRL, 3, 1), _send("F")),
    peripherals=(_send("P"),),
)
CLOCK = Clock(216_000_000, "a PLL that does not lock", 7, 16_000_000)


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize("transport", ["semihosting", "uart"])
def test_a_clock_that_does_not_lock_is_reported(transport: str, tmp_path: Path) -> None:
    """The wait has an end, what stands behind it is left out, and the host hears of it."""
    board = replace(load_board("qemu_m7"), startup=NEVER, clock=CLOCK)
    config = HarnessConfig(region_bytes=(100,), state_bytes=4, max_steps=4, transport=transport)
    source = Source(Path(__file__).parent / "models.c")
    program = build_program([source], config, tmp_path, board=board)
    with pytest.raises(DeviceError) as caught:
        if transport == "uart":
            remote.describe(program, "")
        else:
            run_requests(program, [Request(0, ((INPUT,),))], timeout_s=20.0)
    error = caught.value
    assert (error.code, exit_code(error)) == ("E638", 7)
    assert error.what.endswith("runs at 16 of 216 MHz") and "supply" in error.help
    assert error.data == {"step": 4, "address": SPARE}
    assert f"step 4 of [startup] steps waited for bits 0xffffffff of {SPARE:#x}" in error.why
    if transport == "uart":
        seen, end = b"", time.monotonic() + 20.0
        with qemu.serial_link(program) as link:
            while b"\n" not in seen and time.monotonic() < end:
                seen += link.read(1.0)
            identity = Device(link, deadline=end).connect()
        assert seen.startswith(b"FPmcuc on qemu_m7: constants not checked, THE CLOCK DID NOT START")
        assert (identity.failed_step, identity.clock_hz) == (4, 16_000_000)
