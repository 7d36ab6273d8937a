"""What a board needs before anything else runs: clock, flash, power, pins, caches.

A step is a list in `board.toml`; `startup.c` carries the steps out one after the other:

    ["set", address, mask]             register |= mask
    ["clear", address, mask]           register &= ~mask
    ["write", address, value]          register = value
    ["field", address, mask, value]    register = (register & ~mask) | value
    ["wait", address, mask, value]     until (register & mask) == value, with a limit
    ["delay", loops]                   so many turns of an empty loop
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcuc.device.toml_table import Table

FIELD, WAIT, DELAY = range(3)  # twins in boards/common/startup.c
CACHES = ("instruction", "data")
CACHED_CORES = ("cortex-m7", "cortex-m55")  # caches of the core itself
_ARGUMENTS = {"set": 2, "clear": 2, "write": 2, "field": 3, "wait": 3, "delay": 1}
_WORD = 0xFFFFFFFF


@dataclass(frozen=True)
class Step:
    """One step: FIELD, WAIT or DELAY (whose loops are `value`)."""

    kind: int
    address: int
    mask: int
    value: int

    def initializer(self) -> str:
        """The step in C."""
        return f"{{{self.kind}u, {self.address:#010x}u, {self.mask:#010x}u, {self.value:#010x}u}}"


@dataclass(frozen=True)
class Startup:
    """What start-up does before RAM is used.

    Attributes:
        steps: From the clock out of reset to the board's. A wait that comes to nothing ends them.
        fallback: Then: back to the clock out of reset.
        peripherals: In either case: pins of the serial port, clocks of memories and counter.
        caches: Of the core, that are turned on: "instruction", "data".
        unalign_trap: Unaligned access faults, as it does on Armv6-M.
    """

    steps: tuple[Step, ...] = ()
    fallback: tuple[Step, ...] = ()
    peripherals: tuple[Step, ...] = ()
    caches: tuple[str, ...] = ()
    unalign_trap: bool = False

    @property
    def waits(self) -> bool:
        return any(step.kind == WAIT for step in self.steps)


def read_startup(table: Table, core: str) -> Startup:
    """The `[startup]` table; what is wrong is noted as its problems."""
    startup = Startup(
        steps=_read_steps(table, "steps"),
        fallback=_read_steps(table, "fallback", waits=False),
        peripherals=_read_steps(table, "peripherals", waits=False),
        caches=table.texts("caches", CACHES, optional=True),
        unalign_trap=table.flag("unalign_trap"),
    )
    if startup.caches and core not in CACHED_CORES:
        table.problem("caches", f"a {core} has no caches of its own: use steps")
    table.done()
    return startup


def _read_steps(table: Table, key: str, waits: bool = True) -> tuple[Step, ...]:
    steps = []
    for i, raw in enumerate(table.items(key)):
        problem = _problem(raw)
        if not problem and raw[0] == "wait" and not waits:
            problem = "a wait can fail, and so belongs into steps"
        if problem:
            table.problem(f"{key}[{i}]", problem)
        else:
            steps.append(_step(*raw))
    return tuple(steps)


def _problem(raw: Any) -> str:
    if not isinstance(raw, list) or not raw or raw[0] not in _ARGUMENTS:
        return f"must be a list that begins with one of {', '.join(_ARGUMENTS)}"
    name, numbers = raw[0], raw[1:]
    if len(numbers) != _ARGUMENTS[name]:
        return f"{name!r} takes {_ARGUMENTS[name]} numbers, not {len(numbers)}"
    if not all(type(n) is int and 0 <= n <= _WORD for n in numbers):
        return "has a number that is no 32-bit word"
    if name == "delay":
        return ""
    if numbers[0] % 4:
        return f"{numbers[0]:#x} is not the address of a 32-bit register"
    if numbers[1] == 0 and name != "write":
        return "has an empty mask"
    if len(numbers) == 3 and numbers[2] & ~numbers[1]:
        return f"the value {numbers[2]:#x} has bits outside the mask {numbers[1]:#x}"
    return ""


def _step(name: str, *numbers: int) -> Step:
    if name == "delay":
        return Step(DELAY, 0, 0, numbers[0])
    address, mask = numbers[:2]
    if name == "write":
        return Step(FIELD, address, _WORD, mask)
    if name in ("set", "clear"):
        return Step(FIELD, address, mask, mask if name == "set" else 0)
    return Step(WAIT if name == "wait" else FIELD, address, mask, numbers[2])


def startup_lines(startup: Startup) -> list[str]:
    """The macros of `mcuc_board.h` with all steps and how many there are of each kind."""
    parts = (startup.steps, startup.fallback, startup.peripherals)
    rows = [f"  {step.initializer()}, \\" for part in parts for step in part]
    if not rows:
        return []
    rows[-1] = rows[-1].removesuffix(" \\")
    counts = zip(("CLOCK", "FALLBACK", "PERIPHERAL"), parts, strict=True)
    return [
        *(f"#define MCUC_BOARD_{name}_STEPS {len(part)}u" for name, part in counts),
        "#define MCUC_BOARD_STEPS \\",
        *rows,
    ]
