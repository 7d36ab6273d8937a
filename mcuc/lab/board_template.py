"""`mcuc boards new`: a board file to fill in, or another board's to change."""

from __future__ import annotations

import re
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.boards import board_file, list_boards, load_board
from mcuc.errors import BoardError, ModelError

_ID = re.compile(r"[a-z][a-z0-9_]{0,40}")
_TEMPLATE = """\
schema = 1
id = "{id}"
description = "{id}"
# Where the figures below come from: datasheet, reference manual, user manual of the board.
source = ""
core = "cortex-m4" # cortex-m0plus, -m3, -m4, -m7, -m33 or -m55
extensions = ["dsp", "fpu"] # of the core: dsp, fpu, mve (Helium)

[compiler]
gcc = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
zig = ["-target", "thumb-freestanding-eabihf", "-mcpu=cortex_m4+vfp4d16sp"]

[flash]
address = 0x08000000
kib = 0

# One table for each RAM, fastest first. Not a RAM at address 0: a buffer there is a null pointer.
[[ram]]
name = "sram"
address = 0x20000000
kib = 0
use = ""

[stack]
region = "sram"
kib = 4

# After start-up; the clock out of reset if there are no steps below.
[clock]
hz = 0
origin = "the clock out of reset"
flash_wait_states = 0
# reset_hz = 16000000 # of core and serial port out of reset: needed when the steps below wait

[counter]
kind = "dwt" # a Cortex-M0+ has none: "stm32_tim2", address of TIM2
address = 0xE0001000
unit = "cycles"
numerator = 1
denominator = 1

# The serial port to the host. stm32_v1: SR and DR (F1, F2, F4, L1); stm32_v2: ISR, RDR and TDR (all
# newer ones); stm32_lpuart.
[uart]
kind = "stm32_v1"
address = 0x40004400
clock_hz = 0
baud = 115200

# Only where PlatformIO knows the board: its board id, and how it is written to.
# [platformio]
# board = "nucleo_f446re"
# protocols = ["stlink", "jlink", "blackmagic", "custom"]

[startup]
# caches = ["instruction", "data"] # of a Cortex-M7 or -M55
# Registers in order: power, flash wait states, clock.
#   ["set", address, mask], ["clear", address, mask], ["write", address, value],
#   ["field", address, mask, value], ["wait", address, mask, value], ["delay", loops]
steps = []
# When a wait comes to nothing: back to the clock out of reset.
fallback = []
# In either case: pins of the serial port, clocks of memories.
peripherals = []
"""


def new_board(name: str, like: str | None, out: Path | None) -> Path:
    """Writes `board.toml` into a new folder; returns its path.

    Args:
        name: Id of the board.
        like: A board, or board file, to start from; None = a template with empty figures.
        out: The folder; None = one called like the board.

    Raises:
        BoardError: E606 for a name that cannot be an id; E601 for an unknown `like`.
        ModelError: E107 when there is a board.toml already.
    """
    if not _ID.fullmatch(name) or name in list_boards():
        why = "a board of that name ships with mcuc" if name in list_boards() else ""
        raise BoardError(
            "E606",
            f"{name!r} cannot be the id of a new board",
            why=why,
            help="take lower-case letters, digits and _, 41 at most, a letter first",
        )
    text = _TEMPLATE.format(id=name) if like is None else _changed(like, name)
    path = (out or Path(name)) / "board.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ModelError(
            "E107",
            f"cannot write {path}",
            why=error.strerror or str(error),
            help="choose another folder with -o",
        ) from error
    return path


def _changed(like: str, name: str) -> str:
    board = load_board(like)
    file = board_file(like) or data_dir("boards") / like / "board.toml"
    return file.read_text(encoding="utf-8").replace(f'id = "{board.id}"', f'id = "{name}"', 1)
