"""Cases of a FULLY_CONNECTED over the rows of a map: heights, odd rows, units, activations."""

from __future__ import annotations

from dataclasses import replace

from tests.support.cases import Case
from tests.support.weighted_cases import dense

# Height, width, channels, units
_MAPS = (
    (2, 1, 4, 4),
    (3, 2, 2, 1),
    (4, 3, 2, 5),
    (5, 1, 3, 3),
    (7, 4, 5, 8),
    (2, 3, 1, 2),
    (12, 5, 8, 10),
    (1, 4, 4, 4),
)


def _rows(case: Case) -> Case:
    return replace(case, op="fully_connected_rows")


CASES: list[Case] = [
    _rows(
        dense(f"map_{h}x{w}x{c}_to_{n}", (1, h, w, c), n, h * w * c, x_zero=(-128, 127, 17)[h % 3])
    )
    for h, w, c, n in _MAPS
] + [
    _rows(dense(f"activation_{a}", (1, 4, 4, 2), 6, 32, activation=a))
    for a in ("relu", "relu6", "relu_n1_to_1")
]
CASES += [
    _rows(dense("extremes", (1, 6, 4, 4), 5, 96, weights=[-128, 127], pattern="extremes")),
    _rows(dense("no_bias", (1, 3, 4, 1), 2, 12, bias=None)),
    _rows(dense("unpaired", (1, 3, 4, 1), 4, 12, weights=[-128])),
    _rows(dense("per_tensor", (1, 3, 4, 1), 4, 12, w_scale=0.004)),
]
