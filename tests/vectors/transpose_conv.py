"""Vectors of TRANSPOSE_CONV: strides above and below the kernel, paddings, limits of the types."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.transpose_conv import Attrs
from mcuc.ops.windows import Pair, same_padding
from tests.support.cases import Case, Operand, as_float, as_int16, per_channel, s8

# Input, kernel, stride, padding
PLACES: tuple[tuple[tuple[int, ...], Pair, int, Pair, str], ...] = (
    ((1, 4, 3, 5), (3, 3), 4, (2, 2), "SAME"),
    ((1, 4, 3, 5), (3, 3), 4, (2, 2), "VALID"),
    ((1, 4, 3, 5), (2, 2), 3, (2, 2), "SAME"),
    ((1, 4, 3, 5), (4, 4), 3, (2, 2), "SAME"),
    ((1, 4, 3, 5), (5, 4), 2, (3, 2), "SAME"),
    ((1, 3, 3, 2), (1, 2), 3, (3, 3), "SAME"),
    ((1, 3, 3, 2), (2, 1), 3, (3, 3), "VALID"),
    ((1, 5, 4, 3), (3, 3), 7, (1, 1), "SAME"),
    ((1, 5, 4, 3), (3, 5), 1, (1, 1), "VALID"),
    ((1, 1, 1, 8), (3, 3), 4, (2, 2), "VALID"),
    ((1, 1, 6, 4), (1, 3), 4, (1, 2), "SAME"),
    ((2, 3, 2, 4), (3, 3), 2, (2, 2), "SAME"),
)


def _size(size: int, kernel: int, stride: int, padding: str) -> int:
    return size * stride if padding == "SAME" else (size - 1) * stride + max(kernel, stride)


def cases() -> list[Case]:
    found = []
    for i, place in enumerate(PLACES):
        activation = ("none", "relu", "relu6", "relu_n1_to_1")[i % 4] if i > 3 else "none"
        found.append(_case(f"{i}_{place[4].lower()}", place, i, activation=activation))
    found.append(_case("per_tensor", PLACES[0], 20, scales=1))
    found.append(_case("without_bias", PLACES[3], 21, bias=False))
    for zero_point in (-128, 127):
        name = f"zero_point_{zero_point}"
        found.append(_case(name, PLACES[3], 22, zero_point=zero_point, pattern="extremes"))
    odd = ((1, 4, 3, 2), (3, 3), 2, (2, 2), "SAME")
    found.append(_case("odd_size", odd, 23, size=(7, 5)))
    for i, (depth, stride) in enumerate(((1, 1), (8, 2), (16, 3), (17, 2))):  # 4x4, all paddings
        place = ((1, 4, 4, depth), (4, 4), 4, (stride, stride), "SAME")
        found.append(_case(f"b1_depth_{depth}_stride_{stride}", place, 30 + i))
    return [*found, *(twin(case) for twin in (as_float, as_int16) for case in found)]


def _case(
    name: str,
    place: tuple[tuple[int, ...], Pair, int, Pair, str],
    seed: int,
    *,
    activation: str = "none",
    scales: int | None = None,
    bias: bool = True,
    zero_point: int = -5,
    pattern: str = "random",
    size: Pair | None = None,
) -> Case:
    shape, kernel, units, stride, padding = place
    rng = np.random.default_rng(seed)
    if size is None:
        size = (
            _size(shape[1], kernel[0], stride[0], padding),
            _size(shape[2], kernel[1], stride[1], padding),
        )
    pad = (0, 0)
    if padding == "SAME":
        pad = (
            same_padding(size[0], kernel[0], stride[0])[0],
            same_padding(size[1], kernel[1], stride[1])[0],
        )
    w_shape = (units, *kernel, shape[3])
    data = rng.integers(-127, 128, w_shape).astype(np.int8)
    factors = [0.01 * (1 + k) for k in range(units)]
    w_type = s8(w_shape, 0.02) if scales == 1 else per_channel(w_shape, factors, 0)
    biases = rng.integers(-3000, 3000, units).astype(np.int32)
    operands = [Operand(s8(shape, 0.05, zero_point), pattern=pattern), Operand(w_type, data)]
    if bias:
        quant = w_type.quant
        assert quant is not None
        product = tuple(float(np.float32(s * np.float32(0.05))) for s in quant.scales)
        b_quant = Quant(product, (0,) * len(product), 0 if len(product) > 1 else None)
        operands.append(Operand(TensorType((units,), DType.S32, b_quant), biases))
    attrs = Attrs(size, stride, pad, activation)
    out = s8((), 0.2 * units, 7)
    return Case(name, "transpose_conv", attrs, tuple(operands), (out,), seed=seed)
