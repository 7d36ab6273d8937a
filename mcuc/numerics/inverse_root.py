"""One over the square root of integers: TFLite's `GetInvSqrtQuantizedMultiplierExp`.

Five Newton steps in Q3.28; the C twin is runtime_c/include/mcuc/inverse_root.h. Of 0 and 1 the
result is just below 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.numerics import fixed

Ints = npt.NDArray[np.int64]


def inverse_sqrt(x: Ints) -> tuple[Ints, Ints]:
    """Multipliers m and shifts n with 1 / sqrt(x) = m 2^(n - 31); x >= 0 below 2^31."""
    value = np.maximum(x, 2)
    right = np.full_like(value, 11)
    while (large := value >= 1 << 29).any():
        value = np.where(large, value // 4, value)
        right += large
    bits = np.frexp(value.astype(np.float64))[1].astype(np.int64)
    pairs = (32 - bits - 1) // 2 - 1
    right -= pairs
    high = fixed.saturating_rounding_doubling_high_mul
    half = fixed.rounding_divide_by_pot((value << 2 * pairs) >> 1, 1)
    root = np.full_like(value, 1 << 28)
    for _ in range(5):
        cube = fixed.saturating_left_shift(high(high(root, root), root), 6)
        three_halves = np.full_like(root, (1 << 28) + (1 << 27))
        step = high(three_halves, root) - high(half, cube)
        root = fixed.saturating_left_shift(step, 3)
    root = high(root, np.full_like(root, 1518500250))  # sqrt(1/2)
    root = root << np.maximum(-right, 0)
    tiny = x <= 1
    shift = -np.maximum(right, 0)
    return np.where(tiny, (1 << 31) - 1, root), np.where(tiny, 0, shift)
