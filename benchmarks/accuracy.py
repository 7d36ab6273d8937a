"""Accuracy of quantized models: float against integers, on labelled samples.

`python -m benchmarks.accuracy [NAME...]` measures, stores the figures in
benchmarks/results/accuracy.json and writes docs/accuracy.md. Ranges come from samples of the
training sets, never from those that are counted. Float runs in ONNX Runtime; integers run in the
reference, which is what the generated C computes bit for bit (`mcuc verify`).
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.models import ROOT, data_folder
from benchmarks.sources import reference_source_files, sources_sha256
from mcuc.compiler.compile import load_model
from mcuc.compiler.options import Options
from mcuc.compiler.quantize import in_arithmetic
from mcuc.inputs.samples import Scaling, labelled_samples
from mcuc.ir.graph import Array
from mcuc.proof.float_accuracy import float_and_integer

RESULTS = ROOT / "benchmarks" / "results" / "accuracy.json"
PAGE = ROOT / "docs" / "accuracy.md"
COMMAND = "python -m benchmarks.accuracy"
CALIBRATION = 256  # samples
PYTORCH = Scaling((0.5,), (0.25,))  # (pixel / 255 - 0.5) / 0.25
PIXELS = Scaling()  # 0 .. 255


@dataclass(frozen=True)
class Entry:
    """A model with its data.

    Attributes:
        model: Path below the folder of models.
        calibration, test: Names of SETS.
        scaling: Of their numbers.
        points: What may be lost of top-1.
        options: More options of the compilation.
    """

    model: str
    calibration: str
    test: str
    scaling: Scaling
    points: float = 0.5
    options: tuple[tuple[str, Any], ...] = ()


def _arrays(name: str) -> dict[str, Array]:
    with np.load(data_folder() / "datasets" / f"{name}.npz", allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def _plain(name: str) -> Callable[[], tuple[Array, Array]]:
    def read() -> tuple[Array, Array]:
        arrays = _arrays(name)
        return arrays["x"], arrays["y"]

    return read


def _cifar_train() -> tuple[Array, Array]:
    """Evenly spread pictures of the training set."""
    from PIL import Image

    arrays = _arrays("cifar10_train20k_jpeg")
    offsets, data = arrays["offsets"], arrays["jpeg"]
    picked = np.linspace(0, len(offsets) - 2, CALIBRATION).round().astype(int)
    files = (data[offsets[i] : offsets[i + 1]].tobytes() for i in picked)
    pictures = [np.asarray(Image.open(io.BytesIO(f)).convert("RGB")) for f in files]
    return np.stack(pictures), arrays["y"][picked]


def _words(name: str, key: str) -> Callable[[], tuple[Array, Array]]:
    """int8 MFCCs as the real numbers that MLPerf's int8 model reads them as."""

    def read() -> tuple[Array, Array]:
        arrays = _arrays(name)
        path = data_folder() / "models" / "repo" / "mlperf_kws01_dscnn_int8.tflite"
        graph = load_model(path, path.read_bytes(), Options()).graph
        quant = graph.type(graph.inputs[0]).quant
        assert quant is not None
        real = (arrays[key].astype(np.float32) - quant.zero_point) * np.float32(quant.scale)
        return real.astype(np.float32), arrays["y"]

    return read


def _as_float(read: Callable[[], tuple[Array, Array]]) -> Callable[[], tuple[Array, Array]]:
    """Pixels as the real numbers 0 .. 255."""

    def floats() -> tuple[Array, Array]:
        x, y = read()
        return x.astype(np.float32), y

    return floats


SETS: Mapping[str, Callable[[], tuple[Array, Array]]] = {
    "fashion_mnist_train12k": _plain("fashion_mnist_train12k"),
    "fashion_mnist_test2k": _plain("fashion_mnist_test2k"),
    "cifar10_train20k": _cifar_train,
    "cifar10_test2k": _plain("cifar10_test2k"),
    "cifar10_train20k 0..255": _as_float(_cifar_train),
    "cifar10_test2k 0..255": _as_float(_plain("cifar10_test2k")),
    "mlperf_tiny_ic01 0..255": _as_float(_plain("mlperf_tiny_ic01")),
    "mlperf_tiny_kws01_open": _words("mlperf_tiny_kws01_open_pcm", "mfcc"),
    "mlperf_tiny_kws01": _words("mlperf_tiny_kws01", "x"),
}

_FASHION = ("fashion_mnist_train12k", "fashion_mnist_test2k", PYTORCH)
_CIFAR = ("cifar10_train20k", "cifar10_test2k", PYTORCH)
ENTRIES = {
    "fmnist_dsconv__ts": Entry("gen/trained/fmnist_dsconv__ts.onnx", *_FASHION),
    "fmnist_dsconv__dy": Entry("gen/trained/fmnist_dsconv__dy.onnx", *_FASHION),
    "cifar_vit__ts": Entry("gen/trained/cifar_vit_d64_l4_p8__ts.onnx", *_CIFAR, 1.0),
    "cifar_vit__dy": Entry("gen/trained/cifar_vit_d64_l4_p8__dy.onnx", *_CIFAR, 1.0),
    "mlperf_ic01_resnet8, MLPerf's samples": Entry(
        "repo/mlperf_ic01_resnet8_f32.tflite",
        "cifar10_train20k 0..255", "mlperf_tiny_ic01 0..255", PIXELS,
    ),
    "mlperf_ic01_resnet8": Entry(
        "repo/mlperf_ic01_resnet8_f32.tflite",
        "cifar10_train20k 0..255", "cifar10_test2k 0..255", PIXELS,
    ),
    "results12_ic_resnet": Entry(
        "repo/results12_ic_resnet_float.onnx",
        "cifar10_train20k 0..255", "cifar10_test2k 0..255", PIXELS,
    ),
    "mlperf_kws01_dscnn": Entry(
        "repo/mlperf_kws01_dscnn_f32.tflite",
        "mlperf_tiny_kws01_open", "mlperf_tiny_kws01", PIXELS,
    ),
}  # fmt: skip


def measure(entry: Entry, folder: Path) -> dict[str, Any]:
    """Figures of one model."""
    path = data_folder() / "models" / entry.model
    x, _ = SETS[entry.calibration]()
    picked = np.linspace(0, len(x) - 1, min(CALIBRATION, len(x))).round().astype(int)
    np.savez(folder / "calibration.npz", x=x[picked])
    samples, labels = SETS[entry.test]()
    np.savez(folder / "test.npz", x=samples, y=labels)
    options = Options(
        calibration=str(folder / "calibration.npz"),
        calibration_mean=entry.scaling.mean,
        calibration_std=entry.scaling.std,
        **dict(entry.options),
    )
    arithmetic = in_arithmetic(load_model(path, path.read_bytes(), options), path, options)
    made, document = arithmetic.quantized, arithmetic.document
    assert made is not None and document is not None
    inputs, y = labelled_samples(folder / "test.npz", made.source, entry.scaling)
    figures = float_and_integer(made, inputs, y, options.numerics)
    reasons = sorted({layer.reason for layer in arithmetic.layers if layer.reason})
    return {
        "model": entry.model,
        "calibration": entry.calibration,
        "test": entry.test,
        "allowed_points": entry.points,
        "sources_sha256": sources_sha256(reference_source_files()),
        **figures,
        **{k: document[k] for k in ("precision", "method", "output_sqnr_db", "float_layers")},
        "layers": len(document["layers"]),
        "float_because": reasons,
    }


_TOP = """\
# Accuracy of quantized models

Made by `python -m benchmarks.accuracy` from what it measured; do not edit. Float models are
quantized by `mcuc` with samples of their training sets, and counted on others. Float: ONNX Runtime.
Integers: the reference, whose bits the generated C has on host and device. SQNR is that of the
outputs, on calibration samples; "float layers" stayed float32, because they have no arithmetic on
integers.

| model | test samples | float top-1 | integer top-1 | lost | same class | SQNR | float layers |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def page(results: Mapping[str, Any]) -> str:
    """Markdown of docs/accuracy.md."""
    rows = "".join(
        f"| {name} | {r['samples']} | {100 * r['float_top1']:.2f} % "
        f"| {100 * r['integer_top1']:.2f} % | {r['drop_points']:.2f} | {r['same_class']} "
        f"| {r['output_sqnr_db']:.1f} dB | {r['float_layers']} of {r['layers']} |\n"
        for name, r in sorted(results.items())
    )
    reasons = "".join(
        f"- {name}: {', '.join(r['float_because'])}\n"
        for name, r in sorted(results.items())
        if r["float_because"]
    )
    return (
        _TOP + rows + ("\nWhat is computed in float32, and why:\n\n" + reasons if reasons else "")
    )


def main(names: list[str]) -> None:
    import tempfile

    results: dict[str, Any] = {}
    for name in names or ENTRIES:
        with tempfile.TemporaryDirectory(prefix="mcuc-accuracy-") as folder:
            found = measure(ENTRIES[name], Path(folder))
        print(name, json.dumps(found), flush=True)
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        results[name] = found
        RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")
    PAGE.write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
