"""Where a compiled model can run: numpy reference, this machine, the board's emulator."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcuc.build.bench import build_bench, run_bench
from mcuc.build.compile import Compiled
from mcuc.device import firmware
from mcuc.device.boards import Board
from mcuc.device.harness import RunRecord
from mcuc.errors import DeviceError, ModelError
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference

PLACES = ("reference", "host", "qemu")


@dataclass(frozen=True)
class Bench:
    """A model built for one place, with and without traces."""

    compiled: Compiled
    place: str
    folder: Path
    board: Board | None

    def run(
        self, vectors: Sequence[Sequence[Array]], *, trace: bool = False, thorough: bool = False
    ) -> list[RunRecord]:
        """Runs vectors; with `thorough` every one twice in a row on two differently filled arenas.

        Records are in the order vector, fill, run.
        """
        unit = self.compiled.unit
        records = run_bench(
            self._program(trace),
            [unit],
            [vectors],
            runs=2 if thorough else 1,
            poisons=(0x55, 0xAA) if thorough else (0x55,),
            trace=trace,
            timeout_s=self._timeout_s(len(vectors) * (4 if thorough else 1)),
        )
        failed = [record.code for record in records[0] if record.code != 0]
        if failed:
            raise DeviceError("E619", f"the model's run function returned {failed[0]}")
        return records[0]

    def _program(self, trace: bool) -> firmware.Program:
        return build_bench(
            [self.compiled.unit],
            self.folder / f"{self.place}_{'trace' if trace else 'plain'}",
            self.board,
            optimize=self.compiled.options.optimize,
            trace=trace,
            sanitize=self.board is None,
        )

    def _timeout_s(self, runs: int) -> float:
        """Generous: a hang must end, a slow machine must not look like one."""
        macs = int(self.compiled.report["macs"]["executed"])
        return 60.0 + runs * (2.0 + macs / 2e6)


@contextmanager
def bench(compiled: Compiled, place: str) -> Iterator[Bench]:
    """The model on the host or on its board's emulator; its files vanish afterwards.

    Raises:
        ModelError: E109 for another place. DeviceError: E604 for a board that is not emulated.
    """
    if place not in PLACES[1:]:
        raise ModelError("E109", f"{place!r} is not a place to run: {', '.join(PLACES)}")
    if place == "qemu" and compiled.board.emulator is None:
        raise DeviceError(
            "E604",
            f"{compiled.board.id} is real hardware, which this version does not reach",
            help="--on host runs the same C here; `mcuc boards` lists emulated boards of each core",
        )
    with tempfile.TemporaryDirectory(prefix="mcuc-bench-") as folder:
        yield Bench(compiled, place, Path(folder), compiled.board if place == "qemu" else None)


def outputs_on(
    compiled: Compiled, place: str, vectors: Sequence[Sequence[Array]]
) -> list[list[Array]]:
    """The outputs of each vector, run once."""
    if place == "reference":
        graph, numerics = compiled.lowered.whole, compiled.options.numerics
        memory: dict[int, Array] = {}
        return [run_reference(graph, vector, numerics, memory=memory) for vector in vectors]
    with bench(compiled, place) as made:
        return [compiled.unit.decode(record.outputs) for record in made.run(vectors)]
