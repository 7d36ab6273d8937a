"""Which files a compilation writes, and where: the form of the project and the board's files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mcuc.data import data_dir
from mcuc.device.application import STARTUP_FILES, Application, build_application
from mcuc.device.board import Board
from mcuc.device.board_files import board_header, linker_script
from mcuc.device.toolchain import BASE_FLAGS, OPTIMIZE
from mcuc.errors import BoardError
from mcuc_codegen.forms import EXAMPLE, BoardView, form_files
from mcuc_codegen.project import Project


def forms_for(asked: Sequence[str], board: Board) -> tuple[str, ...]:
    """The forms of a project: those asked for; else PlatformIO where it knows the board.

    Raises:
        BoardError: E605 for a form that the board cannot have.
    """
    if not asked:
        return ("platformio",) if board.platformio else ("plain",)
    known = board.platformio
    if "platformio" in asked and known is None:
        why, other = "PlatformIO does not know the board", "cmake or plain"
    elif "stm32cube" in asked and not (known and known.framework):
        why, other = "PlatformIO has no STM32Cube for the board", "platformio, cmake or plain"
    else:
        return tuple(asked)
    raise BoardError(
        "E605",
        f"board {board.id} cannot be a {' and '.join(asked)} project",
        why=why,
        help=f"take --project {other}",
    )


def project_files(
    project: Project, forms: Sequence[str], board: Board, optimize: str, model_file: str
) -> dict[str, str]:
    """Path -> text of what the forms add to the generated C."""
    return form_files(project, forms, _view(board, optimize), model_file)


def build_project(project: Project, board: Board, optimize: str, folder: Path) -> Application:
    """Writes a project's C into a folder and links it with its example as the program.

    Raises:
        ToolchainError: E501, E503, E504, E506.
    """
    for path, text in project.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    also = project.around.functions if project.around else ()
    return build_application(
        folder, sources_of(project), project.run_function, board, also=also, optimize=optimize
    )


def sources_of(project: Project) -> tuple[str, ...]:
    """The C files that are compiled, in the order in which they are linked."""
    names = [f"{project.name}.c", f"{project.name}_arena.c", EXAMPLE]
    return (*names, *([f"{project.name}_around.c"] if project.around else ()))


def _view(board: Board, optimize: str) -> BoardView:
    common = data_dir("boards") / "common"
    regions = [region.name for region in board.target.regions]
    # The serial port is there for the user's program; unused, it is not linked.
    kind = "stm32_v2" if board.uart.kind == "stm32_lpuart" else board.uart.kind
    names = (*STARTUP_FILES, "startup.h", "uart.h", f"uart_{kind}.c")
    files = {name: (common / name).read_text(encoding="utf-8") for name in names}
    files["mcuc_board.h"] = board_header(board)
    files["firmware.ld"] = linker_script(board, regions)
    clock = board.clock
    return BoardView(
        id=board.id,
        description=board.description,
        clock=f"{clock.hz / 1e6:g} MHz ({clock.origin})" if clock else "the emulator's",
        baud=board.uart.baud,
        flash_bytes=board.target.flash_bytes,
        ram_bytes=sum(region.size_bytes for region in board.target.regions),
        pio_board=board.platformio.board if board.platformio else "",
        protocols=board.platformio.protocols if board.platformio else (),
        core_flags=board.gcc_flags,
        flags_beyond_core=BASE_FLAGS,
        optimize=OPTIMIZE[optimize],
        files=files,
    )
