"""Where a model can run: numpy reference, this machine, the board's emulator, the board itself."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcuc.compiler.bench import build_bench, run_bench
from mcuc.compiler.compile import Compiled
from mcuc.device import firmware, remote
from mcuc.device.board import Board
from mcuc.device.harness import RunRecord
from mcuc.device.serial_ports import choose, list_ports
from mcuc.device.toolchain import run_tool
from mcuc.errors import DeviceError, ModelError
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from mcuc.report.document import Json

PLACES = ("reference", "host", "qemu", "board")
UPLOAD_TIMEOUT_S = 300.0


@dataclass(frozen=True)
class Access:
    """How the host reaches a device.

    Attributes:
        transport: Of the emulator: "semihosting" (files of the host, fast) or "uart" (the board's
            serial port, as on hardware).
        port: Of the board: a serial port, or tcp://HOST:PORT.
        upload: Command line that flashes the board, with {elf} and {port}; "" = the firmware is
            there already.
    """

    transport: str = "semihosting"
    port: str = ""
    upload: str = ""


@dataclass(frozen=True)
class Bench:
    """A model built for one place, with and without traces.

    With a serial port there is one program for both: a board is flashed once. Its counts of whole
    runs hold what the hooks of the trace take, some instructions for every call of a step.
    """

    compiled: Compiled
    place: str
    folder: Path
    board: Board | None
    access: Access = Access()
    _programs: dict[bool, firmware.Program] = field(default_factory=dict)

    def run(
        self,
        vectors: Sequence[Sequence[Array]],
        *,
        trace: bool = False,
        thorough: bool = False,
        watch: tuple[int, int] = (-1, 0),
    ) -> list[RunRecord]:
        """Runs vectors; with `thorough` every one twice in a row on two differently filled arenas.

        Records are in the order vector, fill, run.
        """
        unit = self.compiled.unit
        records = run_bench(
            self.program(trace),
            [unit],
            [vectors],
            runs=2 if thorough else 1,
            poisons=(0x55, 0xAA) if thorough else (0x55,),
            trace=trace,
            watch=watch,
            timeout_s=self._timeout_s(len(vectors) * (4 if thorough else 1)),
            run_s=self._timeout_s(1),
            port=self._port,
        )
        failed = [record.code for record in records[0] if record.code != 0]
        if failed:
            raise DeviceError("E619", f"the model's run function returned {failed[0]}")
        return records[0]

    def device(self) -> Json | None:
        """What a device with a serial port says of itself, for the report."""
        if not self.serial:
            return None
        identity = remote.describe(self.program(True), self._port)
        return {
            "board": identity.board,
            "clock_hz": identity.clock_hz or None,
            "compiler": identity.compiler,
            "flags": identity.flags,
            "instruction_cache": identity.icache,
            "data_cache": identity.dcache,
            "doubts": list(identity.doubts(self.compiled.board.core)),
        }

    @property
    def _port(self) -> str:
        return self.access.port if self.place == "board" else ""

    @property
    def serial(self) -> bool:
        """Whether the device is reached by its serial port."""
        return self.place == "board" or (self.place == "qemu" and self.access.transport == "uart")

    def program(self, trace: bool) -> firmware.Program:
        """The test program, built when it is first wanted; for a board also flashed."""
        traced = trace or self.serial
        if traced not in self._programs:
            made = build_bench(
                [self.compiled.unit],
                self.folder / f"{self.place}_{'trace' if traced else 'plain'}",
                self.board,
                optimize=self.compiled.options.optimize,
                trace=traced,
                sanitize=self.board is None,
                transport="uart" if self.serial else "semihosting",
            )
            if self.place == "board" and self.access.upload:
                words = {"{elf}": str(made.path), "{port}": self.access.port}
                upload(self.access.upload, words)
            self._programs[traced] = made
        return self._programs[traced]

    def _timeout_s(self, runs: int) -> float:
        """Generous: a hang must end, a slow machine must not look like one."""
        macs = int(self.compiled.report["macs"]["executed"])
        return 60.0 + runs * (2.0 + macs / 2e6)


def upload(command: str, words: Mapping[str, str]) -> None:
    """Flashes a board with a user's command, in which `words` are filled in.

    Raises:
        ModelError: E109 unbalanced quotes.
        ToolchainError: E501 no such program, E505 too slow, E507 with its words.
    """
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise ModelError("E109", f"option upload: {error}", why=command) from error
    for name, value in words.items():
        parts = [part.replace(name, value) for part in parts]
    run_tool(parts, UPLOAD_TIMEOUT_S)


@contextmanager
def bench(compiled: Compiled, place: str, access: Access | None = None) -> Iterator[Bench]:
    """The model on the host, its board's emulator or its board; its files vanish afterwards.

    Raises:
        ModelError: E109 for another place, or a board without a port.
        DeviceError: E604 for a board that is not emulated.
    """
    access = access or Access()
    if place not in PLACES[1:]:
        raise ModelError("E109", f"{place!r} is not a place to run: {', '.join(PLACES)}")
    if place == "qemu" and compiled.board.emulator is None:
        raise DeviceError(
            "E604",
            f"{compiled.board.id} is real hardware, which has no emulator",
            help="--on board --port PORT runs it there, --on host the same C here; `mcuc boards` "
            "lists emulated boards of each core",
        )
    if place == "board" and not access.port:
        access = replace(access, port=_found_port(compiled.board))
    with tempfile.TemporaryDirectory(prefix="mcuc-bench-") as folder:
        board = None if place == "host" else compiled.board
        yield Bench(compiled, place, Path(folder), board, access)


def _found_port(board: Board) -> str:
    """The serial port of the only probe that is plugged in.

    Raises:
        ModelError: E109 when there is none. ToolchainError: E552 when there are several.
    """
    kind = board.platformio.protocols[0] if board.platformio else "stlink"
    found = choose(list_ports(), kind, None)
    if found is None:
        raise ModelError(
            "E109",
            "a board is reached by its serial port, and none is given or found",
            why=f"no {kind} is plugged in",
            help="add --port, for example --port /dev/ttyACM0",
        )
    return found.device


def outputs_on(
    compiled: Compiled,
    place: str,
    vectors: Sequence[Sequence[Array]],
    access: Access | None = None,
) -> list[list[Array]]:
    """The outputs of each vector, run once."""
    if place == "reference":
        graph, numerics = compiled.lowered.whole, compiled.options.numerics
        memory: dict[int, Array] = {}
        return [run_reference(graph, vector, numerics, memory=memory) for vector in vectors]
    with bench(compiled, place, access) as made:
        return [compiled.unit.decode(record.outputs) for record in made.run(vectors)]
