"""Sliding windows: what each step gives is what the whole window gives, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import prepare
from mcuc.errors import McucError, ScheduleError
from mcuc.frontends.tflite.load import load_tflite
from mcuc.ir.graph import Array, Graph
from mcuc.ops import mul, reshape
from mcuc.ops.interpret import run_reference
from mcuc.passes.slide import slide
from mcuc.passes.verify import verify_graph
from tests.support.cases import fill
from tests.support.models import real_models
from tests.support.networks import Network

NUMERICS = "litert-2.3"
VALID = (0, 0)


def sliding(graph: Graph, hop: int) -> Graph:
    made = slide(graph, hop, NUMERICS)
    verify_graph(made, NUMERICS)
    return made


def steps(graph: Graph, rows: Array, hop: int) -> list[list[Array]]:
    """The outputs after each step over a long input, all states zero at first."""
    made = sliding(graph, hop)
    kept = [np.zeros(made.type(b).shape, made.type(b).dtype.numpy) for b, _ in made.rolling]
    outputs = len(made.outputs) - len(made.rolling)
    result = []
    for first in range(0, rows.shape[1], hop):
        values = run_reference(made, [rows[:, first : first + hop], *kept], NUMERICS)
        kept = values[outputs:]
        result.append(values[:outputs])
    return result


def check(graph: Graph, hop: int, more: int = 4) -> None:
    """Every window, from the first whole one on."""
    window = graph.type(graph.inputs[0]).shape[1]
    fill_steps = -(-window // hop)
    total = (fill_steps + more) * hop
    type_ = graph.type(graph.inputs[0])
    longer = replace(type_, shape=(1, total, *type_.shape[2:]))
    rows = fill(np.random.default_rng(hop), longer, "random")
    found = steps(graph, rows, hop)
    for step in range(fill_steps - 1, len(found)):
        end = (step + 1) * hop
        wanted = run_reference(graph, [rows[:, end - window : end]], NUMERICS)
        assert [a.tobytes() for a in found[step]] == [a.tobytes() for a in wanted], step


def chain(window: int, *layers: tuple[str, tuple[int, int], tuple[int, int]]) -> Network:
    net = Network("chain", (1, window, 6, 3))
    for kind, kernel, stride in layers:
        if kind == "conv":
            net.conv(5, kernel, stride=stride, pad="VALID", activation="relu")
        elif kind == "depthwise":
            net.depthwise(kernel, stride=stride, pad="VALID")
        else:
            net.pool(f"{kind}_pool2d", kernel, stride, "VALID")
    return net


CONVS = (("conv", (3, 3), (1, 1)), ("depthwise", (5, 1), (1, 1)), ("conv", (1, 1), (1, 1)))
STRIDED = (("conv", (4, 2), (2, 2)), ("depthwise", (3, 1), (1, 1)), ("max", (2, 1), (2, 1)))
DROPPING = (("conv", (3, 1), (3, 1)), ("average", (2, 2), (1, 1)))


@pytest.mark.parametrize("window", [13, 16, 17, 20])
@pytest.mark.parametrize("hop", [1, 2, 3])
def test_every_step_is_the_whole_window(window: int, hop: int) -> None:
    net = chain(window, *CONVS)
    net.mean()
    check(net.graph(), hop)


@pytest.mark.parametrize("window", range(17, 26))
def test_strides_and_rows_left_over(window: int) -> None:
    net = chain(window, *STRIDED)
    net.mean()
    check(net.graph(), 4)
    net = chain(window, *DROPPING)
    check(net.graph(), 3)  # a map as output: all of its rows, moved on


def test_dilation_skips_and_two_readers() -> None:
    net = Network("block", (1, 20, 4, 4))
    trunk = net.conv(4, (3, 3), pad="VALID", dilation=(2, 1))
    net.conv(8, (1, 1), activation="relu6")
    net.conv(4, (1, 1))
    net.add(trunk)
    both = net.relu()
    net.depthwise((4, 1), pad="VALID")
    net.mean()
    check(net.graph(net.last, both), 2)


def test_a_flattening_head_sees_its_rows_in_order() -> None:
    net = chain(14, *CONVS)
    shape = net.shape
    net._node("reshape", reshape.Attrs((1, int(np.prod(shape)))), (net.last,))
    check(net.graph(), 2)


def test_what_a_head_computes_is_no_row() -> None:
    """Squeeze and excite: every row depends on the whole window, so the head begins there."""
    net = Network("excite", (1, 15, 3, 4))
    trunk = net.conv(4, (3, 1), pad="VALID")
    gate = net.mean()
    net._node("mul", mul.Attrs("none"), (trunk, gate))
    graph = net.graph()
    check(graph, 1)
    made = sliding(graph, 1)
    assert [made.type(b).shape[1] for b, _ in made.rolling] == [3, 13]


def test_a_reshape_of_the_input_is_the_applications() -> None:
    net = Network("flat", (1, 60))
    net._node("reshape", reshape.Attrs((1, 15, 2, 2)), (0,))
    net.conv(4, (3, 1), pad="VALID")
    net.mean()
    made = sliding(net.graph(), 1)
    assert made.type(made.inputs[0]).shape == (1, 1, 2, 2)


def test_only_new_rows_are_computed() -> None:
    made = sliding(chain(20, *CONVS).graph(), 2)
    heights = [made.type(n.outputs[0]).shape[1] for n in made.nodes if n.op != "slide_rows"]
    assert heights == [2, 2, 2]
    assert made.window == 20


# --- refusals -------------------------------------------------------------------------------------


def refused(graph: Graph, hop: int) -> list[str]:
    with pytest.raises(ScheduleError) as caught:
        slide(graph, hop, NUMERICS)
    assert caught.value.code == "E308"
    problems: list[str] = caught.value.data["problems"]
    return problems


def test_every_op_that_pads_is_named() -> None:
    net = Network("same", (1, 20, 6, 3))
    net.conv(4, (3, 3), pad="SAME")
    net.conv(4, (3, 3), pad="VALID")
    net.depthwise((3, 3), pad="SAME")
    net.mean()
    problems = refused(net.graph(), 1)
    assert len(problems) == 2
    assert "conv2d" in problems[0] and "depthwise_conv2d" in problems[1]
    assert all("pads above or below" in problem for problem in problems)


def test_columns_may_be_padded() -> None:
    net = Network("columns", (1, 16, 6, 3))
    net.conv(4, (1, 3), pad="SAME")
    net.conv(4, (3, 1), pad="VALID")
    check(net.graph(), 1)


@pytest.mark.parametrize("hop", [1, 2, 6])
def test_a_step_must_suit_the_strides(hop: int) -> None:
    assert "has stride 2" in refused(chain(21, *STRIDED).graph(), hop)[-1]


def test_what_is_no_window_of_rows() -> None:
    net = chain(12, *CONVS)
    assert refused(net.graph(), 12) == ["the window has 12 rows, it moves by 1 to 11"]
    alone = Network("alone", (1, 12, 3, 2))
    alone.mean()
    assert "no op computes rows" in refused(alone.graph(), 1)[0]
    batch = Network("batch", (2, 12, 3, 2))
    batch.conv(2, (1, 1))
    assert "not one input" in refused(batch.graph(), 1)[0]
    flat = Network("flat", (1, 60))
    flat.relu()
    assert "not one input" in refused(flat.graph(), 1)[0]


def test_a_step_longer_than_the_head_reads() -> None:
    net = chain(12, ("conv", (10, 1), (1, 1)))  # 3 rows
    net.mean()
    assert "more rows than it reads" in refused(net.graph(), 5)[0]


def test_only_consumed_inputs_slide() -> None:
    with pytest.raises(McucError, match="E109"):
        Options(sliding=2, input_mode="kept")
    with pytest.raises(McucError, match="E109"):
        Options(sliding=0)


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["mlperf_kws01_dscnn_int8", "tflm_micro_speech_int8", "mlperf_vww01_mbv1_int8"]
)
def test_networks_with_padding_in_time_are_refused(name: str) -> None:
    (path,) = real_models(f"repo/{name}.tflite")
    with pytest.raises(ScheduleError, match="E308") as caught:
        prepare(load_tflite(path), Options(io="quantized", sliding=2))
    assert "pads above or below" in caught.value.data["problems"][0]
