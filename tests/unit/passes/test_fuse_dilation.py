"""Convolutions between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND become dilated ones, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mcuc.frontends.tflite import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ops.convolution import ConvAttrs
from mcuc.ops.interpret import run_reference
from mcuc.passes.fuse_dilation import fuse_dilation
from mcuc.passes.verify import verify_graph
from tests.support.oracle import run_tflite
from tests.support.tflite_build import ModelBuilder


@dataclass(frozen=True)
class Shape:
    """A map, its block, what is padded and cropped; the convolution between."""

    size: tuple[int, ...]
    block: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    crops: tuple[tuple[int, int], ...]
    kernel: tuple[int, int] = (3, 3)
    op: str = "CONV_2D"
    kind: str = "int8"
    batch: int = 1
    padding: str = "VALID"
    stride: int = 1
    per_channel: bool = True


FUSED = {
    "same": Shape((9, 11), (2, 2), ((2, 3), (2, 3)), ((0, 1), (0, 1))),
    "valid_batch": Shape((8, 9), (2, 3), ((0, 0), (0, 0)), ((0, 0), (0, 0)), batch=2),
    "float": Shape((7, 7), (3, 2), ((3, 2), (2, 1)), ((0, 2), (0, 1)), kind="float32"),
    "depthwise": Shape((9, 9), (3, 3), ((3, 3),) * 2, ((0, 0),) * 2, op="DEPTHWISE_CONV_2D"),
    "cropped_before": Shape((8, 8), (2, 2), ((2, 2),) * 2, ((1, 0), (2, 1))),
    "padded_inside": Shape((8, 6), (2, 2), ((0, 0),) * 2, ((1, 1), (0, 2)), padding="SAME"),
    "row": Shape((13,), (4,), ((8, 3),), ((0, 3),), (1, 3)),
    "column_float": Shape((12,), (3,), ((6, 0),), ((0, 0),), (3, 1), kind="float32"),
}
CROPPED = {  # more than the padding: a crop stays
    "cropped_far": Shape((8, 8), (2, 2), ((0, 0),) * 2, ((1, 0), (0, 0))),
}
KEPT = {
    "strided": Shape((12, 12), (2, 2), ((0, 0),) * 2, ((0, 0),) * 2, stride=2),
    "hybrid": Shape((8, 8), (2, 2), ((2, 2),) * 2, ((0, 0),) * 2, kind="hybrid"),
}


def model(case: Shape) -> bytes:
    """The three operators; around the convolution of one axis EXPAND_DIMS and SQUEEZE."""
    rng = np.random.default_rng(3)
    build = ModelBuilder()
    depthwise, channels, outputs = case.op.startswith("D"), 3, 3 if case.op[0] == "D" else 5
    kind = "float32" if case.kind == "hybrid" else case.kind
    quant = {"scale": 0.05, "zero_point": 7} if kind == "int8" else {}
    result = {"scale": 0.11, "zero_point": -5} if kind == "int8" else {}
    padded = [n + sum(p) for n, p in zip(case.size, case.pads, strict=True)]
    phases = [n // b for n, b in zip(padded, case.block, strict=True)]
    many = case.batch * int(np.prod(case.block))
    flat = len(case.size) == 1
    axis = 1 if case.kernel[0] == 1 else 2
    into = [1, *phases] if axis == 1 else [*phases, 1]
    into = into if flat else phases
    out = [
        -(-n // case.stride) if case.padding == "SAME" else (n - k) // case.stride + 1
        for n, k in zip(into, case.kernel, strict=True)
    ]
    sizes = [n for n, m in zip(out, into, strict=True) if m > 1] if flat else out
    whole = [n * b for n, b in zip(sizes, case.block, strict=True)]
    last = [n - sum(c) for n, c in zip(whole, case.crops, strict=True)]

    def value(name: str, shape: list[int], own: dict[str, float]) -> int:
        return build.tensor(name, shape, kind, **own)  # type: ignore[arg-type]

    def numbers(name: str, data: object) -> int:
        return build.const(name, np.asarray(data, np.int32))

    shape = (1, *case.kernel, outputs) if depthwise else (outputs, *case.kernel, channels)
    real = rng.uniform(-1, 1, shape).astype(np.float32)
    if case.kind == "float32":
        weights = build.const("w", real)
        bias = build.const("b", rng.uniform(-1, 1, outputs).astype(np.float32))
    else:
        scales = [0.01 + 0.002 * k for k in range(outputs)]
        data = np.rint(real * 90).astype(np.int8)
        dimension = 3 if depthwise else 0
        weights = build.const("w", data, scale=scales, quantized_dimension=dimension)
        start = rng.integers(-500, 500, outputs)
        if kind == "int8":
            own = [float(np.float32(0.05) * np.float32(s)) for s in scales]
            bias = build.const("b", start.astype(np.int32), scale=own)
        else:
            bias = build.const("b", start.astype(np.float32))
    x = value("x", [case.batch, *case.size, channels], quant)
    a = value("a", [many, *phases, channels], quant)
    build.op("SPACE_TO_BATCH_ND", [x, numbers("nb", case.block), numbers("np", case.pads)], [a])
    if flat:
        e = value("e", [many, *into, channels], quant)
        build.op("EXPAND_DIMS", [a, numbers("ne", axis)], [e])
        a = e
    c = value("c", [many, *out, outputs], result)
    options = {"padding": case.padding, "stride_h": case.stride, "stride_w": case.stride}
    options["fused_activation_function"] = "RELU"
    version = 3
    if depthwise:
        options["depth_multiplier"] = 1
    build.op(case.op, [a, weights, bias], [c], options, version=version)
    if flat:
        s = value("s", [many, *sizes, outputs], result)
        build.op("SQUEEZE", [c], [s], {"squeeze_dims": [axis]})
        c = s
    y = value("y", [case.batch, *last, outputs], result)
    build.op("BATCH_TO_SPACE_ND", [c, numbers("mb", case.block), numbers("mc", case.crops)], [y])
    return build.build([x], [y])


@pytest.mark.litert
@pytest.mark.parametrize("name", [*FUSED, *CROPPED, *KEPT])
def test_results_stay_the_same_and_equal_the_interpreters(name: str) -> None:
    pytest.importorskip("ai_edge_litert")
    case = {**FUSED, **CROPPED, **KEPT}[name]
    data = model(case)
    before = load_tflite(Path("m.tflite"), data)
    after = fuse_dilation(before)
    verify_graph(after)
    assert (after is before) == (name in KEPT)
    vectors = random_vectors(before, 2)
    for vector, theirs in zip(vectors, run_tflite(data, vectors), strict=True):
        (ours,) = run_reference(after, vector)
        np.testing.assert_array_equal(ours, run_reference(before, vector)[0])
        np.testing.assert_array_equal(ours, theirs[0])


@pytest.mark.parametrize("name", FUSED)
def test_only_the_convolution_is_left(name: str) -> None:
    graph = fuse_dilation(load_tflite(Path("m.tflite"), model(FUSED[name])))
    nodes = [node for node in graph.nodes if node.op != "reshape"]
    assert len(nodes) == 1 and isinstance(nodes[0].attrs, ConvAttrs)
    assert max(nodes[0].attrs.dilation) == max(FUSED[name].block)
