"""`mcuc flash` against scripted programmers: attempts, advice, deadlines, exit codes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mcuc.device import serial_ports
from mcuc.device.flash_advice import CAUSES, cause_of
from mcuc.device.serial_ports import SerialPort, choose
from mcuc.errors import ToolchainError
from tests.support.command import mcuc
from tests.support.fake_programmer import FakePio

INI = """\
[platformio]
default_envs = board

[env:board]
platform = ststm32
board = nucleo_f746zg
upload_protocol = stlink

[extra]
note = 1
"""
BUILT = {"says": "SUCCESS"}
SILENT = "** Programming Started **\nError: init mode failed (unable to connect to the target)"
ST1 = SerialPort("/dev/ttyACM0", "stlink", "066A", "STM32 STLink")
ST2 = SerialPort("/dev/ttyACM1", "stlink", "066B", "STM32 STLink")
OTHER = SerialPort("/dev/ttyS0", "", "", "a mouse")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "platformio.ini").write_text(INI, "utf-8")
    return folder


@pytest.fixture
def pio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePio:
    (tmp_path / "bin").mkdir()
    ports_are(monkeypatch, ST1, OTHER)
    return FakePio(tmp_path / "bin", monkeypatch)


def ports_are(monkeypatch: pytest.MonkeyPatch, *ports: SerialPort) -> None:
    monkeypatch.setattr("mcuc.lab.flash.list_ports", lambda: ports)


def test_it_builds_then_uploads(project: Path, pio: FakePio) -> None:
    pio.plays(BUILT, {"says": "** Verified OK **"})
    outcome = mcuc("flash", project, "--json")
    assert outcome.code == 0, outcome.err
    document = outcome.document
    assert document.pop("seconds") >= 0
    assert document == {
        "schema": 1, "board": "nucleo_f746zg", "protocol": "stlink", "port": "/dev/ttyACM0",
        "attempts": 1,
    }  # fmt: skip
    words = ["run", "-e", "board", "-d", str(project)]
    assert [call["words"] for call in pio.calls] == [words, [*words, "-t", "upload"]]
    assert pio.calls[1]["flags"] == ""


def test_a_silent_chip_is_tried_again_under_reset(project: Path, pio: FakePio) -> None:
    pio.plays(BUILT, {"says": SILENT, "code": 1}, {"says": "** Verified OK **"})
    outcome = mcuc("flash", project, "--json")
    assert (outcome.code, outcome.document["attempts"]) == (0, 2)
    assert pio.calls[2]["flags"].splitlines() == [
        "-c", "reset_config srst_only srst_nogate connect_assert_srst",
    ]  # fmt: skip


def test_a_chip_that_stays_silent_is_e523(project: Path, pio: FakePio) -> None:
    pio.plays(BUILT, {"says": SILENT, "code": 1}, {"says": SILENT, "code": 1})
    outcome = mcuc("flash", project, "--json")
    assert (outcome.code, outcome.error["code"]) == (5, "E553")
    assert "held in reset" in outcome.error["what"]
    assert outcome.error["why"].startswith("Error: init mode failed")
    assert outcome.error["data"]["attempts"] == 2


@pytest.mark.parametrize(
    ("says", "code", "advice"),
    [
        ("Error: libusb_open() failed with LIBUSB_ERROR_ACCESS", "E555", "udev"),
        ("could not open port /dev/ttyACM0: [Errno 13] Permission denied", "E555", "dialout"),
        ("Error: libusb_claim_interface() failed with LIBUSB_ERROR_BUSY", "E554", "close"),
        ("[Errno 16] Device or resource busy: '/dev/ttyACM0'", "E554", "close"),
        ("Error: open failed", "E551", "ST-LINK"),
        ("dfu-util: No DFU capable USB device available", "E551", "BOOT0"),
        ("Cannot connect to J-Link via USB.", "E551", "cable"),
        ("sh: 1: openocd: not found", "E501", "PATH"),
        ("Error: stm32x device protected", "E557", "RDP"),
        ("** Verify Failed **", "E558", "again"),
        ("Error: Cannot identify target as a STM32 family.", "E559", "plugged in"),
        ("something that nobody has seen", "E556", "own words"),
    ],
)
def test_what_tools_print_becomes_advice(
    says: str, code: str, advice: str, project: Path, pio: FakePio
) -> None:
    pio.plays(BUILT, {"says": f"Info : clock speed 2000 kHz\n{says}\n*** Error 1", "code": 1})
    outcome = mcuc("flash", project, "--json")
    assert (outcome.code, outcome.error["code"]) == (5, code)
    assert advice in outcome.error["help"]
    assert says in outcome.error["why"]
    assert len(pio.calls) == 2  # nothing that a second attempt could help


def test_the_remark_on_the_speed_is_not_taken_for_the_cause() -> None:
    remark = "Info : Unable to match requested speed 500 kHz, using 480 kHz\n"
    cause = cause_of(remark + "Error: open failed")
    assert cause is not None and cause.code == "E551"
    alone = cause_of(remark)
    assert alone is not None and alone.code == "E553" and "harmless" in alone.help
    assert cause_of("shutdown command invoked") is None
    assert all(cause.help and cause.what for cause in CAUSES)


@pytest.mark.parametrize("hangs", ["build", "upload"])
def test_a_hang_is_ended_at_the_deadline_with_its_children(
    hangs: str, project: Path, pio: FakePio
) -> None:
    hang = {"says": "Info : waiting", "sleeps": 60, "child": True}
    pio.plays(*([hang] if hangs == "build" else [BUILT, hang]))
    start = time.monotonic()
    outcome = mcuc("flash", project, "--timeout", "3", "--json")
    assert time.monotonic() - start < 30
    assert (outcome.code, outcome.error["code"]) == (6, "E629")
    assert ("network" if hangs == "build" else "unplug") in outcome.error["help"]
    child = int((pio.folder / "child.pid").read_text())
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and alive(child):
        time.sleep(0.05)
    assert not alive(child)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_build_that_fails_is_not_uploaded(project: Path, pio: FakePio) -> None:
    pio.plays({"says": "main.c:3: error: unknown type", "code": 1})
    outcome = mcuc("flash", project, "--json")
    assert (outcome.code, outcome.error["code"]) == (5, "E550")
    assert "unknown type" in outcome.error["why"] and len(pio.calls) == 1
    pio.plays({"says": "UnknownPackageError: Could not find the package", "code": 1})
    assert "network" in mcuc("flash", project, "--json").error["help"]


def test_another_protocol_leaves_the_project_as_it_is(project: Path, pio: FakePio) -> None:
    pio.plays(BUILT, BUILT)
    assert mcuc("flash", project, "--protocol", "jlink").code == 0
    assert (project / "platformio.ini").read_text("utf-8") == INI
    for call in pio.calls:
        text = INI.replace("upload_protocol = stlink\n", "")
        wanted = text.replace("[env:board]\n", "[env:board]\nupload_protocol = jlink\n")
        assert call["project"] == wanted


def test_of_several_boards_one_must_be_named(
    project: Path, pio: FakePio, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports_are(monkeypatch, ST1, ST2)
    pio.plays(BUILT)
    outcome = mcuc("flash", project, "--json")
    assert (outcome.code, outcome.error["code"]) == (5, "E552")
    assert outcome.error["data"]["ports"] == ["/dev/ttyACM0", "/dev/ttyACM1"]
    pio.plays(BUILT, BUILT)
    assert mcuc("flash", project, "--port", "/dev/ttyACM1").code == 0
    assert pio.calls[1]["flags"].splitlines() == ["-c", "adapter serial 066B"]
    assert "--upload-port" not in pio.calls[1]["words"]
    pio.plays(BUILT, BUILT)
    assert mcuc("flash", project, "--port", "/dev/ttyACM1", "--protocol", "serial").code == 0
    assert pio.calls[1]["words"][-2:] == ["--upload-port", "/dev/ttyACM1"]
    # A disk of an mbed probe is what PlatformIO copies to; a serial port is not.
    for place, passed in ((str(project), True), ("/dev/ttyACM1", False)):
        pio.plays(BUILT, BUILT)
        assert mcuc("flash", project, "--port", place, "--protocol", "mbed").code == 0
        assert ("--upload-port" in pio.calls[1]["words"]) == passed
    pio.plays(BUILT)
    assert mcuc("flash", project, "--port", "COM9", "--json").error["code"] == "E551"


def test_a_probe_with_two_ports_is_one_probe() -> None:
    gdb = SerialPort("/dev/ttyACM0", "blackmagic", "77", "GDB server")
    uart = SerialPort("/dev/ttyACM1", "blackmagic", "77", "UART")
    assert choose((gdb, uart), "blackmagic", None) == gdb
    assert choose((OTHER,), "blackmagic", None) is None
    with pytest.raises(ToolchainError, match="E551"):
        choose((gdb,), "blackmagic", "/dev/ttyACM7")


def test_a_serial_probe_that_is_not_there_is_e521(
    project: Path, pio: FakePio, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports_are(monkeypatch, OTHER)
    pio.plays(BUILT)
    error = mcuc("flash", project, "--protocol", "blackmagic", "--json").error
    assert error["code"] == "E551" and "/dev/ttyS0" in error["why"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, ()),
        ("[env]\nx = 1\n", ()),
        ("not an ini file", ()),
        (INI + "[env:two]\n", ()),
        (INI, ("--environment", "three")),
        (INI, ("--protocol", "telepathy")),
        (INI, ("--protocol", "custom")),
    ],
)
def test_a_folder_that_cannot_be_flashed_is_e605(
    text: str | None, words: tuple[str, ...], tmp_path: Path, pio: FakePio
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    if text is not None:
        (folder / "platformio.ini").write_text(text, "utf-8")
    outcome = mcuc("flash", folder, *words, "--json")
    assert (outcome.code, outcome.error["code"]) == (1, "E605")


def test_usb_ids_tell_probes_apart() -> None:
    assert serial_ports._kind(0x0483, 0x374B) == "stlink"
    assert serial_ports._kind(0x1366, 0x0105) == "jlink"
    assert serial_ports._kind(0x0483, 0x5740) == ""  # a program of the user's own
    assert serial_ports._kind(None, None) == ""
