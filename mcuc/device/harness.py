"""Requests to a test program and its records: the files' format, and the call.

Twin of boards/common/harness.c, which describes the format.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcuc.device import host, qemu
from mcuc.device.firmware import HarnessConfig, Program
from mcuc.errors import DeviceError

REQUEST_FILE = "request.bin"
RESPONSE_FILE = "response.bin"
_REQUEST = b"MCRQ"
_RESPONSE = b"MCRS"
_RECORD = b"RECD"
_END = b"MEND"
_TRACE, _DUMP = 1, 2
_COUNTER_VALID, _STACK_KNOWN = 1, 2
DEFAULT_TIMEOUT_S = 60.0
WATCH_BYTES = 256  # MCUC_WATCH_BYTES


@dataclass(frozen=True)
class Request:
    """Runs of one model.

    Attributes:
        model: Index into `mcuc_test_models`.
        vectors: Per vector, the bytes of each input.
        poison: The arena is filled with this byte before each vector.
        runs: Runs per vector; all but the first meet the memory that the run before left.
        trace: Profile and hash every step; needs a program built with `max_steps`.
        dump_ram: Return the arena after each run.
        watch: (step, offset): return what the step wrote from that byte on. With trace.
    """

    model: int
    vectors: tuple[tuple[bytes, ...], ...]
    poison: int = 0x55
    runs: int = 1
    trace: bool = False
    dump_ram: bool = False
    watch: tuple[int, int] = (-1, 0)


@dataclass(frozen=True)
class Guard:
    """Verdict on one guarded memory.

    Attributes:
        name: "region<i>", "state" or "stack".
        before, behind: Distance in bytes from the edge to the nearest damaged byte, from 1; 0 =
            intact. For the stack, `before` = 1 says that its last words were reached.
    """

    name: str
    before: int
    behind: int

    @property
    def intact(self) -> bool:
        return not (self.before or self.behind)


@dataclass(frozen=True)
class StepTrace:
    """What one step did in a run.

    Attributes:
        id: Number of the step.
        calls: How often it advanced.
        instructions: In its calls, in the board's counter unit; None on the host.
        crc32: zlib.crc32 of its output rows, in the order produced.
    """

    id: int
    calls: int
    instructions: int | None
    crc32: int


@dataclass(frozen=True)
class RunRecord:
    """One run.

    Attributes:
        code: What the model's run function returned.
        instructions: From its entry to its exit, in the board's counter unit; None when there is
            no counter or it wrapped and cannot tell how often. A traced run counts the tracing too.
        stack_bytes: Deepest use below the caller; None on the host.
        guards: Verdicts.
        outputs: Bytes of each output.
        trace: Per step id, in order; ids that never ran have no entry.
        watched: CRC-32 of the watched step's bytes before the offset, and up to WATCH_BYTES from
            there on, in the order produced.
        ram: Content of each region after the run, when asked for.
    """

    code: int
    instructions: int | None
    stack_bytes: int | None
    guards: tuple[Guard, ...]
    outputs: tuple[bytes, ...]
    trace: tuple[StepTrace, ...]
    watched: tuple[int, bytes]
    ram: tuple[bytes, ...]

    @property
    def guards_intact(self) -> bool:
        return all(guard.intact for guard in self.guards)


# records[request][vector][run]
Records = list[list[list[RunRecord]]]


def run_requests(
    program: Program,
    requests: Sequence[Request],
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    check_guards: bool = True,
) -> Records:
    """Runs all requests in one start of the program, on the emulator or the host.

    Args:
        program: From `build_program`.
        requests: In order; the model's state is reset before each.
        timeout_s: For the whole program.
        check_guards: Raise E617 when memory outside the model's was written.

    Raises:
        DeviceError: E610 fault, E611 lockup, E612 signal, E613 refused request, E614 files, E616
            damaged response, E617 guard zones. DeviceTimeoutError: E620.
    """
    for request in requests:
        _check_request(request, program.config)
    with tempfile.TemporaryDirectory(prefix="mcuc-run-") as name:
        folder = Path(name)
        (folder / REQUEST_FILE).write_bytes(encode_requests(requests))
        execute = host.execute if program.board is None else qemu.execute
        execute(program, (REQUEST_FILE, RESPONSE_FILE), folder, timeout_s)
        records = decode_response((folder / RESPONSE_FILE).read_bytes(), requests)
    if check_guards:
        require_guards(records)
    return records


def _check_request(request: Request, config: HarnessConfig) -> None:
    if request.trace and not config.max_steps:
        raise DeviceError("E613", "a trace is asked of a program that was built without")


def require_guards(records: Records) -> None:
    """Raises E617 naming every run that wrote outside its memory."""
    broken = [
        f"request {q} vector {v} run {r}: {_describe(guard)}"
        for q, vectors in enumerate(records)
        for v, runs in enumerate(vectors)
        for r, record in enumerate(runs)
        for guard in record.guards
        if not guard.intact
    ]
    if broken:
        raise DeviceError(
            "E617",
            "the model wrote outside its memory",
            why="; ".join(broken[:8]),
            help="a bug in the plan or in a kernel",
            data={"violations": broken},
        )


def _describe(guard: Guard) -> str:
    if guard.name == "stack":
        return "stack overflow"
    sides = [
        f"{distance} bytes {side}"
        for side, distance in (("before", guard.before), ("behind", guard.behind))
        if distance
    ]
    return f"{' and '.join(sides)} {guard.name}"


def encode_requests(requests: Sequence[Request]) -> bytes:
    """The request file."""
    parts = [_REQUEST, struct.pack("<I", len(requests))]
    for r in requests:
        flags = (_TRACE if r.trace else 0) | (_DUMP if r.dump_ram else 0)
        head = (r.model, flags, r.poison, r.runs, *r.watch, len(r.vectors))
        parts.append(struct.pack("<4IiII", *head))
        parts += [data for vector in r.vectors for data in vector]
    return b"".join(parts)


def decode_response(raw: bytes, requests: Sequence[Request]) -> Records:
    """The records of a response file.

    Raises:
        DeviceError: E616 when the file is not the whole answer to these requests.
    """
    reader = _Reader(raw)
    try:
        reader.magic(_RESPONSE)
        if reader.word() != len(requests):
            raise ValueError("answers another number of requests")
        reader.word()
        records = [
            [[_record(reader) for _ in range(request.runs)] for _ in request.vectors]
            for request in requests
        ]
        reader.magic(_END)
    except (struct.error, ValueError) as error:
        raise DeviceError(
            "E616",
            "the response of the test program is damaged",
            why=f"{error} (at byte {reader.at} of {len(raw)})",
            help="does the number of input bytes fit the model?",
        ) from error
    return records


def record_of(raw: bytes) -> RunRecord:
    """The record whose bytes these are, but for its magic word.

    Raises:
        DeviceError: E616 when it is none.
    """
    reader = _Reader(_RECORD + raw)
    try:
        record = _record(reader)
        if reader.at != len(reader.raw):
            raise ValueError("goes on behind its end")
    except (struct.error, ValueError) as error:
        raise DeviceError("E616", "the device's record is damaged", why=str(error)) from error
    return record


class _Reader:
    """Reads words and counted bytes in order."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.raw):
            raise ValueError("ends too early")
        self.at += count
        return self.raw[self.at - count : self.at]

    def word(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def blob(self) -> bytes:
        return self.take(self.word())

    def magic(self, expected: bytes) -> None:
        found = self.take(4)
        if found != expected:
            raise ValueError(f"{found!r} stands where {expected!r} should")


def _record(reader: _Reader) -> RunRecord:
    reader.magic(_RECORD)
    (code,) = struct.unpack("<i", reader.take(4))
    flags, low, high, stack = (reader.word() for _ in range(4))
    guards = _guards(reader)
    outputs = tuple(reader.blob() for _ in range(reader.word()))
    trace = []
    for _ in range(reader.word()):
        step, calls, step_low, step_high, crc = (reader.word() for _ in range(5))
        if calls:
            units_in_step = step_high << 32 | step_low if flags & _COUNTER_VALID else None
            trace.append(StepTrace(step, calls, units_in_step, crc))
    watched = reader.word(), reader.blob()
    ram = tuple(reader.blob() for _ in range(reader.word()))
    return RunRecord(
        code=code,
        instructions=high << 32 | low if flags & _COUNTER_VALID else None,
        stack_bytes=stack if flags & _STACK_KNOWN else None,
        guards=guards,
        outputs=outputs,
        trace=tuple(trace),
        watched=watched,
        ram=ram,
    )


def _guards(reader: _Reader) -> tuple[Guard, ...]:
    head = reader.word()
    n_regions, has_state = head & 0xFFFF, head >> 16
    names = [f"region{i}" for i in range(n_regions)] + ["state"] * has_state + ["stack"]
    return tuple(Guard(name, reader.word(), reader.word()) for name in names)
