"""A device in a thread: the protocol of boards/common/server.c over TCP or a pty, and every way in
which it can go wrong. Its one model adds 1 to 37 input bytes.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from mcuc.device.boards import load_board
from mcuc.device.elf import Elf
from mcuc.device.firmware import HarnessConfig, Program
from mcuc.device.frames import PAYLOAD, Decoder, Frame, encode
from mcuc.device.protocol import ABI, PROTOCOL, Command, Constants, Status
from mcuc.device.toolchain import Toolchain

N = 37
DIGEST = bytes(range(16))
Send = Callable[[bytes], None]


def program() -> Program:
    """What the host takes the fake device's firmware for."""
    elf = Elf(Path("none.elf"), 0, (), ())
    config = HarnessConfig(region_bytes=(100,), transport="uart")
    board = load_board("nucleo_f446re")
    return Program(elf.path, board, config, Toolchain("none", (), True), (), elf)


@dataclass
class FakeDevice:
    """The device's behaviour.

    Attributes:
        before: Bytes on the line before the banner.
        mangle: Makes of an answer what goes over the line, in pieces; the number counts answers.
        byte_s: Time between two bytes; 0 = at once.
        described: Bytes of the sizes in the model's description, of 28.
        on_run: "answer", "hang", "reset" or "close" once the run has begun.
        record: The fault record that is there after a reset.
        runs: How often the model ran.
    """

    before: bytes = b""
    mangle: Callable[[int, bytes], bytes] = lambda number, raw: raw
    byte_s: float = 0.0
    on_run: str = "answer"
    record: bytes = b""
    digest: bytes = DIGEST
    board: bytes = b"nucleo_f446re"
    constants: Constants = Constants.GOOD
    failed_step: int = 0
    protocol: int = PROTOCOL
    described: int = 28
    refuse: Command | None = None
    silent: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    runs: int = 0
    answers: int = 0
    last: tuple[bytes, bytes] = (b"", b"")
    data: bytearray = field(default_factory=lambda: bytearray(N))

    def serve(self, read: Callable[[], bytes], send: Send) -> None:
        """Until the host closes, or the script says so."""
        decoder = Decoder()
        self._out(send, self.before + b"mcuc on fake\r\n" + self._frame(self._boot()))
        while not self.stop.is_set():
            data = read()
            if not data:
                return
            for frame in decoder.feed(data):
                if not self.silent and not self._one(frame, send):
                    return

    def _one(self, frame: Frame, send: Send) -> bool:
        key = encode(frame)
        if key != self.last[0]:
            if frame.command == Command.RUN:
                self._out(send, self._frame(self._reply(frame, Status.STARTED)))
                self.runs += 1
                if self.on_run == "close":
                    return False
                if self.on_run == "hang":
                    self.silent = True
                    return True
                if self.on_run == "reset":
                    self._out(send, self._frame(self._boot()))
                    self.on_run = "answer"
                    return True
            status, payload = self._answer(frame)
            self.last = key, encode(self._reply(frame, status, payload))
        self._out(send, self._mangled(self.last[1]))
        return True

    def _out(self, send: Send, raw: bytes) -> None:
        if not self.byte_s:
            send(raw)
            return
        for value in raw:
            send(bytes([value]))
            if self.stop.wait(self.byte_s):
                return

    def _mangled(self, raw: bytes) -> bytes:
        self.answers += 1
        return self.mangle(self.answers, raw)

    def _frame(self, frame: Frame) -> bytes:
        return encode(frame)

    @staticmethod
    def _reply(frame: Frame, status: int, payload: bytes = b"") -> Frame:
        return Frame(frame.command, frame.sequence, status, payload)

    def _boot(self) -> Frame:
        return Frame(Command.BOOT, 0, 0, self._identity())

    def _identity(self) -> bytes:
        flags = 2 | 16 | (1 if self.record else 0)
        words = (self.protocol, ABI, PAYLOAD, flags, self.constants, 16_000_000, 1)
        return struct.pack("<8I", *words, self.failed_step) + self.board + b"\0cc\0-O2\0"

    def _answer(self, frame: Frame) -> tuple[int, bytes]:
        if frame.command == self.refuse:
            return Status.BAD_ARGUMENT, b"too large\0"
        match frame.command:
            case Command.IDENTIFY:
                return Status.OK, self._identity()
            case Command.MODEL:
                sizes = struct.pack("<7I", 1, 100, 0, 1, N, 1, N)
                return Status.OK, self.digest + sizes[: self.described] + b"m\0"
            case Command.WRITE:
                _, at = struct.unpack_from("<II", frame.payload)
                self.data[at : at + len(frame.payload) - 8] = frame.payload[8:]
            case Command.RUN:
                self.data = bytearray((value + 1) & 255 for value in self.data)
                record = (0, 3, 1234, 0, 88, 1, 0, 0, 0, 0)
                return Status.OK, struct.pack("<11I", len(record), *record) + bytes(12)
            case Command.READ:
                _, _, at, count = struct.unpack("<4I", frame.payload)
                return Status.OK, bytes(self.data[at : at + count])
            case Command.FAULT:
                return Status.OK, self.record
            case Command.CHECK:
                return Status.OK, struct.pack(
                    "<7I", self.constants, 0, 3, 0x90000100, 64, 0xDEADBEEF, 0x12345678
                )
        return Status.OK, b""


@contextmanager
def on_tcp(device: FakeDevice) -> Iterator[str]:
    """The device at a port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def work() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with suppress(OSError):
                    device.serve(lambda: connection.recv(4096), connection.sendall)

        with _thread(device, work):
            yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def on_pty(device: FakeDevice) -> Iterator[str]:
    """The device behind a pseudo terminal, as a serial port looks to the host."""
    import tty

    master, slave = os.openpty()
    tty.setraw(slave)

    def read() -> bytes:
        while not device.stop.is_set():
            if select.select([master], [], [], 0.05)[0]:
                return os.read(master, 4096)
        return b""

    def work() -> None:
        with suppress(OSError):
            device.serve(read, lambda data: _write_all(master, data))
        os.close(master)

    name = os.ttyname(slave)
    try:
        with _thread(device, work):
            yield name
    finally:
        os.close(slave)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


@contextmanager
def _thread(device: FakeDevice, work: Callable[[], None]) -> Iterator[None]:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        device.stop.set()
        time.sleep(0)
        thread.join(5.0)
