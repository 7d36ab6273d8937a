"""Runs requests on a device over the protocol; the records are those of the file interface."""

from __future__ import annotations

import functools
import logging
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mcuc.device import qemu
from mcuc.device.faults import clock_error, record_error
from mcuc.device.firmware import Program
from mcuc.device.frames import PAYLOAD
from mcuc.device.harness import Records, Request, RunRecord, record_of
from mcuc.device.link import Link, open_link
from mcuc.device.protocol import Command, Constants, Device, Identity, Patience
from mcuc.errors import DeviceError

_log = logging.getLogger(__name__)

_OUTPUT, _TRACE, _WATCH, _REGION = range(4)  # MCUC_READ_*
DIGEST_BYTES = 16  # MCUC_DIGEST_BYTES
_ENTRY_BYTES = 20  # mcuc_trace_entry
_WRITE_HEAD = 8
# mcuc_crash
_CRASH = ("exception", "pc", "lr", "sp", "cfsr", "hfsr", "mmfar", "bfar", "phase")


@dataclass(frozen=True)
class _Sizes:
    """Bytes of a model's regions and outputs, from the answer to MODEL."""

    regions: tuple[int, ...]
    outputs: tuple[int, ...]

    @staticmethod
    def of(answer: bytes) -> _Sizes:
        count = (len(answer) - DIGEST_BYTES) // 4
        words = struct.unpack_from(f"<{count}I", answer, DIGEST_BYTES)
        regions = words[1 : 1 + words[0]]
        at = 2 + len(regions)  # behind the state
        at += 1 + words[at]  # behind the inputs
        outputs = words[at + 1 : at + 1 + words[at]]
        if len(regions) != words[0] or len(outputs) != words[at]:
            raise IndexError("the description of the model is too short")
        return _Sizes(regions, outputs)


@contextmanager
def connected(
    program: Program, port: str, timeout_s: float, patience: Patience | None = None
) -> Iterator[tuple[Device, Identity]]:
    """A device that runs `program`: at a port, or with "" its board's emulator.

    Raises:
        PortError, DeviceError, DeviceTimeoutError: see docs/errors.md.
    """
    with _link(program, port) as link:
        device = Device(
            link,
            deadline=time.monotonic() + timeout_s,
            baud=program.board.uart.baud if port and program.board else 0,
            patience=patience,
            fault_error=functools.partial(_fault, program),
        )
        identity = device.connect()
        if identity.faulted:
            earlier = _fault(program, device.call(Command.FAULT))
            _log.warning("before this session the device faulted: %s", earlier.what)
        if identity.failed_step:
            raise clock_error(identity.failed_step, program.board)
        require_constants(device, identity)
        yield device, identity


@contextmanager
def _link(program: Program, port: str) -> Iterator[Link]:
    if not port:
        with qemu.serial_link(program) as link:
            yield link
        return
    assert program.board is not None
    opened = open_link(port, program.board.uart.baud)
    try:
        yield opened
    finally:
        opened.close()


def _fault(program: Program, record: bytes) -> DeviceError:
    try:
        words = struct.unpack(f"<{len(_CRASH)}I", record)
    except struct.error as error:
        return _damaged(error)
    return record_error(dict(zip(_CRASH, words, strict=True)), program.elf)


def _damaged(error: Exception) -> DeviceError:
    """E616: an answer that is whole, and not what it should hold."""
    return DeviceError(
        "E616",
        "an answer of the device does not hold what it should",
        why=str(error),
        help="flash the firmware of this version",
    )


def require_constants(device: Device, identity: Identity) -> None:
    """Raises E632 or E633 when the device's weights are not those that were compiled."""
    if identity.constants in (Constants.GOOD, Constants.UNKNOWN):
        return
    try:
        words = struct.unpack("<7I", device.call(Command.CHECK))
    except struct.error as error:
        raise _damaged(error) from error
    _, model, index, address, count, expected, found = words
    data = {"address": address, "bytes": count, "expected": expected, "found": found}
    if identity.constants is Constants.WRONG:
        raise DeviceError(
            "E632",
            "the weights in the device's flash are not those of the model",
            why=f"table {index} of model {model}, {count} bytes at 0x{address:08x}: "
            f"CRC-32 {found:08x} where {expected:08x} should be",
            help="flash again, and verify what was flashed",
            data=data,
        )
    how = "is blank" if identity.constants is Constants.BLANK else "cannot be read"
    raise DeviceError(
        "E633",
        f"the memory of the weights {how} at 0x{address:08x}",
        why="the program runs, but its constants are not there; nothing was inferred",
        help="program the external flash too, and switch its interface on before",
        data=data,
    )


def require_models(
    device: Device, identity: Identity, digests: Sequence[bytes], board: str
) -> None:
    """Raises E631 when the firmware was built from other C than this, or for another board."""
    if digests and identity.board != board:
        raise DeviceError(
            "E631",
            f"the device is {identity.board}, not {board}",
            why="its firmware was built for another board",
            help="give the port of the right board, or flash the firmware of this one",
            data={"found": identity.board, "expected": board},
        )
    for i, digest in enumerate(digests):
        found = device.words(Command.MODEL, i)[: len(digest)] if i < identity.models else b""
        if found != digest:
            raise DeviceError(
                "E631",
                "the device runs another model",
                why=f"model {i} has the digest {found.hex() or 'of none'}, expected {digest.hex()}",
                help="flash the firmware of this model",
                data={"found": found.hex(), "expected": digest.hex()},
            )


def describe(program: Program, port: str, timeout_s: float = 30.0) -> Identity:
    """What the device says of itself."""
    with connected(program, port, timeout_s) as (_, identity):
        return identity


def run_requests(
    program: Program,
    requests: Sequence[Request],
    *,
    timeout_s: float,
    run_s: float,
    port: str = "",
    digests: Sequence[bytes] = (),
    patience: Patience | None = None,
) -> Records:
    """Runs all requests over one connection.

    Args:
        program: What the device runs; built for transport "uart".
        requests: As for `harness.run_requests`.
        timeout_s: For everything.
        run_s: For one run.
        port: See `connected`.
        digests: Of the models' C, which the device must have; empty = not checked.
        patience: Waits of single calls.
    """
    with connected(program, port, timeout_s, patience) as (device, identity):
        require_models(device, identity, digests, program.board.id if program.board else "")
        try:
            return [_request(device, request, run_s) for request in requests]
        except (struct.error, IndexError) as error:
            raise _damaged(error) from error


def _request(device: Device, request: Request, run_s: float) -> list[list[RunRecord]]:
    sizes = _Sizes.of(device.words(Command.MODEL, request.model))
    device.words(Command.OPEN, request.model, request.poison)
    result = []
    for vector in request.vectors:
        device.words(Command.FILL, request.poison)
        result.append([_run(device, request, vector, sizes, run_s) for _ in range(request.runs)])
    return result


def _run(
    device: Device, request: Request, vector: Sequence[bytes], sizes: _Sizes, run_s: float
) -> RunRecord:
    for i, data in enumerate(vector):
        for at in range(0, len(data), PAYLOAD - _WRITE_HEAD):
            head = struct.pack("<II", i, at)
            device.call(Command.WRITE, head + data[at : at + PAYLOAD - _WRITE_HEAD])
    flags = struct.pack("<IiI", int(request.trace), *request.watch)
    answer = device.call(Command.RUN, flags, run_s)
    (count,) = struct.unpack_from("<I", answer)
    head, tail = answer[4 : 4 + 4 * count], answer[4 + 4 * count :]
    entries, crc, watched = struct.unpack("<III", tail)
    regions = sizes.regions if request.dump_ram else ()
    return record_of(
        b"".join(
            [
                head,
                *_counted(device, _OUTPUT, sizes.outputs),
                struct.pack("<I", entries),
                _read(device, _TRACE, 0, entries, _ENTRY_BYTES),
                struct.pack("<II", crc, watched),
                _read(device, _WATCH, 0, watched),
                *_counted(device, _REGION, regions),
            ]
        )
    )


def _counted(device: Device, kind: int, sizes: Sequence[int]) -> Iterator[bytes]:
    """How many, and each with its size, as in a response file."""
    yield struct.pack("<I", len(sizes))
    for i, size in enumerate(sizes):
        yield struct.pack("<I", size) + _read(device, kind, i, size)


def _read(device: Device, kind: int, index: int, count: int, item_bytes: int = 1) -> bytes:
    """`count` items, as many as a frame holds at a time."""
    step = PAYLOAD // item_bytes
    return b"".join(
        device.words(Command.READ, kind, index, at, min(step, count - at))
        for at in range(0, count, step)
    )
