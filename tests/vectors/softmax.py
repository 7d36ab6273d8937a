"""Vectors of SOFTMAX: one dominating logit (B35), flat and near rows, depths, batches (B82)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.types import Quant
from mcuc.ops.softmax import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, as_float, as_int16, s8, s16

OUT = s8((), 1 / 256, -128)
SHAPES = ((1,), (10,), (1, 10), (1, 1), (7, 3), (1, 1000), (2, 3, 5), (1, 3, 5, 7))
# (scale, zero point): the distances of neighbouring bytes from negligible to dominating
QUANTS = (
    (0.00390625, 127),
    (0.0235294, -1),
    (0.05, 0),
    (0.1, -128),
    (0.16, 22),
    (0.5, 127),
    (1.0, -128),
    (8.0, 0),
)


def cases() -> list[Case]:
    def case(name: str, operand: Operand, beta: float = 1.0, seed: int = 0) -> Case:
        attrs = Attrs(float(np.float32(beta)))
        return Case(name, "softmax", attrs, (operand,), (OUT,), seed=seed)

    found = [
        case(f"shape_{'x'.join(map(str, shape))}", Operand(s8(shape, 0.1, 4)), seed=i)
        for i, shape in enumerate(SHAPES)
    ]
    found += [case(f"b82_batch_{n}", Operand(s8((n, 2, 3, 5), 0.1, 4))) for n in (2, 3)]
    for i, (scale, zero_point) in enumerate(QUANTS):
        # bytes that are all the least or the greatest: rows with one maximum, with several, flat
        limits = Operand(s8((32, 4), scale, zero_point), pattern="extremes")
        found.append(case(f"b35_one_dominates_{i}", limits, seed=i))
        near = Operand(s8((16, 16), scale, zero_point), pattern="ramp")
        found.append(case(f"quant_{i}_near", near))
        found.append(case(f"quant_{i}_far", Operand(s8((9, 12), scale, zero_point)), seed=i))
    found += [case(f"beta_{b}", Operand(s8((9, 12), 0.1, 4)), b) for b in (0.5, 0.1, 2.7)]
    found += [twin(case) for twin in (as_float, as_int16) for case in list(found)]
    wide = s16((), 1 / 65536)
    wide = replace(wide, quant=Quant(wide.quant.scales, (-32768,)))
    for i, (scale, zero_point) in enumerate(QUANTS[::3]):
        for pattern in ("ramp", "random"):
            x = Operand(s8((12, 9), scale, zero_point), pattern=pattern)
            found.append(Case(f"s8_s16_{i}_{pattern}", "softmax", Attrs(), (x,), (wide,), seed=i))
    every = Operand(s16((256, 256), 0.0004), pattern="ramp")
    found.append(Case("s16_every", "softmax", Attrs(), (every,), (s16((), 1 / 32768),)))
    # The sum passes 2^31 by little: a sum that loses its highest bit gives large probabilities.
    found.append(case("depth_4099_flat", Operand(s8((1, 4099), 1e-6, 0), pattern="extremes")))
    found.append(case("depth_limit", Operand(s8((1, 8191), 0.001, 0), pattern="extremes")))
    return found


def tflite(case: Case) -> TfliteOp | None:
    assert isinstance(case.attrs, Attrs)
    if case.name.startswith("depth"):  # an assertion of gemmlowp ends the interpreter there
        return None
    return TfliteOp("SOFTMAX", {"beta": case.attrs.beta})
