"""One net in the words of every operator set of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcuc.errors import ModelError
from mcuc.ops.interpret import run_reference
from tests.support.onnx_build import floats, load, model, node, onnx


def spelled(opset: int) -> bytes:
    """One net in the words of an operator set: what moved from attributes to operands, did."""
    lists = {
        "starts": [0, 1], "ends": [1, 5], "map": [2, 3], "split": [2, 4], "first": [1],
        "pads": [0, 0, 1, 1, 0, 0, 1, 1],
    }  # fmt: skip
    numbers = {"low": -1.5, "high": 2.5, "fill": 0.25, "scales": [1, 1, 2, 2], "roi": []}
    constants = {"w": floats(1, 6, 3, 3, 3), "b": floats(2, 6)}
    constants |= {name: np.asarray(n, np.float32) for name, n in numbers.items()}
    constants |= {name: np.asarray(n) for name, n in lists.items()}

    def listed(since: int, kind: str, x: str, y: str, named: dict[str, str], **rest: object) -> Any:
        """An operator whose lists are operands from a set on."""
        if opset >= since:
            return node(kind, " ".join((x, *named.values())), y, **rest)
        return node(kind, x, y, **{a: lists[n] for a, n in named.items()}, **rest)

    old = opset < 11
    limits = {"min": -1.5, "max": 2.5}
    floor = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if opset < 9:
        larger = node("Upsample", "h3", "h4", scales=[1.0, 1.0, 2.0, 2.0])
    elif old:
        larger = node("Upsample" if opset == 9 else "Resize", "h3 scales", "h4")
    else:
        larger = node("Resize", "h3 roi scales", "h4", **floor)
    nodes = [
        node("Pad", "x", "h0", pads=lists["pads"], value=0.25)
        if old
        else node("Pad", "x pads fill", "h0"),
        node("Conv", "h0 w b", "h1"),
        node("Clip", "h1", "h2", **limits) if old else node("Clip", "h1 low high", "h2"),
        listed(10, "Slice", "h2", "h3", {"starts": "starts", "ends": "ends", "axes": "map"}),
        larger,
        listed(13, "Split", "h4", "h5 h6", {"split": "split"}, axis=1),
        listed(18, "ReduceMean", "h6", "h7", {"axes": "map"}, keepdims=0),
        node("Dropout", "h7", "h8"),
        listed(13, "Unsqueeze", "h8", "h9", {"axes": "first"}),
        listed(13, "Squeeze", "h9", "h10", {"axes": "first"}),
        node("Softmax", "h10", "p", axis=1),
        listed(13, "ReduceSum", "h5", "s", {"axes": "map"}, keepdims=0),
    ]
    used = {name for n in nodes for name in n.input}
    stored = {name: data for name, data in constants.items() if name in used}
    return model(nodes, {"x": [1, 3, 6, 6]}, ["p", "s"], stored, opset=opset)


@pytest.mark.parametrize("opset", range(7, onnx.defs.onnx_opset_version() + 1))
def test_every_operator_set_means_the_same(opset: int) -> None:
    x = floats(5, 1, 3, 6, 6)
    wanted = run_reference(load(spelled(13)).graph, [x])
    found = run_reference(load(spelled(opset)).graph, [x])
    assert [a.shape for a in found] == [(1, 4), (1, 2)]
    for a, b in zip(found, wanted, strict=True):
        assert a.tobytes() == b.tobytes()


def test_operator_sets_beyond_are_refused() -> None:
    for opset in (6, onnx.defs.onnx_opset_version() + 1):
        data = onnx.ModelProto.FromString(spelled(13))
        data.opset_import[0].version = opset
        with pytest.raises(ModelError) as caught:
            load(data.SerializeToString())
        assert caught.value.code == "E106"


def test_onnx_runtime_reads_these_sets_alike() -> None:
    runtime = pytest.importorskip("onnxruntime")
    x = floats(5, 1, 3, 6, 6)
    for opset in (7, 9, 10, 11, 13, 18, 21):
        session = runtime.InferenceSession(spelled(opset), providers=["CPUExecutionProvider"])
        found = run_reference(load(spelled(opset)).graph, [x])
        for a, b in zip(session.run(None, {"x": x}), found, strict=True):
            assert np.abs(a - b).max() < 1e-5
