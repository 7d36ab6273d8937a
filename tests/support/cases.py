"""Test cases of single ops: what tests/vectors/<op>.py list, and how they become graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcuc.ir.graph import Array, Graph, Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import spec_of
from mcuc.ops.spec import NUMERICS, Site


@dataclass(frozen=True)
class Operand:
    """One operand of a case: run-time when `data` is None.

    `pattern` says what a run-time operand is filled with: "random" (full range), "extremes" (only
    the smallest and largest value), "ramp" (every value of the type in order, repeated), "below 5"
    (integers 0 .. 4).
    """

    type: TensorType
    data: Array | None = None
    pattern: str = "random"


@dataclass(frozen=True)
class Case:
    """One node. `outputs` give element type and quantization; their shapes are inferred."""

    name: str
    op: str
    attrs: object
    operands: tuple[Operand | None, ...]
    outputs: tuple[TensorType, ...]
    seed: int = 0
    numerics: str = NUMERICS[0]

    def graph(self) -> Graph:
        """The case as a graph of one node."""
        values: dict[int, Value] = {}
        ids: list[int | None] = []
        for position, operand in enumerate(self.operands):
            if operand is None:
                ids.append(None)
                continue
            values[position] = Value(operand.type, f"operand_{position}", operand.data)
            ids.append(position)
        site = Site(
            attrs=self.attrs,
            inputs=tuple(None if o is None else o.type for o in self.operands),
            outputs=self.outputs,
            consts=tuple(None if o is None else o.data for o in self.operands),
            numerics=self.numerics,
        )
        first = len(self.operands)
        for i, type_ in enumerate(spec_of(self.op).infer(site)):
            values[first + i] = Value(type_, f"result_{i}")
        outputs = tuple(range(first, first + len(self.outputs)))
        node = Node(self.op, tuple(ids), outputs, self.attrs)
        runtime = tuple(i for i, o in enumerate(self.operands) if o is not None and o.data is None)
        return Graph((node,), values, runtime, outputs, name=self.name)

    def inputs(self, vectors: int = 1) -> list[list[Array]]:
        """Seeded run-time operands, `vectors` sets of them."""
        rng = np.random.default_rng(self.seed)
        return [
            [
                fill(rng, o.type, o.pattern)
                for o in self.operands
                if o is not None and o.data is None
            ]
            for _ in range(vectors)
        ]


def fill(rng: np.random.Generator, type_: TensorType, pattern: str) -> Array:
    """Seeded data of a type."""
    dtype = type_.dtype.numpy
    if type_.dtype is DType.F32:
        return _fill_float(rng, type_.shape, pattern)
    if type_.dtype is DType.BOOL:
        return rng.integers(0, 2, type_.shape).astype(np.bool_)
    if type_.dtype is DType.F16:
        return _fill_half(rng, type_.shape, pattern)
    info = np.iinfo(dtype.name)
    if pattern.startswith("below "):
        return rng.integers(0, int(pattern.split()[1]), type_.shape, dtype)
    if pattern == "extremes":
        return rng.choice(np.array([info.min, info.max], dtype), type_.shape)
    if pattern == "ramp":
        values = np.arange(info.min, info.max + 1, dtype=np.int64)
        return np.resize(values, type_.shape).astype(dtype)
    return rng.integers(info.min, info.max, type_.shape, dtype, endpoint=True)


def _fill_half(rng: np.random.Generator, shape: tuple[int, ...], pattern: str) -> Array:
    """Any bits without NaN; "ramp": all of them in order, repeated."""
    if pattern == "ramp":
        bits = np.resize(np.arange(1 << 16), shape).astype(np.uint16)
    else:
        bits = rng.integers(0, 1 << 16, shape, np.uint16)
    halves = bits.view(np.float16)
    return np.where(np.isnan(halves), np.float16(0), halves)


def _fill_float(rng: np.random.Generator, shape: tuple[int, ...], pattern: str) -> Array:
    """Floats in [-1, 1]; "ramp": multiples of 1/256 in [-4, 4); "extremes": limits of the type;
    "positive", "wide": of any size, of one or both signs."""
    if pattern == "ramp":
        return np.resize(np.arange(-1024, 1024) / 256, shape).astype(np.float32)
    if pattern in ("positive", "wide"):
        signs = rng.choice([-1, 1], shape) if pattern == "wide" else 1
        return (signs * 2.0 ** rng.uniform(-126, 127, shape)).astype(np.float32)
    if pattern == "extremes":
        limits = (np.nan, -np.inf, -3e38, -1e-45, -0.0, 0.0, 1e-45, 3e38, np.inf)
        return rng.choice(np.array(limits, np.float32), shape)
    return rng.uniform(-1, 1, shape).astype(np.float32)


def as_float(case: Case) -> Case:
    """The case on float32: integers with a scale become the real numbers that they stand for."""
    operands = tuple(None if o is None else _float_operand(o) for o in case.operands)
    outputs = tuple(TensorType(t.shape, DType.F32) for t in case.outputs)
    return replace(case, name=f"f32_{case.name}", operands=operands, outputs=outputs)


def _float_operand(operand: Operand) -> Operand:
    type_, data = operand.type, operand.data
    if type_.quant is None:
        return operand
    if data is not None:
        quant = type_.quant
        shape = [1] * max(1, data.ndim)
        shape[quant.axis or 0] = len(quant.scales)
        scales = np.asarray(quant.scales, np.float32).reshape(shape)
        data = ((data - quant.zero_point) * scales).astype(np.float32).reshape(type_.shape)
    pattern = "random" if operand.pattern == "extremes" else operand.pattern
    return Operand(TensorType(type_.shape, DType.F32), data, pattern)


def as_hybrid(case: Case) -> Case:
    """The case with float32 activations and the int8 weights, without zero point.

    No weight is -128, which symmetric quantization leaves out and TFLite's SSE kernels negate.
    """
    real = as_float(case)
    weights = case.operands[1]
    assert weights is not None and weights.type.quant is not None
    quant = replace(weights.type.quant, zero_points=(0,) * len(weights.type.quant.scales))
    assert weights.data is not None
    data = np.maximum(weights.data, -127).astype(np.int8)
    kept = Operand(replace(weights.type, quant=quant), data)
    operands = (real.operands[0], kept, *real.operands[2:])
    return replace(real, name=f"hybrid_{case.name}", operands=operands)


WEIGHTED = ("conv2d", "depthwise_conv2d", "fully_connected", "transpose_conv")


def as_int16(case: Case) -> Case:
    """The case on int16: scales are a 256th, zero points 0, biases have 64 bits; weights stay."""
    operands = []
    for position, operand in enumerate(case.operands):
        if operand is None or operand.type.quant is None:
            operands.append(operand)
        elif case.op in WEIGHTED and position == 1:
            quant = replace(operand.type.quant, zero_points=(0,) * len(operand.type.quant.scales))
            operands.append(replace(operand, type=replace(operand.type, quant=quant)))
        else:
            operands.append(_int16_operand(operand))
    outputs = tuple(s16(t.shape, _scale_of(t) / 256) for t in case.outputs)
    if case.op == "softmax":
        outputs = (s16((), 1 / 32768),)
    return replace(case, name=f"s16_{case.name}", operands=tuple(operands), outputs=outputs)


def _scale_of(type_: TensorType) -> float:
    assert type_.quant is not None
    return type_.quant.scale


def _int16_operand(operand: Operand) -> Operand:
    type_, data = operand.type, operand.data
    assert type_.quant is not None
    if type_.dtype is DType.S32:  # a bias
        assert data is not None
        scales = tuple(float(np.float32(scale / 256)) for scale in type_.quant.scales)
        quant = replace(type_.quant, scales=scales)
        return Operand(TensorType(type_.shape, DType.S64, quant), data.astype(np.int64) * 256)
    if data is not None:
        data = (data.astype(np.int16) - type_.quant.zero_point) * np.int16(100)
    return Operand(s16(type_.shape, type_.quant.scale / 256), data, operand.pattern)


def s16(shape: Sequence[int], scale: float = 0.0003) -> TensorType:
    """A quantized int16 type."""
    return TensorType(tuple(shape), DType.S16, Quant((float(np.float32(scale)),), (0,)))


def s8(shape: Sequence[int], scale: float = 0.05, zero_point: int = 0) -> TensorType:
    """A per-tensor quantized int8 type; the scale is rounded to float32 as in a file."""
    return TensorType(tuple(shape), DType.S8, Quant((float(np.float32(scale)),), (zero_point,)))


def per_channel(shape: Sequence[int], scales: Sequence[float], axis: int) -> TensorType:
    """A symmetric per-channel int8 weight type."""
    quant = Quant(tuple(float(np.float32(s)) for s in scales), (0,) * len(scales), axis)
    return TensorType(tuple(shape), DType.S8, quant)
