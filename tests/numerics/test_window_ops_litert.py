"""References of the convolutions, FULLY_CONNECTED, pools and PAD against the TFLite interpreter.

All cases of an op are operators of one model, so that one child process runs them. TFLite has no
explicit padding: where a case's padding is not what SAME gives, a convolution gets a PAD in front,
and a maximum pool a PADV2 with -128. An average pool with such padding, and one that rounds half
up, is compared with loops over exact fractions instead.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import average_pool2d, convolution, pooling
from mcuc.ops.spec import Site
from mcuc.ops.windows import explicit_pad
from tests.support.case_model import reference
from tests.support.cases import Case
from tests.support.oracle import run_tflite
from tests.support.tflite_build import ModelBuilder

pytestmark = pytest.mark.litert

Array = npt.NDArray[Any]
Options = dict[str, Any]

OPS = {
    "conv2d": "CONV_2D",
    "depthwise_conv2d": "DEPTHWISE_CONV_2D",
    "fully_connected": "FULLY_CONNECTED",
    "average_pool2d": "AVERAGE_POOL_2D",
    "max_pool2d": "MAX_POOL_2D",
    "pad": "PAD",
}

# A factor of 2^20 leaves int32: TFLite then overflows in C++ (undefined; in practice the sign turns
# around), while this rule set saturates.
OVERFLOWING = {
    ("conv2d", "b22_left_shift_20"),
    ("depthwise_conv2d", "b22_tiny_and_large_factors"),
    ("fully_connected", "b22_left_shift_20_litert"),
}


def cases_of(op: str) -> list[Case]:
    """Those on int8; tests/e2e/test_ops_against_tflite.py judges the others as well."""
    cases: list[Case] = importlib.import_module(f"tests.vectors.{op}").CASES
    return [c for c in cases if c.operands[0] and c.operands[0].type.dtype is DType.S8]


def run_ref(case: Case, vector: list[Array]) -> tuple[Site, Array]:
    graph = case.graph()
    (result,) = reference(case, vector)
    return Site.of(graph, graph.nodes[0], case.numerics), result


@dataclass
class Batch:
    """The cases of an op as one model."""

    model: ModelBuilder = field(default_factory=ModelBuilder)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    expected: list[tuple[str, Array]] = field(default_factory=list)

    def add(self, case: Case) -> None:
        vector = case.inputs()[0]
        site, result = run_ref(case, vector)
        tensors = [
            -1 if t is None else self.tensor(f"{case.name}_{i}", t, data)
            for i, (t, data) in enumerate(zip(site.inputs, site.consts, strict=True))
        ]
        if case.op == "conv2d" and len(tensors) == 2:  # the interpreter wants a bias
            zeros = np.zeros(site.output.shape[3], np.int32)
            tensors.append(self.model.const(f"{case.name}_zeros", zeros))
        self.inputs.append(tensors[0])
        self.values.append(vector[0])
        name, options, pad = tflite_op(case, site)
        if any(pad):
            tensors[0] = self.padded(case, site, tensors[0], pad)
        out = self.tensor(f"{case.name}_out", site.output, None)
        self.model.op(name, tensors, [out], options)
        self.outputs.append(out)
        self.expected.append((case.name, result))

    def tensor(self, name: str, type_: TensorType, data: Array | None) -> int:
        quant: Options = {}
        if type_.quant is not None:
            quant = {"scale": type_.quant.scales, "zero_point": type_.quant.zero_points}
            quant["quantized_dimension"] = type_.quant.axis or 0
        return self.model.tensor(name, type_.shape, type_.dtype.numpy.name, data=data, **quant)

    def padded(self, case: Case, site: Site, x: int, pad: tuple[int, ...]) -> int:
        """The input behind a PAD, or a PADV2 with the least value for a maximum pool."""
        n, height, width, channels = site.input(0).shape
        shape = (n, height + pad[0] + pad[1], width + pad[2] + pad[3], channels)
        quant = site.input(0).quant
        assert quant is not None
        out = self.tensor(
            f"{case.name}_padded", TensorType(shape, site.input(0).dtype, quant), None
        )
        table = np.array([[0, 0], pad[:2], pad[2:], [0, 0]], np.int32)
        operands = [x, self.model.const(f"{case.name}_paddings", table)]
        if case.op == "max_pool2d":
            operands.append(self.least(case, quant))
        self.model.op("PADV2" if len(operands) > 2 else "PAD", operands, [out])
        return out

    def least(self, case: Case, quant: Quant) -> int:
        data = np.array([-128], np.int8)
        return self.model.const(
            f"{case.name}_least", data, scale=quant.scale, zero_point=quant.zero_point
        )

    def differences(self) -> list[str]:
        file = self.model.build(self.inputs, self.outputs)
        (got,) = run_tflite(file, [self.values])
        return [
            f"{name}: {int((wanted != actual).sum())} of {wanted.size} differ"
            for (name, wanted), actual in zip(self.expected, got, strict=True)
            if wanted.shape != actual.shape or not np.array_equal(wanted, actual)
        ]


def tflite_op(case: Case, site: Site) -> tuple[str, Options, tuple[int, ...]]:
    """Operator, its options, and the padding that must be made in front of it."""
    attrs: Any = site.attrs
    if case.op == "pad":
        return "PADV2" if len(case.operands) > 2 else "PAD", {}, ()
    options: Options = {"fused_activation_function": attrs.activation.upper()}
    if case.op == "fully_connected":
        return OPS[case.op], {**options, "keep_num_dims": attrs.keep_num_dims}, ()
    options |= {"stride_h": attrs.stride[0], "stride_w": attrs.stride[1]}
    size = (site.input(0).shape[1], site.input(0).shape[2])
    if isinstance(attrs, pooling.PoolAttrs):
        options |= {"filter_height": attrs.filter[0], "filter_width": attrs.filter[1]}
        same = explicit_pad("SAME", size, attrs.filter, attrs.stride)
    else:
        options |= {"dilation_h_factor": attrs.dilation[0], "dilation_w_factor": attrs.dilation[1]}
        kernel = convolution.kernel_size(site)
        same = explicit_pad("SAME", size, kernel, attrs.stride, attrs.dilation)
    if case.op == "depthwise_conv2d":
        options["depth_multiplier"] = site.output.shape[3] // site.input(0).shape[3]
    use_same = any(attrs.pad) and attrs.pad == same
    options["padding"] = "SAME" if use_same else "VALID"
    return OPS[case.op], options, () if use_same else attrs.pad


def is_expressible(case: Case) -> bool:
    """Whether TFLite can compute the case."""
    if case.numerics != "litert-2.3":
        return False
    attrs = case.attrs
    if isinstance(attrs, convolution.ConvAttrs):
        return not attrs.uint8
    if isinstance(attrs, pooling.PoolAttrs) and attrs.dilation != (1, 1):
        return False
    if not isinstance(attrs, average_pool2d.Attrs):
        return True
    shape = case.operands[0].type.shape  # type: ignore[union-attr]
    same = explicit_pad("SAME", (shape[1], shape[2]), attrs.filter, attrs.stride)
    return attrs.rounding == "half_away" and attrs.pad in (same, (0, 0, 0, 0))


@pytest.mark.parametrize("op", OPS)
def test_reference_equals_litert(op: str) -> None:
    batch = Batch()
    for case in cases_of(op):
        if is_expressible(case) and (op, case.name) not in OVERFLOWING:
            batch.add(case)
    assert batch.expected
    assert batch.differences() == []


def round_fraction(value: Fraction, rounding: str) -> int:
    if rounding == "half_up":
        return math.floor(value + Fraction(1, 2))
    return int(math.copysign(math.floor(abs(value) + Fraction(1, 2)), value))


@pytest.mark.parametrize("op", ["conv2d", "fully_connected"])
def test_left_shifts_saturate(op: str) -> None:
    (case,) = [c for c in cases_of(op) if (op, c.name) in OVERFLOWING]
    (x,) = case.inputs()[0]
    site, result = run_ref(case, [x])
    quants = [t.quant for t in (site.input(0), site.input(1), site.output)]
    assert all(q is not None for q in quants)
    x_quant, w_quant, out_quant = (q for q in quants if q is not None)
    weights = np.asarray(site.const(1)).astype(np.int64).reshape(result.shape[-1], -1)
    acc = (x.astype(np.int64) - x_quant.zero_point) @ weights.T
    if len(site.consts) > 2:
        acc = acc + np.asarray(site.const(2), np.int64)
    real = acc * (x_quant.scale * w_quant.scale / out_quant.scale)
    assert np.abs(real).max() > 2**31
    assert np.array_equal(result, np.clip(real + out_quant.zero_point, -128, 127))


def test_average_pool_that_tflite_lacks() -> None:
    others = [case for case in cases_of("average_pool2d") if not is_expressible(case)]
    assert len(others) >= 5
    for case in others:
        attrs = case.attrs
        assert isinstance(attrs, average_pool2d.Attrs)
        (x,) = case.inputs()[0]
        _, result = run_ref(case, [x])
        for (n, i, j, c), got in np.ndenumerate(result):
            top, left = i * attrs.stride[0] - attrs.pad[0], j * attrs.stride[1] - attrs.pad[2]
            rows = slice(max(top, 0), top + attrs.filter[0])
            columns = slice(max(left, 0), left + attrs.filter[1])
            part = x[n, rows, columns, c].astype(int)
            mean = Fraction(int(part.sum()), part.size)
            assert got == round_fraction(mean, attrs.rounding), case.name
