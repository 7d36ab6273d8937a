"""What a pass is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mcuc.ir.graph import Graph

Exactness = Literal["exact", "bounded", "calibrated"]


@dataclass(frozen=True)
class Pass:
    """A pass as the pipeline lists it.

    Attributes:
        name: For messages and dumps, for example "fuse-pad".
        fn: The pass. It returns the very same object if it changes nothing.
        exactness: "exact": the reference outputs stay the same, bit for bit (tests check it on
            random inputs). "bounded": they differ by the documented rounding. "calibrated": they
            depend on data.
    """

    name: str
    fn: Callable[[Graph], Graph]
    exactness: Exactness
