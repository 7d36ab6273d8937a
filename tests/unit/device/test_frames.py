"""Frames: what is stuffed comes back, and nothing that is damaged is taken for a frame."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import pytest

from mcuc.device.frames import PAYLOAD, Decoder, Frame, decode, encode, stuff, unstuff

LENGTHS = (0, 1, 2, 253, 254, 255, 256, 508, 509, PAYLOAD)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("fill", [b"\0", b"\1", b"\xff", b"\0\1", b"\1" * 253 + b"\0"])
def test_stuffing_at_the_limits_of_runs(length: int, fill: bytes) -> None:
    raw = (fill * length)[:length]
    stuffed = stuff(raw)
    assert b"\0" not in stuffed and unstuff(stuffed) == raw
    assert len(stuffed) <= length + 1 + length // 254


def test_stuffing_of_the_published_examples() -> None:
    """Cheshire and Baker's rule, by hand: a code, then as many bytes less one, then a zero."""
    assert stuff(b"\0") == b"\1\1"
    assert stuff(b"\x11\x22\0\x33") == b"\3\x11\x22\2\x33"
    assert stuff(bytes(range(1, 255))) == b"\xff" + bytes(range(1, 255)) + b"\1"


@hypothesis.given(st.binary(max_size=600))
def test_stuffing_is_undone(raw: bytes) -> None:
    assert unstuff(stuff(raw)) == raw


@hypothesis.given(
    st.binary(max_size=300), st.binary(max_size=40), st.lists(st.integers(1, 50), max_size=30)
)
def test_a_stream_in_any_pieces_gives_its_frames(
    payload: bytes, noise: bytes, cuts: list[int]
) -> None:
    frames = [Frame(1, 2, 3, payload), Frame(255, 0, 65535, b"")]
    stream = noise + b"".join(encode(frame) for frame in frames)
    decoder, got = Decoder(), []
    for cut in [*cuts, len(stream)]:
        got += decoder.feed(stream[:cut])
        stream = stream[cut:]
    assert got == frames
    assert decoder.damaged == len([piece for piece in noise.split(b"\0") if piece])


@hypothesis.given(st.binary(max_size=60), st.data())
def test_no_damaged_byte_goes_unnoticed(payload: bytes, data: st.DataObject) -> None:
    raw = bytearray(encode(Frame(6, 9, 0, payload)))
    at = data.draw(st.integers(1, len(raw) - 2))
    raw[at] ^= data.draw(st.integers(1, 255))
    assert not list(Decoder().feed(bytes(raw)))
    lost = encode(Frame(6, 9, 0, payload))
    assert not list(Decoder().feed(lost[:at] + lost[at + 1 :]))


def test_what_is_no_frame() -> None:
    assert decode(b"") is None and decode(b"\1\1") is None and decode(b"\xff\1") is None
    decoder = Decoder()
    assert not list(decoder.feed(b"x" * 100_000))  # a line without zeros does not fill the memory
    assert list(decoder.feed(encode(Frame(1, 1)))) == [Frame(1, 1)]
