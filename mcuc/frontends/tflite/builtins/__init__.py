"""TFLite's builtin operators by family. A family's module lists what it reads in `BUILTINS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mcuc.frontends.tflite.builtins import (
    audio,
    elementwise,
    loops,
    moves,
    pairs,
    pooling,
    reduction,
    sequences,
    shapes,
    weights,
)
from mcuc.frontends.tflite.operator import Builtin

BUILTINS: Mapping[str, Builtin] = MappingProxyType(
    {
        **weights.BUILTINS,
        **pairs.BUILTINS,
        **pooling.BUILTINS,
        **elementwise.BUILTINS,
        **reduction.BUILTINS,
        **shapes.BUILTINS,
        **moves.BUILTINS,
        **sequences.BUILTINS,
        **audio.BUILTINS,
        **loops.BUILTINS,
    }
)
