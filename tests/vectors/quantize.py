"""Vectors of QUANTIZE: ties and limits of floats; all bytes under twenty pairs (B119)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.quantize import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8, s16
from tests.support.quant_pairs import PAIRS, byte_type

SHAPES = ((1,), (3, 7), (2, 3, 5), (1, 3, 5, 7), (2, 3, 2, 5))
TO_INT16 = "s8_s16"  # TFLite has no such QUANTIZE
FLOAT_QUANTS = ((1 / 128, 0), (1 / 64, -128), (1 / 64, 127), (0.0235294, -1), (0.003, 40), (2.0, 5))


def cases() -> list[Case]:
    found = []
    for dtype in (DType.S8, DType.U8):
        kind = dtype.value
        for i, (scale, zero_point) in enumerate(FLOAT_QUANTS):
            out = byte_type((), dtype, scale, zero_point)
            for pattern, width in (("ramp", 16), ("random", 3)):
                shape = (1, width, 16, 8)
                operand = Operand(TensorType(shape, DType.F32), pattern=pattern)
                name = f"f32_{kind}_{pattern}_{i}"
                found.append(Case(name, "quantize", Attrs(), (operand,), (out,), seed=i))
        # Huge values: the interpreter's own cast overflows, so only the kernel is judged.
        operand = Operand(TensorType((1, 3, 4, 5), DType.F32), pattern="extremes")
        out = byte_type((), dtype, 0.5, 3)
        found.append(Case(f"f32_{kind}_extremes", "quantize", Attrs(), (operand,), (out,)))
    for size in SHAPES:
        name = f"shape_{'x'.join(map(str, size))}"
        operand = Operand(TensorType(size, DType.F32))
        out = byte_type((), DType.S8, 0.01, 7)
        found.append(Case(name, "quantize", Attrs(), (operand,), (out,)))
    return found + _between_bytes() + _int16()


def _int16() -> list[Case]:
    """To int16, and from it: every number, scales that shrink, keep and stretch the range."""
    found = []
    every = Operand(s16((1, 16, 64, 64), 0.0003), pattern="ramp")
    for i, scale in enumerate((0.0003, 0.00031, 0.0001, 0.02)):
        outs = {"s16": s16((), scale), "s8": s8((), scale * 200, 3 - 40 * i)}
        for kind, out in outs.items():
            found.append(Case(f"s16_{kind}_{i}", "quantize", Attrs(), (every,), (out,)))
        for pattern in ("ramp", "random"):
            real = Operand(TensorType((1, 16, 16, 8), DType.F32), pattern=pattern)
            name = f"f32_s16_{pattern}_{i}"
            found.append(Case(name, "quantize", Attrs(), (real,), (s16((), scale),), seed=i))
    offset = TensorType(every.type.shape, DType.S16, Quant((2.0**-16,), (-32768,)))
    for name, x in (("offset", replace(every, type=offset)), ("every", every)):
        for i, scale in enumerate((3.05e-5, 2.0**-16, 0.001)):
            out = TensorType((), DType.S32, Quant((float(np.float32(scale)),), (0,)))
            title = f"s16_s32_{name}_{i}"
            found.append(Case(title, "quantize", Attrs(), (x,), (out,)))
    for i, (scale, zero_point, *_) in enumerate(PAIRS[::4]):
        byte = Operand(s8((1, 4, 4, 16), scale, zero_point), pattern="ramp")
        for kind, factor in (("exact", 1 / 128), ("finer", 0.0123), ("cut", 0.003)):
            name = f"{TO_INT16}_{kind}_{i}"
            out = s16((), float(np.float32(scale * factor)))
            found.append(Case(name, "quantize", Attrs(), (byte,), (out,)))
    return found


def _between_bytes() -> list[Case]:
    found = []
    kinds = (DType.S8, DType.U8)
    for source in kinds:
        for target in kinds:
            for i, (scale, zero_point, out_scale, out_zero_point) in enumerate(PAIRS):
                if (source, target) != (DType.S8, DType.S8) and i % 4:
                    continue
                operand = Operand(
                    byte_type((1, 4, 4, 16), source, scale, zero_point), pattern="ramp"
                )
                out = byte_type((), target, out_scale, out_zero_point)
                name = f"b119_{source.value}_{target.value}_pair_{i}"
                found.append(Case(name, "quantize", Attrs(), (operand,), (out,)))
            same = byte_type((2, 8, 16), source, 0.05, 0), byte_type((), target, 0.05, 0)
            name = f"{source.value}_{target.value}_same_scale"
            operand = Operand(same[0], pattern="ramp")
            found.append(Case(name, "quantize", Attrs(), (operand,), (same[1],)))
    return found


def tflite(case: Case) -> TfliteOp | None:
    own = case.name.endswith("extremes") or case.name.startswith(TO_INT16)
    return None if own else TfliteOp("QUANTIZE")
