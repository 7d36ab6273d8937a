"""Cycles of instructions against Arm's tables (100166 and 100165, table 3-1), by hand."""

from __future__ import annotations

import pytest

from benchmarks.cycles import totals
from benchmarks.timings import Instruction, cycles

LOAD = Instruction("ldr", "r0, [r1, #4]")


@pytest.mark.parametrize(
    ("core", "mnemonic", "operands", "expected"),
    [
        ("cortex-m4", "smlad", "r4, r0, r11, r4", (1, 1)),
        ("cortex-m4", "smlal", "r0, r1, r2, r3", (1, 1)),
        ("cortex-m3", "smlal", "r0, r1, r2, r3", (4, 7)),
        ("cortex-m3", "mla", "r0, r1, r2, r3", (2, 2)),
        ("cortex-m4", "sdiv", "r0, r1, r2", (2, 12)),
        ("cortex-m4", "ldrd", "r0, r1, [sp, #24]", (3, 3)),
        ("cortex-m4", "ldmia", "r12!, {r0, r1, r2}", (4, 4)),
        ("cortex-m4", "stmdb", "sp!, {r4-r7, lr}", (6, 6)),
        ("cortex-m4", "ldrsb", "r0, [r1, #1]!", (2, 2)),
        ("cortex-m4", "str", "r0, [r1, #4]", (1, 1)),
        ("cortex-m4", "vdiv.f32", "s0, s1, s2", (14, 14)),
    ],
)
def test_cycles(core: str, mnemonic: str, operands: str, expected: tuple[int, int]) -> None:
    assert cycles(core, Instruction(mnemonic, operands), None) == expected


def test_neighbouring_loads_overlap_unless_one_is_the_address_of_the_other() -> None:
    assert cycles("cortex-m4", Instruction("ldr", "r2, [r1, #8]"), LOAD) == (1, 1)
    assert cycles("cortex-m4", Instruction("ldr", "r2, [r0]"), LOAD) == (2, 2)


def test_refills_count_for_branches_that_were_taken() -> None:
    """A loop of two instructions, ten turns: 9 of its 10 branches are taken."""
    code = {
        0: ("mcuc_f", Instruction("subs", "r0, #1")),
        2: ("mcuc_f", Instruction("bne", "0 <mcuc_f>")),
        4: ("main", Instruction("ldr", "r0, [r1]")),
    }
    assert totals("cortex-m4", code, "0 4 10 9\n4 6 1 0") == (29, 47, 20)
