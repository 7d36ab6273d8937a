"""Cases of the copy behind a streamed input."""

from __future__ import annotations

from mcuc.ops.copy_rows import Attrs
from tests.support.cases import Case, Operand, s8


def cases() -> list[Case]:
    shapes = [(1, 5, 4, 3), (1, 1, 7, 1), (2, 3, 2, 5), (6,)]
    return [Case(f"copy_{len(s)}_{s[0]}", "copy_rows", Attrs(), (Operand(s8(s)),), (s8(s),))
            for s in shapes]  # fmt: skip
