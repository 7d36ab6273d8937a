"""What an ONNX file is read as, and how a bad one is refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import prepare
from mcuc.device.onnx_oracle import run_onnx
from mcuc.errors import McucError, ModelError, exit_code, flatten
from mcuc.frontends.onnx.handlers import HANDLERS
from mcuc.frontends.onnx.load import read_onnx
from mcuc.ir.types import DType
from mcuc.ops.interpret import run_reference
from tests.support.onnx_build import TensorProto, floats, helper, load, model, node, onnx

W = floats(1, 4, 3, 3, 3)


def codes(data: bytes, **options: object) -> list[str]:
    with pytest.raises(McucError) as caught:
        load(data, **options)
    problems = flatten(caught.value)
    assert all(p.code.startswith(("E1", "E2")) for p in problems)
    return [p.code for p in problems]


def conv(inputs: dict[str, list[int | str]]) -> bytes:
    return model([node("Conv", "x w", "y")], inputs, ["y"], {"w": W})


def test_an_open_batch_is_taken_as_one_with_a_note() -> None:
    loaded = load(conv({"x": ["N", 3, 8, 8]}))
    assert loaded.graph.type(loaded.graph.inputs[0]).shape == (1, 3, 8, 8)
    assert "batch" in loaded.notes[0]


def test_open_sizes_are_given_by_name() -> None:
    data = conv({"x": [1, 3, "h", "w"]})
    assert codes(data) == ["E105"]
    graph = load(data, input_shapes={"x": (1, 3, 10, 12)}).graph
    assert graph.type(graph.outputs[0]).shape == (1, 4, 8, 10)


def test_a_size_that_the_file_fixes_is_not_overruled() -> None:
    data = conv({"x": [1, 3, 8, "w"]})
    assert codes(data, input_shapes={"x": (1, 3, 9, 8)}) == ["E109"]
    assert codes(data, input_shapes={"x": (1, 3, 8)}) == ["E109"]
    assert "E109" in codes(data, input_shapes={"z": (1, 3, 8, 8)})


def test_a_named_size_is_the_same_everywhere() -> None:
    data = model([node("Add", "a b", "y")], {"a": [1, "n"], "b": [1, "n"]}, ["y"])
    assert load(data, input_shapes={"a": (1, 5)}).graph
    assert codes(data, input_shapes={"a": (1, 5), "b": (1, 1)}) == ["E109"]


def test_b85_all_inputs_are_there_the_unused_one_too() -> None:
    nodes = [node("Add", "a b", "y")]
    ports = {"a": [1, 4], "b": [1, 4], "unused": [2]}
    dtypes = {"unused": TensorProto.INT8}
    graph = load(model(nodes, ports, ["y"], dtypes=dtypes)).graph
    assert [graph.values[v].name for v in graph.inputs] == ["a", "b", "unused"]
    assert graph.type(graph.inputs[2]).dtype is DType.S8


def test_b77_local_functions_are_inlined() -> None:
    body = [node("Conv", "x w", "h"), node("Relu", "h", "y")]
    imports = [helper.make_opsetid("", 17)]
    function = helper.make_function("pkg.torch", "block", ["x", "w"], ["y"], body, imports)
    call = helper.make_node("block", ["x", "w"], ["y"], domain="pkg.torch")
    made = onnx.ModelProto.FromString(model([call], {"x": [1, 3, 8, 8]}, ["y"], {"w": W}))
    made.functions.append(function)
    made.opset_import.append(helper.make_opsetid("pkg.torch", 1))
    graph = load(made.SerializeToString()).graph
    assert [n.op for n in graph.nodes] == ["transpose", "conv2d", "transpose", "relu"]


def calling(depth: int, last: str) -> bytes:
    """A chain of local functions, each of which calls the next one twice."""
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("pkg", 1)]
    functions = []
    for k in range(depth):
        name = f"f{k + 1}" if k + 1 < depth else last
        body = [
            helper.make_node(name, ["x"], ["h"], domain="pkg" if name[0] == "f" else ""),
            helper.make_node(name, ["h"], ["y"], domain="pkg" if name[0] == "f" else ""),
        ]
        functions.append(helper.make_function("pkg", f"f{k}", ["x"], ["y"], body, imports))
    call = helper.make_node("f0", ["x"], ["y"], domain="pkg")
    made = onnx.ModelProto.FromString(model([call], {"x": [1, 4]}, ["y"]))
    made.functions.extend(functions)
    made.opset_import.append(helper.make_opsetid("pkg", 1))
    return bytes(made.SerializeToString())


def test_functions_that_grow_without_limit_are_refused() -> None:
    assert len(load(calling(4, "Relu")).graph.nodes) == 16
    started = time.monotonic()
    assert codes(calling(40, "Relu")) == ["E117"]
    assert codes(calling(3, "f0")) == ["E101"]
    assert time.monotonic() - started < 2


def test_shape_arithmetic_is_done_when_the_file_is_read() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n", axis=0),
        node("Unsqueeze", "n axes", "n1"),
        node("Concat", "n1 rest", "shape", axis=0),
        node("Reshape", "x shape", "y"),
    ]
    constants = {
        "zero": np.asarray(0), "axes": np.asarray([0]), "rest": np.asarray([-1]),
    }  # fmt: skip
    graph = load(model(nodes, {"x": ["N", 3, 4]}, ["y"], constants)).graph
    assert [n.op for n in graph.nodes] == ["reshape"]
    assert graph.type(graph.outputs[0]).shape == (1, 12)


def test_nodes_are_sorted_and_dead_ones_not_read() -> None:
    nodes = [
        node("Relu", "h", "y"),
        node("Abs", "x", "h"),
        node("NoSuchOperator", "x", "nobody"),
    ]
    graph = load(model(nodes, {"x": [1, 4]}, ["y"])).graph
    assert [n.op for n in graph.nodes] == ["unary", "relu"]


def test_all_problems_are_listed_at_once() -> None:
    nodes = [node("NoSuch", "x", "a"), node("Other", "x", "b"), node("Add", "a b", "y")]
    assert codes(model(nodes, {"x": [1, 4]}, ["y"])) == ["E102", "E102"]


def test_masks_of_infinities_become_the_largest_numbers() -> None:
    mask = np.asarray([[0, -np.inf]], np.float32)
    graph = load(model([node("Add", "x m", "y")], {"x": [1, 2]}, ["y"], {"m": mask})).graph
    (y,) = run_reference(graph, [np.zeros((1, 2), np.float32)])
    assert y.tolist() == [[0.0, float(-np.finfo(np.float32).max)]]


def _external(location: str) -> Callable[[onnx.ModelProto], None]:
    def change(made: onnx.ModelProto) -> None:
        tensor = made.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)

    return change


def _huge(made: onnx.ModelProto) -> None:
    made.graph.initializer[0].dims[0] = 1 << 31


def _sequence(made: onnx.ModelProto) -> None:
    made.graph.input[0].CopyFrom(
        helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, None)
    )


def _strings(made: onnx.ModelProto) -> None:
    made.graph.input[0].type.tensor_type.elem_type = TensorProto.STRING


def _cycle(made: onnx.ModelProto) -> None:
    made.graph.node[0].input[0] = "y"


def _missing(made: onnx.ModelProto) -> None:
    del made.graph.initializer[:]


def _loop(made: onnx.ModelProto) -> None:
    body = helper.make_graph([], "body", [], [])
    made.graph.node.append(helper.make_node("If", ["x"], ["z"], then_branch=body, else_branch=body))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_external("weights.bin"), "E108"),
        (_external("../outside.bin"), "E108"),
        (_external("/etc/hostname"), "E108"),
        (_huge, "E105"),
        (_sequence, "E119"),
        (_strings, "E110"),
        (_cycle, "E104"),
        (_missing, "E104"),
        (_loop, "E103"),
    ],
)
def test_bad_files_are_refused_at_once(
    change: Callable[[onnx.ModelProto], None], code: str
) -> None:
    made = onnx.ModelProto.FromString(conv({"x": [1, 3, 8, 8]}))
    change(made)
    started = time.monotonic()
    assert codes(made.SerializeToString()) == [code]
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("data", [b"", b"\x08", b"nonsense" * 50, b"\xff" * 100])
def test_bytes_that_are_no_model_are_refused(data: bytes) -> None:
    assert codes(data) == ["E101"]


def test_constants_do_not_grow_without_limit() -> None:
    nodes = [node("ConstantOfShape", "s", "c"), node("Add", "x c", "y")]
    constants = {"s": np.asarray([1 << 20, 1 << 20])}
    assert codes(model(nodes, {"x": [1]}, ["y"], constants)) == ["E102"]


def test_external_data_beside_the_model_are_read(tmp_path: Path) -> None:
    made = onnx.ModelProto.FromString(conv({"x": [1, 3, 8, 8]}))
    (tmp_path / "weights.bin").write_bytes(W.tobytes())
    _external("weights.bin")(made)
    path = tmp_path / "m.onnx"
    path.write_bytes(made.SerializeToString())
    x = floats(2, 1, 3, 8, 8)
    whole = run_reference(load(conv({"x": [1, 3, 8, 8]})).graph, [x])
    assert np.array_equal(run_reference(read_onnx(path).graph, [x])[0], whole[0])


def test_a_missing_file_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="E108"):
        read_onnx(tmp_path / "none.onnx")


def prepared(data: bytes) -> list[str]:
    return [n.op for n in prepare(load(data).graph, Options()).nodes]


def test_b79_a_convolution_in_every_spelling_is_the_same_graph() -> None:
    rng = np.random.default_rng(0)
    scales = np.asarray([0.02, 1.0, 0.1], np.float32)
    constants = {
        "xs": scales[0], "xz": np.uint8(128), "ys": scales[1], "yz": np.uint8(128),
        "ws": scales[2], "wz": np.int8(0),
        "w": rng.integers(-127, 128, (4, 3, 3, 3), np.int8),
    }  # fmt: skip
    qdq = [
        node("QuantizeLinear", "x xs xz", "q"),
        node("DequantizeLinear", "q xs xz", "d"),
        node("DequantizeLinear", "w ws wz", "f"),
        node("Conv", "d f", "h"),
        node("QuantizeLinear", "h ys yz", "p"),
        node("DequantizeLinear", "p ys yz", "y"),
    ]
    qoperator = [
        qdq[0],
        node("QLinearConv", "q xs xz w ws wz ys yz", "p"),
        qdq[5],
    ]
    x = floats(3, 1, 3, 6, 6)
    graphs = [load(model(nodes, {"x": [1, 3, 6, 6]}, ["y"], constants)).graph
              for nodes in (qdq, qoperator)]  # fmt: skip
    assert [n.op for n in graphs[0].nodes] == [n.op for n in graphs[1].nodes]
    results = [run_reference(graph, [x])[0] for graph in graphs]
    assert np.array_equal(results[0], results[1])
    integers = [
        qdq[0],
        node("ConvInteger", "q w xz", "i"),
        node("Cast", "i", "c", to=TensorProto.FLOAT),
        node("Mul", "c s", "y"),
    ]
    both = {**constants, "s": scales[0] * scales[2]}
    graph = load(model(integers, {"x": [1, 3, 6, 6]}, ["y"], both)).graph
    exact = run_reference(graph, [x])[0]
    assert np.abs(exact - results[0]).max() <= 0.5 + 1e-4


@pytest.mark.parametrize("zero", [127, 128])
def test_b29_the_zero_point_of_uint8_is_honoured(zero: int) -> None:
    constants = {"s": np.float32(0.1), "z": np.uint8(zero)}
    nodes = [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")]
    graph = load(model(nodes, {"x": [1, 3]}, ["y"], constants)).graph
    x = np.asarray([[0.0, 100.0, -100.0]], np.float32)
    (y,) = run_reference(graph, [x])
    assert y.tolist() == [[0.0, np.float32(0.1) * (255 - zero), np.float32(0.1) * -zero]]


@pytest.mark.parametrize(("include", "corner"), [(0, 1.0), (1, 4 / 9)])
def test_b40_padding_of_an_average_counts_where_the_file_says_so(
    include: int, corner: float
) -> None:
    attributes = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    pool = node("AveragePool", "x", "y", count_include_pad=include, **attributes)
    graph = load(model([pool], {"x": [1, 1, 4, 4]}, ["y"])).graph
    (y,) = run_reference(graph, [np.ones((1, 1, 4, 4), np.float32)])
    assert y[0, 0, 0, 0] == np.float32(corner)


def test_b41_a_window_that_starts_in_the_padding_behind_is_dropped() -> None:
    attributes = {"kernel_shape": [3, 3], "strides": [3, 3], "pads": [1, 1, 1, 1]}
    pool = node("MaxPool", "x", "y", ceil_mode=1, **attributes)
    graph = load(model([pool], {"x": [1, 3, 2, 2]}, ["y"])).graph
    assert graph.type(graph.outputs[0]).shape == (1, 3, 1, 1)


def test_b65_a_product_of_rank_3_is_no_gemm() -> None:
    graph = load(model([node("MatMul", "a b", "y")], {"a": [1, 12, 8], "b": [1, 8, 12]}, ["y"]))
    assert [n.op for n in graph.graph.nodes] == ["batch_matmul"]
    a, b = floats(1, 1, 12, 8), floats(2, 1, 8, 12)
    (y,) = run_reference(graph.graph, [a, b])
    assert np.allclose(y, a @ b, atol=1e-5)


def test_b64_broadcast_batches_and_swapped_operands() -> None:
    nodes = [node("Transpose", "b", "t", perm=[0, 1, 3, 2]), node("MatMul", "a t", "y")]
    data = model(nodes, {"a": [1, 3, 5, 8], "b": [1, 1, 7, 8]}, ["y"])
    assert prepared(data) == ["batch_matmul"]
    a, b = floats(1, 1, 3, 5, 8), floats(2, 1, 1, 7, 8)
    (y,) = run_reference(prepare(load(data).graph, Options()), [a, b])
    assert np.allclose(y, a @ b.swapaxes(2, 3), atol=1e-5)


def test_b80_a_bias_of_another_scale_and_a_shared_q() -> None:
    """A bias stored with half the accumulator's scale means what its own scale says."""
    constants = {
        "xs": np.float32(0.5), "xz": np.int8(3), "ws": np.float32(0.25), "wz": np.int8(0),
        "w": np.ones((1, 1, 1, 1), np.int8), "b": np.asarray([8], np.int32),
        "bs": np.float32(0.25), "bz": np.int32(0),
    }  # fmt: skip
    nodes = [
        node("QuantizeLinear", "x xs xz", "q"),
        node("DequantizeLinear", "q xs xz", "d"),
        node("DequantizeLinear", "w ws wz", "f"),
        node("DequantizeLinear", "b bs bz", "g"),
        node("Conv", "d f g", "h"),
        node("Relu", "h", "y"),
        node("Neg", "d", "z"),
    ]
    graph = load(model(nodes, {"x": [1, 1, 1, 1]}, ["y", "z"], constants)).graph
    y, z = run_reference(graph, [np.full((1, 1, 1, 1), 2.0, np.float32)])
    assert float(y.ravel()[0]) == 2.0 * 0.25 + 8 * 0.25
    assert float(z.ravel()[0]) == -2.0


@pytest.mark.parametrize(
    ("size", "out", "coordinates", "rounding"),
    [
        (4, 12, "asymmetric", "floor"),
        (7, 14, "asymmetric", "round_prefer_ceil"),
        (8, 12, "half_pixel", "floor"),
        (8, 12, "half_pixel", "round_prefer_floor"),
        (15, 20, "align_corners", "round_prefer_floor"),
        (15, 20, "asymmetric", "ceil"),
    ],
)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_b56_resizes_follow_their_coordinates(
    size: int, out: int, coordinates: str, rounding: str, mode: str
) -> None:
    from onnx.reference import ReferenceEvaluator

    attributes = {"coordinate_transformation_mode": coordinates, "mode": mode}
    resize = node("Resize", "x - - sizes", "y", nearest_mode=rounding, **attributes)
    constants = {"sizes": np.asarray([1, 1, out, out])}
    data = model([resize], {"x": [1, 1, size, size]}, ["y"], constants)
    x = floats(1, 1, 1, size, size)
    (want,) = ReferenceEvaluator(onnx.ModelProto.FromString(data)).run(None, {"x": x})
    (found,) = run_reference(load(data).graph, [x])
    assert np.allclose(found, want, rtol=1e-4, atol=1e-5)


def test_b76_weights_that_two_layers_share_keep_their_meaning_in_both() -> None:
    """One tensor is the filter of a convolution and, transposed, the matrix of a product."""
    w = floats(1, 4, 3)
    nodes = [
        node("Reshape", "w4 filter", "f"),
        node("Conv", "x f", "h"),
        node("Flatten", "h", "flat", axis=2),
        node("Reshape", "flat rows", "r"),
        node("MatMul", "r w4", "y"),
        node("Transpose", "w4", "wt", perm=[1, 0]),
        node("Gemm", "y wt", "z"),
    ]
    constants = {"w4": w, "filter": np.asarray([4, 3, 1, 1]), "rows": np.asarray([-1, 4])}
    graph = prepare(load(model(nodes, {"x": [1, 3, 2, 2]}, ["z"], constants)).graph, Options())
    x = floats(2, 1, 3, 2, 2)
    h = np.einsum("oc,nchw->nohw", w, x)
    want = (h.reshape(-1, 4) @ w) @ w.T
    assert np.allclose(run_reference(graph, [x])[0], want, rtol=1e-5, atol=1e-5)


def test_a_mistake_in_a_handler_is_named_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as damage of the file; what is wrong with the file stands beside it."""

    def broken(operator: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setitem(HANDLERS, "Relu", broken)
    nodes = [helper.make_node("Relu", ["x"], ["h"], name="r1"), node("NoSuch", "x", "z")]
    nodes.append(node("Add", "h z", "y"))
    with pytest.raises(McucError) as caught:
        load(model(nodes, {"x": [1, 4]}, ["y"]))
    bug, problem = flatten(caught.value)
    assert (bug.code, bug.exit_code, problem.code) == ("E905", 70, "E102")
    assert (bug.loc.op, bug.loc.tensor, bug.loc.op_index) == ("Relu", "r1", 0)
    assert "IndexError in test_onnx_load.py" in bug.why and "report" in bug.help
    assert isinstance(bug.__cause__, IndexError)
    assert exit_code(caught.value) == 70


@pytest.mark.parametrize(
    ("nodes", "x", "constants", "code"),
    [
        ([node("TopK", "x k", "v y")], [1, 4], {"k": np.asarray([1, 2])}, "E115"),
        ([node("ArgMax", "x", "y")], [], {}, "E115"),
        ([node("Gather", "x i", "y")], [], {"i": np.asarray([0])}, "E115"),
        ([node("InstanceNormalization", "x s s", "y")], [3], {"s": floats(0, 3)}, "E114"),
        ([node("LSTM", "x w r", "y", hidden_size=2)], [3, 1, 4],
         {"w": floats(0, 1, 8, 4), "r": floats(1, 1, 8, 3)}, "E111"),
        ([node("ConvTranspose", "x w", "y", dilations=[1, 1 << 31])], [1, 2, 4, 4],
         {"w": floats(0, 2, 2, 3, 3)}, "E105"),
        ([node("ConvTranspose", "x w", "y", strides=[1 << 39, 1], pads=[1 << 39, 0, 1 << 39, 0])],
         [1, 2, 4, 4], {"w": floats(0, 2, 2, 3, 3)}, "E105"),
        ([node("Expand", "x s", "y")], [1, 2], {"s": np.ones(60, np.int64)}, "E114"),
        ([node("AveragePool", "x", "y", kernel_shape=[2, 2], pads=[0, 0, 1 << 40, 0],
                  count_include_pad=1)],
         [1, 2, 4, 4], {}, "E105"),
        ([node("BatchNormalization", "x s s s v", "y")], [1, 2, 4],
         {"s": floats(0, 2), "v": -np.ones(2, np.float32)}, "E115"),
    ],
)  # fmt: skip
def test_numbers_that_no_exporter_writes_are_refused(
    nodes: list[onnx.NodeProto], x: list[int], constants: dict[str, np.ndarray], code: str
) -> None:
    assert codes(model(nodes, {"x": x}, ["y"], constants)) == [code]


def test_b04_a_transposed_convolution_pads_the_result_as_auto_pad_says() -> None:
    """auto_pad and output_padding together; and stride 1, where the size stays."""
    for size, channels, own, wanted in (
        ((3, 3), 2, {"strides": [2, 2], "output_padding": [1, 1]}, (6, 6)),
        ((2, 2), 1, {}, (2, 2)),
    ):
        weights = floats(1, channels, channels, 3, 3)
        nodes = [node("ConvTranspose", "x w", "y", auto_pad="SAME_UPPER", **own)]
        ports = {"x": [1, channels, *size]}
        data = model(nodes, ports, ["y"], {"w": weights})
        x = floats(2, 1, channels, *size)
        (ours,) = run_reference(load(data).graph, [x])
        ((theirs,),) = run_onnx(data, [[x]])
        assert ours.shape == theirs.shape == (1, channels, *wanted)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
