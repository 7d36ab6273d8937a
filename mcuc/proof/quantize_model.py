"""`mcuc quantize`: a float model quantized, measured, and written as QDQ `.onnx`."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from mcuc.compiler.compile import load_model, read_model
from mcuc.compiler.options import Options
from mcuc.compiler.quantize import Arithmetic, in_arithmetic, quantization_figures
from mcuc.errors import ModelError, QuantError
from mcuc.inputs.samples import Scaling, labelled_samples
from mcuc.proof.float_accuracy import float_and_integer
from mcuc.quant.measure import Json
from mcuc.quant.onnx_export import export_onnx
from mcuc.version import __version__

SCHEMA_VERSION = 1


def quantize_model(
    path: Path,
    options: Options,
    *,
    out: Path | None = None,
    labels: Path | None = None,
    min_sqnr_db: float | None = None,
    max_drop: float | None = None,
) -> Json:
    """The document of `mcuc quantize`.

    Args:
        path: A float model.
        options: precision, calibration, and what belongs to them.
        out: Where to write the QDQ model; None = nowhere.
        labels: An .npz with x and y, to measure the accuracy of both models with.
        min_sqnr_db: What each output must have.
        max_drop: Points of top-1 accuracy that may be lost.

    Raises:
        McucError: as of `in_arithmetic`; E214 for a model that is quantized already.
    """
    data = read_model(path)
    arithmetic = in_arithmetic(load_model(path, data, options), path, options)
    made = arithmetic.quantized
    if made is None:
        raise QuantError(
            "E214",
            f"{path.name} is compiled as stored: there is nothing to quantize",
            why="; ".join(arithmetic.notes),
            help="give a float model, and --calibration",
        )
    accuracy = None
    if labels is not None:
        scaling = Scaling(options.calibration_mean, options.calibration_std)
        accuracy = float_and_integer(
            made, *labelled_samples(labels, made.source, scaling), options.numerics
        )
    document = {
        "schema": SCHEMA_VERSION,
        "mcuc": __version__,
        "model": {"file": path.name, "sha256": hashlib.sha256(data).hexdigest()},
        "options": options.as_json(),
        "quantization": quantization_figures(arithmetic),
        "accuracy": accuracy,
        "gates": _gates(arithmetic, accuracy, min_sqnr_db, max_drop),
        "notes": list(arithmetic.notes),
        "onnx": None if out is None else out.name,
    }
    if out is not None:
        _write(out, export_onnx(made.qdq, numerics=options.numerics).SerializeToString())
    return document


def _gates(
    arithmetic: Arithmetic, accuracy: Json | None, min_sqnr_db: float | None, max_drop: float | None
) -> list[Json]:
    assert arithmetic.document is not None
    found = []
    if min_sqnr_db is not None:
        value = arithmetic.document["output_sqnr_db"]
        passed = value is not None and value >= min_sqnr_db
        found.append({"gate": "min-sqnr", "limit": min_sqnr_db, "value": value, "passed": passed})
    if max_drop is not None:
        if accuracy is None:
            raise ModelError(
                "E109", "option max-drop needs --labels", help="give an .npz with x and y"
            )
        value = accuracy["drop_points"]
        passed = value <= max_drop
        found.append({"gate": "max-drop", "limit": max_drop, "value": value, "passed": passed})
    return found


def _write(out: Path, data: bytes) -> None:
    """A whole file or none."""
    try:
        with tempfile.NamedTemporaryFile(dir=out.absolute().parent, delete=False) as file:
            file.write(data)
        Path(file.name).chmod(0o644)
        Path(file.name).replace(out)
    except OSError as error:
        raise ModelError("E107", f"cannot write {out}", why=error.strerror or str(error)) from error
