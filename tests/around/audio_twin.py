"""What runtime_c/around/audio.h computes, by the formulas of docs/around.md in float64.

Written apart from mcuc.around.audio: the bands are integrated point by point.
"""

from __future__ import annotations

import numpy as np

Doubles = np.ndarray


def htk_weight(f: float, low: float, middle: float, high: float) -> float:
    """tf.signal.linear_to_mel_weight_matrix: all in mel = 1127 ln(1 + f / 700)."""
    m, a, b, c = (1127 * np.log(1 + x / 700) for x in (f, low, middle, high))
    return max(0.0, min((m - a) / (b - a), (c - m) / (c - b)))


def slaney_weight(f: float, low: float, middle: float, high: float) -> float:
    """librosa.filters.mel: all in Hz, equal area."""
    rise, fall = (f - low) / (middle - low), (high - f) / (high - middle)
    return max(0.0, min(rise, fall)) * 2 / (high - low)


def slaney_hertz(m: float) -> float:
    return m * 200 / 3 if m < 15 else 1000 * 6.4 ** ((m - 15) / 27)


def slaney_mel(f: float) -> float:
    return f * 3 / 200 if f < 1000 else 15 + 27 * np.log(f / 1000) / np.log(6.4)


def bands(rate: int, fft: int, mels: int, low: float, high: float, mel: str) -> Doubles:
    """[mels, fft / 2 + 1]."""
    if mel == "htk":
        ends = (1127 * np.log(1 + f / 700) for f in (low, high))
        edges = [700 * (np.exp(m / 1127) - 1) for m in np.linspace(*ends, mels + 2)]
        weight = htk_weight
    else:
        edges = [slaney_hertz(m) for m in np.linspace(slaney_mel(low), slaney_mel(high), mels + 2)]
        weight = slaney_weight
    hertz = [k * rate / fft for k in range(fft // 2 + 1)]
    table = np.array([[weight(f, *edges[i : i + 3]) for f in hertz] for i in range(mels)])
    if mel == "htk":
        table[:, 0] = 0
    return table


def features(
    samples: np.ndarray,
    *,
    frames: int,
    rate: int,
    frame: int,
    hop: int,
    fft: int,
    window: str,
    power: int,
    mels: int,
    low: float,
    high: float,
    mel: str,
    log: str,
    offset: float,
    coefficients: int,
    cosine: str,
    gain: float,
) -> Doubles:
    """[frames, features]; gain 0: the greatest sample becomes 1."""
    greatest = samples.max() if samples.max() > 0 else 32768
    sound = samples.astype(np.float64) * (gain or 1 / greatest)
    sound = np.concatenate([sound, np.zeros(frames * hop + frame)])
    pieces = np.stack([sound[i * hop : i * hop + frame] for i in range(frames)])
    if window == "hann":
        pieces = pieces * np.sin(np.pi * np.arange(frame) / frame) ** 2
    spectrum = np.abs(np.fft.rfft(pieces, fft)) ** power
    result = spectrum @ bands(rate, fft, mels, low, high, mel).T + offset
    if log != "none":
        result = np.log(result) if log == "natural" else 10 * np.log10(result)
    if coefficients == 0:
        return result
    m, k = np.arange(mels)[:, None], np.arange(coefficients)[None, :]
    table = 2 * np.cos(np.pi * k * (2 * m + 1) / (2 * mels)) / np.sqrt(2 * mels)
    if cosine == "ortho":
        table[:, 0] /= np.sqrt(2)
    return result @ table
