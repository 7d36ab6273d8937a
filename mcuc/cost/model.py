"""Predicted instructions of a step: what the search compares schedules by.

The coefficients are measured on the emulated Cortex-M4, those of kernels that it does not use on
the Cortex-M3 (`python -m benchmarks.work`), and serve all cores: schedules are only compared with
each other, with the same kernels.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

TABLE_FILE = Path(__file__).parent / "cortex_m4.json"
# For a kernel that has not been measured: the median of those that have.
UNKNOWN = (6.0, 60.0, 400.0)
# What the loop of a stream takes to find the next row, measured as the difference of whole runs.
LOOP = 250


@functools.cache
def coefficients(symbol: str) -> tuple[float, float, float]:
    """Instructions of a kernel per MAC, per output element, and per call."""
    found = _table().get(symbol)
    return UNKNOWN if found is None else (found[0], found[1], found[2])


def predicted(symbol: str, macs: int, elements: int, calls: int) -> float:
    """Instructions of a kernel for `elements` output elements in `calls` calls."""
    per_mac, per_element, per_call = coefficients(symbol)
    return per_mac * macs + per_element * elements + per_call * calls


@functools.cache
def _table() -> dict[str, list[float]]:
    table: dict[str, list[float]] = json.loads(TABLE_FILE.read_text(encoding="utf-8"))
    return table
