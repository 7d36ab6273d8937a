"""The project around a model's C: PlatformIO, CMake, Arduino library, Zephyr module, or none.

All forms share one layout, so that several can stand in one folder:

    src/main.c         the user's program
    lib/<model>/src/   the model; lib/<model>/ is the library of every build system
    board/             start-up, clock and linker script
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcuc.version import __version__
from mcuc_codegen.project import Project, environment

FORMS = ("plain", "platformio", "stm32cube", "cmake", "arduino", "zephyr")
_FIRMWARE_FORMS = {"platformio", "cmake"}
EXAMPLE = "example_main.c"
_EXAMPLE_FUNCTION = "int mcuc_example_main(void)"

# What the user edits: kept when it was changed (mcuc/compiler/output.py).
USER_FILES = ("platformio.ini", "CMakeLists.txt", "README.md", "src/main.c")


@dataclass(frozen=True)
class BoardView:
    """What project files say of a board.

    Attributes:
        id, description, clock, baud: For people.
        flash_bytes, ram_bytes: Of all its memories.
        pio_board, protocols: As PlatformIO calls them.
        core_flags: Of the core, for compiler and linker.
        flags_beyond_core: Other flags that matter to sizes and results.
        optimize: "-O2" or another.
        files: Text by name of everything that belongs into board/.
    """

    id: str
    description: str
    clock: str
    baud: int
    flash_bytes: int
    ram_bytes: int
    pio_board: str
    protocols: Sequence[str]
    core_flags: Sequence[str]
    flags_beyond_core: Sequence[str]
    optimize: str
    files: Mapping[str, str]

    @property
    def flags(self) -> list[str]:
        return [*self.core_flags, *self.flags_beyond_core]

    @property
    def sources(self) -> list[str]:
        return sorted(name for name in self.files if name.endswith(".c"))


def place(path: str, name: str, forms: Sequence[str]) -> str:
    """Where a generated C file lies in the output folder.

    Args:
        path: As `Project.files` calls it.
        name: Of the model.
        forms: Of the project.
    """
    if set(forms) <= {"plain"}:
        return path
    return "src/main.c" if path == EXAMPLE else f"lib/{name}/src/{path}"


def form_files(
    project: Project, forms: Sequence[str], board: BoardView, model_file: str
) -> dict[str, str]:
    """Path -> text of the files that the forms add to the C."""
    if set(forms) <= {"plain"}:
        return {}
    name, lib = project.name, f"lib/{project.name}"
    cube = "stm32cube" in forms
    wanted: dict[str, str] = {"README.md": "README.md.j2"}
    if cube or "platformio" in forms:
        wanted["platformio.ini"] = "platformio.ini.j2"
        wanted[f"{lib}/library.json"] = "library.json.j2"
        wanted[f"{lib if cube else 'board'}/core_flags.py"] = "core_flags.py.j2"
    if "cmake" in forms:
        wanted["CMakeLists.txt"] = "CMakeLists.txt.j2"
        wanted["board/toolchain.cmake"] = "toolchain.cmake.j2"
        wanted[f"{lib}/CMakeLists.txt"] = "library_cmake.txt.j2"
    if "arduino" in forms:
        wanted[f"{lib}/library.properties"] = "library.properties.j2"
        wanted[f"{lib}/examples/demo/demo.ino"] = "sketch.ino.j2"
    if "zephyr" in forms:
        wanted[f"{lib}/zephyr/module.yml"] = "module.yml.j2"
        wanted[f"{lib}/zephyr/CMakeLists.txt"] = "zephyr_cmake.txt.j2"
        wanted[f"{lib}/zephyr/Kconfig"] = "Kconfig.j2"
    firmware = bool(_FIRMWARE_FORMS & set(forms))
    context = {
        "name": name,
        "NAME": name.upper(),
        "version": __version__,
        "model_file": " ".join(model_file.split()),
        "board": board if firmware or cube else None,
        "cube": cube,
        "projects": forms,
        "forms": _said(forms),
        "sources": [path for path in project.files if path.endswith(".c") and path != EXAMPLE],
    }
    render = environment().get_template
    files = {p: render(f"project/{t}").render(context) for p, t in wanted.items()}
    if "arduino" in forms:
        example = project.files[EXAMPLE].replace("int main(void)", _EXAMPLE_FUNCTION)
        files[f"{lib}/examples/demo/example.c"] = example
    if firmware:
        files |= {f"board/{file}": text for file, text in board.files.items()}
    return files


def _said(forms: Sequence[str]) -> str:
    names = {"platformio": "PlatformIO library", "stm32cube": "PlatformIO library"}
    names |= {"cmake": "CMake library", "arduino": "Arduino library", "zephyr": "Zephyr module"}
    said = list(dict.fromkeys(names[form] for form in forms if form in names))
    return f"; {', '.join(said)}" if said else ""
