"""Cases of max_pool2d: windows, padding that never wins."""

from __future__ import annotations

from typing import Any

from mcuc.ops.windows import Pad, Pair
from tests.support.cases import Case, as_float, as_int16
from tests.support.weighted_cases import pool


def _case(
    name: str, x: tuple[int, ...], filter: Pair, stride: Pair, *pad: str | Pad, **more: Any
) -> Case:
    return pool(name, "max_pool2d", x, filter, stride, *pad, **more)


_INTEGER: list[Case] = [
    *(
        _case(f"{k}x{k}_stride_{s}_{pad.lower()}", (1, 8, 9, 3), (k, k), (s, s), pad)
        for k, s in ((1, 1), (2, 2), (3, 1), (3, 2), (2, 4), (5, 3), (7, 2))
        for pad in ("SAME", "VALID")
    ),
    *(_case(f"channels_{c}", (1, 4, 5, c), (2, 3), (1, 2)) for c in (1, 4, 5, 8, 16, 17)),
    _case("1x4", (1, 1, 32, 4), (1, 4), (1, 4), "SAME"),
    _case("4x1", (1, 9, 3, 4), (4, 1), (3, 1), "SAME"),
    _case("b98_3x3_stride_2_pad_1", (1, 9, 9, 8), (3, 3), (2, 2), (1, 1, 1, 1), pattern="extremes"),
    _case("b98_zero_127", (1, 5, 5, 8), (3, 3), (2, 2), (1, 1, 1, 1), zero=127),
    _case("b98_zero_minus_128", (1, 5, 5, 8), (3, 3), (2, 2), (1, 1, 1, 1), zero=-128),
    _case("pads_0_2_1_0", (1, 5, 6, 3), (3, 2), (2, 1), (0, 2, 1, 0)),
    _case("whole_map", (1, 7, 5, 5), (7, 5), (1, 1)),
    _case("filter_beyond_map", (1, 2, 3, 2), (5, 7), (1, 1), "SAME"),
    _case("map_1x1", (1, 1, 1, 3), (3, 3), (2, 2), "SAME"),
    _case("b82_batch_3", (3, 5, 4, 3), (2, 2), (2, 2)),
    *(
        _case(f"activation_{a}", (1, 6, 6, 4), (2, 2), (1, 1), activation=a, zero=-20)
        for a in ("relu", "relu6", "relu_n1_to_1")
    ),
    _case("gaps", (1, 9, 8, 3), (3, 2), (1, 2), dilation=(2, 3)),
    _case("gaps_padded", (2, 7, 6, 5), (3, 3), (2, 1), (2, 2, 2, 1), dilation=(2, 2)),
    _case("b97_row_over_65535_bytes", (1, 2, 1030, 64), (2, 2), (2, 40)),
]

CASES: list[Case] = [
    *_INTEGER,
    *(as_float(c) for c in _INTEGER),
    *(as_int16(c) for c in _INTEGER),
]
