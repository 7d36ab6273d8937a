"""Receptive fields against the row rule, and the costs of cuts against the boxes of patches."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from mcuc.cli.inspect import command
from mcuc.compiler.receptive_field import receptive_field
from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Box
from mcuc.ir.target import HOST
from mcuc.schedule.lower import callers_of, lower
from mcuc.schedule.patch import boxes_of
from mcuc.schedule.receptive import cuts, executed_macs, fields, movable, stage_of
from mcuc.schedule.spec import Group, with_groups
from tests.support.models import DIGITS
from tests.support.networks import Network, random_network, strided_chain


def chain() -> Graph:
    net = Network("chain", (1, 64, 48, 3))
    net.conv(8, (3, 5), stride=(2, 1), pad="SAME")
    net.conv(8, (1, 1))
    net.depthwise((3, 3), pad="SAME")
    net.conv(4, (3, 3), dilation=(2, 2), pad="SAME")
    net.pool("max_pool2d", (2, 2), (2, 2), "VALID")
    net.mean()
    return net.graph()


def test_windows_and_jumps_by_hand() -> None:
    graph = chain()
    found = fields(graph, callers_of(graph, HOST))
    assert [None if f is None else (f.window, f.jump) for f in found.values()] == [
        ((3, 5), (2, 1)),
        ((3, 5), (2, 1)),
        ((7, 7), (2, 1)),
        ((15, 11), (2, 1)),
        ((17, 12), (4, 2)),
        None,  # the mean sees everything
    ]


@pytest.mark.parametrize("seed", range(12))
def test_windows_are_those_of_the_row_rule(seed: int) -> None:
    """Of pixels so far inside that nothing is clipped; both see the same of the input."""
    graph = random_network(seed)
    callers = callers_of(graph, HOST)
    height, width = graph.type(graph.inputs[0]).nhwc[1:3]
    checked = 0
    for node, field in fields(graph, callers).items():
        members = stage_of(graph, callers, node, 1)
        if field is None or members is None:
            continue
        rows, columns, channels = members[-1].output_shape
        y, x = rows // 2, columns // 2
        box = boxes_of(Box(y, y + 1, x, x + 1, 0, channels), members)[0][graph.inputs[0]]
        for size, got, want in (
            (height, (box.y0, box.y1), field.window[0]),
            (width, (box.x0, box.x1), field.window[1]),
        ):
            if got[0] > 0 and got[1] < size:
                assert got[1] - got[0] == want
                checked += 1
            else:
                assert got[1] - got[0] <= want
    assert checked or graph.type(graph.inputs[0]).nhwc[1] < 12


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("seed", range(20, 32))
def test_costs_are_those_of_the_schedule(seed: int, p: int) -> None:
    graph = random_network(seed)
    callers = callers_of(graph, HOST)
    found = cuts(graph, callers, p)
    for node in range(len(graph.nodes)):
        group = Group("patch", tuple(range(node + 1)), (p, p))
        try:
            program = lower(graph, HOST, with_groups(graph, group))
        except ScheduleError:
            assert node not in found
            continue
        if node not in found:
            continue  # a pixel that has no single window
        steps = [s for segment in program.segments for s in segment.steps if s.node <= node]
        got = found[node].executed
        assert abs(sum(s.macs for s in steps) - got) <= len(steps)
        assert p > 1 or got <= found[node].needed  # rows that nobody reads are not made
        inside = [s.box.height * s.box.width * s.box.channels for s in steps if s.node < node]
        assert found[node].tile_bytes >= max(inside, default=0)


def test_a_halo_costs_only_where_windows_overlap() -> None:
    graph = strided_chain("chain", (48, 48))
    callers = callers_of(graph, HOST)
    made = cuts(graph, callers, 4)[3]
    assert set(made.savings) == {1, 3}  # of the depthwise layers; the first conv is read by none
    members = stage_of(graph, callers, 3, 4)
    assert members is not None
    bare = executed_macs(members, 4, set(made.savings))
    assert made.needed <= bare < made.executed
    assert movable(made, callers) == (1,)  # the other has a stride


def test_patches_end_at_no_value_that_a_skip_passes_by() -> None:
    net = Network("block", (1, 24, 24, 4))
    skip = net.conv(8, (3, 3), pad="SAME")
    net.depthwise((3, 3), pad="SAME")
    net.conv(8, (1, 1))
    net.add(skip)
    graph = net.graph()
    found = cuts(graph, callers_of(graph, HOST), 2)
    assert set(found) == {0, 3}


def test_the_document_without_a_cut() -> None:
    net = Network("small", (1, 2, 2, 4))
    net.conv(4, (1, 1))
    document = receptive_field(net.graph(), 3, "litert-2.3")
    assert document["best"] is None


def test_the_command_prints_and_has_json() -> None:
    shown = CliRunner().invoke(command, [str(DIGITS), "--receptive-field", "--patches", "2"])
    assert shown.exit_code == 0, shown.output
    assert "least RAM in 2x2 patches" in shown.output
    raw = CliRunner().invoke(command, [str(DIGITS), "--receptive-field", "--json"])
    found = json.loads(raw.output)["receptive_field"]
    assert found["patches"] == 3
    assert found["ops"][0]["window"] == [3, 3]
    assert all(np.isfinite(op["overhead"] or 0) for op in found["ops"])
    assert "receptive_field" not in json.loads(
        CliRunner().invoke(command, [str(Path(DIGITS)), "--json"]).output
    )
