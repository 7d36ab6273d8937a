"""RAM of real networks under every schedule and input mode, beside published figures.

    python -m benchmarks.memory            prints the table
    python -m benchmarks.memory --write    also writes it and the pictures into docs/

Bytes are arena + state on a Cortex-M4, the scratch of its kernels included, of plans that the
validator has executed row by row (`--io quantized`, so that only int8 tensors count). Executed MACs
are those of layer by layer in every column but one. Instructions are counted in QEMU, by those of
layer by layer with the fastest kernels.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.models import model_file
from mcuc.compiler.compile import compile_with
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import Lowered, lower_and_plan
from mcuc.device.boards import load_board
from mcuc.frontends.tflite.load import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.proof.places import bench
from mcuc.report.document import Footprint, Origin, document, graph_macs
from mcuc.report.memory_map import memory_map
from mcuc.schedule.front import Point

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "memory.md"
START, END = "<!-- table -->", "<!-- /table -->"

# Model below MCUC_DATA/models -> the published best and where it stands.
MODELS = {
    "mcunet/mbv2_100_224_rand": "175,616 + image at 1.10x MACs (MCUNetV2, arXiv 2110.15352)",
    "mcunet/mbv2-w0.35-r144_rand": "97,712 + image (TinyEngine patches, measured)",
    "repo/tinyengine_mcunet_vww_int8": "62,352 + image (TinyEngine patches, measured)",
    "mcunet/mcunet_in3_imagenet_int8": "266,344 (TinyEngine, measured)",
    "mcunet/mcunet-in2_rand": "219,776 (TinyEngine, measured)",
    "mcunet/mcunet-in4_rand": "426,120 (TinyEngine, measured)",
    "mcunet/mcunet-in0_rand": "50,064 (TinyEngine, measured)",
    "repo/mlperf_ic01_resnet8_int8": "54,996 (TFLM, measured)",
    "repo/mlperf_vww01_mbv1_int8": "100,708 (TFLM, measured)",
    "repo/tflm_person_detect_int8": "82,308 (TFLM, measured)",
    "repo/mlperf_kws01_dscnn_int8": "22,820 (TFLM, measured)",
}
SLOWER = 5.0  # percent
RECOMPUTE = 8.0  # percent
LAYERS = Options(io="quantized", schedule="layer", minimize="sram")
FASTEST = replace(LAYERS, minimize="latency")
STREAMED = Options(io="quantized", input_mode="streamed", minimize="sram")
BOARD = "qemu_m4"
PICTURE = "mcunet/mbv2-w0.35-r144_rand"
PICTURES = {
    "layer": Options(io="quantized", schedule="layer"),
    "patch": Options(io="quantized", schedule="patch:4x4@12"),
    "stream": Options(io="quantized", minimize="sram"),
}
STYLE = """<style>
text { font: 10px sans-serif; fill: #333; } .mm-label { text-anchor: middle; }
.mm-field { fill: #f4f6f8; } .mm-grid, .mm-axis { stroke: #d5dae0; }
.mm-input { fill: #9ad0b6; } .mm-activation { fill: #a9c8ec; } .mm-output { fill: #cdb5e8; }
.mm-scratch { fill: #f2cf7a; } .mm-progress { fill: #e9a0a0; }
.mm-seg-layer { fill: #c9ced6; } .mm-seg-stream { fill: #2b8a7e; } .mm-seg-patch { fill: #b5651d; }
.mm-peak { stroke: #c22; fill: #c22; fill-opacity: .07; } .mm-mark { fill: #c22; }
</style>"""


def lowered(model: str, options: Options) -> Lowered:
    """A model planned for an emulated Cortex-M4, which has all the RAM that it may want."""
    return lower_and_plan(load_tflite(model_file(model)), load_board(BOARD).target, options)


def state_bytes(made: Lowered) -> int:
    """What a streamed input keeps from one push to the next."""
    return 4 if made.program.pushes else 0


def rows() -> list[str]:
    """Lines of the table."""
    lines = [
        "| model | layer by layer | kept input | consumed input | streamed input "
        f"| streamed, up to {SLOWER:g} % more instructions "
        f"| streamed, up to {RECOMPUTE:g} % more MACs | others |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for model, published in MODELS.items():
        modes = (replace(STREAMED, input_mode=mode) for mode in ("kept", "consumed", "streamed"))
        made = [lowered(model, options) for options in (LAYERS, *modes)]
        quick, slower = _quick(model, made[-1].chosen.front)
        again = replace(STREAMED, max_recompute=RECOMPUTE)
        made += [lowered(model, options) for options in (quick, again)]
        cells = [f"{one.plan.arena_bytes + state_bytes(one):,}" for one in made]
        cells[-2] += f" at {slower:.3f}x"
        cells[-1] += f" at {_factor(made[-1]):.3f}x"
        name = model.partition("/")[2]
        lines.append(f"| {name} | {' | '.join(cells)} | {published} |")
        print(lines[-1], file=sys.stderr)
    return lines


def _quick(model: str, front: Sequence[Point]) -> tuple[Options, float]:
    """The streamed plan of the least memory that takes so little more, and its instructions.

    Measured from the least memory that is predicted to do on, or with the most memory if none does.
    """
    base = instructions(model, FASTEST)
    limit = 1 + SLOWER / 100
    most = limit * min(point.instructions for point in front)
    first = next(i for i, point in enumerate(front) if point.instructions <= most)
    for point in range(first, len(front)):
        options = replace(STREAMED, point=point)
        slower = instructions(model, options) / base
        if slower <= limit:
            break
    return options, slower


def instructions(model: str, options: Options) -> int:
    """Of one run in QEMU."""
    compiled = compile_with(model_file(model), replace(options, board=BOARD))
    with bench(compiled, "qemu") as made:
        (record,) = made.run(random_vectors(compiled.lowered.graph, 1))
    assert record.instructions is not None
    return record.instructions


def _factor(made: Lowered) -> float:
    """MACs executed, by those of layer by layer."""
    executed = sum(step.macs for step in made.program.steps())
    return executed / graph_macs(made.graph, made.program.numerics)


def picture(options: Options) -> str:
    """The memory map of PICTURE as a file of its own."""
    made = lowered(PICTURE, options)
    report = document(
        Origin("", "", "", "", "", {}, ""),
        made.source,
        made.program,
        made.plan,
        0,
        state_bytes(made),
        Footprint(None, None, None, None, {}, ""),
        {"kind": made.chosen.kind},
    )
    svg = memory_map(report["memory"], report["schedule"]["segments"])
    head, _, rest = svg.partition(">")
    return f"{head}>{STYLE}{rest}\n"


def main() -> None:
    """Prints the table; with --write, docs/memory.md and docs/memory_*.svg."""
    table = "\n".join(rows())
    if "--write" not in sys.argv[1:]:
        print(table)
        return
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n{table}\n{END}{after}", encoding="utf-8")
    for name, options in PICTURES.items():
        path = PAGE.parent / f"memory_{name}.svg"
        path.write_text(picture(options), encoding="utf-8")


if __name__ == "__main__":
    main()
