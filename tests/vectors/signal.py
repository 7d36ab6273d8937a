"""Vectors of the audio front-end: every kind, loud and silent inputs, numbers at their limits.

TFLM judges the kinds together: tests/golden/test_audio.py.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.types import DType, TensorType
from mcuc.ops.signal import KINDS, Attrs
from tests.support.cases import Case, Operand

SMOOTHING = (409, 983, 15975, 15401, 10, 14, 819)


def cases() -> list[Case]:
    rng = np.random.default_rng(1)
    found = []
    for i, (pattern, shift) in enumerate((("random", 12), ("extremes", 15), ("ramp", 0))):
        weights = rng.integers(-32768, 32768, 37).astype(np.int16)
        found.append(_case(f"window_{pattern}", "window", (1, 37), (shift,), [weights], pattern, i))
    for pattern in ("random", "extremes", "below 1", "below 2", "below 300"):
        found += [
            _case(f"{kind}_{pattern}", kind, (57,), (), [], pattern)
            for kind in ("auto_scale", "scale_bits")
        ]
    for size, length in ((480, 512), (16, 16), (8, 8), (4, 4), (250, 256), (3, 4)):
        for pattern in ("random", "extremes"):
            name = f"rfft_{size}_{length}_{pattern}"
            found.append(_case(name, "rfft", (size,), (length,), [], pattern))
    for size in (4, 8, 16, 128):
        for pattern in ("random", "extremes"):
            name = f"irfft_{size}_{pattern}"
            found.append(_case(name, "irfft", (size + 2,), (size,), [], pattern))
    for kind in ("overlap_add", "overlap_add_f32"):
        for i, (shape, step) in enumerate((((3, 8), 5), ((2, 1, 6), 1), ((2, 3, 4, 9), 3))):
            found.append(_overlap(kind, shape, step, i))
    found.append(_case("energy", "energy", (34,), (3, 14), [], "extremes"))
    found.append(_case("energy_all", "energy", (34,), (0, 17), []))
    found.append(_case("filter_bank", "filter_bank", (40,), (5,), _bank(rng)))
    for i in range(3):
        shift = np.asarray(7 * i, np.int32)
        found.append(_case(f"root_{i}", "root", (64,), (), [shift], ("random", "below 99")[i % 2]))
    for i, clamping in enumerate((0, 1)):
        for kind in ("noise", "subtract"):
            numbers = (*SMOOTHING, clamping)
            found.append(_case(f"{kind}_{i}", kind, (21,), numbers, []))
            found.append(_case(f"{kind}_{i}_quiet", kind, (21,), numbers, [], "below 4000"))
    gain = rng.integers(-3000, 3000, 125).astype(np.int16)
    for i, pattern in enumerate(("random", "below 5", "below 3000", "extremes")):
        found.append(_case(f"pcan_{pattern}", "pcan", (40,), (6 * i,), [gain], pattern, i))
        numbers = (64, 3) if i < 3 else (65535, 0)
        found.append(_case(f"log_{pattern}", "log", (300,), numbers, [], pattern, i))
    return found


def _overlap(kind: str, shape: tuple[int, ...], step: int, seed: int) -> Case:
    *lead, _, frame = shape
    dtype = KINDS[kind].result
    state = TensorType((int(np.prod(lead)), frame - step), dtype)
    operands = (Operand(TensorType(shape, dtype)), Operand(state))
    attrs, out = Attrs(kind, (frame, step)), TensorType((), dtype)
    return Case(f"{kind}_{seed}", "signal", attrs, operands, (out,), seed=seed)


def _bank(rng: np.random.Generator) -> list[Array]:
    widths = np.array([4, 8, 0, 6, 12, 5], np.int16)
    starts = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int16)
    tables = [rng.integers(0, 4097, widths.sum()).astype(np.int16) for _ in range(2)]
    return [*tables, starts + np.int16(2), starts, widths]


def _case(
    name: str,
    kind: str,
    shape: tuple[int, ...],
    numbers: tuple[int, ...],
    constants: list[Array],
    pattern: str = "random",
    seed: int = 0,
) -> Case:
    dtypes = KINDS[kind].operands
    run_time = len(dtypes) - len(constants)
    operands = [Operand(TensorType(shape, dtype), pattern=pattern) for dtype in dtypes[:run_time]]
    operands += [Operand(TensorType(a.shape, DType.of(a.dtype)), a) for a in constants]
    out = TensorType((), KINDS[kind].result)
    return Case(name, "signal", Attrs(kind, numbers), tuple(operands), (out,), seed=seed)
