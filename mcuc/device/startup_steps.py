"""What a board's registers need before anything else runs: clock, flash, power, pins, in order.

A step is a list in `board.toml`; `startup.c` carries the steps out one after the other:

    ["set", address, mask]             register |= mask
    ["clear", address, mask]           register &= ~mask
    ["write", address, value]          register = value
    ["field", address, mask, value]    register = (register & ~mask) | value
    ["wait", address, mask, value]     until (register & mask) == value
    ["delay", loops]                   so many turns of an empty loop
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcuc.device.toml_table import Table

FIELD, WAIT, DELAY = range(3)  # twins in boards/common/startup.c
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


def read_steps(table: Table, key: str) -> tuple[Step, ...]:
    """The steps listed under a key; each that is wrong is noted as a problem of the table."""
    steps = []
    for i, raw in enumerate(table.items(key)):
        problem = _problem(raw)
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


def step_lines(steps: Sequence[Step]) -> list[str]:
    """The macro with the steps, for `mcuc_board.h`; none without steps."""
    if not steps:
        return []
    rows = [f"  {step.initializer()}, \\" for step in steps]
    rows[-1] = rows[-1].removesuffix(" \\")
    return ["#define MCUC_BOARD_STEPS \\", *rows]
