"""PlatformIO projects are built for real, offline, for every board that PlatformIO knows.

Also B110: nothing but the project's own files is needed, and no path is long.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.compile import Compiled, compile_model
from mcuc.data import data_dir
from mcuc.device.boards import list_boards, load_board
from mcuc.device.elf import read_elf
from mcuc.device.qemu import find_qemu
from mcuc.device.startup import WAIT
from mcuc.ops.interpret import run_reference
from tests.support.command import mcuc
from tests.support.models import DIGITS
from tests.support.platformio_local import MISSING, environment, run_pio, take_local, write_platform

pytestmark = [
    pytest.mark.arm_gcc,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
BOARDS = [name for name in list_boards() if load_board(name).platformio]


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pio")
    write_platform(folder)
    return folder


def test_a_program_of_the_user_can_use_the_serial_port(tmp_path: Path, offline: Path) -> None:
    """Of a board whose port is an LPUART; what is not used takes no flash (see above)."""
    out = tmp_path / "out"
    compile_model(DIGITS, board="nucleo_l4r5zi", out=out, schedule="layer")
    main = (out / "src" / "main.c").read_text("utf-8")
    main = '#include "uart.h"\n' + main.replace("{\n", "{\n  mcuc_uart_open();\n", 1)
    (out / "src" / "main.c").write_text(main, "utf-8")
    take_local(out, offline / "platform")
    done = run_pio(out, offline, "run")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    elf = read_elf(out / ".pio" / "build" / "nucleo_l4r5zi" / "firmware.elf")
    assert "mcuc_uart_open" in {symbol.name for symbol in elf.symbols}


_OPENOCD = """\
#!/bin/sh
for word in "$@"; do echo "<$word>"; done >> "{log}"
echo "--" >> "{log}"
if grep -q connect_assert_srst "{log}"; then echo "** Verified OK **"; exit 0; fi
echo "Error: init mode failed (unable to connect to the target)"
exit 1
"""


def test_flash_reaches_the_programmer_with_its_flags(
    tmp_path: Path, offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real PlatformIO, and an OpenOCD that finds the chip only under reset."""
    out, log = tmp_path / "out", tmp_path / "log"
    compile_model(DIGITS, board="nucleo_f446re", out=out, schedule="layer")
    take_local(out, offline / "platform")
    (tmp_path / "bin").mkdir()
    for name, text in (
        ("openocd", _OPENOCD.format(log=log)),
        ("pio", f'#!/bin/sh\nexec "{sys.executable}" -m platformio "$@"\n'),
    ):
        (tmp_path / "bin" / name).write_text(text, "utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    for key, value in environment(offline).items():
        monkeypatch.setenv(key, value)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("mcuc.lab.flash.list_ports", lambda: ())
    outcome = mcuc("flash", out, "--json")
    assert outcome.code == 0, outcome.out
    assert outcome.document["attempts"] == 2
    first, second = log.read_text("utf-8").split("--\n")[:2]
    program = "<program {.pio/build/nucleo_f446re/firmware.elf} verify reset>\n"
    assert first.endswith(program) and "srst" not in first
    reset = "<-c>\n<reset_config srst_only srst_nogate connect_assert_srst>\n"
    assert second == reset + first
    # Another program, by the same way: what `mcuc verify --upload` calls.
    other = tmp_path / "other.elf"
    shutil.copy(out / ".pio" / "build" / "nucleo_f446re" / "firmware.elf", other)
    assert mcuc("flash", out, "--elf", other).code == 0
    assert log.read_text("utf-8").split("--\n")[2] == first
    assert mcuc("flash", out, "--elf", tmp_path / "no.elf", "--json").error["code"] == "E108"


def built(name: str, out: Path, offline: Path) -> tuple[Compiled, Path, str]:
    compiled = compile_model(DIGITS, board=name, out=out, schedule="layer")
    take_local(out, offline / "platform")
    done = run_pio(out, offline, "run")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "warning:" not in done.stdout + done.stderr
    return compiled, out / ".pio" / "build" / name / "firmware.elf", done.stdout


@pytest.mark.parametrize("name", BOARDS)
def test_pio_run_gives_what_the_report_predicted(name: str, tmp_path: Path, offline: Path) -> None:
    compiled, path, printed = built(name, tmp_path / "out", offline)
    board, elf, report = load_board(name), read_elf(path), compiled.report
    sections = {s.name: s for s in elf.sections}
    arena = [s for n, s in sections.items() if n.startswith(".mcuc_ram_")]
    assert sum(s.size_bytes for s in arena) == report["memory"]["arena_bytes"]
    tables = [s for s in elf.symbols if re.fullmatch(r"digits_int8_data_\d+", s.name)]
    assert sum(s.size_bytes for s in tables) == report["flash"]["weights_bytes"]
    image = path.with_suffix(".bin").stat().st_size
    code = image - report["flash"]["weights_bytes"]
    assert abs(code - report["flash"]["code_bytes"]) <= 0.02 * report["flash"]["code_bytes"]
    # What `pio run` prints of RAM and flash is that, too, and of the memory that the board has.
    used = dict(re.findall(r"(RAM|Flash): .*used (\d+ bytes from \d+) bytes", printed))
    ram = report["memory"]["arena_bytes"] + report["memory"]["static_bytes"]
    assert used["RAM"] == f"{ram} bytes from {sum(r.size_bytes for r in board.target.regions)}"
    assert used["Flash"].endswith(f" from {board.flash.size_bytes}")
    assert abs(int(used["Flash"].split()[0]) - image) <= 32  # alignment between sections
    vectors = sections[".vectors"]
    assert vectors.address == board.flash.address and vectors.size_bytes == 64
    for section in arena:
        region = board.region(section.name.removeprefix(".mcuc_ram_"))
        assert region.address <= section.address
        assert section.address + section.size_bytes <= region.address + region.size_bytes
    assert sections[".stack"].size_bytes == board.stack_bytes + 512


_PROGRAM = """\
#include "digits_int8.h"
#include "uart.h"

static void put(const void *data, unsigned count)
{
  const uint8_t *bytes = data;
  for (; count > 0; --count) {
    mcuc_uart_put(*bytes++);
  }
}

int main(void)
{
  int8_t *image = digits_int8_input(&digits_int8_static);
  uint8_t state[2];
  int i;
  for (i = 0; i < DIGITS_INT8_INPUT_ELEMENTS; ++i) {
    image[i] = (int8_t)(i * 37 % 256 - 128);
  }
  state[0] = (uint8_t)digits_int8_run(&digits_int8_static);
  state[1] = (uint8_t)mcuc_clock_failed;
  mcuc_uart_open();
  put("mcuc", 4);
  put(state, 2);
  put(digits_int8_output(&digits_int8_static), DIGITS_INT8_OUTPUT_ELEMENTS);
  for (;;) {
  }
}
"""


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("name", "machine"),
    [
        ("qemu_f405", "netduinoplus2"),
        ("qemu_m7", "mps2-an500"),
        ("qemu_m33", "mps2-an505"),
        ("qemu_m55", "mps3-an547"),
        ("black_f407ve", "netduinoplus2"),
    ],
)
def test_what_pio_built_runs(name: str, machine: str, tmp_path: Path, offline: Path) -> None:
    """The program of a real board, too: the emulated part has no PLL, so that its start-up gives up
    on the clock, and runs all the same."""
    text = (data_dir("boards") / name / "board.toml").read_text("utf-8")
    if "[platformio]" not in text:
        text += f'\n[platformio]\nboard = "{name}"\nprotocols = ["custom"]\n'
    (tmp_path / "board.toml").write_text(text, "utf-8")
    out = tmp_path / "out"
    made = compile_model(DIGITS, board=str(tmp_path / "board.toml"), out=out, schedule="layer")
    (out / "src" / "main.c").write_text(_PROGRAM, "utf-8")
    take_local(out, offline / "platform")
    done = run_pio(out, offline, "run")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    got = _printed(machine, out / ".pio" / "build" / name / "firmware.elf", 16)
    elements = np.arange(64) * 37 % 256 - 128
    vector = elements.astype(np.int8).reshape(1, 8, 8, 1)
    (want,) = run_reference(made.lowered.whole, [vector], made.options.numerics)
    gave_up = next((i for i, s in enumerate(made.board.startup.steps) if s.kind == WAIT), -1) + 1
    assert got == b"mcuc" + bytes([0, gave_up]) + want.tobytes()


def _printed(machine: str, program: Path, count: int) -> bytes:
    """The first bytes that a program sends by the machine's first serial port."""
    command = [
        find_qemu(),
        "-M",
        machine,
        "-display",
        "none",
        "-monitor",
        "none",
        "-serial",
        "stdio",
        "-kernel",
        str(program),
    ]
    got, end = b"", time.monotonic() + 30.0
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        try:
            while len(got) < count and time.monotonic() < end:
                if select.select([running.stdout], [], [], 1.0)[0]:
                    got += os.read(running.stdout.fileno(), count - len(got))
        finally:
            running.kill()
    return got
