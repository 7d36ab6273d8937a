"""Sound: features of a model from samples (runtime_c/around/audio.h), and the tables for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mcuc.around.fields import Fields
from mcuc.around.tensor import Tensor

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

# What the reference scripts of MLPerf Tiny do (github.com/mlcommons/tiny, benchmark/training).
PRESETS: dict[str, dict[str, Any]] = {
    "mlperf_kws": {
        "rate": 16000, "frame": 480, "hop": 320, "fft": 512, "power": 1, "mels": 40, "low": 20,
        "high": 4000, "mel": "htk", "log": "natural", "offset": 1e-6, "coefficients": 10,
        "gain": "peak",
    },
    "mlperf_ad": {
        "rate": 16000, "frame": 1024, "hop": 512, "fft": 1024, "power": 2, "mels": 128, "low": 0,
        "high": 8000, "mel": "slaney", "log": "db", "offset": 2.220446049250313e-16,
        "coefficients": 0,
    },
}  # fmt: skip
LOGS = {"natural": 1.0, "db": 10 / math.log(10), "none": 0.0}
MELS = ("htk", "slaney")
COSINES = ("tf", "ortho")
LARGEST_FFT = 4096


@dataclass(frozen=True)
class Audio:
    """A resolved `--preprocess audio`.

    Attributes:
        tensor: The model's input.
        frames: Frames in it.
        rate: Samples per second.
        frame, hop, fft: Samples of a frame, from frame to frame, points of the transform.
        window: "hann" or "none".
        power: 1 magnitude, 2 power.
        mels, low, high, mel: Bands, edges in Hz, and their rule.
        log, offset: Key of `LOGS`, what is added before.
        coefficients, cosine: Of the cosine transform, 0 = none; key of `COSINES`.
        gain: Factor of the samples; 0 = what makes the greatest sample of a clip 1.
        mean, std: Real value = (feature - mean) / std.
    """

    tensor: Tensor
    frames: int
    rate: int
    frame: int
    hop: int
    fft: int
    window: str
    power: int
    mels: int
    low: float
    high: float
    mel: str
    log: str
    offset: float
    coefficients: int
    cosine: str
    gain: float
    mean: float
    std: float
    kind: ClassVar[str] = "audio"

    @property
    def features(self) -> int:
        """Features of a frame."""
        return self.coefficients or self.mels

    @property
    def samples(self) -> int:
        """Samples that all frames reach over."""
        return self.frame + self.hop * (self.frames - 1)

    @property
    def scratch(self) -> int:
        """Floats that a frame is computed in."""
        return self.fft + 2 + self.mels

    @property
    def ram_bytes(self) -> int:
        """What an application gives besides its samples and the input."""
        return 4 * self.scratch

    @property
    def window_table(self) -> Floats:
        """[frame]: a periodic Hann window, or ones."""
        if self.window == "none":
            return np.ones(self.frame, np.float32)
        angle = 2 * np.pi * np.arange(self.frame) / self.frame
        return (0.5 - 0.5 * np.cos(angle)).astype(np.float32)

    @property
    def factors(self) -> Floats:
        """[fft / 2, 2]: exp(-2 pi i k / fft)."""
        angle = 2 * np.pi * np.arange(self.fft // 2) / self.fft
        return np.stack([np.cos(angle), -np.sin(angle)], axis=1).astype(np.float32)

    @property
    def cosines(self) -> Floats:
        """[coefficients, mels] of DCT-II; "tf" scales the first like the others."""
        k, m = np.arange(self.coefficients)[:, None], np.arange(self.mels)[None, :]
        table = math.sqrt(2 / self.mels) * np.cos(np.pi * k * (m + 0.5) / self.mels)
        if self.cosine == "ortho" and self.coefficients:
            table[0] *= math.sqrt(0.5)
        return table.astype(np.float32)

    @property
    def matrix(self) -> Doubles:
        """[mels, fft / 2 + 1]: weights of the bands."""
        return htk_bands(self) if self.mel == "htk" else slaney_bands(self)

    @property
    def bands(self) -> tuple[npt.NDArray[np.int16], Floats]:
        """First number of the spectrum and count of each band, and the weights of all."""
        places, weights = [], []
        for row in self.matrix.astype(np.float32):
            used = np.flatnonzero(row)
            first, end = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
            places.append((first, end - first))
            weights.append(row[first:end])
        return np.array(places, np.int16), np.concatenate([*weights, np.zeros(1, np.float32)])


def _triangles(points: Doubles, edges: Doubles) -> Doubles:
    """[bands, points]: rises from edge i to i + 1, falls to i + 2."""
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    return np.maximum(
        0, np.minimum((points - low) / (middle - low), (high - points) / (high - middle))
    )


def htk_bands(audio: Audio) -> Doubles:
    """As tf.signal.linear_to_mel_weight_matrix: triangles in mel = 1127 ln(1 + f / 700), no DC."""

    def mel(f: npt.ArrayLike) -> Doubles:
        return 1127.0 * np.log1p(np.asarray(f, np.float64) / 700.0)

    bins = np.linspace(0, audio.rate / 2, audio.fft // 2 + 1)
    edges = np.linspace(mel(audio.low), mel(audio.high), audio.mels + 2)
    bands = _triangles(mel(bins)[None, :], edges)
    bands[:, 0] = 0
    return bands


def slaney_bands(audio: Audio) -> Doubles:
    """As librosa.filters.mel: Slaney's scale, triangles in Hz of equal area 2 / width."""
    step, corner, ratio = 200.0 / 3, 1000.0, math.log(6.4) / 27

    def mel(f: float) -> float:
        return f / step if f < corner else corner / step + math.log(f / corner) / ratio

    mels = np.linspace(mel(audio.low), mel(audio.high), audio.mels + 2)
    knee = corner / step
    edges = np.where(mels < knee, mels * step, corner * np.exp(ratio * (mels - knee)))
    bins = np.linspace(0, audio.rate / 2, audio.fft // 2 + 1)
    return _triangles(bins[None, :], edges) * (2 / (edges[2:] - edges[:-2]))[:, None]


def read_audio(fields: Fields, tensor: Tensor) -> Audio:
    """The specification of sound for an input; problems are noted in `fields`."""
    preset = fields.choice("preset", ("", *PRESETS), "")
    fields.defaults(PRESETS.get(preset, {}))
    rate = fields.integer("rate", 1000, 192000, 16000)
    frame = fields.integer("frame", 4, LARGEST_FFT)
    fft = fields.integer("fft", 8, LARGEST_FFT, max(8, 1 << (frame - 1).bit_length()))
    mels = fields.integer("mels", 1, 256)
    gain = fields.take("gain")
    if gain == "peak":
        gain = 0.0
    elif gain is None:
        gain = 1 / 32768
    elif isinstance(gain, bool) or not isinstance(gain, int | float) or not 0 < gain < 1e6:
        fields.problem(f"gain {gain!r} is neither peak nor a positive number")
        gain = 1.0
    audio = Audio(
        tensor=tensor,
        frames=1,
        rate=rate,
        frame=frame,
        hop=fields.integer("hop", 1, 1 << 20),
        fft=fft,
        window=fields.choice("window", ("hann", "none"), "hann"),
        power=fields.integer("power", 1, 2, 2),
        mels=mels,
        low=fields.number("low", 0, rate / 2, 0),
        high=fields.number("high", 0, rate / 2, rate / 2),
        mel=fields.choice("mel", MELS, "htk"),
        log=fields.choice("log", tuple(LOGS), "natural"),
        offset=fields.number("offset", 0, 1e6, 1e-6),
        coefficients=fields.integer("coefficients", 0, mels, 0),
        cosine=fields.choice("cosine", COSINES, "tf"),
        gain=float(gain),
        mean=fields.number("mean", -1e9, 1e9, 0),
        std=fields.number("std", 1e-9, 1e9, 1),
    )
    fields.done()
    return _checked(fields, audio)


def _checked(fields: Fields, audio: Audio) -> Audio:
    """The specification with the number of frames; notes what does not fit together."""
    if audio.fft < audio.frame or audio.fft & (audio.fft - 1):
        fields.problem(f"fft {audio.fft} is no power of two from the frame's {audio.frame} on")
    if audio.low >= audio.high:
        fields.problem(f"low {audio.low:g} Hz is not below high {audio.high:g} Hz")
    frames, rest = divmod(audio.tensor.type.elements, audio.features)
    if rest or frames == 0 or not audio.tensor.readable:
        fields.problem(
            f"the input {audio.tensor} does not hold frames of {audio.features} features",
            code="E131",
        )
    return Audio(**{**audio.__dict__, "frames": max(1, frames)})
