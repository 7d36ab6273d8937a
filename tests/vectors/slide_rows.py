"""Cases of the rows that a sliding window keeps."""

from __future__ import annotations

from mcuc.ops.slide_rows import Attrs
from tests.support.cases import Case, Operand, s8


def cases() -> list[Case]:
    shapes = {
        "one_of_five": ((1, 5, 4, 3), 1),
        "most": ((1, 5, 2, 3), 4),
        "all": ((1, 3, 2, 2), 3),
        "bytes": ((1, 9, 1, 1), 2),
    }
    return [
        Case(
            name,
            "slide_rows",
            Attrs(),
            (Operand(s8(shape)), Operand(s8((1, new, *shape[2:])))),
            (s8(shape),),
        )
        for name, (shape, new) in shapes.items()
    ]
