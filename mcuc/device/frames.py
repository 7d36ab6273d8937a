"""Frames of the device protocol (docs/protocol.md); twin of boards/common/frame.c.

A frame is command, sequence number, status (16 bits), payload, CRC-32, all little endian, made free
of zeros by "consistent overhead byte stuffing" (S. Cheshire and M. Baker, 1999), and ended by a
zero: whatever is lost or damaged, the next zero starts anew.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

PAYLOAD = 1024  # MCUC_FRAME_PAYLOAD
_LONGEST_RUN = 254
_HEAD = struct.Struct("<BBH")
_CRC_BYTES = 4
# No frame is longer than this on the line; more bytes without a zero are something else.
_LIMIT = 2 * PAYLOAD


@dataclass(frozen=True)
class Frame:
    """One frame: a request of the host, or what the device answers to that of the same sequence."""

    command: int
    sequence: int
    status: int = 0
    payload: bytes = b""


def stuff(raw: bytes) -> bytes:
    """`raw` without zeros, one byte longer per 254."""
    out = bytearray()
    at = 0
    while at <= len(raw):  # a zero is taken to stand behind the last byte
        end = raw.find(b"\0", at, at + _LONGEST_RUN)
        run = raw[at:end] if end >= 0 else raw[at : at + _LONGEST_RUN]
        out.append(len(run) + 1)
        out += run
        at += len(run) + (len(run) < _LONGEST_RUN)
    return bytes(out)


def unstuff(stuffed: bytes) -> bytes | None:
    """What `stuff` was given; None when it cannot have been."""
    out = bytearray()
    at = 0
    while at < len(stuffed):
        code = stuffed[at]
        if code == 0 or at + code > len(stuffed):
            return None
        out += stuffed[at + 1 : at + code]
        at += code
        if code <= _LONGEST_RUN and at < len(stuffed):
            out.append(0)
    return bytes(out)


def encode(frame: Frame) -> bytes:
    """A frame as it goes over the line, with a zero before that ends whatever was there."""
    body = _HEAD.pack(frame.command, frame.sequence, frame.status) + frame.payload
    return b"\0" + stuff(body + zlib.crc32(body).to_bytes(_CRC_BYTES, "little")) + b"\0"


def decode(stuffed: bytes) -> Frame | None:
    """The frame between two zeros; None when it is damaged."""
    raw = unstuff(stuffed)
    if raw is None or len(raw) < _HEAD.size + _CRC_BYTES:
        return None
    body, crc = raw[:-_CRC_BYTES], int.from_bytes(raw[-_CRC_BYTES:], "little")
    if zlib.crc32(body) != crc:
        return None
    command, sequence, status = _HEAD.unpack_from(body)
    return Frame(command, sequence, status, body[_HEAD.size :])


class Decoder:
    """Finds frames in a stream of bytes; what is none is counted and, as text, kept for messages.

    Attributes:
        received: Bytes so far.
        damaged: Pieces between zeros that were no frame.
        noise: The last of them.
    """

    def __init__(self) -> None:
        self.received = 0
        self.damaged = 0
        self.noise = b""
        self._open = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that these bytes complete."""
        self.received += len(data)
        *ended, rest = (bytes(self._open) + data).split(b"\0")
        for piece in filter(None, ended):
            frame = decode(piece)
            if frame is None:
                self.damaged += 1
                self.noise = piece
            else:
                yield frame
        self._open = bytearray(rest[-_LIMIT:])
