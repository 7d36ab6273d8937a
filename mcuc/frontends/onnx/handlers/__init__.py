"""How each ONNX operator is read: a table from its name to a function, one module per family."""

from __future__ import annotations

from mcuc.frontends.onnx.handlers import (
    activations,
    contractions,
    elementwise,
    integers,
    moves,
    normalization,
    pooling,
    quantized,
    reduction,
    resize,
    sequences,
    shapes,
    weights,
)
from mcuc.frontends.onnx.operator import Handler

HANDLERS: dict[str, Handler] = {
    **activations.HANDLERS,
    **contractions.HANDLERS,
    **elementwise.HANDLERS,
    **integers.HANDLERS,
    **moves.HANDLERS,
    **normalization.HANDLERS,
    **pooling.HANDLERS,
    **quantized.HANDLERS,
    **reduction.HANDLERS,
    **resize.HANDLERS,
    **sequences.HANDLERS,
    **shapes.HANDLERS,
    **weights.HANDLERS,
}
DOMAINS = ("", "ai.onnx", "com.microsoft")
