"""Boards as data: `boards/<id>/board.toml` read, checked and frozen."""

from __future__ import annotations

import difflib
import itertools
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.board import Board, Clock, Counter, Emulator, PlatformIO, Uart
from mcuc.device.startup import read_startup
from mcuc.device.toml_table import Table
from mcuc.errors import BoardError, Loc
from mcuc.ir.target import Region, Target

SCHEMA = 1
CORES = ("cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55")
EXTENSIONS = ("dsp", "mve", "fpu")
COUNTERS = ("cmsdk", "stm32_tim2", "sse", "dwt")
UARTS = ("cmsdk", "stm32_v1", "stm32_v2", "stm32_lpuart")
PROTOCOLS = ("stlink", "jlink", "blackmagic", "dfu", "cmsis-dap", "mbed", "serial", "custom")
MAX_RAM_REGIONS = 8


def list_boards() -> tuple[str, ...]:
    """The ids of the boards that ship with mcuc, sorted."""
    return tuple(sorted(p.parent.name for p in data_dir("boards").glob("*/board.toml")))


def board_file(name: str | Path) -> Path | None:
    """The `board.toml` that a name stands for when it is a path, else None: it is an id."""
    path = Path(name)
    if path.suffix == ".toml" or len(path.parts) > 1 or path.is_absolute():
        return path / "board.toml" if path.is_dir() else path
    return None


def load_board(name: str | Path) -> Board:
    """The board of an id, or of a `board.toml` (or its folder) given by path.

    Raises:
        BoardError: E601 for an unknown id or missing file, E602 with all problems of a file.
    """
    file = board_file(name)
    if file is not None:
        try:
            return parse_board(file.read_bytes(), str(file))
        except OSError as error:
            why = error.strerror or str(error)
            raise BoardError("E601", f"there is no board file {str(file)!r}", why=why) from error
    known = list_boards()
    if str(name) not in known:
        here = Path(name) / "board.toml"
        near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
        near = [str(here)] if here.is_file() else near
        raise BoardError(
            "E601",
            f"unknown board {str(name)!r}",
            why=f"known boards: {', '.join(known)}",
            help=f"did you mean {near[0]!r}?" if near else "give one of these, or a board.toml",
            data={"known": list(known), "nearest": near[0] if near else None},
        )
    return parse_board((data_dir("boards") / str(name) / "board.toml").read_bytes(), str(name))


def parse_board(text: bytes, file: str) -> Board:
    """The board in the text of a `board.toml`.

    Raises:
        BoardError: E602 listing every problem of the text.
    """
    try:
        raw = tomllib.loads(text.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _malformed(file, [f"not valid TOML: {error}"]) from error
    top = Table(raw, "", [])
    board = _board(top)
    if top.problems:
        raise _malformed(file, top.problems)
    return board


def _malformed(file: str, problems: list[str]) -> BoardError:
    return BoardError(
        "E602",
        f"the board description has {len(problems)} problem{'s' if len(problems) > 1 else ''}",
        loc=Loc(file=file),
        why="; ".join(problems),
        help="compare with a board that ships with mcuc",
        data={"problems": problems},
    )


_TOP = 0xFFFFFFFF
_MOST_HZ = 2_000_000_000


def _region(table: Table, name: str) -> Region:
    region = Region(
        name or table.text("name"),
        table.number("address", 0, _TOP),
        table.number("kib", 1, 1 << 20) * 1024,
    )
    table.done()
    return region


def _ram(table: Table) -> Region:
    external, use = table.flag("external"), table.text("use", default="")
    return replace(_region(table, ""), external=external, use=use)


def _optional_region(table: Table, name: str) -> Region | None:
    return _region(table, name) if table.raw else None


def _board(top: Table) -> Board:
    top.number("schema", SCHEMA, SCHEMA)
    core = top.text("core", CORES)
    extensions = top.texts("extensions", EXTENSIONS)
    flash = _region(top.table("flash"), "flash")
    rodata = _optional_region(top.table("rodata", optional=True), "rodata")
    ram = tuple(_ram(t) for t in top.tables("ram"))
    stored = (flash,) if rodata is None else (flash, rodata)
    _check_regions(top, stored, ram)
    stack = top.table("stack")
    stack_region = stack.text("region", [r.name for r in ram])
    stack_bytes = stack.number("kib", 1, 1024) * 1024
    stack.done()
    ram = tuple(
        replace(r, reserved_bytes=stack_bytes) if r.name == stack_region else r for r in ram
    )
    compiler = top.table("compiler")
    gcc, zig = compiler.texts("gcc"), compiler.texts("zig")
    compiler.done()
    emulator = _emulator(top.table("emulator", optional=True))
    startup = read_startup(top.table("startup", optional=True), core)
    uart, timed = _uart(top.table("uart")), emulator is not None and not startup.waits
    clock = _clock(top.table("clock", optional=timed), startup.waits, uart)
    board = Board(
        id=top.text("id"),
        description=top.text("description"),
        source=top.text("source"),
        target=Target(
            core=core,
            dsp="dsp" in extensions,
            mve="mve" in extensions,
            fpu="fpu" in extensions,
            regions=ram,
            flash_bytes=sum(region.size_bytes for region in stored),
        ),
        flash=flash,
        stack_region=stack_region,
        stack_bytes=stack_bytes,
        gcc_flags=gcc,
        zig_flags=zig,
        counter=_counter(top.table("counter")),
        uart=uart,
        emulator=emulator,
        rodata=rodata,
        clock=clock,
        startup=startup,
        platformio=_platformio(top.table("platformio", optional=True)),
    )
    top.done()
    return board


def _check_regions(top: Table, stored: Sequence[Region], ram: Sequence[Region]) -> None:
    if len(ram) > MAX_RAM_REGIONS:
        top.problem("ram", f"has more than {MAX_RAM_REGIONS} regions")
    if len({r.name for r in ram}) < len(ram):
        top.problem("ram", "has two regions of one name")
    ordered = sorted((*stored, *ram), key=lambda r: r.address)
    for low, high in itertools.pairwise(ordered):
        if low.address + low.size_bytes > high.address:
            top.problem("ram", f"{low.name!r} and {high.name!r} overlap")


def _counter(table: Table) -> Counter:
    counter = Counter(
        kind=table.text("kind", COUNTERS),
        address=table.number("address", 0, _TOP),
        unit=table.text("unit", ("instructions", "cycles")),
        numerator=table.number("numerator", 1, 1 << 16),
        denominator=table.number("denominator", 1, 1 << 16),
    )
    table.done()
    return counter


def _uart(table: Table) -> Uart:
    uart = Uart(
        kind=table.text("kind", UARTS),
        address=table.number("address", 0, _TOP),
        clock_hz=table.number("clock_hz", 1, _TOP),
        baud=table.number("baud", 300, 12_000_000, default=115_200),
    )
    if uart.clock_hz < _least_hz(uart) and not table.problems:
        table.problem("baud", f"needs a clock of {_least_hz(uart)} Hz, has {uart.clock_hz}")
    table.done()
    return uart


def _least_hz(uart: Uart) -> int:
    """The slowest clock that its baud rate can be divided from."""
    return (3 if uart.kind == "stm32_lpuart" else 16) * uart.baud


def _clock(table: Table, waits: bool, uart: Uart) -> Clock | None:
    if not table.raw:
        return None
    hz = table.number("hz", 1, _MOST_HZ)
    clock = Clock(
        hz=hz,
        origin=table.text("origin"),
        flash_wait_states=table.number("flash_wait_states", 0, 31),
        reset_hz=table.number("reset_hz", 1, _MOST_HZ, default=None if waits else hz),
    )
    if waits and clock.reset_hz < _least_hz(uart) and not table.problems:
        table.problem("reset_hz", f"the serial port needs {_least_hz(uart)} Hz, has less")
    table.done()
    return clock


def _platformio(table: Table) -> PlatformIO | None:
    if not table.raw:
        return None
    platformio = PlatformIO(
        board=table.text("board"),
        protocols=table.texts("protocols", PROTOCOLS),
        framework=table.text("framework", default=""),
    )
    table.done()
    return platformio


def _emulator(table: Table) -> Emulator | None:
    if not table.raw:
        return None
    outside = table.table("outside", optional=True)
    region = _optional_region(outside, "outside")
    if region is not None and (
        region.size_bytes & (region.size_bytes - 1) or region.address % region.size_bytes
    ):
        outside.problem("kib", "is not a power of two that divides the address")
    emulator = Emulator(
        machine=table.text("machine"),
        icount_shift=table.number("icount_shift", 0, 10),
        ram_limit_bytes=table.number("ram_limit_kib", 0, 1 << 20, default=0) * 1024,
        outside=region,
    )
    table.done()
    return emulator
