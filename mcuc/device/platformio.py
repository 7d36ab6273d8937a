"""PlatformIO as a program: found, run under a deadline, its project file read."""

from __future__ import annotations

import configparser
import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcuc.device.flash_advice import too_long
from mcuc.errors import BoardError, ToolchainError

PROJECT_FILE = "platformio.ini"


@dataclass(frozen=True)
class Ran:
    """A program that ended.

    Attributes:
        code: Exit status.
        text: All that it printed.
    """

    code: int
    text: str


def find_pio() -> tuple[str, ...]:
    """First words of a PlatformIO call: `pio` on the PATH, or the package beside mcuc.

    Raises:
        ToolchainError: E501 when it is not installed.
    """
    path = shutil.which("pio") or shutil.which("platformio")
    if path:
        return (path,)
    if importlib.util.find_spec("platformio") is not None:
        return (sys.executable, "-m", "platformio")
    raise ToolchainError(
        "E501", "PlatformIO is not installed", help="pip install 'mcuc[flash]', or platformio"
    )


def project_environment(directory: Path, wanted: str | None) -> tuple[str, dict[str, str]]:
    """Name and options of the environment of a project.

    Args:
        directory: The project.
        wanted: Name of the environment; needed where there are several.

    Raises:
        BoardError: E605 when the folder is no PlatformIO project, or has no such environment.
    """
    path = directory / PROJECT_FILE
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise BoardError(
            "E605",
            f"{directory} is not a PlatformIO project",
            why=str(error).splitlines()[0],
            help="mcuc compile MODEL --board BOARD --project platformio -o DIR",
        ) from error
    names = [s.removeprefix("env:") for s in parser.sections() if s.startswith("env:")]
    name = wanted or (names[0] if len(names) == 1 else "")
    if name not in names:
        raise BoardError(
            "E605",
            f"{path} has no environment {name!r}" if name else f"{path} has {len(names)} of them",
            why=f"environments: {', '.join(names) or 'none'}",
            help="say which one with --environment",
        )
    return name, dict(parser[f"env:{name}"])


def run(
    command: Sequence[str],
    timeout_s: float,
    what: str,
    *,
    folder: Path,
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """Runs a program; at the deadline it is ended with all that it started.

    Raises:
        ToolchainError: E501 when it cannot be started. DeviceTimeoutError: E629.
    """
    environment = {**os.environ, "PLATFORMIO_NO_ANSI": "true", **(variables or {})}
    try:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise ToolchainError("E501", f"{command[0]} does not start", why=str(error)) from error
    try:
        text, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise too_long(what, timeout_s) from error
    finally:
        if process.poll() is None:
            _end(process)
    return Ran(process.returncode, text)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a program with its children, in the end by force."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            else:
                process.kill()
        deadline = time.monotonic() + 2.0
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    if process.stdout is not None:
        process.stdout.close()
