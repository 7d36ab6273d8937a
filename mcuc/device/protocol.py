"""The host's side of the device protocol (docs/protocol.md): requests, answers, deadlines.

Twin of boards/common/server.c. Every wait has an end: a call ends with its answer or with an error
that says what came instead.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from mcuc.device.frames import PAYLOAD, Decoder, Frame, encode
from mcuc.device.link import Link
from mcuc.errors import DeviceError, DeviceTimeoutError

PROTOCOL = 2  # MCUC_PROTOCOL
ABI = 1  # MCUC_ABI
WITH_CACHES = ("cortex-m7", "cortex-m55")


class Command(IntEnum):
    """MCUC_BOOT and so on."""

    BOOT = 0
    IDENTIFY = 1
    MODEL = 2
    OPEN = 3
    FILL = 4
    WRITE = 5
    RUN = 6
    READ = 7
    FAULT = 8
    CHECK = 9
    MEMORY = 10
    RESTART = 11


class Status(IntEnum):
    """MCUC_OK and so on."""

    OK = 0
    STARTED = 1
    UNKNOWN = 2
    BAD_ARGUMENT = 3
    NOT_OPEN = 4
    BAD_CONSTANTS = 5
    TRACE_FULL = 6


class Constants(IntEnum):
    """MCUC_CONSTANTS_*: the check at boot."""

    GOOD = 0
    WRONG = 1
    BLANK = 2
    UNREADABLE = 3
    UNKNOWN = 4


@dataclass(frozen=True)
class Identity:
    """What a device says of itself.

    Attributes:
        board, compiler, flags: Of the firmware.
        clock_hz: Of the core; 0 = not known.
        failed_step: 0, or the number of the step of start-up, from 1, that was waited for in vain:
            the core runs at the clock out of reset.
        constants: The check at boot.
        models: How many.
        counter, icache, dcache, trace: What it has, and has switched on.
        faulted: The record of an earlier fault is there.
    """

    board: str
    compiler: str
    flags: str
    clock_hz: int
    constants: Constants
    models: int
    failed_step: int
    counter: bool
    icache: bool
    dcache: bool
    trace: bool
    faulted: bool

    def doubts(self, core: str) -> tuple[str, ...]:
        """Why its times may be far from what the board can do."""
        found = []
        if self.clock_hz and core in WITH_CACHES:
            off = [n for n, on in (("instruction", self.icache), ("data", self.dcache)) if not on]
            found += [f"the {name} cache is off" for name in off]
        if "-O0" in self.flags.split() or "-Og" in self.flags.split():
            found.append("the model is compiled without optimization")
        return tuple(found)


@dataclass(frozen=True)
class Patience:
    """How long a call waits, in seconds.

    Attributes:
        answer_s: For an answer that takes no computing, beside the time of its bytes.
        retry_s: After so long without an answer the request is sent again.
        damaged: So many damaged frames in one call are too many.
    """

    answer_s: float = 5.0
    retry_s: float = 0.5
    damaged: int = 8


class Device:
    """A connected device.

    Args:
        link: To it.
        baud: Of the line, for how long bytes may take; 0 = they take no time.
        deadline: Of everything, by time.monotonic().
        fault_error: Makes the error of a fault record's words.
    """

    def __init__(
        self,
        link: Link,
        *,
        deadline: float,
        baud: int = 0,
        patience: Patience | None = None,
        fault_error: Callable[[bytes], DeviceError] | None = None,
    ) -> None:
        self.link = link
        self.deadline = deadline
        self.patience = patience or Patience()
        self._baud = baud
        self._decoder = Decoder()
        self._sequence = 0
        self._connected = False
        self._fault_error = fault_error

    def connect(self) -> Identity:
        """Finds the device, running or just starting.

        Raises:
            DeviceTimeoutError: E621 nothing answers. DeviceError: E635 another protocol.
        """
        identity = _identity(self.call(Command.IDENTIFY))
        self._connected = True
        return identity

    def call(self, command: Command, payload: bytes = b"", run_s: float | None = None) -> bytes:
        """The payload of the answer.

        Args:
            command: What to do.
            payload: Its arguments.
            run_s: For a run: how long it may take.

        Raises:
            DeviceError: E630 damaged frames, E634 reset, E610 fault, E636 refused.
            DeviceTimeoutError: E620 the run does not end, E621 no answer, E622 too slow.
            PortError: E524, E525.
        """
        self._sequence = (self._sequence + 1) % 256
        request = encode(Frame(command, self._sequence, payload=payload))
        return _Call(self, command, request, self._sequence, run_s).answer()

    def words(self, command: Command, *words: int) -> bytes:
        """A call whose arguments are 32-bit words."""
        return self.call(command, struct.pack(f"<{len(words)}I", *(w & 0xFFFFFFFF for w in words)))

    def seconds(self, count: int) -> float:
        """How long bytes take on the line."""
        return 10.0 * count / self._baud if self._baud else 0.0

    def restarted(self) -> DeviceError:
        """The error behind a device that began anew by itself."""
        self._connected = False
        record = self.call(Command.FAULT)
        if record and self._fault_error is not None:
            return self._fault_error(record)
        return DeviceError(
            "E634",
            "the device was reset while it worked",
            why="it started anew, and has no record of a fault",
            help="look for a watchdog, a weak supply, or someone at the reset button",
        )


class _Call:
    """One request until its answer."""

    def __init__(
        self, device: Device, command: Command, request: bytes, sequence: int, run_s: float | None
    ) -> None:
        self.device = device
        self.command = command
        self.request = request
        self.sequence = sequence
        self.run_s = run_s
        self.started = False
        patience = device.patience
        now = time.monotonic()
        time_on_line = device.seconds(len(request) + PAYLOAD + 16)
        self.end = min(device.deadline, now + patience.answer_s + 2 * time_on_line)
        self.began = now
        self.retry_s = patience.retry_s + time_on_line
        self.next_send = now
        self.damaged = device._decoder.damaged
        self.received = device._decoder.received

    def answer(self) -> bytes:
        device = self.device
        while True:
            now = time.monotonic()
            if now >= self.end:
                raise self._late()
            if now >= self.next_send:
                device.link.write(self.request, self.end - now)
                self.next_send = time.monotonic() + self.retry_s
                self.retry_s *= 2 if self.started else 1
            data = device.link.read(min(self.end, self.next_send) - time.monotonic())
            damaged = device._decoder.damaged
            for frame in device._decoder.feed(data):
                payload = self._take(frame)
                if payload is not None:
                    return payload
            if device._decoder.damaged > damaged and device._connected:
                self.next_send = min(self.next_send, time.monotonic() + device.patience.retry_s / 4)
                if device._decoder.damaged - self.damaged > device.patience.damaged:
                    raise self._damaged()

    def _take(self, frame: Frame) -> bytes | None:
        """The payload, if the frame is the answer."""
        # It is whole: whatever came before does not tell why the answer is missing.
        self.damaged, self.received = self.device._decoder.damaged, self.device._decoder.received
        if frame.command == Command.BOOT:
            if self.device._connected:
                raise self.device.restarted()
            self.next_send = time.monotonic()  # now it listens
            return None
        if (frame.command, frame.sequence) != (self.command, self.sequence):
            return None  # a late answer to an earlier request
        if frame.status == Status.STARTED:
            if not self.started:
                self.started = True
                limit = self.run_s if self.run_s is not None else self.device.patience.answer_s
                self.end = min(self.device.deadline, time.monotonic() + limit)
                self.retry_s *= 2
                self.next_send = time.monotonic() + self.retry_s
            return None
        if frame.status != Status.OK:
            raise _refused(self.command, frame)
        return frame.payload

    def _late(self) -> DeviceError:
        decoder = self.device._decoder
        name, waited = self.device.link.name, time.monotonic() - self.began
        if self.started:
            return DeviceTimeoutError(
                "E620",
                f"the program did not end within {waited:.3g} s",
                why="the device began the run and has not answered since",
                help="it hangs, or needs a longer time limit",
                data={"timeout_s": waited},
            )
        count = decoder.received - self.received
        if count == 0:
            return DeviceTimeoutError(
                "E621",
                f"the device at {name} does not answer",
                why=f"nothing came within {waited:.3g} s of asking",
                help="is the right firmware flashed, the port and its baud rate right?",
                data={"timeout_s": waited},
            )
        # Before the first frame a piece of text is what a device prints when it starts.
        if decoder.damaged - self.damaged > (0 if self.device._connected else 1):
            return self._damaged()
        return DeviceTimeoutError(
            "E622",
            f"the answer of the device at {name} comes too slowly",
            why=f"{count} bytes came within {waited:.3g} s, and no whole frame",
            help="is the baud rate right? does another program read from the port too?",
            data={"timeout_s": waited, "bytes": count},
        )

    def _damaged(self) -> DeviceError:
        decoder = self.device._decoder
        shown = decoder.noise[:60].decode("ascii", "replace")
        return DeviceError(
            "E630",
            f"what comes from {self.device.link.name} is damaged",
            why=f"{decoder.damaged - self.damaged} pieces were no frames, the last {shown!r}",
            help="check baud rate, clock and wiring; is another program on the port?",
            data={"damaged": decoder.damaged - self.damaged},
        )


def _refused(command: Command, frame: Frame) -> DeviceError:
    try:
        status = Status(frame.status).name.lower().replace("_", " ")
    except ValueError:
        status = f"status {frame.status}"
    text = frame.payload.split(b"\0")[0].decode("utf-8", "replace")
    return DeviceError(
        "E636",
        f"the device refused {command.name.lower()}: {status}",
        why=text,
        help="flash the firmware that belongs to this model and version",
        data={"status": frame.status},
    )


def _identity(payload: bytes) -> Identity:
    try:
        protocol, abi, size = struct.unpack_from("<3I", payload)
        if (protocol, abi) != (PROTOCOL, ABI) or size != PAYLOAD:
            raise ValueError(f"it has version {protocol}, ABI {abi}, frames of {size} bytes")
        bits, constants, clock, models, failed_step = struct.unpack_from("<5I", payload, 12)
        board, compiler, flags = payload[32:].split(b"\0")[:3]
        return Identity(
            board=board.decode(),
            compiler=compiler.decode(),
            flags=flags.decode(),
            clock_hz=clock,
            constants=Constants(constants),
            models=models,
            failed_step=failed_step,
            counter=bool(bits & 2),
            icache=bool(bits & 4),
            dcache=bool(bits & 8),
            trace=bool(bits & 16),
            faulted=bool(bits & 1),
        )
    except (struct.error, ValueError) as error:
        raise DeviceError(
            "E635",
            "the device speaks another version of the protocol",
            why=f"{error}; this is version {PROTOCOL}, ABI {ABI}",
            help="build and flash the firmware anew",
        ) from error
