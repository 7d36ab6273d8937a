"""Cases in which combining scales in float and in double gives different outputs.

Random cases hardly ever see the last bit of a multiplier. Here scales are searched for which the
two ways differ, and the interpreter decides. Each function returns (elements that differ between
the two ways, elements in which `mcuc.numerics` differs from the interpreter).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcuc.numerics import int8, params
from mcuc.numerics.params import Multiplier
from tests.numerics.litert_cases import Array, Batch

WANTED = 4  # instances per operator


def _float(a: float, b: float, c: float) -> float:
    return float(np.float32(a) * np.float32(b) / np.float32(c))


def _double(a: float, b: float, c: float) -> float:
    return a * b / c


def _near_ties(real: float) -> Array:
    """Accumulators [512] whose products with `real` lie around k + 1/2."""
    ties = (np.arange(-64, 64) + 0.5) / real
    return np.concatenate([ties + step for step in (-4, -1, 1, 4)]).astype(np.int32)


def _conv_like(rng: np.random.Generator, name: str) -> tuple[int, int]:
    """The bias carries the accumulator: all inputs equal the zero point."""
    b = Batch(rng)
    parted = 0
    for i in range(WANTED):
        s_in, s_w, s_out = b.scale(1e-3, 1e-2), b.scale(1e-4, 1e-3), b.scale(1.0, 4.0)
        real = params.conv_real_multiplier(s_in, s_w, s_out)
        bias = _near_ties(real)
        if name == "FULLY_CONNECTED":
            ways = [int8.requantize_fully_connected(bias, r(s_in, s_w, s_out), 0) for r in _WAYS]
            shape: tuple[int, ...] = (1,)
            options: dict[str, int | str] = {}
        else:
            ways = []
            for r in _WAYS:
                f = params.quantize_multiplier(r(s_in, s_w, s_out))
                ways.append(int8.requantize_conv(bias, f.multiplier, f.shift, 0))
            shape = (1, 1, 1)
            options = {"padding": "VALID", "stride_h": 1, "stride_w": 1}
            options |= {"dilation_h_factor": 1, "dilation_w_factor": 1}
        parted += int((ways[0] != ways[1]).sum())
        y = ways[1].reshape(*shape, bias.size)
        ops = [
            b.feed(np.full((*shape, 1), 3, dtype=np.int8), scale=s_in, zero_point=3),
            b.model.const(f"w{i}", b.int8(bias.size, *shape), scale=s_w),
            b.model.const(f"b{i}", bias, scale=s_in * s_w),
        ]
        b.model.op(name, ops, [b.expect(y, scale=s_out, zero_point=0)], options)
    return parted, b.differences()[1]


def conv_2d(rng: np.random.Generator) -> tuple[int, int]:
    return _conv_like(rng, "CONV_2D")


def fully_connected(rng: np.random.Generator) -> tuple[int, int]:
    return _conv_like(rng, "FULLY_CONNECTED")


def conv_2d_uint8(rng: np.random.Generator) -> tuple[int, int]:
    """A uint8 model: the per-tensor factor from a product in float."""
    b = Batch(rng)
    parted = 0
    for i in range(WANTED):
        s_in, s_w, s_out = b.scale(1e-3, 1e-2), b.scale(1e-4, 1e-3), b.scale(1.0, 4.0)
        bias = _near_ties(params.conv_real_multiplier(s_in, s_w, s_out))
        per_channel = params.conv_multipliers(s_in, [s_w], s_out)[0]
        factor = params.per_tensor_multiplier(s_in, s_w, s_out)
        ways = [int8.requantize_conv(bias, f.multiplier, f.shift, 0) for f in (per_channel, factor)]
        parted += int((ways[0] != ways[1]).sum())
        y = (ways[1].astype(np.int64) + 128).astype(np.uint8).reshape(1, 1, 1, -1)
        w = rng.integers(0, 256, (bias.size, 1, 1, 1)).astype(np.uint8)
        ops = [
            b.feed(np.full((1, 1, 1, 1), 3, dtype=np.uint8), scale=s_in, zero_point=3),
            b.model.const(f"w{i}", w, scale=s_w, zero_point=100),
            b.model.const(f"b{i}", bias, scale=float(np.float32(s_in) * np.float32(s_w))),
        ]
        options: dict[str, int | str] = {"padding": "VALID", "stride_h": 1, "stride_w": 1}
        options |= {"dilation_h_factor": 1, "dilation_w_factor": 1}
        b.model.op("CONV_2D", ops, [b.expect(y, scale=s_out, zero_point=128)], options)
    return parted, b.differences()[1]


def mul(rng: np.random.Generator) -> tuple[int, int]:
    b = Batch(rng)
    parted = 0
    left, right = (v.astype(np.int8) for v in np.mgrid[-128:128:3, -128:128])
    while len(b.values) < 2 * WANTED:
        s = (b.scale(1e-2, 0.1), b.scale(1e-2, 0.1), b.scale(0.05, 1.0))
        ways = [int8.mul(left, right, (0, 0, 0), params.quantize_multiplier(r(*s))) for r in _WAYS]
        if (ways[0] == ways[1]).all():
            continue
        parted += int((ways[0] != ways[1]).sum())
        y = int8.mul(left, right, (0, 0, 0), params.mul_multiplier(*s))
        ops = [b.feed(v, scale=s[k], zero_point=0) for k, v in enumerate((left, right))]
        b.model.op("MUL", ops, [b.expect(y, scale=s[2], zero_point=0)], {})
    return parted, b.differences()[1]


def _unary(
    rng: np.random.Generator, name: str, factor: Callable[[float, float], Multiplier]
) -> tuple[int, int]:
    b = Batch(rng)
    parted = 0
    x = np.arange(-128, 128).astype(np.int8).reshape(1, 256)
    while len(b.values) < WANTED:
        s = (b.scale(0.1, 1.0), b.scale(0.1, 1.0))
        ways = [
            int8.requantize(x, -128, -128, params.quantize_multiplier(r(s[0], 1.0, s[1])))
            for r in _WAYS
        ]
        if (ways[0] == ways[1]).all():
            continue
        parted += int((ways[0] != ways[1]).sum())
        y = int8.requantize(x, -128, -128, factor(*s)).astype(np.int8)
        out = b.expect(y, scale=s[1], zero_point=-128)
        b.model.op(name, [b.feed(x, scale=s[0], zero_point=-128)], [out])
    return parted, b.differences()[1]


def relu(rng: np.random.Generator) -> tuple[int, int]:
    return _unary(rng, "RELU", params.relu_multiplier)


def requantize(rng: np.random.Generator) -> tuple[int, int]:
    return _unary(rng, "QUANTIZE", params.requantize_multiplier)


def mean(rng: np.random.Generator) -> tuple[int, int]:
    """One row of 49 elements for each sum that the two ways tell apart."""
    b = Batch(rng)
    parted = 0
    count = 49
    sums = np.arange(-6000, 6000)
    while parted < WANTED:
        s = (b.scale(0.5, 1.0), b.scale(0.5, 1.0))
        single = params.mean_multiplier(_float(s[0], 1.0, s[1]), 1.0, count)
        folded = params.mean_multiplier(*s, count)
        ways = [int8.mean(sums, count, 0, 0, f) for f in (single, folded)]
        apart = sums[ways[0] != ways[1]]
        if not apart.size:
            continue
        parted += apart.size
        x = apart[:, None] // count + (np.arange(count) < apart[:, None] % count)
        axis = b.model.const(f"axis{len(b.values)}", np.asarray([1], dtype=np.int32))
        ops = [b.feed(x.astype(np.int8), scale=s[0], zero_point=0), axis]
        y = int8.mean(apart, count, 0, 0, folded).astype(np.int8)
        b.model.op("MEAN", ops, [b.expect(y, scale=s[1], zero_point=0)], {})
    return parted, b.differences()[1]


_WAYS = (_float, _double)

SCALE_CASES: dict[str, Callable[[np.random.Generator], tuple[int, int]]] = {
    case.__name__: case
    for case in (conv_2d, conv_2d_uint8, fully_connected, mul, relu, requantize, mean)
}
