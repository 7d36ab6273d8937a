"""From a board's description to what C and the linker need: `mcuc_board.h`, a linker script."""

from __future__ import annotations

import string
from collections.abc import Sequence

from mcuc.data import data_dir
from mcuc.device.board import Board
from mcuc.device.startup import startup_lines
from mcuc.errors import BoardError

_MODEL_RAM = """\
  .model_ram.{index} (NOLOAD) : ALIGN(32)
  {{
    *(.model_ram.{index})
  }} > ram_{region}
"""

# Where <model>_arena.c puts its memory.
_ARENA = """\
  .mcuc_ram_{region} (NOLOAD) : ALIGN(16)
  {{
    *(.bss.mcuc_ram_{region})
  }} > ram_{region}
"""


def board_header(board: Board) -> str:
    """`mcuc_board.h`: the facts that start-up and ports are compiled with."""
    coprocessors = int(board.target.fpu or board.target.mve)
    limit = board.emulator.ram_limit_bytes if board.emulator else 0
    outside = board.emulator.outside if board.emulator else None
    address, size = (0, 1) if outside is None else (outside.address, outside.size_bytes)
    startup, clock = board.startup, board.clock
    reset_hz = clock.reset_hz if clock else board.uart.clock_hz
    lines = [
        f"/* Board {board.id}: {board.description}. Made from its board.toml. */",
        "#ifndef MCUC_BOARD_H",
        "#define MCUC_BOARD_H",
        "",
        f'#define MCUC_BOARD_ID "{board.id}"',
        f"#define MCUC_BOARD_COPROCESSORS {coprocessors}",
        f"#define MCUC_BOARD_UNALIGN_TRAP {int(startup.unalign_trap)}u",
        f"#define MCUC_BOARD_COUNTER_ADDRESS {board.counter.address:#010x}u",
        f"#define MCUC_BOARD_COUNTER_NUMERATOR {board.counter.numerator}u",
        f"#define MCUC_BOARD_COUNTER_DENOMINATOR {board.counter.denominator}u",
        f"#define MCUC_BOARD_UART_ADDRESS {board.uart.address:#010x}u",
        f"#define MCUC_BOARD_UART_DIVIDER {_divider(board, board.uart.clock_hz)}u",
        f"#define MCUC_BOARD_UART_RESET_DIVIDER {_divider(board, reset_hz)}u",
        f"#define MCUC_BOARD_FENCE_ADDRESS {board.target.regions[0].address:#010x}u",
        f"#define MCUC_BOARD_FENCE_BYTES {limit:#x}u",
        f"#define MCUC_BOARD_OUTSIDE_ADDRESS {address:#010x}u",
        f"#define MCUC_BOARD_OUTSIDE_LOG2 {size.bit_length() - 1}",
        f"#define MCUC_BOARD_INSTRUCTION_CACHE {int('instruction' in startup.caches)}",
        f"#define MCUC_BOARD_DATA_CACHE {int('data' in startup.caches)}",
        f"#define MCUC_BOARD_CLOCK_HZ {clock.hz if clock else 0}u",
        f"#define MCUC_BOARD_RESET_HZ {clock.reset_hz if clock else 0}u",
        *startup_lines(startup),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _divider(board: Board, clock_hz: int) -> int:
    """Clocks of a bit, to the nearest: at 16 samples a bit what all the drivers' registers take.

    An LPUART counts in 1/256 clocks.
    """
    clocks = clock_hz * (256 if board.uart.kind == "stm32_lpuart" else 1)
    return (clocks + board.uart.baud // 2) // board.uart.baud


def model_regions(board: Board, names: Sequence[str], count: int) -> tuple[str, ...]:
    """The board's RAM region of each of a model's `count` regions.

    Args:
        board: The board.
        names: Region names, or empty: in the board's order, the last one taking the rest.
        count: Regions of the model.

    Raises:
        BoardError: E603 for a name that the board does not have.
    """
    known = [r.name for r in board.target.regions]
    if not names:
        return tuple(known[min(i, len(known) - 1)] for i in range(count))
    for name in names:
        if name not in known:
            raise BoardError(
                "E603",
                f"board {board.id} has no RAM region {name!r}",
                why=f"it has {', '.join(known)}",
                help="name one of these",
            )
    if len(names) != count:
        raise BoardError("E603", f"{count} regions are used, but {len(names)} are named")
    return tuple(names)


def linker_script(board: Board, regions: Sequence[str], stack_bytes: int | None = None) -> str:
    """The linker script of a program whose `.model_ram.<i>` lies in RAM region `regions[i]`.

    The state's section lies beside the stack. A fence's limit cuts the first region. The stack is
    the board's unless `stack_bytes` says another size.
    """
    template = string.Template(
        (data_dir("boards") / "common" / "firmware.ld.in").read_text(encoding="utf-8")
    )
    memory = []
    for i, region in enumerate(board.target.regions):
        size = region.size_bytes
        if i == 0 and board.emulator and board.emulator.ram_limit_bytes:
            size = min(size, board.emulator.ram_limit_bytes)
        memory.append(
            f"  ram_{region.name} (rwx) : ORIGIN = {region.address:#010x}, LENGTH = {size:#x}"
        )
    outside = f"ram_{board.stack_region}"
    if board.emulator and board.emulator.outside:
        region, outside = board.emulator.outside, "outside"
        memory.append(
            f"  outside (rw) : ORIGIN = {region.address:#010x}, LENGTH = {region.size_bytes:#x}"
        )
    placed = [_ARENA.format(region=r.name) for r in board.target.regions]
    placed += [_MODEL_RAM.format(index=i, region=name) for i, name in enumerate(regions)]
    placed.append(_MODEL_RAM.format(index="state", region=board.stack_region))
    constants = ""
    if board.rodata is not None:
        constants = (
            f"  rodata (r) : ORIGIN = {board.rodata.address:#010x}, "
            f"LENGTH = {board.rodata.size_bytes:#x}\n"
        )
    return template.substitute(
        flash_address=f"{board.flash.address:#010x}",
        flash_bytes=f"{board.flash.size_bytes:#x}",
        constants_memory=constants,
        constants="rodata" if constants else "flash",
        memory="\n".join(memory),
        stack_bytes=board.stack_bytes if stack_bytes is None else stack_bytes,
        stack_region=f"ram_{board.stack_region}",
        model_ram="\n".join(placed),
        outside=outside,
    )
