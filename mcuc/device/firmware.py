"""Builds the test program: compiled models, the harness, and a port, for a board or the host."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.board import Board
from mcuc.device.board_files import board_header, linker_script, model_regions
from mcuc.device.elf import Elf, read_elf
from mcuc.device.toolchain import (
    OPTIMIZE,
    Options,
    Source,
    Toolchain,
    compile_objects,
    find_toolchain,
    link,
    run_tool,
)
from mcuc.errors import BoardError, ToolchainError

MAX_REGIONS = 4  # MCUC_MAX_REGIONS
_COMMON = ("session.c", "guard.c", "trace.c", "memory.c", "crc32.c")
_FIRMWARE = ("startup.c", "fault.c", "port_arm.c", "stack_arm.c")
# How the host reaches the program: files and a console through the debug interface, or a protocol
# on a serial port (docs/protocol.md).
_FILES = ("harness.c", "stream.c")
_SERVER = ("server.c", "about.c", "answer.c", "frame.c", "check.c", "crash.c", "port_uart.c")
TRANSPORTS = ("semihosting", "uart")

# The 16-bit instructions that Armv7-M added.
_NOT_ARMV6M = frozenset(["it", "ite", "itt", "ittt", "itte", "itet", "itee", "cbz", "cbnz"])


@dataclass(frozen=True)
class HarnessConfig:
    """What the test program reserves and records.

    Attributes:
        region_bytes: Exact size of each arena region: the maximum over the models.
        region_names: The board's RAM region of each; empty = in the board's order.
        state_bytes: Size of the state, 0 = none.
        guard_bytes: Size of each guard zone, a multiple of `align`.
        align: Alignment of the regions in bytes.
        max_steps: Trace table: 1 + largest step id; 0 = built without trace.
        sanitize: ASan and UBSan (host only); guard zones are then poisoned during the run.
        transport: Of TRANSPORTS; boards only.
    """

    region_bytes: tuple[int, ...]
    region_names: tuple[str, ...] = ()
    state_bytes: int = 0
    guard_bytes: int = 1024
    align: int = 16
    max_steps: int = 0
    sanitize: bool = False
    transport: str = "semihosting"


@dataclass(frozen=True)
class Program:
    """A linked test program.

    Attributes:
        path: The ELF file.
        board: None for the host.
        config: What it was built with.
        toolchain: Who built it.
        objects: The objects of the models, in the order of their sources (`.ci` files beside).
        elf: Symbols and sections.
    """

    path: Path
    board: Board | None
    config: HarnessConfig
    toolchain: Toolchain
    objects: tuple[Path, ...]
    elf: Elf


def build_program(
    sources: Sequence[Source],
    config: HarnessConfig,
    out_dir: Path,
    *,
    board: Board | None = None,
    options: Options | None = None,
    toolchain: Toolchain | None = None,
    name: str = "test",
) -> Program:
    """Compiles and links the models (with the glue that defines `mcuc_test_models`).

    Args:
        sources: Models, glue, kernels.
        config: Sizes and records.
        out_dir: For objects, linker script and ELF file.
        board: None builds a host program.
        options: For the models' sources; the harness is always compiled with -O2.
        toolchain: Default: the best one installed.
        name: Stem of the ELF file.

    Raises:
        ToolchainError: compiling or linking failed. BoardError: E603 region names.
    """
    toolchain = toolchain or find_toolchain(board)
    options = options or Options()
    if len(config.region_bytes) > MAX_REGIONS:
        raise BoardError("E603", f"a test program has at most {MAX_REGIONS} RAM regions")
    common = data_dir("boards") / "common"
    out_dir.mkdir(parents=True, exist_ok=True)
    script = None if board is None else write_board_files(board, config, out_dir)
    uart = board is not None and config.transport == "uart"
    files = [*_COMMON, *(_SERVER if uart else _FILES), *port_files(board, uart)]
    includes = (out_dir, common, data_dir("runtime_c") / "include")
    model_options = _model_options(options, config, includes, board)
    core = () if board is None else board.gcc_flags if toolchain.is_gcc else board.zig_flags
    flags = " ".join((*core, OPTIMIZE[options.optimize]))
    own_options = Options(
        include_dirs=includes,
        sanitize=config.sanitize,
        defines={**_harness_defines(config), "MCUC_BUILD_FLAGS": f'"{flags}"'},
    )
    objects = compile_objects(toolchain, board, sources, model_options, out_dir / "model")
    own = compile_objects(
        toolchain, board, [Source(common / f) for f in files], own_options, out_dir / "harness"
    )
    path = link(
        toolchain,
        board,
        [*own, *objects],
        out_dir / f"{name}.elf",
        script=script,
        options=model_options,
    )
    return Program(path, board, config, toolchain, tuple(objects), read_elf(path))


def write_board_files(board: Board, config: HarnessConfig, out_dir: Path) -> Path:
    """Writes `mcuc_board.h` and the linker script; returns the latter."""
    regions = model_regions(board, config.region_names, len(config.region_bytes))
    (out_dir / "mcuc_board.h").write_text(board_header(board), encoding="utf-8")
    script = out_dir / "firmware.ld"
    script.write_text(linker_script(board, regions), encoding="utf-8")
    return script


def _model_options(
    options: Options, config: HarnessConfig, includes: tuple[Path, ...], board: Board | None
) -> Options:
    """How the models are compiled for the harness."""
    defines = dict(options.defines)
    if config.max_steps:
        defines["MCUC_TRACE"] = "1"
    if board is not None and config.transport == "uart":
        defines["MCUC_SELF_CHECK"] = "1"
    return replace(
        options,
        include_dirs=(*options.include_dirs, *includes),
        sanitize=config.sanitize,
        lines=board is not None,
        defines=defines,
    )


def port_files(board: Board | None, uart: bool) -> list[str]:
    """The sources in boards/common that a board, or the host, needs beside the common ones."""
    if board is None:
        return ["port_host.c"]
    fenced = board.emulator is not None and board.emulator.ram_limit_bytes > 0
    fence = "fence_v7m.c" if fenced else "fence_none.c"
    port = f"uart_{board.uart.kind}.c" if uart else "port_semihosting.c"
    return [*_FIRMWARE, f"counter_{board.counter.kind}.c", fence, port]


def _harness_defines(config: HarnessConfig) -> dict[str, str]:
    defines = {
        f"MCUC_TEST_REGION{i}_BYTES": f"{size}u" for i, size in enumerate(config.region_bytes)
    }
    defines["MCUC_TEST_STATE_BYTES"] = f"{config.state_bytes}u"
    defines["MCUC_TEST_GUARD_BYTES"] = f"{config.guard_bytes}u"
    defines["MCUC_TEST_ALIGN"] = f"{config.align}"
    defines["MCUC_TEST_MAX_STEPS"] = f"{max(config.max_steps, 1)}"
    return defines


def assert_armv6m(path: Path) -> None:
    """Proves that a linked program holds only Armv6-M instructions.

    Every 32-bit instruction of Armv6-M is a BL, a barrier or a special register move; the 16-bit
    ones that Armv7-M added are looked for by name.

    Raises:
        ToolchainError: E509 naming the first foreign instructions; E501 without objdump.
    """
    tool = shutil.which("arm-none-eabi-objdump")
    if tool is None:
        raise ToolchainError(
            "E501",
            "arm-none-eabi-objdump is not installed",
            help="apt-get install binutils-arm-none-eabi",
        )
    text = run_tool([tool, "-d", "--no-addresses", str(path)])
    foreign = [line for line in map(_instruction, text.splitlines()) if _is_foreign(line)]
    if foreign:
        raise ToolchainError(
            "E509",
            f"{path.name} holds {len(foreign)} instructions that Armv6-M lacks",
            why="; ".join(" ".join(f"{m} {o}".split()) for _, m, o in foreign[:5]),
            help="compile everything, libraries too, with -mcpu=cortex-m0plus",
        )


def _instruction(line: str) -> tuple[int, str, str]:
    """(bytes, mnemonic, operands) of a line of objdump; (0, "", "") for other lines."""
    fields = line.strip().split("\t")
    halves = fields[0].split()
    if len(fields) < 2 or not halves or any(len(h) != 4 for h in halves):
        return 0, "", ""
    return 2 * len(halves), fields[1], fields[2] if len(fields) > 2 else ""


def _is_foreign(instruction: tuple[int, str, str]) -> bool:
    size, mnemonic, _ = instruction
    if size == 4:
        return mnemonic not in ("bl", "dsb", "dmb", "isb", "mrs", "msr", "udf.w")
    return mnemonic.split(".")[0] in _NOT_ARMV6M
