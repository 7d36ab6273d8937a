"""Cycles of Arm instructions as published, for programs without wait states.

Cortex-M4: Technical Reference Manual (Arm 100166), table 3-1 and "Load/store timings"; Cortex-M3:
Technical Reference Manual (Arm 100165), table 3-1. Arm publishes no such table for the Cortex-M7,
M33, M55 and M85. What depends on data or on the pipeline is a range, least and most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Range = tuple[int, int]

CORES = ("cortex-m4", "cortex-m3")
REFILL: Range = (1, 3)  # P: cycles after a taken branch
_DIVIDE: Range = (2, 12)
_LONG: dict[str, dict[str, Range]] = {
    "cortex-m4": {},
    "cortex-m3": {
        "mla": (2, 2),
        "mls": (2, 2),
        "smull": (3, 5),
        "umull": (3, 5),
        "smlal": (4, 7),
        "umlal": (4, 7),
    },
}
_FLOAT: dict[str, Range] = {"vdiv": (14, 14), "vsqrt": (14, 14)}
_FUSED = ("vmla", "vmls", "vnmla", "vnmls", "vfma", "vfms", "vfnma", "vfnms")
_SINGLE = re.compile(r"(ldr|str)(b|h|sb|sh)?(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?$")
_BRANCH = re.compile(r"(b|bl|bx|blx|cbz|cbnz)(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?$")
_LIST = re.compile(r"\{([^}]*)\}")


@dataclass(frozen=True)
class Instruction:
    """A disassembled instruction.

    Attributes:
        mnemonic: Without the width.
        operands: As objdump writes them.
    """

    mnemonic: str
    operands: str

    @property
    def is_single(self) -> bool:
        """A load or store of one word or less; neighbours overlap."""
        return _SINGLE.match(self.mnemonic) is not None

    @property
    def writes_pc(self) -> bool:
        """Loads the program counter."""
        first = self.operands.split(",")[0].strip()
        listed = _LIST.search(self.operands)
        loads = self.mnemonic.startswith(("ldr", "pop", "ldm"))
        return loads and (first == "pc" or (listed is not None and "pc" in listed.group(1)))

    @property
    def is_branch(self) -> bool:
        """Leaves the sequence where it is taken, for a refill of the pipeline."""
        return bool(_BRANCH.match(self.mnemonic)) or self.writes_pc


def cycles(core: str, instruction: Instruction, before: Instruction | None) -> Range:
    """Least and most cycles, without the refill of the pipeline.

    Args:
        core: One of CORES.
        instruction: What runs.
        before: What ran right before it.
    """
    name = instruction.mnemonic
    bare = re.sub(r"(s|eq|ne|ge|lt|gt|le)$", "", name)
    long = _LONG[core].get(name) or _LONG[core].get(bare)
    if long is not None:
        return long
    if name in ("sdiv", "udiv"):
        return _DIVIDE
    if name.startswith(("ldrd", "strd")):
        return (3, 3)
    if name.startswith(("ldm", "stm", "push", "pop", "vldm", "vstm", "vpush", "vpop")):
        count = 1 + _listed(instruction.operands)
        return (count, count)
    if instruction.is_single:
        return _single(instruction, before)
    if name.startswith("v"):
        return _float(name)
    return (1, 1)


def _single(instruction: Instruction, before: Instruction | None) -> Range:
    """Loads take two cycles, one behind another load or store whose result is no address of it;
    stores to a register with an immediate offset always one.
    """
    if instruction.mnemonic.startswith("str") and instruction.operands.count(",") < 2:
        return (1, 1)
    if instruction.mnemonic.startswith("str") and "#" in instruction.operands:
        return (1, 1)
    if before is None or not before.is_single:
        return (2, 2)
    target = before.operands.split(",")[0].strip()
    address = instruction.operands.split("[", 1)[-1]
    depends = before.mnemonic.startswith("ldr") and re.search(rf"\b{target}\b", address)
    return (2, 2) if depends else (1, 1)


def _float(name: str) -> Range:
    stem = name.split(".")[0]
    if stem in _FLOAT:
        return _FLOAT[stem]
    if stem in _FUSED:
        return (3, 3)
    return (2, 2) if stem in ("vldr", "vstr") else (1, 1)


def _listed(operands: str) -> int:
    """Registers of a list such as {r4, r5-r7, lr}."""
    found = _LIST.search(operands)
    total = 0
    for part in found.group(1).split(",") if found else ():
        first, _, end = part.strip().partition("-")
        total += int(end[1:]) - int(first[1:]) + 1 if end else 1
    return total
