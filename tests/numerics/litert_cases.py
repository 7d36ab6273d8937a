"""Random single-operator cases that compare `mcuc.numerics` with the TFLite interpreter.

Each function builds one model with `count` independent instances of an operator, with random
scales and zero points, runs it once, and returns (compared elements, differing elements).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.numerics import fixed, int8, params
from tests.support.oracle import run_tflite
from tests.support.tflite_build import ModelBuilder

Array = npt.NDArray[Any]
ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")


@dataclass
class Batch:
    """Instances of one operator in one model, with what each should give."""

    rng: np.random.Generator
    model: ModelBuilder = field(default_factory=ModelBuilder)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    expected: list[Array] = field(default_factory=list)

    def scale(self, low: float = 1e-3, high: float = 1.0) -> float:
        return float(np.float32(np.exp(self.rng.uniform(np.log(low), np.log(high)))))

    def zero_point(self) -> int:
        return int(self.rng.integers(-128, 128))

    def activation(self) -> str:
        return str(self.rng.choice(ACTIVATIONS))

    def int8(self, *shape: int) -> Array:
        return self.rng.integers(-128, 128, shape).astype(np.int8)

    def feed(self, value: Array, **quant: Any) -> int:
        index = self.model.tensor(f"x{len(self.values)}", value.shape, str(value.dtype), **quant)
        self.inputs.append(index)
        self.values.append(value)
        return index

    def expect(self, value: Array, **quant: Any) -> int:
        index = self.model.tensor(f"y{len(self.expected)}", value.shape, str(value.dtype), **quant)
        self.outputs.append(index)
        self.expected.append(value)
        return index

    def differences(self) -> tuple[int, int]:
        file = self.model.build(self.inputs, self.outputs)
        (got,) = run_tflite(file, [self.values])
        compared = differing = 0
        for wanted, actual in zip(self.expected, got, strict=True):
            assert wanted.shape == actual.shape and wanted.dtype == actual.dtype
            compared += wanted.size
            differing += int((wanted != actual).sum())
        return compared, differing


def _all_int8() -> Array:
    return np.arange(-128, 128).astype(np.int8).reshape(1, 256)


def conv_2d(rng: np.random.Generator, count: int) -> tuple[int, int]:
    """1x1 convolutions over random pixels: the requantization is what matters here."""
    b = Batch(rng)
    for i in range(count):
        cin, cout = int(rng.integers(1, 9)), int(rng.integers(1, 9))
        s_in, z_in, s_out, z_out = b.scale(), b.zero_point(), b.scale(), b.zero_point()
        per_channel = bool(rng.integers(2))
        s_w = [b.scale(1e-3, 0.1) for _ in range(cout if per_channel else 1)]
        x = b.int8(1, 8, 8, cin)
        w = b.int8(cout, 1, 1, cin)
        bias = rng.integers(-20000, 20000, cout).astype(np.int32)
        activation = b.activation()
        acc = (x.astype(np.int64) - z_in) @ w.reshape(cout, cin).T.astype(np.int64) + bias
        factors = params.conv_multipliers(s_in, s_w, s_out)
        y = int8.requantize_conv(
            acc,
            [f.multiplier for f in factors],
            [f.shift for f in factors],
            z_out,
            params.calculate_activation_range_int8(activation, s_out, z_out),
        )
        ops = [
            b.feed(x, scale=s_in, zero_point=z_in),
            b.model.const(f"w{i}", w, scale=s_w),
            b.model.const(f"b{i}", bias, scale=[s_in * s for s in s_w]),
        ]
        b.model.op(
            "CONV_2D",
            ops,
            [b.expect(y, scale=s_out, zero_point=z_out)],
            {
                "padding": "VALID",
                "stride_h": 1,
                "stride_w": 1,
                "dilation_h_factor": 1,
                "dilation_w_factor": 1,
                "fused_activation_function": activation,
            },
        )
    return b.differences()


def depthwise_conv_2d(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for i in range(count):
        channels = int(rng.integers(1, 9))
        s_in, z_in, s_out, z_out = b.scale(), b.zero_point(), b.scale(), b.zero_point()
        s_w = [b.scale(1e-3, 0.3) for _ in range(channels)]
        x = b.int8(1, 8, 8, channels)
        w = b.int8(1, 1, 1, channels)
        bias = rng.integers(-9000, 9000, channels).astype(np.int32)
        activation = b.activation()
        acc = (x.astype(np.int64) - z_in) * w + bias
        factors = params.conv_multipliers(s_in, s_w, s_out)
        y = int8.requantize_conv(
            acc,
            [f.multiplier for f in factors],
            [f.shift for f in factors],
            z_out,
            params.calculate_activation_range_int8(activation, s_out, z_out),
        )
        ops = [
            b.feed(x, scale=s_in, zero_point=z_in),
            b.model.const(f"w{i}", w, scale=s_w, quantized_dimension=3),
            b.model.const(f"b{i}", bias, scale=[s_in * s for s in s_w]),
        ]
        b.model.op(
            "DEPTHWISE_CONV_2D",
            ops,
            [b.expect(y, scale=s_out, zero_point=z_out)],
            {
                "padding": "VALID",
                "stride_h": 1,
                "stride_w": 1,
                "depth_multiplier": 1,
                "dilation_h_factor": 1,
                "dilation_w_factor": 1,
                "fused_activation_function": activation,
            },
        )
    return b.differences()


def fully_connected(rng: np.random.Generator, count: int) -> tuple[int, int]:
    """Half of the cases have power-of-two scales, so that ties and double rounding are common."""
    b = Batch(rng)
    for i in range(count):
        depth, units = int(rng.integers(1, 9)), 64
        z_in, z_out = b.zero_point(), b.zero_point()
        s_in, s_out = b.scale(), b.scale()
        s_w = [b.scale(1e-3, 0.1) for _ in range(units if rng.integers(2) else 1)]
        if rng.integers(2):
            s_in = s_out = 0.5
            s_w = [float(2.0 ** -rng.integers(1, 12)) for _ in s_w]
        z_w = int(rng.integers(-5, 6)) if len(s_w) == 1 else 0
        x = b.int8(4, depth)
        w = b.int8(units, depth)
        bias = rng.integers(-9000, 9000, units).astype(np.int32)
        activation = b.activation()
        acc = (x.astype(np.int64) - z_in) @ (w.T.astype(np.int64) - z_w) + bias
        y = int8.requantize_fully_connected(
            acc,
            [params.conv_real_multiplier(s_in, s, s_out) for s in s_w],
            z_out,
            params.calculate_activation_range_int8(activation, s_out, z_out),
        )
        ops = [
            b.feed(x, scale=s_in, zero_point=z_in),
            b.model.const(f"w{i}", w, scale=s_w, zero_point=z_w),
            b.model.const(f"b{i}", bias, scale=[s_in * s for s in s_w]),
        ]
        b.model.op(
            "FULLY_CONNECTED",
            ops,
            [b.expect(y, scale=s_out, zero_point=z_out)],
            {"fused_activation_function": activation},
        )
    return b.differences()


def _binary(
    rng: np.random.Generator, count: int, name: str, rule: Callable[..., Array]
) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        s = (b.scale(), b.scale(), b.scale())
        z = (b.zero_point(), b.zero_point(), b.zero_point())
        activation = b.activation()
        left, right = b.int8(1, 16, 16, 4), b.int8(1, 16, 16, 4)
        if rng.integers(2):
            right = right[:, :1, :1, :]
        factor = (params.mul_multiplier if name == "MUL" else params.add_params)(*s)
        clamp = params.calculate_activation_range_int8(activation, s[2], z[2])
        y = rule(left, right, z, factor, clamp)
        ops = [b.feed(v, scale=s[k], zero_point=z[k]) for k, v in enumerate((left, right))]
        b.model.op(
            name,
            ops,
            [b.expect(y, scale=s[2], zero_point=z[2])],
            {"fused_activation_function": activation},
        )
    return b.differences()


def add(rng: np.random.Generator, count: int) -> tuple[int, int]:
    return _binary(rng, count, "ADD", int8.add)


def sub(rng: np.random.Generator, count: int) -> tuple[int, int]:
    return _binary(rng, count, "SUB", int8.sub)


def mul(rng: np.random.Generator, count: int) -> tuple[int, int]:
    return _binary(rng, count, "MUL", int8.mul)


def softmax(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        s_in, z_in = b.scale(1e-3, 2.0), b.zero_point()
        beta = float(np.float32(rng.choice([1.0, 0.5, rng.uniform(0.1, 3)])))
        x = b.int8(4, int(rng.integers(1, 40)))
        if rng.integers(2):  # closer together: more than one element counts
            x = (x // int(rng.integers(2, 20))).astype(np.int8)
        y = int8.softmax(x, params.preprocess_softmax_scaling(beta, s_in))
        ops = [b.feed(x, scale=s_in, zero_point=z_in)]
        out = b.expect(y, scale=1 / 256, zero_point=-128)
        b.model.op("SOFTMAX", ops, [out], {"beta": beta})
    return b.differences()


def logistic(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        s_in, z_in, z_out = b.scale(1e-3, 1.0), b.zero_point(), int(rng.choice([-128, 0, 5]))
        y = int8.logistic_table(s_in, z_in, 1 / 256, z_out).reshape(1, 256)
        x = b.feed(_all_int8(), scale=s_in, zero_point=z_in)
        b.model.op("LOGISTIC", [x], [b.expect(y, scale=1 / 256, zero_point=z_out)])
    return b.differences()


def relu(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        s = (b.scale(), b.scale())
        z = (b.zero_point(), b.zero_point())
        name = str(rng.choice(ACTIVATIONS[1:]))
        y = int8.relu_table(name, s[0], z[0], s[1], z[1]).reshape(1, 256)
        x = b.feed(_all_int8(), scale=s[0], zero_point=z[0])
        b.model.op(name, [x], [b.expect(y, scale=s[1], zero_point=z[1])])
    return b.differences()


def mean(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for i in range(count):
        s = (b.scale(), b.scale())
        z = (b.zero_point(), b.zero_point())
        if rng.integers(2):
            s, z = (s[0], s[0]), (z[0], z[0])
        x = b.int8(*(int(n) for n in rng.integers(1, 8, 4)))
        axes = [(1, 2), (2, 1), (1,), (3,), (1, 2, 3), (-1, -2), (0,)][rng.integers(7)]
        keep = bool(rng.integers(2))
        total = x.astype(np.int64).sum(axis=axes, keepdims=keep)
        n = int(np.prod([x.shape[a] for a in axes]))
        factor = params.mean_multiplier(*s, n)
        y = int8.mean(total, n, z[0], z[1], factor).astype(np.int8)
        axis = b.model.const(f"axis{i}", np.asarray(axes, dtype=np.int32))
        ops = [b.feed(x, scale=s[0], zero_point=z[0]), axis]
        out = b.expect(y, scale=s[1], zero_point=z[1])
        b.model.op("MEAN", ops, [out], {"keep_dims": keep})
    return b.differences()


def average_pool_2d(rng: np.random.Generator, count: int) -> tuple[int, int]:
    """Whole-map VALID pools; the output's scale may differ from the input's and is ignored."""
    b = Batch(rng)
    for _ in range(count):
        s, z = b.scale(), b.zero_point()
        h, w = int(rng.integers(1, 8)), int(rng.integers(1, 8))
        activation = b.activation()
        x = b.int8(1, h, w, 32)
        clamp = params.calculate_activation_range_int8(activation, s, z)
        total = x.astype(np.int64).sum(axis=(1, 2), keepdims=True)
        y = np.clip(fixed.divide_rounding_half_away(total, h * w), *clamp).astype(np.int8)
        options = {"filter_height": h, "filter_width": w, "stride_h": 1, "stride_w": 1}
        b.model.op(
            "AVERAGE_POOL_2D",
            [b.feed(x, scale=s, zero_point=z)],
            [b.expect(y, scale=s, zero_point=z)],
            {"padding": "VALID", "fused_activation_function": activation, **options},
        )
    return b.differences()


def quantize_float(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        s, z = b.scale(), b.zero_point()
        if rng.integers(2):
            s = float(2.0 ** -rng.integers(0, 8))
        ties = (np.arange(-300, 300) + 0.5) * s
        x = np.concatenate([ties, rng.normal(0, 150 * s, 400)]).astype(np.float32)
        y = int8.quantize(x, s, z).astype(np.int8)
        b.model.op("QUANTIZE", [b.feed(x)], [b.expect(y, scale=s, zero_point=z)])
    return b.differences()


def requantize(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        kinds = [str(rng.choice(["int8", "uint8"])) for _ in range(2)]
        z = [b.zero_point() + (128 if k == "uint8" else 0) for k in kinds]
        s = [b.scale(), b.scale()]
        if rng.integers(2):
            s[1] = s[0]
        info = np.iinfo(kinds[1])
        x = np.arange(256).astype(np.uint8).view(kinds[0]).reshape(1, 256)
        y = int8.requantize(
            x, z[0], z[1], params.requantize_multiplier(s[0], s[1]), (info.min, info.max)
        )
        out = b.expect(y.astype(kinds[1]), scale=s[1], zero_point=z[1])
        b.model.op("QUANTIZE", [b.feed(x, scale=s[0], zero_point=z[0])], [out])
    return b.differences()


def dequantize(rng: np.random.Generator, count: int) -> tuple[int, int]:
    b = Batch(rng)
    for _ in range(count):
        s, z = b.scale(), b.zero_point()
        y = int8.dequantize(_all_int8(), s, z)
        b.model.op("DEQUANTIZE", [b.feed(_all_int8(), scale=s, zero_point=z)], [b.expect(y)])
    return b.differences()


CASES: dict[str, Callable[[np.random.Generator, int], tuple[int, int]]] = {
    case.__name__: case
    for case in (
        conv_2d,
        depthwise_conv_2d,
        fully_connected,
        add,
        sub,
        mul,
        softmax,
        logistic,
        relu,
        mean,
        average_pool_2d,
        quantize_float,
        requantize,
        dequantize,
    )
}
