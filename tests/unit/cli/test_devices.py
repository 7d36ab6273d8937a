"""`mcuc verify` and `run` on devices that fail: each failure's exit code and document (B106)."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

import pytest

from mcuc.device import protocol
from tests.support.command import mcuc
from tests.support.fake_device import FakeDevice, on_tcp
from tests.support.models import DIGITS

pytestmark = pytest.mark.arm_gcc
BOARD = ("--board", "nucleo_f446re", "--on", "board", "--json")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits as short as a test's."""
    patience = replace(protocol.Patience(), answer_s=0.5, retry_s=0.1)
    monkeypatch.setattr(protocol, "Patience", lambda: patience)


def test_no_such_port() -> None:
    outcome = mcuc("verify", DIGITS, *BOARD, "--port", "/dev/ttyNONE")
    assert (outcome.code, outcome.error["code"]) == (5, "E520")


def test_a_device_that_is_silent_ends_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        began = time.monotonic()
        outcome = mcuc("run", DIGITS, *BOARD, "--port", port)
    assert (outcome.code, outcome.error["code"]) == (6, "E621")
    assert time.monotonic() - began < 120


def test_a_device_with_other_firmware() -> None:
    with on_tcp(FakeDevice()) as port:
        outcome = mcuc("verify", DIGITS, *BOARD, "--port", port)
    assert (outcome.code, outcome.error["code"]) == (7, "E631")
    assert "flash" in outcome.error["help"]


def test_an_upload_that_fails() -> None:
    words = ("--port", "tcp://127.0.0.1:1", "--upload")
    outcome = mcuc("verify", DIGITS, *BOARD, *words, "false {elf}")
    assert (outcome.code, outcome.error["code"]) == (5, "E507")
    outcome = mcuc("verify", DIGITS, *BOARD, *words, "no-such-programmer-here {elf}")
    assert (outcome.code, outcome.error["code"]) == (5, "E501")
    outcome = mcuc("verify", DIGITS, *BOARD, *words, "unbalanced ' {elf}")
    assert (outcome.code, outcome.error["code"]) == (1, "E109")


def test_an_emulator_that_a_board_has_not() -> None:
    outcome = mcuc("verify", DIGITS, "--board", "nucleo_f446re", "--on", "qemu", "--json")
    assert (outcome.code, outcome.error["code"]) == (7, "E604")
    assert "--on board" in outcome.error["help"]


def test_options_that_do_not_fit_together() -> None:
    outcome = mcuc("verify", DIGITS, "--on", "reference,host", "--profile", "--json")
    assert (outcome.code, outcome.error["code"]) == (2, "E100")
