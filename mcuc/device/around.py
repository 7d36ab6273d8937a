"""Runs the C around a model: on this machine for data of users, on emulated boards for tests.

Twin of boards/common/around.c, which describes the files.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device import host, qemu
from mcuc.device.board import Board
from mcuc.device.elf import read_elf
from mcuc.device.firmware import HarnessConfig, Program, port_files, write_board_files
from mcuc.device.toolchain import (
    Options,
    Source,
    Toolchain,
    compile_objects,
    find_toolchain,
    link,
)
from mcuc.errors import DeviceError

BEFORE, BEHIND = 0, 1
_HEAD = struct.Struct("<IQ")
_UNKNOWN = (1 << 64) - 1
_NAMES = ("request.bin", "response.bin")


@dataclass(frozen=True)
class Answer:
    """What a call gave.

    Attributes:
        data: The result.
        instructions: In the board's counter unit; None where nothing counts.
    """

    data: bytes
    instructions: int | None


def call_around(
    files: Mapping[str, str],
    calls: Sequence[tuple[int, bytes]],
    response_bytes: int,
    *,
    board: Board | None = None,
    optimize: str = "balanced",
    timeout_s: float = 600.0,
    compiler: Toolchain | None = None,
) -> list[Answer]:
    """Results of calls, in order.

    Args:
        files: Path -> text of the sources; all `.c` files are compiled.
        calls: `BEFORE` or `BEHIND`, and the data.
        response_bytes: Of the largest result.
        board: An emulated one; None = this machine, under sanitizers.
        optimize: What the compiler optimises for.
        timeout_s: For all calls together.
        compiler: Default: the best one installed.

    Raises:
        ToolchainError: no compiler, or it failed. DeviceError: E616 a damaged response, or a fault.
    """
    with tempfile.TemporaryDirectory(prefix="mcuc-around-") as temporary:
        folder = Path(temporary)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        sizes = {
            "MCUC_AROUND_REQUEST_BYTES": f"{max([16, *(len(data) for _, data in calls)])}u",
            "MCUC_AROUND_RESPONSE_BYTES": f"{max(16, response_bytes)}u",
        }
        sources = [folder / name for name in files if name.endswith(".c")]
        program = _build(sources, sizes, folder, board, optimize, compiler)
        with (folder / _NAMES[0]).open("wb") as request:
            request.write(struct.pack("<I", len(calls)))
            for kind, data in calls:
                request.write(struct.pack("<2I", kind, len(data)))
                request.write(data)
        execute = host.execute if board is None else qemu.execute
        execute(program, _NAMES, folder, timeout_s)
        return _decode((folder / _NAMES[1]).read_bytes(), len(calls))


def _build(
    sources: Sequence[Path],
    sizes: Mapping[str, str],
    folder: Path,
    board: Board | None,
    optimize: str,
    compiler: Toolchain | None,
) -> Program:
    toolchain = compiler or find_toolchain(board)
    common = data_dir("boards") / "common"
    config = HarnessConfig(region_bytes=())
    out = folder / "build"
    out.mkdir()
    script = None if board is None else write_board_files(board, config, out)
    options = Options(
        optimize=optimize,
        include_dirs=(
            folder,
            out,
            common,
            data_dir("runtime_c") / "include",
            data_dir("runtime_c"),
        ),
        defines=sizes,
        sanitize=board is None,
    )
    own = [Source(common / name) for name in ("around.c", *port_files(board, uart=False))]
    objects = compile_objects(toolchain, board, [*map(Source, sources), *own], options, out / "o")
    path = link(toolchain, board, objects, out / "around.elf", script=script, options=options)
    return Program(path, board, config, toolchain, tuple(objects), read_elf(path))


def _decode(response: bytes, count: int) -> list[Answer]:
    results, place = [], 0
    for _ in range(count):
        if place + _HEAD.size > len(response):
            break
        size, units = _HEAD.unpack_from(response, place)
        place += _HEAD.size
        known = None if units == _UNKNOWN else units
        results.append(Answer(response[place : place + size], known))
        place += size
    if len(results) != count or place != len(response):
        raise DeviceError("E616", "the response of the program around the model is damaged")
    return results
