"""Cases of the copy behind a streamed input."""

from __future__ import annotations

from mcuc.ops.copy_rows import Attrs
from tests.support.cases import Case, Operand, s8


def cases() -> list[Case]:
    shapes = {
        "map": (1, 5, 4, 3),
        "one_row": (1, 1, 7, 1),
        "batch": (2, 3, 2, 5),
        "vector": (6,),
        "one_byte": (1, 4, 1, 1),
    }
    return [
        Case(name, "copy_rows", Attrs(), (Operand(s8(shape)),), (s8(shape),))
        for name, shape in shapes.items()
    ]
