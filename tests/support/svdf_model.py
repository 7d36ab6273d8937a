"""A model of one SVDF, which keeps state, in all its types."""

from __future__ import annotations

import numpy as np

from tests.support.tflite_build import ModelBuilder

UNITS, RANK, MEMORY, DEPTH = 5, 2, 6, 7


def model(kind: str) -> bytes:
    """One SVDF: of "f32", or of int8 with a state of "s16" or "s8"."""
    rng = np.random.default_rng(4)
    filters = UNITS * RANK
    build = ModelBuilder()
    feature = rng.uniform(-1, 1, (filters, DEPTH))
    time = rng.uniform(-1, 1, (filters, MEMORY))
    state = (1, filters * MEMORY)
    if kind == "f32":
        x = build.tensor("x", (1, DEPTH), "float32")
        constants = [
            build.const(name, data.astype(np.float32))
            for name, data in (("w", feature), ("v", time), ("b", rng.uniform(-1, 1, UNITS)))
        ]
        kept = build.tensor("state", state, "float32", variable=True)
        y = build.tensor("y", (1, UNITS), "float32")
    else:
        x = build.tensor("x", (1, DEPTH), "int8", scale=0.05, zero_point=-3)
        dtype, most = ("int16", 32767) if kind == "s16" else ("int8", 127)
        kept_scale, scale = (1e-4, 3e-5) if kind == "s16" else (0.03, 1 / 127)
        step = float(np.float32(kept_scale) * np.float32(scale))
        bias = (rng.uniform(-0.5, 0.5, UNITS) / step).astype(np.int32)
        constants = [
            build.const("w", (feature * 127).astype(np.int8), scale=1 / 127),
            build.const("v", (time * most).astype(dtype), scale=scale),
            build.const("b", bias, scale=step),
        ]
        zero = 0 if kind == "s16" else -21
        kept = build.tensor("s", state, dtype, scale=kept_scale, zero_point=zero, variable=True)
        y = build.tensor("y", (1, UNITS), "int8", scale=0.03, zero_point=-128)
    options = {"rank": RANK, "fused_activation_function": "RELU"}
    build.op("SVDF", [x, *constants, kept], [y], options)
    return build.build([x], [y])
