"""Constants of the kernels that multiply and accumulate, and the proofs that they may be used.

Twin: runtime_c/include/mcuc/mac.h.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Proof
from mcuc.numerics import fixed
from mcuc.ops import dsp_tables
from mcuc.ops.convolution import Ints

Words = npt.NDArray[np.int32]

# Accumulators and what is added to them stay below 2^30 each.
_LIMIT = 1 << 30
_MAX_RIGHT = 22  # (zero point + 1/2) * 2^right stays below the limit


def scales(
    weights: Array,
    bias: npt.NDArray[np.int32],
    factors: tuple[Ints, Ints],
    zero_point: int,
    low: int,
) -> Words | None:
    """`mcuc_mac_scale` records [outputs, 4]; None if the rule of some output has none.

    Args:
        weights: [outputs, depth].
        bias: With all constant parts folded in, for inputs from -128 to 127.
        factors: Multipliers, 0 or in [2^30, 2^31), and shifts, positive to the left.
        zero_point: Of the output.
        low: Of the output's clamping range.
    """
    multiplier, shift = factors
    least, most = reach(weights, bias)
    right = -shift
    fine = (least > -_LIMIT) & (most < _LIMIT) & (multiplier >= 1 << 30)
    # Without a second rounding what is below 0 becomes one less, which the clamp may hide.
    fine &= (right >= (0 if low >= zero_point else 1)) & (right <= _MAX_RIGHT)
    # An output that is the same at both ends of the reach is the same everywhere; what is added to
    # the weights' sum then does not matter.
    first, last = (
        fixed.multiply_by_quantized_multiplier(x, multiplier, shift) for x in (least, most)
    )
    bias = np.where((first == last) & ~fine, 0, bias)
    least, most = reach(weights, bias)
    small = (least > -(1 << _MAX_RIGHT)) & (most < 1 << _MAX_RIGHT)
    constant = (first == last) & small & ~fine
    if not (fine | constant).all():
        return None
    # Of such an accumulator, halved, nothing is left behind a shift by _MAX_RIGHT.
    value = np.where(constant, np.clip(first + zero_point, -128, 127), zero_point)
    right = np.where(constant, _MAX_RIGHT, right)
    doubled = np.where(constant, 1 << 31, 2 * multiplier)
    rounding = (value << right) + ((1 << right) >> 1)
    return np.stack([bias, doubled - (1 << 32), rounding, right], axis=1).astype(np.int32)


def proof(weights: Array, bias: npt.NDArray[np.int32]) -> Proof:
    """What :func:`scales` has shown of the same weights and bias, where it found records."""
    least, most = reach(weights, bias)
    return Proof("rounding", len(weights), int(least.min()), int(most.max()))


def reach(weights: Array, bias: npt.NDArray[np.int32]) -> tuple[Ints, Ints]:
    """The smallest and largest accumulator of each output, for inputs from -128 to 127."""
    wide = weights.astype(np.int64)
    above, below = np.maximum(wide, 0).sum(axis=1), np.minimum(wide, 0).sum(axis=1)
    return bias - 128 * above + 127 * below, bias + 127 * above - 128 * below


def tiles(weights: Array, size: int) -> npt.NDArray[np.int8]:
    """Weights [outputs, depth], outputs a multiple of `size`, as [tiles, depth, size]."""
    count, depth = weights.shape
    return np.ascontiguousarray(weights.reshape(count // size, size, depth).transpose(0, 2, 1))


def channel_stream(weights: Array, scales: Words) -> Words:
    """The table of the depthwise kernel, `stream` of `mcuc_depthwise_taps_params`.

    Args:
        weights: [taps, channels], at least four channels.
        scales: As from :func:`scales`.
    """
    taps, channels = weights.shape
    full = np.zeros((dsp_tables.padded_taps(taps), channels), np.int8)
    full[:taps] = weights
    parts = []
    for first in sorted({*range(0, channels - 3, 4), channels - 4}):
        mine = scales[first : first + 4]
        words = np.ascontiguousarray(full[:, first : first + 4]).view("<i4").astype(np.int32)
        parts += [mine[:, 0], words.ravel(), mine[:, 1:].ravel()]
    return np.concatenate(parts)
