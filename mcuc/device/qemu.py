"""Runs a test program on `qemu-system-arm`: deterministic, instructions counted.

Files and exit status go through semihosting; what the firmware prints goes to a file beside them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mcuc.device.boards import Board, Emulator
from mcuc.device.faults import exit_error
from mcuc.device.firmware import Program
from mcuc.device.host import timeout_error
from mcuc.errors import BoardError, ToolchainError

QEMU = "qemu-system-arm"
_CONSOLE = "console.txt"


def find_qemu() -> str:
    """Path of the emulator.

    Raises:
        ToolchainError: E501 when it is not installed.
    """
    path = shutil.which(QEMU)
    if path is None:
        raise ToolchainError(
            "E501",
            f"{QEMU} is not installed",
            help="apt-get install --no-install-recommends qemu-system-arm",
        )
    return path


def command(qemu: str, emulator: Emulator, elf: Path, arguments: Sequence[str]) -> list[str]:
    """The command line that runs an ELF file with the given semihosting arguments."""
    words = [elf.name, *arguments]
    return [
        qemu,
        *("-M", emulator.machine),
        *("-display", "none", "-monitor", "none", "-serial", "none"),
        *("-icount", f"shift={emulator.icount_shift}"),
        *("-chardev", f"file,id=console,path={_CONSOLE}"),
        "-semihosting-config",
        ",".join(["enable=on", "target=native", "chardev=console", *(f"arg={w}" for w in words)]),
        *("-kernel", str(elf.resolve())),
    ]


def execute(program: Program, arguments: Sequence[str], folder: Path, timeout_s: float) -> str:
    """Runs the program in `folder`; returns what it printed.

    Raises:
        BoardError: E604 when the board is not an emulated one.
        DeviceError: as `exit_error` says. DeviceTimeoutError: E620.
    """
    emulator = _emulator(program.board)
    call = command(find_qemu(), emulator, program.path, arguments)
    try:
        done = subprocess.run(
            call,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise timeout_error(timeout_s) from error
    console = folder / _CONSOLE
    text = console.read_text("utf-8", "replace") if console.exists() else ""
    problem = exit_error(done.returncode, text + done.stderr, program.elf)
    if problem is not None:
        raise problem
    return text


def _emulator(board: Board | None) -> Emulator:
    if board is None or board.emulator is None:
        name = board.id if board else "host"
        raise BoardError(
            "E604",
            f"{name} is not an emulated board",
            help="run on a board whose name begins with qemu_",
        )
    return board.emulator
