"""What the exit of a test program means, and its fault reports in words."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

from mcuc.device.board import Board
from mcuc.device.elf import Elf
from mcuc.device.toolchain import run_tool
from mcuc.errors import DeviceError, ToolchainError

# Exit statuses of boards/common/port.h.
EXIT_OK = 0
EXIT_BAD_REQUEST = 10
EXIT_FILE = 11
EXIT_CLOCK = 12
EXIT_FAULT = 20

_REPORT = re.compile(r"mcuc-fault((?: \w+=[0-9a-f]+)+)")
_CLOCK = re.compile(r"mcuc-clock-failed step=([0-9a-f]{8})")
_EXCEPTIONS = {
    2: "NMI",
    3: "HardFault",
    4: "MemManage fault",
    5: "BusFault",
    6: "UsageFault",
    7: "SecureFault",
}
# Configurable Fault Status Register, Armv7-M and Armv8-M.
_CFSR = {
    0: "instruction access violation",
    1: "data access violation",
    3: "unstacking access violation",
    4: "stacking access violation",
    5: "FPU state access violation",
    7: "MMFAR holds the address",
    8: "instruction bus error",
    9: "precise data bus error",
    10: "imprecise data bus error",
    11: "unstacking bus error",
    12: "stacking bus error",
    13: "FPU state bus error",
    15: "BFAR holds the address",
    16: "undefined instruction",
    17: "invalid state",
    18: "invalid return",
    19: "no coprocessor",
    20: "stack overflow",
    24: "unaligned access",
    25: "division by zero",
}
_MMFAR_VALID = 1 << 7
_BFAR_VALID = 1 << 15


def decode_cfsr(cfsr: int) -> tuple[str, ...]:
    """The causes named by the bits of CFSR."""
    return tuple(text for bit, text in _CFSR.items() if cfsr >> bit & 1)


def parse_fault(console: str) -> Mapping[str, int] | None:
    """The registers of the fault report in the console text, or None."""
    match = _REPORT.search(console)
    if match is None:
        return None
    pairs = (item.split("=") for item in match.group(1).split())
    return {name: int(value, 16) for name, value in pairs}


def fault_error(console: str, elf: Elf) -> DeviceError:
    """E610: the program faulted; says why, at which address and in which function."""
    registers = parse_fault(console)
    if registers is None:
        return DeviceError("E610", "the program faulted without a report", why=console[-400:])
    return record_error(registers, elf)


def record_error(registers: Mapping[str, int], elf: Elf) -> DeviceError:
    """E610 from what the core told: exception, pc, lr, sp, cfsr, hfsr, mmfar, bfar."""
    where = _place(registers["pc"], elf)
    causes = decode_cfsr(registers["cfsr"])
    kind = _EXCEPTIONS.get(registers["exception"], f"exception {registers['exception']}")
    address = None
    if registers["cfsr"] & _BFAR_VALID:
        address = registers["bfar"]
    elif registers["cfsr"] & _MMFAR_VALID:
        address = registers["mmfar"]
    why = ", ".join(causes) or f"HFSR 0x{registers['hfsr']:08x}"
    why += f" at address 0x{address:08x}" if address is not None else ""
    why += f"; called from {_place(registers['lr'], elf)}"
    return DeviceError(
        "E610",
        f"{kind} in {where}",
        why=why,
        help="the address tells what was touched; see the map file for what lies there",
        data={
            "kind": kind,
            "causes": list(causes),
            "address": address,
            "function": function_name(registers["pc"], elf),
            "line": line_of(registers["pc"], elf),
            "registers": dict(registers),
        },
    )


def clock_error(number: int, board: Board | None) -> DeviceError:
    """E638: the wait of start-up with this number, from 1, came to nothing."""
    steps = board.startup.steps if board else ()
    step = steps[number - 1] if 0 < number <= len(steps) else None
    clock = board.clock if board else None
    what = f" for bits 0x{step.mask:x} of 0x{step.address:08x}" if step else ""
    now = f": it runs at {clock.reset_hz / 1e6:g} of {clock.hz / 1e6:g} MHz" if clock else ""
    return DeviceError(
        "E638",
        f"the board's clock did not start{now}",
        why=f"step {number} of [startup] steps waited{what} in vain",
        help="look at the supply and the oscillator that the step needs, and for another revision "
        "of the board; the board file says what each step does",
        data={"step": number, "address": step.address if step else None},
    )


def function_name(address: int, elf: Elf) -> str | None:
    """Name of the function that holds the address."""
    symbol = elf.function_at(address)
    return symbol.name if symbol else None


def _place(address: int, elf: Elf) -> str:
    symbol = elf.function_at(address)
    if symbol is None:
        return f"0x{address:08x} (no function)"
    line = line_of(address, elf)
    place = f"0x{address:08x}, {line}" if line else f"0x{address:08x}"
    return f"{symbol.name}+0x{(address & ~1) - symbol.address:x} ({place})"


def line_of(address: int, elf: Elf) -> str | None:
    """FILE:LINE of an address, if addr2line is there and the program tells."""
    tool = shutil.which("arm-none-eabi-addr2line") or shutil.which("llvm-addr2line")
    if tool is None or elf.function_at(address) is None:
        return None
    try:
        text = run_tool([tool, "-e", str(elf.path), f"{address & ~1:#x}"]).strip()
    except ToolchainError:
        return None
    file, _, line = text.rpartition(":")
    line = line.split()[0] if line else ""
    return f"{Path(file).name}:{line}" if line.isdecimal() and line != "0" else None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_error(
    status: int, console: str, elf: Elf, board: Board | None = None
) -> DeviceError | None:
    """The error behind an exit status of the test program; None when it ended well."""
    tail = "\n".join(console.strip().splitlines()[-20:])
    if status == EXIT_OK:
        return None
    if status == EXIT_FAULT:
        return fault_error(console, elf)
    if "Lockup" in console:
        return DeviceError(
            "E611", "the core locked up: a fault inside a fault handler", why=tail or "no report"
        )
    if status == EXIT_BAD_REQUEST:
        return DeviceError("E613", "the test program refused its request", why=tail)
    if status == EXIT_FILE:
        return DeviceError("E614", "the test program could not use its files", why=tail)
    if status == EXIT_CLOCK:
        match = _CLOCK.search(console)
        return clock_error(int(match.group(1), 16) if match else 0, board)
    if status < 0:
        return DeviceError(
            "E612",
            f"the program was ended by {_signal_name(-status)}",
            why=tail,
            data={"signal": -status},
        )
    return DeviceError("E615", f"the program ended with the unknown status {status}", why=tail)
