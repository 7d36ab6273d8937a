"""RAM of the networks that msf-CNN was measured on, as its own analysis encodes them.

    python -m benchmarks.msf_cnn            prints a table (some minutes)

Huang, Baccelli: msf-CNN, NeurIPS 2025 (arXiv 2505.11483). The encodings are those of its released
`analysis_optimization.py`: plain chains without skips, other channel counts than the MCUNet zoo's
files. Theirs charge neither the image nor the last map; here the image is fetched at random and the
chain ends in a global pool, as these networks do, so that the last map need not be whole. Weights
are random: they decide nothing here, and no channel is found dead.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import Lowered, lower_and_plan
from mcuc.device.boards import load_board
from mcuc.ir.graph import Graph
from mcuc.ops.windows import Pad
from mcuc.report.document import graph_macs
from tests.support.networks import Network

BOARD = "qemu_m4"
# input channels, output channels, expansion, stride, padding, kernel
Block = tuple[float, float, int, int, int, int]


@dataclass(frozen=True)
class Chain:
    """One of its networks.

    Attributes:
        side: Pixels of the image's side.
        stem: Channels of the first convolution, 3x3 of stride 2; None for a stem that a depthwise
            and a 1x1 convolution to 8 channels follow.
        blocks: 1x1 expansion, depthwise and 1x1 projection each.
        last: Channels of a last 1x1 convolution.
        layer_by_layer: Bytes of its model of memory.
        published: Least bytes, and by how much MACs grow.
        recompute: Percent that we allow.
    """

    side: int
    stem: int | None
    blocks: tuple[Block, ...]
    last: int | None
    layer_by_layer: int
    published: tuple[int, float]
    recompute: float


def _mbv2(w: float) -> tuple[Block, ...]:
    widths = (32, 16, 24, 24, 32, 32, 32, 64, 64, 64, 64, 96, 96, 96, 160, 160, 160, 320)
    strides = (1, 2, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1)
    steps = zip(widths, widths[1:], strides, strict=False)
    return tuple((a * w, b * w, 1 if i == 0 else 6, s, 1, 3) for i, (a, b, s) in enumerate(steps))


CHAINS = {
    "MBV2-w0.35-r144": Chain(144, 11, _mbv2(0.35), 448, 194_400, (7_887, 1.68), 60.0),
    "mcunet-vww1-r80": Chain(
        80,
        None,
        (
            (8, 16, 6, 2, 1, 3),
            (16, 16, 3, 1, 1, 3),
            (16, 16, 3, 1, 1, 3),
            (16, 24, 3, 2, 3, 7),
            (24, 24, 6, 1, 1, 3),
            (24, 24, 5, 1, 2, 5),
            (24, 40, 6, 2, 3, 7),
            (40, 40, 6, 1, 3, 7),
            (40, 48, 6, 1, 1, 3),
            (48, 48, 4, 1, 1, 3),
            (48, 96, 5, 2, 2, 5),
            (96, 96, 5, 1, 1, 3),
            (96, 96, 4, 1, 1, 3),
            (96, 160, 3, 1, 3, 7),
        ),
        None,
        96_000,
        (12_000, 1.96),
        20.0,
    ),
    "mcunet-in3-r176": Chain(
        176,
        None,
        (
            (8, 16, 3, 2, 3, 7),
            (16, 16, 5, 1, 1, 3),
            (16, 16, 5, 1, 3, 7),
            (16, 16, 4, 1, 2, 5),
            (16, 24, 5, 2, 2, 5),
            (24, 24, 5, 1, 2, 5),
            (24, 24, 5, 1, 2, 5),
            (24, 40, 5, 2, 1, 3),
            (40, 40, 6, 1, 3, 7),
            (40, 40, 4, 1, 2, 5),
            (40, 48, 5, 1, 2, 5),
            (48, 48, 5, 1, 3, 7),
            (48, 48, 5, 1, 1, 3),
            (48, 96, 6, 2, 1, 3),
            (96, 96, 5, 1, 3, 7),
            (96, 96, 4, 1, 1, 3),
            (96, 160, 5, 1, 3, 7),
        ),
        None,
        309_760,
        (42_643, 2.69),
        10.0,
    ),
}


def graph_of(name: str, chain: Chain) -> Graph:
    """The network with random int8 weights, and a global pool behind it."""
    net = Network(name, (1, chain.side, chain.side, 3))
    net.conv(chain.stem or 16, (3, 3), stride=(2, 2), pad=_pad(1), activation="relu6")
    if chain.stem is None:
        net.depthwise((3, 3), pad=_pad(1), activation="relu6")
        net.conv(8, (1, 1))
    for inputs, outputs, expansion, stride, padding, kernel in chain.blocks:
        net.conv(int(inputs) * expansion, (1, 1), activation="relu6")
        net.depthwise(
            (kernel, kernel), stride=(stride, stride), pad=_pad(padding), activation="relu6"
        )
        net.conv(int(outputs), (1, 1))
    if chain.last is not None:
        net.conv(chain.last, (1, 1), activation="relu6")
    net.mean()
    return net.graph()


def _pad(size: int) -> Pad:
    return (size, size, size, size)


def operands_and_output(graph: Graph) -> int:
    """Bytes of the largest layer: what it reads and writes, the image not counted, nor the pool."""
    size = {v: graph.type(v).size_bytes for v in graph.values}
    return max(
        size[node.outputs[0]] + (0 if node.inputs[0] in graph.inputs else size[node.inputs[0]])
        for node in graph.nodes[:-1]
        if node.inputs[0] is not None
    )


def planned(graph: Graph, recompute: float) -> Lowered:
    """The plan with the least memory, the image asked for."""
    options = Options(input_mode="random", minimize="sram", max_recompute=recompute)
    return lower_and_plan(graph, load_board(BOARD).target, options)


def rows() -> Iterator[str]:
    """Lines of the table."""
    yield "| chain | layer by layer | msf-CNN, least | mcuc, no MACs more | mcuc, with more MACs |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, chain in CHAINS.items():
        graph = graph_of(name, chain)
        cells = []
        for recompute in (0.0, chain.recompute):
            made = planned(graph, recompute)
            executed = sum(step.macs for step in made.program.steps())
            factor = executed / graph_macs(made.graph, made.program.numerics)
            cells.append(f"{made.plan.arena_bytes:,} at {factor:.3f}x")
        least, theirs = chain.published
        layer = f"{operands_and_output(graph):,}"
        yield f"| {name} | {layer} | {least:,} at {theirs}x | {' | '.join(cells)} |"
        print(name, cells, file=sys.stderr)


def main() -> None:
    """Prints the table."""
    print("\n".join(rows()))


if __name__ == "__main__":
    main()
