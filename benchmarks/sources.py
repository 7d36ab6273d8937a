"""A hash of everything that measured figures depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from benchmarks.models import ROOT

_FOLDERS = ("benchmarks", "boards", "codegen", "mcuc", "runtime_c")
_SUFFIXES = {".py", ".c", ".h", ".in", ".j2", ".json", ".toml"}
# What only shows results, the texts of commands, and what int8 `.tflite` models in emulation do not
# pass through: other files, quantization, what stands around a model, real boards.
_NO_INFLUENCE = (
    "benchmarks/accuracy.py",
    "benchmarks/choice.py",
    "benchmarks/form",
    "benchmarks/memory.py",
    "benchmarks/onnx_",
    "benchmarks/results/",
    "benchmarks/tables.py",
    "mcuc/around/",
    "mcuc/cli/",
    "mcuc/device/flash_advice.py",
    "mcuc/device/platformio.py",
    "mcuc/device/serial_ports.py",
    "mcuc/evidence/",
    "mcuc/frontends/onnx/",
    "mcuc/lab/",
    "mcuc/quant/",
    "mcuc/report/figures",
    "mcuc/report/html",
    "mcuc/report/templates/",
    "mcuc/report/text",
)


# What a float or ONNX model passes through beside that: of the files without influence, and alone
# on the way to integers and through their reference.
_ONNX = ("mcuc/frontends/onnx/", "mcuc/quant/")
_RUN = ("boards/", "mcuc/device/", "mcuc/compiler/bench.py")
_REFERENCE = (
    *("mcuc/proof/float_accuracy.py", "mcuc/compiler/quantize.py", "mcuc/inputs/samples.py"),
    *(f"mcuc/{folder}/" for folder in ("frontends", "ir", "numerics", "ops", "passes", "quant")),
)


def source_files(root: Path = ROOT) -> list[Path]:
    """The files that figures of int8 `.tflite` models depend on."""
    return [p for name, p in _all_files(root).items() if not name.startswith(_NO_INFLUENCE)]


def form_source_files(root: Path = ROOT) -> list[Path]:
    """The files that figures of `.tflite` models of all forms depend on."""
    files = _all_files(root).items()
    return source_files(root) + [p for name, p in files if name.startswith("benchmarks/form")]


def run_source_files(root: Path = ROOT) -> list[Path]:
    """The files that a run depends on beside the C of a model."""
    return [path for name, path in _all_files(root).items() if name.startswith(_RUN)]


def onnx_source_files(root: Path = ROOT) -> list[Path]:
    """The files that figures of `.onnx` models depend on."""
    files = _all_files(root).items()
    return source_files(root) + [path for name, path in files if name.startswith(_ONNX)]


def reference_source_files(root: Path = ROOT) -> list[Path]:
    """The files that results of the reference depend on, of models quantized here."""
    return [path for name, path in _all_files(root).items() if name.startswith(_REFERENCE)]


def _all_files(root: Path) -> dict[str, Path]:
    """By their path below the root."""
    return {
        path.relative_to(root).as_posix(): path
        for folder in _FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in _SUFFIXES and path.is_file()
    }


def sources_sha256(files: Iterable[Path] | None = None, root: Path = ROOT) -> str:
    """SHA-256 over names and contents, sorted by name; line endings do not count.

    Args:
        files: What counts; without them `source_files`.
        root: What the names are relative to.
    """
    digest = hashlib.sha256()
    counted = source_files(root) if files is None else files
    for name, path in sorted((p.relative_to(root).as_posix(), p) for p in counted):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
