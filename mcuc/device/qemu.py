"""Runs a test program on `qemu-system-arm`: deterministic, instructions counted.

Files and exit status go through semihosting; what the firmware prints goes to a file beside them.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from mcuc.device.board import Board, Emulator
from mcuc.device.faults import exit_error
from mcuc.device.firmware import Program
from mcuc.device.host import timeout_error
from mcuc.device.link import SocketLink, gone
from mcuc.errors import BoardError, DeviceError, PortError, ToolchainError

QEMU = "qemu-system-arm"
_CONSOLE = "console.txt"
START_S = 30.0


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
        *_machine(qemu, emulator, elf, serial="none"),
        *("-chardev", f"file,id=console,path={_CONSOLE}"),
        "-semihosting-config",
        ",".join(["enable=on", "target=native", "chardev=console", *(f"arg={w}" for w in words)]),
    ]


def _machine(qemu: str, emulator: Emulator, elf: Path, serial: str) -> list[str]:
    return [
        qemu,
        *("-M", emulator.machine),
        *("-display", "none", "-monitor", "none", "-serial", serial),
        *("-icount", f"shift={emulator.icount_shift}"),
        *("-kernel", str(elf.resolve())),
    ]


@contextmanager
def serial_link(program: Program) -> Iterator[SocketLink]:
    """The program running on its board's emulator, and the board's serial port.

    Raises:
        BoardError: E604 when the board is not an emulated one.
        DeviceError: E611 and others when the emulator ended by itself meanwhile.
        DeviceTimeoutError: E620 when it does not start.
    """
    emulator = _emulator(program.board)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        tempfile.TemporaryFile("w+", errors="replace") as words,
    ):
        serial = f"tcp:127.0.0.1:{server.getsockname()[1]},nodelay=on"
        process = subprocess.Popen(
            _machine(find_qemu(), emulator, program.path, serial),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=words,
        )
        try:
            with closing(_accepted(server, process, emulator.machine)) as link:
                yield link
        except PortError as error:
            raise _ended(process, words, program) or error from error
        finally:
            process.kill()
            process.wait()


def _accepted(server: socket.socket, process: subprocess.Popen[bytes], name: str) -> SocketLink:
    """The emulator's connection."""
    name = f"{name}'s serial port"
    server.settimeout(0.1)
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        try:
            return SocketLink(server.accept()[0], name)
        except TimeoutError:
            if process.poll() is not None:
                raise gone(name, "the emulator ended") from None
    raise timeout_error(START_S)


def _ended(
    process: subprocess.Popen[bytes], words: IO[str], program: Program
) -> DeviceError | None:
    """Why the emulator is gone; None when it is not, or ended well."""
    try:
        status = process.wait(1.0)
    except subprocess.TimeoutExpired:
        return None
    words.seek(0)
    return exit_error(status, words.read(), program.elf, program.board)


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
    problem = exit_error(done.returncode, text + done.stderr, program.elf, program.board)
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
