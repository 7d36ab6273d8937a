"""A hash of everything that the measured figures depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from benchmarks.models import ROOT

_FOLDERS = ("benchmarks", "boards", "codegen", "mcuc", "runtime_c")
_SUFFIXES = {".py", ".c", ".h", ".in", ".j2", ".json", ".toml"}
# What only shows results, the texts of commands, and what int8 `.tflite` models in emulation do not
# pass through: other files, quantization, what stands around a model, real boards.
_NO_INFLUENCE = (
    "benchmarks/accuracy.py",
    "benchmarks/onnx_",
    "benchmarks/results/",
    "benchmarks/tables.py",
    "mcuc/around/",
    "mcuc/build/evidence.py",
    "mcuc/build/flash.py",
    "mcuc/build/hil.py",
    "mcuc/build/misra.py",
    "mcuc/build/sbom.py",
    "mcuc/cli/",
    "mcuc/device/flash_advice.py",
    "mcuc/device/platformio.py",
    "mcuc/device/serial_ports.py",
    "mcuc/frontends/onnx/",
    "mcuc/quant/",
    "mcuc/report/figures",
    "mcuc/report/html",
    "mcuc/report/templates/",
    "mcuc/report/text",
)


def source_files(root: Path = ROOT) -> Iterator[Path]:
    """The files, sorted by their path below the root."""
    found = {
        path.relative_to(root).as_posix(): path
        for folder in _FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in _SUFFIXES and path.is_file()
    }
    for name in sorted(found):
        if not name.startswith(_NO_INFLUENCE):
            yield found[name]


def sources_sha256(root: Path = ROOT) -> str:
    """SHA-256 over names and contents; line endings do not count."""
    digest = hashlib.sha256()
    for path in source_files(root):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        name = path.relative_to(root).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
