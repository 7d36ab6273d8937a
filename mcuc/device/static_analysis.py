"""Static analysers over C: gcc's own and cppcheck. All that they say, line by line."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcuc.device.board import Board
from mcuc.device.flash_advice import too_long
from mcuc.device.toolchain import BASE_FLAGS, OPTIMIZE, run_tool

TIMEOUT_S = 600.0
# Right shifts of negative numbers are arithmetic: asserted at compile time (docs/safety.md).
CPPCHECK = ("--std=c11", "--enable=warning,performance", "--quiet", "--template=gcc")
_FINDING = re.compile(r"^\S+?:\d+:\d+: (?:warning|error|style|performance): .*$", re.MULTILINE)


@dataclass(frozen=True)
class Analysis:
    """The result of one analyser.

    Attributes:
        tool: Name and options.
        version: Its own words; "" when it is not installed.
        findings: Its lines; None when it did not run.
    """

    tool: str
    version: str
    findings: tuple[str, ...] | None


def gcc_analyzer(
    board: Board, sources: Sequence[Path], includes: Sequence[Path], optimize: str
) -> Analysis:
    """`gcc -fanalyzer` with the flags of the firmware, so that it sees the same code."""
    name, program = "gcc -fanalyzer", shutil.which("arm-none-eabi-gcc")
    if program is None:
        return Analysis(name, "", None)
    flags = [*board.gcc_flags, *BASE_FLAGS, OPTIMIZE[optimize], "-fanalyzer", "-c", "-o", "-"]
    flags[-1:] = ["/dev/null"] if Path("/dev/null").exists() else ["NUL"]
    folders = [f"-I{folder}" for folder in includes]
    findings: list[str] = []
    for source in sources:
        findings += _findings([program, *flags, *folders, str(source)], name)
    return Analysis(name, _version(program), tuple(findings))


def cppcheck(sources: Sequence[Path], includes: Sequence[Path]) -> Analysis:
    """Warnings and performance remarks of cppcheck."""
    name, program = " ".join(("cppcheck", *CPPCHECK[:2])), shutil.which("cppcheck")
    if program is None:
        return Analysis(name, "", None)
    folders = [f"-I{folder}" for folder in includes]
    call = [program, *CPPCHECK, *folders, *map(str, sources)]
    return Analysis(name, _version(program), tuple(_findings(call, name)))


def _version(program: str) -> str:
    lines = run_tool([program, "--version"]).splitlines()
    return lines[0] if lines else ""


def _findings(call: Sequence[str], tool: str) -> list[str]:
    """What a tool reports; a failure without a report counts as one.

    Raises:
        DeviceTimeoutError: E629.
    """
    try:
        done = subprocess.run(
            list(call), capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise too_long(tool, TIMEOUT_S) from error
    text = done.stdout + done.stderr
    found = _FINDING.findall(text)
    if done.returncode != 0 and not found:
        return [f"{tool} ended with status {done.returncode}: {text.strip()[-400:]}"]
    return [str(line) for line in found]
