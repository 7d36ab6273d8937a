"""Compilers: found, called with a core's flags, and their failures turned into errors."""

from __future__ import annotations

import functools
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.board import Board
from mcuc.errors import ToolchainError

OPTIMIZE = {"size": "-Os", "balanced": "-O2", "speed": "-O3"}
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
# No contraction: host C = emulator = board, with a fused multiply-add and without.
BASE_FLAGS = (
    "-std=c11",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-common",
    "-ffp-contract=off",
)
# A sanitizer's report ends the program with a status that the program itself never uses.
_SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
_STDERR_LINES = 20
COMPILE_TIMEOUT_S = 300.0


@dataclass(frozen=True)
class Toolchain:
    """A compiler driver that also links.

    Attributes:
        name: "arm-none-eabi-gcc", "zig", "gcc" or "clang".
        command: First words of every call.
        cross: Makes firmware (for a board), not host programs.
    """

    name: str
    command: tuple[str, ...]
    cross: bool

    @property
    def is_gcc(self) -> bool:
        return self.name.endswith("gcc")


@dataclass(frozen=True)
class Source:
    """A C file to compile, with macros of its own (name -> value, "" for none)."""

    path: Path
    defines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """How to compile.

    Attributes:
        optimize: "size", "balanced" or "speed".
        include_dirs: Searched in order.
        defines: Macros for every source.
        strict: Warnings as errors, as for all generated code.
        sanitize: ASan and UBSan (host only).
        lines: Line numbers in the ELF file, for places of faults.
        stack_usage: Leave a `.ci` call graph beside each object (gcc only, else ignored).
    """

    optimize: str = "balanced"
    include_dirs: tuple[Path, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    strict: bool = True
    sanitize: bool = False
    lines: bool = False
    stack_usage: bool = False


def _zig() -> tuple[str, ...] | None:
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    path = shutil.which("zig")
    return (path, "cc") if path else None


def _on_path(name: str) -> tuple[str, ...] | None:
    path = shutil.which(name)
    return (path,) if path else None


def find_toolchain(board: Board | None, prefer: str | None = None) -> Toolchain:
    """The compiler for a board, or for the host when `board` is None.

    Args:
        board: What to compile for.
        prefer: Take this one or fail: a `Toolchain.name`.

    Raises:
        ToolchainError: E501 when none is installed.
    """
    names = ("gcc", "clang", "zig") if board is None else ("arm-none-eabi-gcc", "zig")
    for name in (prefer,) if prefer else names:
        command = (_zig() if name == "zig" else _on_path(name)) if name in names else None
        if command:
            return Toolchain(name, command, cross=board is not None)
    what = f"no compiler for {board.id if board else 'this host'}"
    tried = ", ".join((prefer,) if prefer else names)
    package = "gcc" if board is None else "gcc-arm-none-eabi libnewlib-arm-none-eabi"
    raise ToolchainError(
        "E501",
        what,
        why=f"not found: {tried}",
        help=f"apt-get install {package}, or without root: pip install ziglang",
    )


@functools.cache
def version(toolchain: Toolchain) -> str:
    """First line of the compiler's own version text, for reports."""
    done = _call([*toolchain.command, "--version"], 60.0, "E502", "the compiler does not start")
    return done.splitlines()[0] if done else toolchain.name


def target_flags(toolchain: Toolchain, board: Board | None) -> tuple[str, ...]:
    """Flags that choose the core; for zig also what makes it a plain C compiler."""
    if toolchain.name == "zig":
        freestanding = str(data_dir("boards") / "common" / "freestanding")
        flags = ("-fno-sanitize=undefined", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables")
        if board is None:
            return flags
        return (*board.zig_flags, *flags, "-ffreestanding", "-isystem", freestanding)
    return board.gcc_flags if board else ()


def _flags(toolchain: Toolchain, board: Board | None, options: Options) -> list[str]:
    flags = [*target_flags(toolchain, board), *BASE_FLAGS, OPTIMIZE[options.optimize]]
    flags += STRICT if options.strict else ("-w",)
    if options.sanitize:
        flags += _SANITIZE
    if options.lines:
        flags.append("-g1")
    if options.stack_usage and toolchain.is_gcc:
        flags.append("-fcallgraph-info=su")
    flags += [f"-I{path}" for path in options.include_dirs]
    flags += [_define(name, value) for name, value in options.defines.items()]
    return flags


def _define(name: str, value: str) -> str:
    return f"-D{name}={value}" if value else f"-D{name}"


def compile_objects(
    toolchain: Toolchain,
    board: Board | None,
    sources: Sequence[Source],
    options: Options,
    out_dir: Path,
    timeout_s: float = COMPILE_TIMEOUT_S,
) -> list[Path]:
    """Compiles each source to an object in `out_dir`, in the order given, a few at a time.

    Raises:
        ToolchainError: E503 with the compiler's words, E505 when it takes too long.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    flags = _flags(toolchain, board, options)

    def one(index: int, source: Source) -> Path:
        target = out_dir / f"{index:02d}_{source.path.stem}.o"
        own = [_define(name, value) for name, value in source.defines.items()]
        command = [*toolchain.command, *flags, *own, "-c", str(source.path), "-o", str(target)]
        _call(command, timeout_s, "E503", f"compiling {source.path.name} failed")
        return target

    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(one, range(len(sources)), sources))


def link(
    toolchain: Toolchain,
    board: Board | None,
    objects: Sequence[Path],
    out: Path,
    *,
    script: Path | None = None,
    options: Options | None = None,
    libraries: Sequence[str] = (),
    timeout_s: float = COMPILE_TIMEOUT_S,
) -> Path:
    """Links objects to an ELF file and a `.map` beside it; unused sections are dropped.

    Args:
        toolchain: As for compiling.
        board: As for compiling.
        objects: In link order.
        out: The ELF file.
        script: Linker script; required for a board.
        options: What the objects were compiled with.
        libraries: For example "m".
        timeout_s: Time for the linker.

    Raises:
        ToolchainError: E504 with the linker's words; E506 when it does not fit the memory.
    """
    options = options or Options()
    command = [*toolchain.command, *target_flags(toolchain, board), OPTIMIZE[options.optimize]]
    if board is not None:
        command += ["-nostartfiles", f"-T{script}"]
    if options.sanitize:
        command += _SANITIZE
    if toolchain.name != "zig":
        command.append(f"-Wl,-Map={out.with_suffix('.map')}")
    if toolchain.cross or sys.platform.startswith("linux"):
        command.append("-Wl,--gc-sections")
    command += [*map(str, objects), "-o", str(out), *(f"-l{name}" for name in libraries)]
    _call(command, timeout_s, "E504", f"linking {out.name} failed")
    return out


def run_tool(command: Sequence[str], timeout_s: float = 60.0) -> str:
    """Standard output of a tool such as objdump.

    Raises:
        ToolchainError: E507 when it fails.
    """
    return _call(list(command), timeout_s, "E507", f"{Path(command[0]).name} failed")


def _call(command: list[str], timeout_s: float, code: str, what: str) -> str:
    # Messages in English, whatever the user's language: E506 is told by the linker's words.
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, env=environment
        )
    except FileNotFoundError as error:
        raise ToolchainError(
            "E501", f"{command[0]} is not installed", why=str(error), help="install it"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise ToolchainError(
            "E505",
            f"{Path(command[0]).name} took longer than {timeout_s:g} s",
            why=shlex.join(command),
            help="raise the time limit",
        ) from error
    if done.returncode == 0:
        return done.stdout
    stderr = "\n".join(done.stderr.splitlines()[-_STDERR_LINES:])
    if code == "E504" and ("overflowed by" in stderr or "will not fit" in stderr):
        code, what = "E506", "the program does not fit the board's memory"
    raise ToolchainError(
        code,
        what,
        why=f"exit status {done.returncode} of: {shlex.join(command)}\n{stderr}",
        help="the last lines above are the tool's own words",
        data={"command": command, "exit_code": done.returncode, "stderr": stderr},
    )
