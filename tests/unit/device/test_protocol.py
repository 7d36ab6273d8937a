"""The device protocol against a scripted device: every way of going wrong has its own message and
exit code, ends within its deadline, and is never taken for a result (B106, B109).
"""

from __future__ import annotations

import errno
import socket
import struct
import time
from dataclasses import replace
from typing import Any

import pytest

from mcuc.device import link, remote
from mcuc.device.frames import Frame, encode
from mcuc.device.harness import Records, Request
from mcuc.device.protocol import Command, Constants, Device, Identity, Patience
from mcuc.errors import DeviceError, McucError, PortError, exit_code
from tests.support.fake_device import DIGEST, FakeDevice, N, on_pty, on_tcp, program

pytest.importorskip("serial", reason="pyserial is not installed")

INPUT = bytes(range(N))
OUTPUT = bytes(range(1, N + 1))
QUICK = Patience(answer_s=0.6, retry_s=0.1, damaged=4)
END_S = 4.0  # of any test here: the deadlines above and what a busy machine adds


def run(port: str, patience: Patience = QUICK, **changes: Any) -> Records:
    options: dict[str, Any] = {"timeout_s": 3.0, "run_s": 0.6, "digests": [DIGEST], **changes}
    request = Request(0, ((INPUT,),), runs=2)
    return remote.run_requests(program(), [request], port=port, patience=patience, **options)


def good(records: Records) -> bool:
    return [record.outputs for record in records[0][0]] == [(OUTPUT,)] * 2


def failure(device: FakeDevice, **changes: Any) -> McucError:
    began = time.monotonic()
    with on_tcp(device) as port, pytest.raises(McucError) as caught:
        run(port, **changes)
    assert time.monotonic() - began < END_S
    assert caught.value.what and (caught.value.help or caught.value.why)
    return caught.value


def test_a_run_over_tcp() -> None:
    device = FakeDevice()
    with on_tcp(device) as port:
        records = run(port)
    assert good(records) and device.runs == 2
    record = records[0][0][0]
    assert (record.instructions, record.stack_bytes, record.guards_intact) == (1234, 88, True)


def test_a_run_over_a_serial_port() -> None:
    with on_pty(FakeDevice()) as port:
        assert good(run(port))


@pytest.mark.parametrize(
    "noise",
    [b"boot\r\nADC ok\r\n", b"\0\0\0", bytes(range(256)) * 3, encode(Frame(7, 1))[:-3]],
    ids=["text", "zeros", "all bytes", "half a frame"],
)
def test_garbage_before_the_banner_does_no_harm(noise: bytes) -> None:
    with on_tcp(FakeDevice(before=noise)) as port:
        assert good(run(port))


def flip(number: int, raw: bytes) -> bytes:
    """Every second answer has a bit that changed."""
    return raw if number % 2 == 0 else raw[:3] + bytes([raw[3] ^ 64]) + raw[4:]


def drop(number: int, raw: bytes) -> bytes:
    """Every second answer lacks a byte, or its end."""
    return raw if number % 2 == 0 else (raw[:5] + raw[6:] if number % 4 == 1 else raw[:-1])


@pytest.mark.parametrize("mangle", [flip, drop, lambda n, raw: b"" if n % 2 else raw])
def test_damaged_and_lost_answers_are_asked_for_again(mangle: Any) -> None:
    device = FakeDevice(mangle=mangle)
    with on_tcp(device) as port:
        assert good(run(port, timeout_s=20.0, run_s=10.0))
    assert device.runs == 2  # asked twice, done once


def test_a_late_answer_is_not_taken_for_another() -> None:
    """Every answer comes twice: the second is there when the next request is asked."""
    with on_tcp(FakeDevice(mangle=lambda n, raw: raw + raw)) as port:
        assert good(run(port))


def test_a_line_that_damages_everything() -> None:
    error = failure(FakeDevice(mangle=lambda n, raw: flip(1, raw)))
    assert (error.code, exit_code(error)) == ("E630", 7)


def test_b109_a_trickle_is_not_an_answer() -> None:
    """Bytes come all the time, so that no single read times out; the deadline is overall."""
    error = failure(FakeDevice(byte_s=0.05))
    assert (error.code, exit_code(error)) == ("E622", 6)
    assert error.data["bytes"] > 1


def test_a_device_that_starts_and_then_is_silent() -> None:
    error = failure(FakeDevice(silent=True))
    assert (error.code, exit_code(error)) == ("E621", 6)


def test_nothing_at_all() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        with pytest.raises(McucError) as caught:
            run(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    assert (caught.value.code, exit_code(caught.value)) == ("E621", 6)
    assert time.monotonic() - began < END_S


def test_the_port_is_taken_away_while_it_runs() -> None:
    error = failure(FakeDevice(on_run="close"))
    assert (error.code, exit_code(error)) == ("E524", 5)


def test_the_serial_port_is_taken_away_while_it_runs() -> None:
    with on_pty(FakeDevice(on_run="close")) as port, pytest.raises(McucError) as caught:
        run(port)
    assert (caught.value.code, exit_code(caught.value)) == ("E524", 5)


def test_a_run_that_hangs() -> None:
    error = failure(FakeDevice(on_run="hang"))
    assert (error.code, exit_code(error)) == ("E620", 6)


def test_a_device_that_resets() -> None:
    error = failure(FakeDevice(on_run="reset"))
    assert (error.code, exit_code(error)) == ("E634", 7)


def test_a_device_that_faulted_and_kept_the_record() -> None:
    words = (5, 0x08001234, 0x08000101, 0x20000100, 1 << 9 | 1 << 15, 0, 0, 0x60000000, 3)
    device = FakeDevice(on_run="reset", record=struct.pack("<9I", *words))
    error = failure(device)
    assert (error.code, exit_code(error)) == ("E610", 7)
    assert "BusFault" in error.what and error.data["address"] == 0x60000000


def test_another_model() -> None:
    error = failure(FakeDevice(digest=bytes(16)))
    assert (error.code, exit_code(error)) == ("E631", 7)


def test_another_board() -> None:
    error = failure(FakeDevice(board=b"nucleo_h743zi"))
    assert (error.code, exit_code(error)) == ("E631", 7) and "nucleo_h743zi" in error.what


def test_b113_what_slows_a_device_down_is_told() -> None:
    fast = Identity(
        "x", "cc", "-O2", 216_000_000, Constants.GOOD, 1, 0, True, True, True, True, False
    )
    assert fast.doubts("cortex-m7") == ()
    slow = replace(fast, icache=False, dcache=False, flags="-mcpu=cortex-m7 -O0")
    assert len(slow.doubts("cortex-m7")) == 3
    assert len(slow.doubts("cortex-m4")) == 1
    assert replace(slow, clock_hz=0, flags="-O2").doubts("cortex-m7") == ()  # an emulator


@pytest.mark.parametrize(
    ("constants", "code"),
    [(Constants.WRONG, "E632"), (Constants.BLANK, "E633"), (Constants.UNREADABLE, "E633")],
)
def test_weights_that_are_not_there_are_found_before_the_first_run(
    constants: Constants, code: str
) -> None:
    device = FakeDevice(constants=constants)
    error = failure(device)
    assert (error.code, exit_code(error), device.runs) == (code, 7, 0)
    assert error.data["address"] == 0x90000100


def test_a_clock_that_did_not_start() -> None:
    """Results would be right and times far off: neither is reported."""
    error = failure(device := FakeDevice(failed_step=4))
    assert (error.code, exit_code(error), device.runs) == ("E638", 7, 0)
    assert error.what == "the board's clock did not start: it runs at 16 of 180 MHz"


def test_another_version() -> None:
    error = failure(FakeDevice(protocol=99))
    assert (error.code, exit_code(error)) == ("E635", 7)


@pytest.mark.parametrize("command", [Command.OPEN, Command.WRITE, Command.READ])
def test_a_refusal_says_why(command: Command) -> None:
    error = failure(FakeDevice(refuse=command))
    assert (error.code, exit_code(error)) == ("E636", 7)
    assert command.name.lower() in error.what and "too large" in error.why


@pytest.mark.parametrize("described", [0, 4, 12, 24])
def test_a_description_that_ends_too_early(described: int) -> None:
    error = failure(FakeDevice(described=described))
    assert (error.code, exit_code(error)) == ("E616", 7)


def test_an_earlier_fault_is_told_and_forgotten(caplog: pytest.LogCaptureFixture) -> None:
    words = (5, 0x08001234, 0x08000101, 0x20000100, 1 << 9 | 1 << 15, 0, 0, 0x60000000, 3)
    with on_tcp(FakeDevice(record=struct.pack("<9I", *words))) as port:
        assert good(run(port))
    assert "BusFault" in caplog.text and "before this session" in caplog.text


def test_a_port_that_takes_no_bytes() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        connection = link.SocketLink(ours, "the port")
        with pytest.raises(PortError) as caught:
            connection.write(bytes(1 << 22), 0.2)
    assert (caught.value.code, exit_code(caught.value)) == ("E525", 5)


@pytest.mark.parametrize(
    "name", ["/dev/ttyNONE", "tcp://127.0.0.1", "tcp://127.0.0.1:99999", "tcp://127.0.0.1:1"]
)
def test_a_port_that_does_not_exist(name: str) -> None:
    with pytest.raises(PortError) as caught:
        link.open_link(name, 115200)
    assert (caught.value.code, exit_code(caught.value)) == ("E520", 5)


def test_b109_a_port_that_another_program_has() -> None:
    with on_pty(FakeDevice()) as port:
        first = link.open_link(port, 115200)
        with pytest.raises(PortError) as caught:
            link.open_link(port, 115200)
        first.close()
    assert (caught.value.code, exit_code(caught.value)) == ("E521", 5)


def test_a_port_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    import serial

    def refuse(*args: object, **options: object) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port: Permission denied")

    monkeypatch.setattr(serial, "Serial", refuse)
    with pytest.raises(PortError) as caught:
        link.open_link("/dev/ttyACM0", 115200)
    assert caught.value.code == "E522" and "dialout" in caught.value.help


def test_the_overall_deadline_holds_over_many_calls() -> None:
    """Each answer is in time; together they are not."""
    with on_tcp(FakeDevice(byte_s=0.004)) as port:
        began = time.monotonic()
        with pytest.raises(DeviceError):
            run(port, timeout_s=1.0, patience=replace(QUICK, answer_s=10.0))
        assert time.monotonic() - began < 1.0 + END_S / 2


def test_bytes_need_their_time_on_a_slow_line() -> None:
    device = Device(link.SocketLink(socket.socket(), "x"), deadline=0.0, baud=9600)
    assert device.seconds(960) == 1.0
