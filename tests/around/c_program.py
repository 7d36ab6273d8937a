"""A C file of this folder, built once under sanitizers, and run on a file of cases."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.toolchain import Options, Source, compile_objects, find_toolchain, link

HERE = Path(__file__).parent
_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


@functools.cache
def program(name: str) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="mcuc-test-")
    _FOLDERS.append(folder)  # lives as long as the process
    out = Path(folder.name)
    runtime = data_dir("runtime_c")
    options = Options(include_dirs=(runtime, runtime / "include"), sanitize=True)
    toolchain = find_toolchain(None)
    objects = compile_objects(toolchain, None, [Source(HERE / name)], options, out)
    return link(toolchain, None, objects, out / "program", options=options)


def run(name: str, request: bytes) -> bytes:
    """The response of the program to a request."""
    with tempfile.TemporaryDirectory(prefix="mcuc-test-") as temporary:
        folder = Path(temporary)
        (folder / "in").write_bytes(request)
        words = [str(program(name)), "in", "out"]
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, timeout=120, env=environment
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return (folder / "out").read_bytes()
