"""Arithmetic of TFLM's audio front-end: windows, FFT, filter banks, gain control, logarithm.

Sources: tflite-micro, `signal/src`; the FFT is that of its KISS FFT 1.3 in 16 bits. Everything is
integer; rules in docs/numerics.md, "Audio front-end".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Int16s = npt.NDArray[np.int16]
Words = npt.NDArray[np.uint32]
Longs = npt.NDArray[np.uint64]
Pair = tuple[Ints, Ints]  # real and imaginary parts

SNR_BITS, OUTPUT_BITS = 12, 6  # fractional bits of the gain control


def window(x: npt.ArrayLike, weights: npt.ArrayLike, shift: int) -> Int16s:
    """The product, shifted to the right, saturated."""
    product = np.asarray(x, np.int64) * np.asarray(weights, np.int64) >> shift
    return np.asarray(np.clip(product, -32768, 32767), np.int16)


def scale_bits(x: npt.ArrayLike) -> int:
    """How far to the left all of a row may be shifted."""
    largest = int(np.abs(np.asarray(x, np.int64)).max())
    return max(15 - largest.bit_length(), 0)


def twiddles(size: int, sign: int = -1) -> Int16s:
    """[2 * size] of a complex FFT: exp(-2 pi i k / size), real and imaginary parts in turns.

    `sign` is 1 for the way back.
    """
    return _unit(sign * 2 * np.pi * np.arange(size) / size)


def last_twiddles(size: int, sign: int = -1) -> Int16s:
    """[size] of the step from `size` complex numbers to the spectrum of the real ones."""
    return _unit(sign * np.pi * ((np.arange(size // 2) + 1) / size + 0.5))


def _unit(phase: npt.NDArray[np.float64]) -> Int16s:
    parts = np.stack([np.cos(phase), np.sin(phase)], axis=1)
    return np.floor(0.5 + 32767 * parts).astype(np.int16).ravel()


def rfft(x: npt.ArrayLike, length: int) -> Int16s:
    """[length + 2]: the spectrum of x, zeros behind it, a `length`-th of it; a power of two."""
    half = length // 2
    samples = np.zeros(length, np.int64)
    given = np.asarray(x, np.int64).ravel()
    samples[: len(given)] = given
    real, imag = _fft((samples[0::2], samples[1::2]), _pairs(twiddles(half)), 1)
    first = _halved((real[:1], imag[:1]), 2)
    result = (np.zeros(half + 1, np.int64), np.zeros(half + 1, np.int64))
    result[0][[0, half]] = _wrap(first[0] + first[1])[0], _wrap(first[0] - first[1])[0]
    k = np.arange(1, half // 2 + 1)
    near = _halved((real[k], imag[k]), 2)
    far = _halved((real[half - k], _wrap(-imag[half - k])), 2)
    total, rest = _add(near, far), _add(near, far, -1)
    turned = _times(rest, _pairs(last_twiddles(half)))
    for place, sign in ((k, 1), (half - k, -1)):
        result[0][place] = _wrap(total[0] + sign * turned[0] >> 1)
        result[1][place] = _wrap(turned[1] + sign * total[1] >> 1)
    return np.stack(result, axis=1).astype(np.int16).ravel()


def irfft(x: npt.ArrayLike, length: int) -> Int16s:
    """[length]: real numbers from their spectrum [length + 2], a half of them."""
    half = length // 2
    real, imag = _pairs(np.asarray(x, np.int16).ravel())
    ends = _wrap(real[:1] + real[half:]), _wrap(real[:1] - real[half:])
    k = np.arange(1, half // 2 + 1)
    near = _halved((real[k], imag[k]), 2)
    far = _halved((real[half - k], _wrap(-imag[half - k])), 2)
    total, rest = _add(near, far), _add(near, far, -1)
    turned = _times(rest, _pairs(last_twiddles(half, 1)))
    found = (np.zeros(half, np.int64), np.zeros(half, np.int64))
    found[0][:1], found[1][:1] = _halved(ends, 2)
    found[0][k], found[1][k] = _add(total, turned)
    back = _add(total, turned, -1)
    found[0][half - k], found[1][half - k] = back[0], _wrap(-back[1])
    return np.stack(_fft(found, _pairs(twiddles(half, 1)), 1, -1), axis=1).astype(np.int16).ravel()


def overlap_add(x: npt.ArrayLike, kept: npt.ArrayLike, step: int) -> npt.NDArray[np.generic]:
    """Frames [.., N, frame], and what is kept [outer, frame - step] of those before, added up.

    The result [outer, (N - 1) step + frame] ends with what is to be kept. int16 saturates with
    every addition; float32 is added in order.
    """
    frames = np.asarray(x)
    rest = np.asarray(kept)
    frames = frames.reshape(len(rest), -1, frames.shape[-1])
    count, size = frames.shape[1:]
    total = np.zeros((len(rest), (count - 1) * step + size), frames.dtype)
    total[:, : rest.shape[1]] = rest
    for k in range(count):
        part = total[:, k * step : k * step + size]
        if frames.dtype == np.int16:
            wide = part.astype(np.int64) + frames[:, k]
            part[:] = np.clip(wide, -32768, 32767)
        else:
            part += frames[:, k]
    return total


def _pairs(table: Int16s) -> Pair:
    wide = table.astype(np.int64)
    return wide[0::2], wide[1::2]


def _wrap(x: Ints) -> Ints:
    """To 16 bits."""
    return x.astype(np.int16).astype(np.int64)


def _add(a: Pair, b: Pair, sign: int = 1) -> Pair:
    return _wrap(a[0] + sign * b[0]), _wrap(a[1] + sign * b[1])


def _rounded(x: Ints) -> Ints:
    return _wrap((x + (1 << 14)) >> 15)


def _times(a: Pair, b: Pair) -> Pair:
    return _rounded(a[0] * b[0] - a[1] * b[1]), _rounded(a[0] * b[1] + a[1] * b[0])


def _halved(a: Pair, parts: int) -> Pair:
    """Over 2 or 4, as KISS FFT divides."""
    factor = 32767 // parts
    return _rounded(a[0] * factor), _rounded(a[1] * factor)


def _fft(x: Pair, table: Pair, stride: int, way: int = 1) -> Pair:
    """Radix 4, and 2 where one factor is left, decimated in time; `way` is -1 for the way back."""
    size = len(x[0])
    if size == 1:
        return x
    radix = 4 if size % 4 == 0 else 2
    split = [(x[0][q::radix], x[1][q::radix]) for q in range(radix)]
    parts = [_fft(part, table, stride * radix, way) for part in split]
    m = np.arange(size // radix)
    turned = []
    for q, part in enumerate(parts):
        scaled = _halved(part, radix)
        turn = table[0][m * stride * q], table[1][m * stride * q]
        turned.append(_times(scaled, turn) if q else scaled)
    if radix == 2:
        return _joined([_add(turned[0], turned[1]), _add(turned[0], turned[1], -1)])
    even, odd = _add(turned[0], turned[2]), _add(turned[0], turned[2], -1)
    total, rest = _add(turned[1], turned[3]), _add(turned[1], turned[3], -1)
    crossed = way * rest[1], -way * rest[0]
    return _joined([_add(even, total), _add(odd, crossed), _add(even, total, -1),
                    _add(odd, crossed, -1)])  # fmt: skip


def _joined(parts: list[Pair]) -> Pair:
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def energy(x: npt.ArrayLike, start: int, end: int) -> Words:
    """Squares of the magnitudes of [start, end); 0 elsewhere."""
    real, imag = _pairs(np.asarray(x, np.int16).ravel())
    result = np.zeros(len(real), np.uint32)
    result[start:end] = (real * real + imag * imag)[start:end].astype(np.uint32)
    return result


@dataclass(frozen=True)
class Bank:
    """A filter bank: each frequency counts for two neighbouring channels.

    Attributes:
        weights, unweights: What it adds to a channel, and to the next one.
        frequencies, starts, widths: By channel, one more than there are: its first frequency, its
            first weight, and how many.
    """

    weights: Ints
    unweights: Ints
    frequencies: Ints
    starts: Ints
    widths: Ints


def filter_bank(x: npt.ArrayLike, bank: Bank) -> Longs:
    """[channels] of 64 bits."""
    power = np.asarray(x, np.uint32).ravel().astype(np.int64)
    result, carried = [], 0
    for first, start, width in zip(bank.frequencies, bank.starts, bank.widths, strict=True):
        part = power[first : first + width]
        result.append(carried + int(part @ bank.weights[start : start + width]))
        carried = int(part @ bank.unweights[start : start + width])
    return np.asarray([v % (1 << 64) for v in result[1:]], np.uint64)


def root(x: int) -> int:
    """Square root, rounded, of 64 bits; of 32 bits at most 0xFFFF, as in the C."""
    whole = _floor_root(x)
    limit = 0xFFFF if x < 1 << 32 else 0xFFFFFFFF
    return whole + int(x - whole * whole > whole and whole != limit)


def _floor_root(x: int) -> int:
    found = 0
    for bit in range(31, -1, -1):
        if (found | 1 << bit) ** 2 <= x:
            found |= 1 << bit
    return found


def roots(x: npt.ArrayLike, shift: int) -> Words:
    """Roots of 64 bits, shifted to the right."""
    values = np.asarray(x, np.uint64).ravel()
    return np.asarray([root(int(v)) >> shift for v in values], np.uint32)


@dataclass(frozen=True)
class Smoothing:
    """Spectral subtraction: factors of even and odd channels, with `bits` fractional bits.

    Attributes:
        now, before: Factors of the input and of the estimate, for even and odd channels.
        smoothing_bits: Fractional bits of the estimate.
        bits: Fractional bits of the factors.
        least: The part of the input that always stays.
        clamping: The estimate does not pass the input.
    """

    now: tuple[int, int]
    before: tuple[int, int]
    smoothing_bits: int
    bits: int
    least: int
    clamping: bool


def noise(x: npt.ArrayLike, estimate: npt.ArrayLike, rule: Smoothing) -> Words:
    """The estimate of the noise, with the input taken in."""
    scaled = _scaled(x, rule)
    old = np.asarray(estimate, np.uint32).ravel().astype(np.uint64)
    now, before = (np.resize(np.asarray(f, np.uint64), len(old)) for f in (rule.now, rule.before))
    new = ((scaled * now + old * before) >> np.uint64(rule.bits)).astype(np.uint32)
    return np.minimum(new, scaled.astype(np.uint32)) if rule.clamping else new


def _scaled(x: npt.ArrayLike, rule: Smoothing) -> Longs:
    wide = np.asarray(x, np.uint32).ravel() << np.uint32(rule.smoothing_bits)
    return wide.astype(np.uint64)


def subtracted(x: npt.ArrayLike, estimate: npt.ArrayLike, rule: Smoothing) -> Words:
    """The input without the noise, and at least a part of it."""
    value, scaled = np.asarray(x, np.uint32).ravel(), _scaled(x, rule).astype(np.uint32)
    known = np.minimum(np.asarray(estimate, np.uint32).ravel(), scaled)
    floor = (value.astype(np.uint64) * np.uint64(rule.least) >> np.uint64(rule.bits)).astype("u4")
    rest = (scaled - known) >> np.uint32(rule.smoothing_bits)
    return np.asarray(np.maximum(rest, floor), np.uint32)


def gain(x: int, table: npt.ArrayLike) -> int:
    """A function of 32 bits by pieces of second degree, an interval for each power of two."""
    lut = np.asarray(table, np.int64)
    if x <= 2:
        return int(lut[x])
    interval = x.bit_length()
    base = 4 * interval - 6
    fraction = (x << (11 - interval) if interval < 11 else x >> (interval - 11)) & 0x3FF
    result = int(lut[base + 2]) * fraction >> 5
    result = (result + int(lut[base + 1]) * 32) * fraction
    return _signed16(((result + (1 << 14)) >> 15) + int(lut[base]))


def _signed16(x: int) -> int:
    return (x + 32768) % 65536 - 32768


def pcan(x: npt.ArrayLike, estimate: npt.ArrayLike, table: npt.ArrayLike, shift: int) -> Words:
    """Per-channel gain control: the input by the gain of its noise, shrunk."""
    result = []
    for value, known in zip(np.ravel(x), np.ravel(estimate), strict=True):
        factor = gain(int(known), table) % (1 << 32)
        result.append(_shrink((int(value) * factor >> shift) % (1 << 32)))
    return np.asarray(result, np.uint32)


def _shrink(x: int) -> int:
    """x^2 / 4 below 2, above x - 1."""
    if x < 2 << SNR_BITS:
        return (x * x % (1 << 32)) >> (2 + 2 * SNR_BITS - OUTPUT_BITS)
    return (x >> (SNR_BITS - OUTPUT_BITS)) - (1 << OUTPUT_BITS)


def log_table() -> Int16s:
    """[130] log2(1 + k / 128) - k / 128 in 16 bits, and one 0 more."""
    k = np.arange(129) / 128
    return np.append(np.floor(0.5 + 65536 * (np.log2(1 + k) - k)), 0).astype(np.int16)


def logarithms(x: npt.ArrayLike, scale: int, shift: int) -> Int16s:
    """Natural logarithms of inputs shifted to the left, times a scale."""
    return np.asarray([_log(int(v) << shift & 0xFFFFFFFF, scale) for v in np.ravel(x)], np.int16)


def _log(x: int, scale: int) -> int:
    if x <= 1:
        return 0
    whole = x.bit_length() - 1
    fraction = x - (1 << whole)
    fraction = fraction << (16 - whole) if whole < 16 else fraction >> (whole - 16)
    segment = fraction >> 9
    table = log_table().astype(int)
    low, high = int(table[segment]), int(table[segment + 1])
    exact = fraction + low + ((high - low) * (fraction - (segment << 9)) >> 16)
    natural = (45426 * ((whole << 16) + exact) + 32768) >> 16
    return min((scale * natural + 32768 & 0xFFFFFFFF) >> 16, 32767)
