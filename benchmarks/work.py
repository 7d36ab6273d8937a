"""Measures what the kernels cost on the emulated Cortex-M4 and fits the model of mcuc.cost.

    python -m benchmarks.work            prints the fit and its error per kernel
    python -m benchmarks.work --write    also writes mcuc/cost/cortex_m4.json

Every step of a few real networks is traced, layer by layer and streamed. The instructions of a
kernel are fitted as per_mac * MACs + per_element * output elements + per_call * calls, where a
stream calls once per row.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict

import numpy as np

from benchmarks.models import model_file
from mcuc.build.compile import compile_model
from mcuc.build.places import bench
from mcuc.build.vectors import random_vectors
from mcuc.cost.model import TABLE_FILE

MODELS = (
    "repo/mlperf_ic01_resnet8_int8",
    "repo/mlperf_kws01_dscnn_int8",
    "repo/mlperf_vww01_mbv1_int8",
    "repo/mlperf_ad01_int8",
    "repo/tinyengine_mcunet_vww_int8",
    "repo/emlearn_mnist_cnn_int8",
)


def measure() -> dict[str, list[tuple[int, int, int, int]]]:
    """Kernel -> (MACs, output elements, calls, instructions) of each step."""
    rows: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    for model in MODELS:
        for schedule in ("layer", "auto"):
            compiled = compile_model(model_file(model), schedule=schedule, minimize="sram")
            vector = random_vectors(compiled.lowered.graph, 1)[0]
            with bench(compiled, "qemu") as made:
                record = made.run([vector], trace=True)[0]
            steps = compiled.lowered.program.steps()
            for entry in record.trace:
                step = steps[entry.id]
                if step.parts:
                    continue
                elements = step.box.height * step.box.width * step.shape[2]
                rows[step.symbol].append(
                    (step.macs, elements, entry.calls, entry.instructions or 0)
                )
            print(f"measured {model} {schedule}", file=sys.stderr)
    return rows


def fit(points: list[tuple[int, int, int, int]]) -> tuple[list[float], float]:
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
    table = dict(json.loads(TABLE_FILE.read_text(encoding="utf-8")))  # others keep their figures
    for symbol, points in sorted(measure().items()):
        coefficients, error = fit(points)
        table[symbol] = coefficients
        print(f"{symbol:44s} {coefficients}  mean error {error:.1%} over {len(points)} steps")
    if "--write" in sys.argv[1:]:
        TABLE_FILE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
