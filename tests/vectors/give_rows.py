"""Cases of what gives rows of an output away: those of the copy behind a streamed input."""

from __future__ import annotations

from dataclasses import replace

from tests.support.cases import Case
from tests.vectors import copy_rows


def cases() -> list[Case]:
    """Not of a batch, whose rows have no order of their own: `stream_output` refuses it."""
    cases = (case for case in copy_rows.cases() if case.operands[0].type.nhwc[0] == 1)
    return [replace(case, op="give_rows") for case in cases]
