"""Runs a test program on this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mcuc.device.faults import exit_error
from mcuc.device.firmware import Program
from mcuc.errors import DeviceError, DeviceTimeoutError

_SANITIZER_STATUS = 97
_SANITIZER_OPTIONS = f"exitcode={_SANITIZER_STATUS}:detect_leaks=0:abort_on_error=0"


def execute(program: Program, arguments: Sequence[str], folder: Path, timeout_s: float) -> str:
    """Runs the program in `folder`; returns what it printed.

    Raises:
        DeviceError: E618 for a sanitizer's report, else as `exit_error` says.
        DeviceTimeoutError: E620.
    """
    environment = {
        **os.environ,
        "ASAN_OPTIONS": _SANITIZER_OPTIONS,
        "UBSAN_OPTIONS": f"{_SANITIZER_OPTIONS}:print_stacktrace=1",
    }
    try:
        done = subprocess.run(
            [str(program.path.resolve()), *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise timeout_error(timeout_s) from error
    if done.returncode == _SANITIZER_STATUS:
        report = next((x for x in done.stderr.splitlines() if "error:" in x.lower()), "no report")
        raise DeviceError(
            "E618",
            "a sanitizer stopped the program",
            why=report.strip(),
            data={"report": done.stderr},
        )
    problem = exit_error(done.returncode, done.stderr, program.elf)
    if problem is not None:
        raise problem
    return done.stderr


def timeout_error(timeout_s: float) -> DeviceTimeoutError:
    """E620: ended from outside."""
    return DeviceTimeoutError(
        "E620",
        f"the program did not end within {timeout_s:g} s",
        help="it hangs, or needs a longer time limit",
        data={"timeout_s": timeout_s},
    )
