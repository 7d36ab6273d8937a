"""Builds a compiled folder and writes it to a board, by PlatformIO."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mcuc.device.boards import PROTOCOLS
from mcuc.device.flash_advice import cause_of, upload_error
from mcuc.device.platformio import PROJECT_FILE, find_pio, project_environment, run
from mcuc.device.serial_ports import USB_IDS, SerialPort, choose, list_ports
from mcuc.device.toolchain import run_tool
from mcuc.errors import BoardError, ModelError, ToolchainError
from mcuc.report.document import Json

BUILD_TIMEOUT_S = 900.0  # the first build downloads compiler and programmer
UPLOAD_TIMEOUT_S = 120.0
_OPENOCD = ("stlink", "cmsis-dap")
_SERIAL = ("blackmagic", "serial")  # need the name of a port
# Connected while the chip is held in reset: a sleeping or hanging program is not in the way. What
# OpenOCD calls it; board files that come later add to it.
_UNDER_RESET = ("-c", "reset_config srst_only srst_nogate connect_assert_srst")
_OFFLINE = re.compile(
    r"UnknownPackageError|HTTPClientError|InternetIsOffline|Could not (?:install|find) (?:the )?"
    r"package|Max retries exceeded|NameResolutionError",
    re.IGNORECASE,
)


def flash(
    directory: Path,
    *,
    port: str | None = None,
    protocol: str | None = None,
    environment: str | None = None,
    elf: Path | None = None,
    timeout_s: float | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Json:
    """Builds the project in a folder and uploads it; once more under reset if the chip is silent.

    Args:
        directory: Of `mcuc compile --project platformio`.
        port: Serial port of the board or probe; None = found by USB ids.
        protocol: How to upload; None = as platformio.ini says.
        environment: Of platformio.ini, where it has several.
        elf: Write this program instead of building the project's: the test program of `verify`.
        timeout_s: For the build and for each upload; None = 900 s and 120 s.
        progress: Called with what is being done.

    Returns:
        What was done: board, protocol, port, attempts, seconds.

    Raises:
        BoardError: E605 the folder cannot be flashed.
        ToolchainError: E501 a tool is missing, E550 the build failed, E551 to E559 the upload.
        DeviceTimeoutError: E629.
    """
    start = time.monotonic()
    pio = find_pio()
    name, options = project_environment(directory, environment)
    used = _protocol(directory, options, protocol)
    with tempfile.TemporaryDirectory(prefix="mcuc-flash-") as temporary:
        project, folder = directory.absolute(), Path(temporary)
        words = [*pio, "run", "-e", name]
        if elf is not None:
            project = _project_of(elf, directory, name, used, folder)
            words += ["-d", str(project), "--disable-auto-clean", "-t", "nobuild"]
        else:
            words += ["-d", str(project)]
            if protocol is not None:
                words += ["-c", str(_with_protocol(directory, name, protocol, folder))]
            progress("building")
            _build(words, project, timeout_s or BUILD_TIMEOUT_S)
        found = _port(used, port)
        words += ["-t", "upload"]
        # Others take it as the name of a board, if at all: an mbed disk is one, a terminal is not.
        if found and (used in (*_SERIAL, "custom") or Path(found.device).is_dir()):
            words += ["--upload-port", found.device]
        seconds = timeout_s or UPLOAD_TIMEOUT_S
        attempts = _upload(words, project, _flags(used, found if port else None), seconds, progress)
    return {
        "schema": 1,
        "board": options.get("board", name),
        "protocol": used,
        "port": found.device if found else None,
        "attempts": attempts,
        "seconds": round(time.monotonic() - start, 3),
    }


def _flags(protocol: str, wanted: SerialPort | None) -> list[tuple[str, ...]]:
    """Of the programmer, for each attempt; of several boards it takes the one asked for."""
    if protocol not in _OPENOCD:
        return [()]
    first = ("-c", f"adapter serial {wanted.serial}") if wanted and wanted.serial else ()
    return [first, (*first, *_UNDER_RESET)]


def _protocol(directory: Path, options: Mapping[str, str], wanted: str | None) -> str:
    """The protocol to upload by.

    Raises:
        BoardError: E605.
    """
    if wanted is not None and wanted not in PROTOCOLS:
        raise BoardError("E605", f"unknown protocol {wanted!r}", help=", ".join(PROTOCOLS))
    used = wanted or options.get("upload_protocol", "").strip() or PROTOCOLS[0]
    if used == "custom" and "upload_command" not in options:
        raise BoardError(
            "E605",
            "protocol custom needs a command",
            why=f"{directory / PROJECT_FILE} has no upload_command",
            help="upload_command = PROGRAM $SOURCE",
        )
    return used


def _with_protocol(directory: Path, name: str, protocol: str, folder: Path) -> Path:
    """A copy of the project file in which an environment uploads by another protocol."""
    text = (directory / PROJECT_FILE).read_text(encoding="utf-8")
    head = re.search(rf"(?m)^\[env:{re.escape(name)}\][ \t]*\n", text)
    assert head is not None  # project_environment found it
    body = re.split(r"(?m)^(?=\[)", text[head.end() :], maxsplit=1)
    mine = re.sub(r"(?m)^upload_protocol[ \t]*=.*\n?", "", body[0])
    rest = body[1] if len(body) > 1 else ""
    path = folder / PROJECT_FILE
    changed = f"{text[: head.end()]}upload_protocol = {protocol}\n{mine}{rest}"
    path.write_text(changed, encoding="utf-8")
    return path


def _project_of(elf: Path, directory: Path, name: str, protocol: str, folder: Path) -> Path:
    """A project that is already built, to an ELF file from elsewhere."""
    path = _with_protocol(directory, name, protocol, folder)
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^extra_scripts[ \t]*=.*\n", "", text), encoding="utf-8")
    build = folder / ".pio" / "build" / name
    build.mkdir(parents=True)
    (folder / "src").mkdir()
    try:
        shutil.copyfile(elf, build / "firmware.elf")
    except OSError as error:
        raise ModelError("E108", f"cannot read {elf}", why=error.strerror or str(error)) from error
    objcopy = shutil.which("arm-none-eabi-objcopy")
    if objcopy is not None:  # dfu, jlink and serial write a plain image
        image = build / "firmware.bin"
        run_tool([objcopy, "-O", "binary", str(build / "firmware.elf"), str(image)])
    elif protocol not in (*_OPENOCD, "blackmagic", "custom"):
        raise ToolchainError(
            "E501",
            "arm-none-eabi-objcopy is not installed",
            why=f"protocol {protocol} writes a plain image, not an ELF file",
            help="apt-get install binutils-arm-none-eabi, or take --protocol stlink",
        )
    return folder


def _build(words: Sequence[str], directory: Path, timeout_s: float) -> None:
    done = run(words, timeout_s, "the build", folder=directory)
    if done.code == 0:
        return
    lines = [line for line in done.text.splitlines() if line.strip()]
    offline = _OFFLINE.search(done.text)
    raise ToolchainError(
        "E550",
        "PlatformIO could not build the project",
        why="\n".join(lines[-20:]),
        help="the first build downloads compiler and programmer: it needs the network"
        if offline
        else "the last lines above are PlatformIO's own words",
        data={"exit_code": done.code, "output": "\n".join(lines[-200:])},
    )


def _port(protocol: str, wanted: str | None) -> SerialPort | None:
    """The port of the board; without pyserial, or a port that is no USB device, what was given."""
    kind = "" if protocol in ("serial", "custom") else protocol
    try:
        ports = list_ports()
    except ToolchainError:
        return SerialPort(wanted, "", "", "") if wanted else None
    if wanted and all(p.device != wanted for p in ports) and Path(wanted).exists():
        return SerialPort(wanted, "", "", "")  # a link in /dev/serial/by-id, a pseudo terminal
    found = choose(ports, kind, wanted) if kind in USB_IDS or wanted else None
    if found is None and protocol in _SERIAL:
        raise ToolchainError(
            "E551",
            f"no port for protocol {protocol} was found",
            why=f"ports found: {', '.join(p.device for p in ports) or 'none'}",
            help="plug the probe in, or name its port with --port",
        )
    return found


def _upload(
    words: Sequence[str],
    directory: Path,
    flags: Sequence[Sequence[str]],
    timeout_s: float,
    progress: Callable[[str], None],
) -> int:
    """Uploads; returns how often it took, one attempt for each set of flags at most."""
    for attempt, given in enumerate(flags, 1):
        progress("uploading while the chip is held in reset" if attempt > 1 else "uploading")
        variables = {"PLATFORMIO_UPLOAD_FLAGS": "\n".join(given)} if given else {}
        done = run(words, timeout_s, "the upload", folder=directory, variables=variables)
        if done.code == 0:
            return attempt
        cause = cause_of(done.text)
        if cause is None or not cause.retry or attempt == len(flags):
            raise upload_error(done.text, attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")
