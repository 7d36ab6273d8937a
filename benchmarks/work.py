"""Measures what the kernels cost on emulated cores and fits the model of mcuc.cost.

    python -m benchmarks.work            prints the fit and its error per kernel
    python -m benchmarks.work --write    also writes mcuc/cost/cortex_m4.json
    python -m benchmarks.work --write __dsp_6x1    writes only kernels with this in their names

Every step of a few real networks is traced, layer by layer and streamed, with and without tiles, on
a Cortex-M4; kernels that are not used there are measured on a Cortex-M3 or M55.
The instructions of a kernel are fitted as per_mac * MACs + per_element * output elements + per_call
* calls (mcuc/schedule/call.py says how often a kernel is called). What the steps of a tile take
above their kernels is divided by the number of steps and blocks.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict

import numpy as np

from benchmarks.models import model_file
from mcuc.compiler.compile import Compiled, compile_model
from mcuc.cost.model import TABLE_FILE
from mcuc.inputs.vectors import random_vectors
from mcuc.proof.places import bench
from mcuc.schedule.call import Call, Caller
from mcuc.schedule.lower import callers_of, scheduled
from mcuc.schedule.tile import KERNEL

MODELS = (
    "repo/mlperf_ic01_resnet8_int8",
    "repo/mlperf_kws01_dscnn_int8",
    "repo/mlperf_vww01_mbv1_int8",
    "repo/mlperf_ad01_int8",
    "repo/tinyengine_mcunet_vww_int8",
    "repo/emlearn_mnist_cnn_int8",
    "mcunet/mbv2-w0.35-r144_rand",
    "mcunet/mcunet_in3_imagenet_int8",
)


BOARDS = ("qemu_m4", "qemu_m3", "qemu_m55")
SCHEDULES = (
    ("layer", 0.0, "consumed"),
    ("auto", 0.0, "consumed"),
    ("auto", 0.0, "streamed"),
    ("auto", 20.0, "kept"),
)
Point = tuple[float, float, float, float]  # MACs, output elements, calls, instructions


def measure() -> tuple[dict[str, list[Point]], list[tuple[list[Call], int]]]:
    """Points and tiles as from :func:`measure_on`, of all boards."""
    points, tiles = measure_on(BOARDS[0])
    for board in BOARDS[1:]:
        others, _ = measure_on(board)
        points.update({symbol: found for symbol, found in others.items() if symbol not in points})
    return points, tiles


def measure_on(board: str) -> tuple[dict[str, list[Point]], list[tuple[list[Call], int]]]:
    """Kernel -> points; and of tiles the calls that they are made of, with their instructions."""
    points: dict[str, list[Point]] = defaultdict(list)
    tiles = []
    for model in MODELS:
        for schedule, recompute, mode in SCHEDULES:
            compiled = compile_model(
                model_file(model),
                board=board,
                schedule=schedule,
                minimize="sram",
                max_recompute=recompute,
                input_mode=mode,
                io="quantized",
            )
            vector = random_vectors(compiled.lowered.graph, 1)[0]
            with bench(compiled, "qemu") as made:
                record = made.run([vector], trace=True)[0]
            callers = _callers(compiled)
            steps = compiled.lowered.program.steps()
            for entry in record.trace:
                calls = callers[steps[entry.id].node].calls(entry.calls)
                if len(calls) > 1:
                    tiles.append((calls, entry.instructions or 0))
                else:
                    (call,) = calls
                    known = float(call.macs), float(call.elements), float(call.calls)
                    points[call.symbol].append((*known, float(entry.instructions or 0)))
            print(f"measured {board} {model} {schedule} {recompute} {mode}", file=sys.stderr)
    return points, tiles


def _callers(compiled: Compiled) -> dict[int, Caller]:
    lowered, chosen = compiled.lowered, compiled.lowered.chosen
    graph, target = lowered.graph, lowered.program.target
    if chosen.point is None:
        return callers_of(graph, target)
    schedule = chosen.front[chosen.point].schedule
    return scheduled(callers_of(graph, target), target, schedule)


def fit(points: list[Point]) -> tuple[list[float], float]:
    """Non-negative coefficients for relative errors, and the mean relative error."""
    table = np.array(points, np.float64)
    columns, wanted = table[:, :3], table[:, 3]
    active = [i for i in range(3) if columns[:, i].any()]
    while True:
        scaled = columns[:, active] / wanted[:, None]
        found, *_ = np.linalg.lstsq(scaled, np.ones(len(wanted)), rcond=None)
        if (found >= 0).all() or len(active) == 1:
            break
        active.pop(int(np.argmin(found)))
    result = [0.0, 0.0, 0.0]
    for i, value in zip(active, found, strict=True):
        result[i] = max(0.0, float(value))
    error = np.abs(columns @ np.array(result) / wanted - 1).mean()
    return [round(v, 3) for v in result], float(error)


def main() -> None:
    """Prints and optionally writes the table."""
    before = json.loads(TABLE_FILE.read_text(encoding="utf-8"))
    table = dict(before)  # others keep their figures
    points, tiles = measure()
    errors = []
    for symbol, found in sorted(points.items()):
        coefficients, error = fit(found)
        table[symbol] = coefficients
        errors += errors_of(coefficients, found)
        print(f"{symbol:44s} {coefficients}  mean error {error:.1%} over {len(found)} steps")
    shares = [
        (instructions - sum(_of(table, call) for call in calls[1:])) / calls[0].calls
        for calls, instructions in tiles
    ]
    table[KERNEL.symbol] = [0.0, 0.0, round(float(np.median(shares)), 1)]
    print(f"{KERNEL.symbol:44s} {table[KERNEL.symbol]}  over {len(shares)} tiles")
    print(f"median error of a step: {np.median(errors):.1%}")
    if "--write" in sys.argv[1:]:
        only = [word for word in sys.argv[1:] if word != "--write"]
        chosen = {k: v for k, v in table.items() if not only or any(word in k for word in only)}
        text = json.dumps({**before, **chosen}, indent=1, sort_keys=True)
        TABLE_FILE.write_text(text + "\n", encoding="utf-8")


def errors_of(coefficients: list[float], points: list[Point]) -> list[float]:
    """Relative errors of the prediction."""
    table = np.array(points)
    return list(np.abs(table[:, :3] @ np.array(coefficients) / table[:, 3] - 1))


def _of(table: dict[str, list[float]], call: Call) -> float:
    return float(np.dot(table[call.symbol], (call.macs, call.elements, call.calls)))


if __name__ == "__main__":
    main()
