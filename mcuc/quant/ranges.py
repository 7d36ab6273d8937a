"""How a range follows from the numbers that a tensor had: the methods of calibration.

minmax      what was seen
percentile  without the 0.01 % of numbers that are largest in magnitude
mse         the limits whose quantization has the least mean squared error
entropy     the limits whose quantization keeps most of the distribution (least Kullback-Leibler
            divergence; NVIDIA, "8-bit inference with TensorRT", 2017)

All but the first work on a histogram of BINS over what was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.quant.qparams import Range

Doubles = npt.NDArray[np.float64]

BINS = 2048
PERCENT = 99.99
_STEPS = 64  # candidates of a limit
_LEVELS = 255


def choose_range(method: str, seen: Range, counts: Doubles) -> Range:
    """The range of a tensor.

    Args:
        method: One of METHODS.
        seen: Least and greatest number, 0 included.
        counts: [BINS] numbers in equal parts of `seen`.
    """
    if seen.high <= seen.low or counts.sum() <= 0:
        return seen
    return METHODS[method](seen, counts)


def _centers(seen: Range) -> Doubles:
    edges = np.linspace(seen.low, seen.high, BINS + 1)
    centers: Doubles = (edges[:-1] + edges[1:]) / 2
    return centers


def _clipped(seen: Range, share: float) -> Range:
    """Both limits drawn in to a share of the larger magnitude."""
    limit = max(-seen.low, seen.high) * share
    return Range(max(seen.low, -limit), min(seen.high, limit))


def _minmax(seen: Range, counts: Doubles) -> Range:
    return seen


def _percentile(seen: Range, counts: Doubles) -> Range:
    centers = np.abs(_centers(seen))
    order = np.argsort(centers, kind="stable")
    share = np.cumsum(counts[order]) / counts.sum()
    limit = centers[order][min(int(np.searchsorted(share, PERCENT / 100)), BINS - 1)]
    width = (seen.high - seen.low) / BINS
    return Range(max(seen.low, -limit - width / 2), min(seen.high, limit + width / 2))


def _mse(seen: Range, counts: Doubles) -> Range:
    """Error within: a twelfth of a step squared; beyond: what is cut off, squared."""
    centers = _centers(seen)

    def error(range_: Range) -> float:
        step = (range_.high - range_.low) / _LEVELS
        over = np.maximum(centers - range_.high, 0) + np.maximum(range_.low - centers, 0)
        return float((counts * np.where(over > 0, over * over, step * step / 12)).sum())

    return _best(seen, error)


def _entropy(seen: Range, counts: Doubles) -> Range:
    centers = _centers(seen)
    positive = counts / counts.sum()

    def divergence(range_: Range) -> float:
        inside = (centers >= range_.low) & (centers <= range_.high)
        kept = np.where(inside, positive, 0.0)
        first, last = np.flatnonzero(inside)[[0, -1]]
        kept[first] += positive[centers < range_.low].sum()
        kept[last] += positive[centers > range_.high].sum()
        span = np.arange(first, last + 1)
        level = ((span - first) * _LEVELS) // len(span)
        filled = inside[span] & (positive[span] > 0)
        mass = np.bincount(level, np.where(filled, positive[span], 0.0), _LEVELS)
        number = np.bincount(level, filled, _LEVELS)
        spread = np.where(filled, mass[level] / np.maximum(number[level], 1), 0.0)
        p, q = kept[span], spread / max(spread.sum(), 1e-300)
        where = p > 0
        return float((p[where] * np.log(p[where] / np.maximum(q[where], 1e-12))).sum())

    return _best(seen, divergence)


def _best(seen: Range, loss: Callable[[Range], float]) -> Range:
    """The candidate of least loss, the widest of equals."""
    candidates = [_clipped(seen, share) for share in np.linspace(1.0, 0.1, _STEPS)]
    return min(candidates, key=loss)


METHODS: Mapping[str, Callable[[Range, Doubles], Range]] = MappingProxyType(
    {"minmax": _minmax, "percentile": _percentile, "mse": _mse, "entropy": _entropy}
)
