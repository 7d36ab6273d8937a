"""The clock tree of STM32 families, decoded from register contents: written from the reference
manuals' register descriptions, apart from the board files, so that a wrong bit there shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcuc.device.board import Board
from mcuc.device.startup import DELAY, FIELD, WAIT, Step

Registers = dict[int, int]
MHZ = 1_000_000


@dataclass(frozen=True)
class Clocks:
    """Frequencies in Hz that a set of registers gives."""

    core: int
    uart: int
    wait_states: int


def execute(steps: tuple[Step, ...], reset: Registers) -> tuple[Registers, list[int]]:
    """Register contents after the steps, and the indices of waits; waits are met at once."""
    registers, waits = dict(reset), []
    for i, step in enumerate(steps):
        now = registers.get(step.address, 0)
        if step.kind == DELAY:
            continue
        if step.kind == WAIT:
            waits.append(i)
        registers[step.address] = (now & ~step.mask) | step.value
    assert all(step.kind in (FIELD, WAIT, DELAY) for step in steps)
    return registers, waits


def field(word: int, low: int, bits: int) -> int:
    return (word >> low) & ((1 << bits) - 1)


def _prescaler(code: int, bits: int) -> int:
    """AHB (4 bits) and APB (3 bits) prescalers of all families."""
    top = 1 << (bits - 1)
    if code < top:
        return 1
    shift = code - top + 1
    return 1 << (shift if bits == 3 or shift < 5 else shift + 1)


def _f4_f7(r: Registers, board: Board) -> Clocks:
    pll, cfgr = r[0x40023804], r[0x40023808]
    assert field(pll, 22, 1) == 0 and field(cfgr, 0, 2) == 2, "HSI, and the PLL is taken"
    vco_in = 16 * MHZ // field(pll, 0, 6)
    vco = vco_in * field(pll, 6, 9)
    assert MHZ <= vco_in <= 2 * MHZ and 100 * MHZ <= vco <= 432 * MHZ
    core = vco // (2 * (field(pll, 16, 2) + 1)) // _prescaler(field(cfgr, 4, 4), 4)
    apb1 = core // _prescaler(field(cfgr, 10, 3), 3)
    apb2 = core // _prescaler(field(cfgr, 13, 3), 3)
    f7 = board.core == "cortex-m7"
    assert apb1 <= (54 if f7 else 50) * MHZ and apb2 <= (108 if f7 else 100) * MHZ
    over_drive = r.get(0x40007000, 0) & 0x30000 == 0x30000
    assert core <= (180 if f7 else 168) * MHZ or over_drive
    return Clocks(core, apb2 if board.uart.address >= 0x40010000 else apb1, r[0x40023C00] & 15)


def _h7(r: Registers, board: Board) -> Clocks:
    select, div = r[0x58024428], r[0x58024430]
    vco_in = 64 * MHZ // field(select, 4, 6)
    assert field(select, 0, 2) == 0 and field(r[0x58024410], 0, 3) == 3
    assert field(r[0x5802442C], 2, 2) == 2 and 4 * MHZ <= vco_in <= 8 * MHZ
    vco = vco_in * (field(div, 0, 9) + 1)
    assert 192 * MHZ <= vco <= 836 * MHZ
    system = vco // (field(div, 9, 7) + 1)
    core = system // _prescaler(field(r[0x58024418], 8, 4), 4)
    axi = core // _prescaler(field(r[0x58024418], 0, 4), 4)
    apb1 = axi // _prescaler(field(r[0x5802441C], 4, 3), 3)
    apb2 = axi // _prescaler(field(r[0x5802441C], 8, 3), 3)
    apb3 = axi // _prescaler(field(r[0x58024418], 4, 3), 3)
    apb4 = axi // _prescaler(field(r[0x58024420], 4, 3), 3)
    assert max(apb1, apb2, apb3, apb4) <= 100 * MHZ and axi <= 200 * MHZ
    assert field(r[0x58024818], 14, 2) == 3, "400 MHz needs scale 1"
    assert field(r[0x5802480C], 0, 1) == 0, "no bypass of the regulator"
    assert field(r[0x5802480C], 1, 2) in (1, 2), "one supply, LDO or SMPS"
    return Clocks(core, apb2 if board.uart.address >= 0x40010000 else apb1, r[0x52002000] & 15)


def _l4_l5(r: Registers, board: Board) -> Clocks:
    pll, cfgr = r[0x4002100C], r[0x40021008]
    assert field(pll, 0, 2) == 2 and field(cfgr, 0, 2) == 3 and field(pll, 24, 1) == 1
    assert r[0x40021000] & 0x100, "HSI16 is on"
    vco_in = 16 * MHZ // (field(pll, 4, 4) + 1)
    vco = vco_in * field(pll, 8, 7)
    assert 4 * MHZ <= vco_in <= 16 * MHZ and 64 * MHZ <= vco <= 344 * MHZ
    core = vco // (2 * (field(pll, 25, 2) + 1)) // _prescaler(field(cfgr, 4, 4), 4)
    if board.core == "cortex-m33":
        assert field(r[0x40007000], 9, 2) == 0, "110 MHz needs range 0"
    else:
        boost = field(r.get(0x40007080, 0x100), 8, 1) == 0
        assert core <= 80 * MHZ or boost
    return Clocks(core, core, r[0x40022000] & 15)


def _u5(r: Registers, board: Board) -> Clocks:
    pll, div = r[0x46020C28], r[0x46020C34]
    assert field(pll, 0, 2) == 2 and field(r[0x46020C1C], 0, 2) == 3 and field(pll, 18, 1) == 1
    vco_in = 16 * MHZ // (field(pll, 8, 4) + 1)
    vco = vco_in * (field(div, 0, 9) + 1)
    assert 4 * MHZ <= vco_in <= 8 * MHZ and field(pll, 2, 2) < 3
    assert 128 * MHZ <= vco <= 544 * MHZ
    boost = field(pll, 12, 4)
    assert 4 * MHZ <= 16 * MHZ // (2 * boost or 1) <= 16 * MHZ
    assert field(r[0x4602080C], 16, 2) == 3 and field(r[0x4602080C], 18, 1) == 1
    core = vco // (field(div, 24, 7) + 1) // _prescaler(field(r[0x46020C20], 0, 4), 4)
    return Clocks(core, core, r[0x40022000] & 15)


def _h5(r: Registers, board: Board) -> Clocks:
    pll, div = r[0x44020C28], r[0x44020C34]
    assert field(pll, 0, 2) == 1 and field(r[0x44020C1C], 0, 2) == 3 and field(pll, 16, 1) == 1
    hsi = 64 * MHZ >> field(r[0x44020C00], 3, 2)
    vco_in = hsi // field(pll, 8, 6)
    vco = vco_in * (field(div, 0, 9) + 1)
    assert 4 * MHZ <= vco_in <= 8 * MHZ and field(pll, 2, 2) == 2
    assert field(pll, 5, 1) == 0 and 128 * MHZ <= vco <= 560 * MHZ
    assert field(r[0x44020810], 4, 2) == 3, "250 MHz needs scale 0"
    assert field(r[0x40022000], 4, 2) == 2, "WRHIGHFREQ"
    core = vco // (field(div, 9, 7) + 1)
    return Clocks(core, core, r[0x40022000] & 15)


def _g0(r: Registers, board: Board) -> Clocks:
    pll = r[0x4002100C]
    assert field(pll, 0, 2) == 2 and field(r[0x40021008], 0, 3) == 2 and field(pll, 28, 1) == 1
    vco_in = 16 * MHZ // (field(pll, 4, 3) + 1)
    vco = vco_in * field(pll, 8, 7)
    assert 4 * MHZ <= vco_in <= 16 * MHZ and 96 * MHZ <= vco <= 344 * MHZ
    core = vco // (field(pll, 29, 3) + 1)
    return Clocks(core, core, r[0x40022000] & 7)


def _n6(r: Registers, board: Board) -> Clocks:
    assert r[0x56028020] & 0x03030000 == 0, "core and buses on the HSI"
    assert field(r[0x56028174], 0, 3) == 6, "the UART, too"
    return Clocks(64 * MHZ >> field(r[0x56028048], 7, 2), 64 * MHZ, 0)


# What matters of the state after reset, where a step changes a part of a register.
_RESETS: dict[str, Registers] = {
    "f4": {0x40023804: 0x24003010, 0x40007000: 0xC000},
    "f7": {0x40023804: 0x24003010, 0x40007000: 0xC000},
    "h7": {0x58024418: 0, 0x5802480C: 0x6, 0x58024428: 0x02020200, 0x5802442C: 0x01FF0000},
    "l4": {0x40021000: 0x63, 0x40007080: 0x100},
    "l5": {0x40021000: 0x63, 0x40007000: 0x400},
    "u5": {0x46020C00: 0x35},
    "h5": {0x44020C00: 0x2B},
    "g0": {0x40021000: 0x500, 0x40022000: 0x600},
    "n6": {0x56028020: 0x33330000, 0x56028048: 0},
}
_DECODERS: dict[str, Callable[[Registers, Board], Clocks]] = {
    "f4": _f4_f7, "f7": _f4_f7, "h7": _h7, "l4": _l4_l5, "l5": _l4_l5, "u5": _u5, "h5": _h5,
    "g0": _g0, "n6": _n6,
}  # fmt: skip

# Most MHz of the core (H7: of the AXI) by wait states, at the voltage that the board files set.
WAIT_STATES = {
    "f4": (30, 60, 90, 120, 150, 180),
    "f7": (30, 60, 90, 120, 150, 180, 210, 216),
    "h7": (70, 140, 210),
    "l4": (16, 32, 48, 64, 80),
    "l4+": (20, 40, 60, 80, 100, 120),
    "l5": (20, 40, 60, 80, 100, 110),
    "u5": (32, 64, 96, 128, 160),
    "h5": (38, 76, 114, 152, 190, 250),
    "g0": (24, 48, 64),
}


def family(board: Board) -> str:
    name = board.id.partition("_")[2]
    return next(f for f in _DECODERS if name.startswith((f, f"stm32{f}")))


def decode(board: Board) -> Clocks:
    """The clocks after a board's start-up."""
    kind = family(board)
    registers, _ = execute(board.startup.steps + board.startup.peripherals, _RESETS[kind])
    return _DECODERS[kind](registers, board)


# Fields that choose the clock out of reset and no prescaler when they are 0, and its frequency.
_OUT_OF_RESET: dict[str, tuple[dict[int, int], int]] = {
    "f4": ({0x40023808: 0xFCF3}, 16 * MHZ),
    "f7": ({0x40023808: 0xFCF3}, 16 * MHZ),
    "h7": (
        {0x58024410: 7, 0x58024418: 0xF7F, 0x5802441C: 0x770, 0x58024420: 0x70},
        64 * MHZ,
    ),
    "l4": ({0x40021008: 0x3CF3}, 4 * MHZ),
    "l5": ({0x40021008: 0x3CF3}, 4 * MHZ),
    "u5": ({0x46020C1C: 3, 0x46020C20: 0x7FF}, 4 * MHZ),
    "h5": ({0x44020C1C: 3, 0x44020C20: 0x7FFF}, 32 * MHZ),
    "g0": ({0x40021008: 0x7F07}, 16 * MHZ),
    "n6": ({0x56028020: 0x03030000}, 64 * MHZ),
}


def given_up(board: Board, done: int) -> int:
    """Hz of core and serial port after `done` steps and the fallback."""
    kind = family(board)
    steps = board.startup.steps[:done] + board.startup.fallback + board.startup.peripherals
    registers, _ = execute(steps, _RESETS[kind])
    fields, hz = _OUT_OF_RESET[kind]
    assert not [a for a, mask in fields.items() if registers.get(a, 0) & mask], "not out of reset"
    if kind == "h5":
        assert field(registers[0x44020C00], 3, 2) == 1, "HSI / 2"
    return hz
