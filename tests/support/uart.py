"""The example model for each emulated board, compiled once, and the serial port as its access."""

from __future__ import annotations

import functools

from mcuc.compiler.compile import Compiled, compile_model
from mcuc.proof.places import Access
from tests.support.models import DIGITS

UART = Access("uart")


@functools.cache
def digits(board: str) -> Compiled:
    return compile_model(DIGITS, board=board)
