"""Products of a recurrent cell of float32 with int8 weights ("dynamic range").

Source: TFLite `lstm_eval.cc`, EvalHybrid: x and h are quantized anew in every step, each sequence
with a scale of its own; rule in docs/numerics.md, "Dynamic range".
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from mcuc.numerics.float32 import Floats
from mcuc.numerics.hybrid import quantize
from mcuc.ops import hybrid_weights
from mcuc.ops.problems import Problems


def check(problems: Problems, depth: int) -> None:
    """Requires sums of `depth` products that fit in 32 bits."""
    hybrid_weights.check(problems, depth)


def product(x: Floats, weights: Array, scales: Array, asymmetric: bool) -> Floats:
    """Rows x [B, D] by weights [N, D] int8 of `scales` [N]: [B, N] float32."""
    rows = []
    for row in x:
        found = quantize(row, asymmetric=asymmetric)
        total = weights.astype(np.int64) @ found.centered.astype(np.int64)
        rows.append(total.astype(np.float32) * (np.asarray(scales, np.float32) * found.scale))
    return np.stack(rows)
