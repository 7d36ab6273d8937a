"""Runs of test programs and of TFLite's interpreter, kept until something they depend on changes.

A run is known by a hash of all that decides its result: the C of the models, the harness and how it
is built, compiler and emulator, what is run how, and the bytes of the inputs. What a sweep makes of
the results is not kept, so that a change of its rules, or of a part of the compiler that leaves a
model's C as it was, costs neither a compilation nor an emulation.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import pickle
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.models import ROOT
from benchmarks.sources import run_source_files, sources_sha256
from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.device import tflite_oracle
from mcuc.device.board import Board
from mcuc.device.harness import RunRecord
from mcuc.device.qemu import find_qemu
from mcuc.device.toolchain import find_toolchain, version
from mcuc.ir.graph import Array
from mcuc_codegen.project import harness_glue

CACHE = ROOT / ".cache" / "runs"
TIMEOUT_S = 1800.0
Vectors = Sequence[Sequence[Array]]
_T = TypeVar("_T")


def run(
    units: Sequence[Unit],
    board: Board | None,
    vectors: Vectors,
    *,
    runs: int = 1,
    poisons: Sequence[int] = (0x55,),
    sanitize: bool = False,
    merge: bool = False,
) -> list[list[RunRecord]]:
    """Builds units as one program and runs the same sets of inputs on each; see `run_bench`."""

    def made() -> list[list[RunRecord]]:
        with tempfile.TemporaryDirectory(prefix="mcuc-sweep-") as folder:
            bench = build_bench(units, Path(folder), board, sanitize=sanitize, merge=merge)
            each = [vectors] * len(units)
            return run_bench(bench, units, each, runs=runs, poisons=poisons, timeout_s=TIMEOUT_S)

    how = (runs, tuple(poisons), sanitize, merge, board and board.id)
    tools = (version(find_toolchain(board)), board and emulator())
    files = [item for unit in units for pair in sorted(unit.project.files.items()) for item in pair]
    parts = (repr((_harness(), how, tools)), harness_glue([u.project for u in units]), *files)
    return _kept("run", (*parts, *_bytes(vectors)), made)


def run_tflite(model: bytes, vectors: Vectors) -> list[list[Array]]:
    """The interpreter's outputs; see `mcuc.device.tflite_oracle`.

    Raises:
        OracleError: It refuses the model; that is found out anew every time.
    """
    tool = importlib.metadata.version("ai-edge-litert")
    return _kept(
        "tflite",
        (repr((_harness(), tool)), model, *_bytes(vectors)),
        lambda: tflite_oracle.run_tflite(model, vectors, timeout_s=TIMEOUT_S),
    )


@functools.cache
def emulator() -> str:
    """First line of the emulator's own version text."""
    told = subprocess.run([find_qemu(), "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0]


@functools.cache
def _harness() -> str:
    return sources_sha256(run_source_files())


def _bytes(vectors: Vectors) -> Iterable[str | bytes]:
    for vector in vectors:
        for array in vector:
            yield f"{array.dtype}{array.shape}"
            yield np.ascontiguousarray(array).tobytes()


def _kept(kind: str, parts: Iterable[str | bytes], make: Callable[[], _T]) -> _T:
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(content)}\0".encode() + content)
    file = CACHE / kind / digest.hexdigest()
    if file.is_file():
        known: _T = pickle.loads(zlib.decompress(file.read_bytes()))
        return known
    found = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    # put there under its name when whole: several processes write, and a sweep may be stopped
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as partial:
        partial.write(zlib.compress(pickle.dumps(found), 1))
    Path(partial.name).replace(file)
    return found
