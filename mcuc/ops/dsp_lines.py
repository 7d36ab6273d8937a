"""Lines instead of two roundings, for outputs that are clamped at their zero point.

Where nothing below the zero point is seen, both roundings of a convolution go up, and an output is
a staircase of the accumulator that rises at most 255 times. So is

    ((scale * acc + added) * multiplier >> 32) + constant >> shift

which SMMLA and SSAT compute. For a given multiplier the two are equal for every accumulator that
can occur if, and only if, added * multiplier + constant * 2^32 lies in an interval, whose limits
are integers; `added` and `constant` are searched for in it. Twin: `mcuc_dsp_line` in
runtime_c/include/mcuc/dsp.h.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Proof
from mcuc.numerics import int8
from mcuc.ops import convolution
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import Ints
from mcuc.ops.spec import Site

Words = npt.NDArray[np.int32]

# What is added, and how far multipliers are from the nearest one, in the order of the search.
_ADDED = tuple(
    np.concatenate([np.arange(-end, -begin), np.arange(begin, end)])
    for begin, end in ((0, 256), (256, 4096), (4096, 1 << 16))
)
_NEARBY = (np.arange(-2, 3), np.concatenate([np.arange(-40, -2), np.arange(3, 41)]))
# Accumulators of which 256 times as much, and what is added, is an int32.
_MOST_ACC = (1 << 23) - (1 << 10)
_INT32_MAX, _UINT32_MAX = (1 << 31) - 1, (1 << 32) - 1
# Larger shifts to the right would not fit int64 here.
_MAX_RIGHT = 22


@dataclass(frozen=True)
class Form:
    """The form that a kernel's sums have.

    Attributes:
        shift: Of the last step. Small ones suit large factors, large ones small factors.
        paired: Whether sums of even outputs are 256 times as large; their shift is 8 more.
        above: What sums hold beyond the accumulators and what is added, less than 2^22; only
            where they are not paired.
    """

    shift: int = 4  # MCUC_DSP_LINE_SHIFT
    paired: bool = False
    above: int = 0

    def of_output(self, output: int) -> tuple[int, int, int]:
        """Shift, scale, and what sums hold beyond the accumulator and what is added."""
        if self.paired and output % 2 == 0:
            return self.shift + 8, 256, 0
        return self.shift, 1, self.above


@dataclass(frozen=True)
class Accumulators:
    """What is known of the accumulators [outputs], and how they are requantized.

    Attributes:
        least, most: Bounds, the bias included.
        multiplier: 0 or in [2^30, 2^31).
        right: Shifts to the right.
    """

    least: Ints
    most: Ints
    multiplier: Ints
    right: Ints


@dataclass(frozen=True)
class Lines:
    """Of all outputs, [outputs]: members of the formula above."""

    multiplier: Ints
    added: Ints
    constant: Ints


@dataclass(frozen=True)
class Rule:
    """How accumulators [outputs] become elements: bias, and factors as from `multipliers`."""

    bias: Words
    multiplier: Ints
    shift: Ints


def bounds(bias: Words, weights: Array) -> tuple[Ints, Ints]:
    """The least and the largest accumulator of weights [outputs, depth] and any int8 input."""
    wide = weights.astype(np.int64)
    low = bias + np.minimum(-128 * wide, 127 * wide).sum(axis=1)
    high = bias + np.maximum(-128 * wide, 127 * wide).sum(axis=1)
    return low, high


def rule_of(site: Site, weights: Array) -> Rule:
    """The rule of a convolution, simplified where an output is constant.

    Such outputs have weights of 0, or close to it, and a bias that is out of all proportion.

    Args:
        site: Of a CONV_2D or DEPTHWISE_CONV_2D.
        weights: [outputs, depth].
    """
    bias = convolution.fold_bias(site, weights.astype(np.int64).sum(axis=1))
    multiplier, shift = convolution.multipliers(site, len(weights))
    low, high = activation_range(site, convolution.attrs_of(site).activation)
    zero_point = quant_of(site.output).zero_point
    ends = np.stack(bounds(bias, weights))
    known = (np.abs(ends) < 1 << 31).all(axis=0) & (multiplier >= 0)
    results = int8.requantize_conv(
        np.where(known, ends, 0).astype(np.int32), multiplier, shift, zero_point, (low, high)
    )
    constant = known & (results[0] == results[1])
    above = results[0].astype(np.int64) - zero_point
    hidden = constant & (results[0] == max(low, zero_point))
    given = constant & ~hidden & ~weights.any(axis=1)  # above * 2^9 / 2 / 2^8
    bias = np.where(hidden, 0, np.where(given, above << 9, bias)).astype(np.int32)
    multiplier = np.where(hidden, 0, np.where(given, 1 << 30, multiplier))
    return Rule(bias, multiplier, np.where(given, -8, shift))


def of_site(site: Site, weights: Array, rule: Rule, form: Form) -> Lines | None:
    """Lines of all outputs of a convolution, if there are such.

    Args:
        site, weights, rule: As for, and as from, :func:`rule_of`.
        form: Of the sums.
    """
    clamp = activation_range(site, convolution.attrs_of(site).activation)
    zero_point = quant_of(site.output).zero_point
    if clamp[0] < zero_point:
        return None
    known = Accumulators(*bounds(rule.bias, weights), rule.multiplier, -rule.shift)
    return of_outputs(known, zero_point, clamp, form)


def proof(rule: Rule, weights: Array) -> Proof:
    """That lines give what the rule does, for all accumulators of weights [outputs, depth]."""
    least, most = bounds(rule.bias, weights)
    return Proof("lines", len(weights), int(least.min()), int(most.max()))


def of_outputs(
    acc: Accumulators, zero_point: int, clamp: tuple[int, int], form: Form
) -> Lines | None:
    """Lines of all outputs; None if one has none.

    Args:
        acc: Of all outputs.
        zero_point, clamp: Of the output; its lower limit >= zero_point.
        form: Of the sums.
    """
    if max(np.abs(acc.least).max(), np.abs(acc.most).max()) >= _MOST_ACC:
        return None
    parts: list[tuple[int, int, int]] = []
    numbers = (acc.least, acc.most, acc.multiplier, acc.right)
    for o, own in enumerate(zip(*(part.tolist() for part in numbers), strict=True)):
        found = _line(own, zero_point, clamp, form.of_output(o))
        if found is None:
            return None
        parts.append(found)
    table = np.asarray(parts, np.int64).reshape(-1, 3)
    return Lines(table[:, 0], table[:, 1], table[:, 2])


@functools.lru_cache(maxsize=1 << 15)  # a layer is packed for each schedule, kernel and board
def _line(
    acc: tuple[int, int, int, int],
    zero_point: int,
    clamp: tuple[int, int],
    form: tuple[int, int, int],
) -> tuple[int, int, int] | None:
    """Multiplier, what is added, and constant for one output.

    Args:
        acc: Its fields of :class:`Accumulators`.
        zero_point, clamp: Of the output.
        form: As from :meth:`Form.of_output`.
    """
    least, most, factor, right = acc
    shift, scale, above = form
    levels = np.arange(clamp[0] + 1, clamp[1] + 1, dtype=np.int64)
    first = _steps(factor, right, levels - zero_point, most)
    if first is None:
        return None
    nearest = _multiplier(factor, right + scale.bit_length() - 2 - shift)
    reached, missed = first <= most, first > least
    wanted = levels << (shift + 32)
    edge = 256 << (shift + 32)
    for nearby in _NEARBY:
        multipliers = nearest + nearby[nearest + nearby >= 0, np.newaxis]
        if not len(multipliers) or multipliers.max() > _INT32_MAX:
            return None
        lower = wanted - scale * multipliers * np.maximum(first, least)
        upper = wanted - scale * multipliers * np.minimum(first - 1, most) - 1
        given = multipliers[:, 0] * above
        lowest = lower.max(axis=1, where=reached, initial=-edge) - given
        highest = upper.min(axis=1, where=missed, initial=edge) - given
        found = _in_intervals(multipliers[:, 0], lowest, highest)
        if found is not None:
            return found
    return None


def _steps(factor: int, right: int, above_zero: Ints, most: int) -> Ints | None:
    """The smallest accumulators whose outputs are so far above the zero point.

    More than `most` where none is; None if they are not known.
    """
    never = np.full(len(above_zero), most + 1, np.int64)
    if factor == 0:
        return never
    if right < 1:
        return None
    rounded = (2 * above_zero - 1) << (min(right, _MAX_RIGHT) - 1)  # the first rounding's result
    steps: Ints = -(-((rounded << 31) - (1 << 30)) // factor)
    if right > _MAX_RIGHT:
        return never if (steps > most).all() else None
    return steps


def _multiplier(factor: int, less: int) -> int:
    """The factor / 2^less, rounded."""
    if less < 0:
        return factor << -less
    return (factor + (1 << less >> 1)) >> less


def _in_intervals(multipliers: Ints, lower: Ints, upper: Ints) -> tuple[int, int, int] | None:
    """A multiplier, `added` and `constant`.

    added * multiplier + constant * 2^32 is in the interval [lower, upper] of the multiplier.
    """
    possible = lower <= upper
    multipliers, lower, upper = multipliers[possible], lower[possible], upper[possible]
    for added in _ADDED if len(multipliers) else ():
        sums = multipliers[:, np.newaxis] * added - lower[:, np.newaxis]
        fits = np.argwhere((sums & _UINT32_MAX) <= (upper - lower)[:, np.newaxis])
        if len(fits):
            which, at = fits[np.abs(added[fits[:, 1]]).argmin()]
            constant = -(sums[which, at] >> 32)
            return int(multipliers[which]), int(added[at]), int(constant)
    return None
