"""Which tools are there, what each is for, and how to get those that are missing."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device import toolchain
from mcuc.device.boards import load_board
from mcuc.device.qemu import find_qemu
from mcuc.errors import McucError, ToolchainError

# The emulated boards were measured with it; older ones lack cores and instructions (B107).
QEMU_VERSION = (7, 2)
# Any board does: compilers are found for the family, not for a core.
_BOARD = "qemu_m4"


@dataclass(frozen=True)
class Check:
    """One thing that mcuc can use.

    Attributes:
        name: Of the tool or package.
        version: Its own words; "" when it is missing.
        problem: Why it cannot be used; "" when it can.
        purpose: What it is for.
        install: How to get it.
    """

    name: str
    version: str
    problem: str
    purpose: str
    install: str

    @property
    def found(self) -> bool:
        return not self.problem


def checks() -> list[Check]:
    """All checks, in the order in which a user meets the tools."""
    return [
        _check("C runtime, boards", _data, "everything", "install mcuc again"),
        _check(
            "arm-none-eabi-gcc",
            lambda: _compiler(True, "arm-none-eabi-gcc"),
            "exact flash and stack; firmware for boards and emulators",
            "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi",
        ),
        _check(
            "zig",
            lambda: _compiler(True, "zig"),
            "in place of the other compilers, without root; gives no stack bound",
            "pip install 'mcuc[zig]'",
        ),
        _check(
            "host compiler",
            _host,
            "run, verify and evaluate on the host",
            "apt-get install gcc libc6-dev, or pip install 'mcuc[zig]'",
        ),
        _check(
            "qemu-system-arm",
            _qemu,
            "run, verify and evaluate on emulated boards",
            "apt-get install --no-install-recommends qemu-system-arm",
        ),
        _package("ai-edge-litert", "--against tflite", "pip install 'mcuc[verify]'"),
        _package(
            "onnxruntime",
            "--calibration, quantize, --against onnxruntime and float",
            "pip install 'mcuc[verify]'",
        ),
        _package("pillow", "images as --input", "pip install 'mcuc[images]'"),
        _check("cppcheck", _cppcheck, "evidence", "apt-get install cppcheck"),
        _package("platformio", "writing firmware to real boards", "pip install 'mcuc[flash]'"),
        _package("pyserial", "run, verify and hil on real boards", "pip install 'mcuc[flash]'"),
        *_models(),
    ]


def unavailable(found: list[Check]) -> list[str]:
    """What of compile and verify does not work, in sentences; none when all does."""
    ready = {check.name for check in found if check.found}
    broken = []
    if "C runtime, boards" not in ready:
        broken.append("nothing works without the data folders")
    if not ready & {"arm-none-eabi-gcc", "zig"}:
        broken.append(
            "no compiler for boards: compile cannot tell code size and stack; "
            "run, verify and evaluate work on the host only (--on reference,host)"
        )
    elif "qemu-system-arm" not in ready:
        broken.append(
            "no emulator: run, verify and evaluate work on the host only (--on reference,host)"
        )
    if "host compiler" not in ready:
        broken.append("no host compiler: nothing runs on the host (--on reference,qemu)")
    return broken


def _check(name: str, probe: Callable[[], str], purpose: str, install: str) -> Check:
    try:
        version, problem = probe(), ""
    except McucError as error:
        version, problem = "", "not installed" if error.code == "E501" else error.what
    return Check(name, version, problem, purpose, install)


def _data() -> str:
    return str(data_dir("runtime_c").parent) if data_dir("boards") else ""


def _compiler(cross: bool, name: str | None = None) -> str:
    found = toolchain.find_toolchain(load_board(_BOARD) if cross else None, name)
    return f"{found.name}: {toolchain.version(found)}" if name is None else toolchain.version(found)


def _host() -> str:
    return _compiler(False)


def _qemu() -> str:
    lines = toolchain.run_tool([find_qemu(), "--version"]).splitlines()
    if not lines:
        raise ToolchainError("E507", "qemu-system-arm --version prints nothing")
    version = re.search(r"(\d+)\.(\d+)", lines[0])
    if version and tuple(map(int, version.groups())) < QEMU_VERSION:
        oldest = ".".join(map(str, QEMU_VERSION))
        raise ToolchainError("E507", f"older than {oldest}: {lines[0]}")
    return lines[0]


def _cppcheck() -> str:
    program = shutil.which("cppcheck")
    if program is None:
        raise ToolchainError("E501", "cppcheck is not installed")
    return toolchain.run_tool([program, "--version"]).strip()


def _package(name: str, purpose: str, install: str) -> Check:
    try:
        version, problem = importlib.metadata.version(name), ""
    except importlib.metadata.PackageNotFoundError:
        version, problem = "", "not installed"
    return Check(name, version, problem, purpose, install)


def _models() -> list[Check]:
    """The folder of test models, where one is named: only the project's own tests want it."""
    named = os.environ.get("MCUC_DATA")
    if not named:
        return []
    problem = "" if (Path(named) / "models").is_dir() else "no folder models in it"
    return [Check("MCUC_DATA", named, problem, "tests with real models", "correct the variable")]
