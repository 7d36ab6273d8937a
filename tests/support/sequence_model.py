"""Models of one LSTM or RNN of float32, which keep state."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.tflite_build import ModelBuilder, OptionValue

STEPS, DEPTH, UNITS = 4, 5, 3


def model(op: str, *, batch: int = 1, major: bool = False, **own: Any) -> bytes:
    """One operator of that name.

    Args:
        op: LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, RNN or UNIDIRECTIONAL_SEQUENCE_RNN.
        batch: Sequences.
        major: The steps come first.
        own: `peepholes`, `int8` weights, `asymmetric`, `clip` of the cell, `activation`.
    """
    rng = np.random.default_rng(5)
    build = ModelBuilder()
    lstm, sequence = op.endswith("LSTM"), "SEQUENCE" in op
    lead = ((STEPS, batch) if major else (batch, STEPS)) if sequence else (batch,)
    x = build.tensor("x", (*lead, DEPTH), "float32")
    y = build.tensor("y", (*lead, UNITS), "float32")

    def weights(name: str, *shape: int) -> int:
        data = rng.uniform(-1, 1, shape).astype(np.float32)
        if own.get("int8"):
            scale = float(np.float32(np.abs(data).max() / 127))
            return build.const(name, np.rint(data / scale).astype(np.int8), scale=scale)
        return build.const(name, data)

    def vector(name: str) -> int:
        return build.const(name, rng.uniform(-1, 1, UNITS).astype(np.float32))

    gates = 4 if lstm else 1
    forward = [weights(f"w{g}", UNITS, DEPTH) for g in range(gates)]
    back = [weights(f"r{g}", UNITS, UNITS) for g in range(gates)]
    peepholes = [vector(f"p{g}") if own.get("peepholes") else -1 for g in range(3)]
    biases = [vector(f"b{g}") for g in range(gates)]
    state = [
        build.tensor(f"s{k}", (batch, UNITS), "float32", variable=True)
        for k in range(2 if lstm else 1)
    ]
    options: dict[str, OptionValue] = {"fused_activation_function": own.get("activation", "TANH")}
    if sequence:
        options["time_major"] = major
    operands = [x, *forward, *back, *biases, *state]
    if lstm:
        options["cell_clip"] = own.get("clip", 0.0)
        options["asymmetric_quantize_inputs"] = bool(own.get("asymmetric"))
        operands = [x, *forward, *back, *peepholes, *biases, -1, -1, *state, -1, -1, -1, -1]
    build.op(op, operands, [y], options, version=3 if own.get("int8") else 1)
    return build.build([x], [y])
