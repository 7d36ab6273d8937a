"""When results of another implementation count as equal to ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Of float32 results, as a part of the largest magnitude: TFLite's kernels call the C library's
# exponential, which is another one on every machine.
FLOAT_TOLERANCE = 1e-5


def agree(ours: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> bool:
    """Whether two results agree: integers equal, float32 within FLOAT_TOLERANCE of the largest."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    if ours.dtype != np.float32:
        return np.array_equal(ours, theirs)
    finite = np.isfinite(theirs)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return False
    wanted = theirs[finite].astype(np.float64)
    largest = np.abs(wanted).max(initial=0.0)
    return bool((np.abs(ours[finite] - wanted) <= FLOAT_TOLERANCE * largest).all())
