"""The other forms of a project: CMake, Arduino library, Zephyr module, STM32Cube; all at once."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from mcuc.compiler.compile import compile_model
from mcuc.errors import BoardError, ModelError
from tests.support.models import DIGITS

needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="not installed: cmake")


def call(*words: object, folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_cmake
@pytest.mark.arm_gcc
def test_cmake_builds_what_the_report_predicted(tmp_path: Path) -> None:
    """The board that PlatformIO does not know; its program lies in RAM."""
    out = tmp_path / "out"
    compiled = compile_model(
        DIGITS, board="nucleo_n657x0_q", out=out, project=("cmake",), schedule="layer"
    )
    call("cmake", "-S", out, "-B", tmp_path / "build", folder=tmp_path)
    call("cmake", "--build", tmp_path / "build", folder=tmp_path)
    image = (tmp_path / "build" / "firmware.bin").stat().st_size
    assert abs(image - compiled.report["flash"]["total_bytes"]) <= 16


ZEPHYR = """\
cmake_minimum_required(VERSION 3.20)
project(app C)
function(zephyr_library_named name)
  add_library(${name} OBJECT)
  set(ZEPHYR_CURRENT_LIBRARY ${name} PARENT_SCOPE)
endfunction()
function(zephyr_library_sources)
  foreach(source ${ARGV})
    target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGV})
endfunction()
function(zephyr_include_directories)
  target_include_directories(digits_int8 PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/${ARGV0})
endfunction()
set(CONFIG_DIGITS_INT8 y)
add_subdirectory(${MODULE}/zephyr module)
add_executable(app ${MODULE}/../../src/main.c)
target_link_libraries(app PRIVATE digits_int8)
"""


@pytest.mark.gcc
def test_all_forms_share_one_folder(tmp_path: Path) -> None:
    """Zephyr's and Arduino's forms are built as their systems do, with stand-ins for both."""
    out = tmp_path / "out"
    forms = ("platformio", "cmake", "arduino", "zephyr", "plain")
    compile_model(DIGITS, board="nucleo_f446re", out=out, project=forms, schedule="layer")
    library = out / "lib" / "digits_int8"
    properties = dict(
        line.split("=", 1) for line in (library / "library.properties").read_text().splitlines()
    )
    assert properties["name"] == "digits_int8" and properties["includes"] == "digits_int8.h"
    assert set(properties) >= {"version", "author", "maintainer", "sentence", "architectures"}
    # Arduino compiles every source below src/, and sketches as C++.
    sources = sorted((library / "src").rglob("*.c"))
    assert [path.name for path in sources] == ["digits_int8.c", "digits_int8_arena.c"]
    for source in (*sources, library / "examples" / "demo" / "example.c"):
        call("gcc", "-c", f"-I{library / 'src'}", source, "-o", "x.o", folder=tmp_path)
    sketch = (library / "examples" / "demo" / "demo.ino").read_text("utf-8")
    serial = "struct { void begin(int) {} void println(int) {} } Serial; void delay(int) {}\n"
    (tmp_path / "demo.cpp").write_text(serial + sketch, "utf-8")
    if shutil.which("g++"):
        call("g++", "-c", f"-I{library / 'src'}", "demo.cpp", "-o", "x.o", folder=tmp_path)
    module = (library / "zephyr" / "module.yml").read_text("utf-8")
    assert "cmake: zephyr\n" in module and "kconfig: zephyr/Kconfig" in module
    assert "config DIGITS_INT8\n" in (library / "zephyr" / "Kconfig").read_text("utf-8")
    if shutil.which("cmake"):
        (tmp_path / "app").mkdir()
        (tmp_path / "app" / "CMakeLists.txt").write_text(ZEPHYR, "utf-8")
        call("cmake", "-S", "app", "-B", "b", f"-DMODULE={library}", folder=tmp_path)
        call("cmake", "--build", "b", folder=tmp_path)
        call(tmp_path / "b" / "app", folder=tmp_path)


def test_stm32cube_leaves_start_up_to_the_framework(tmp_path: Path) -> None:
    compile_model(DIGITS, board="nucleo_f446re", out=tmp_path / "out", project=("stm32cube",))
    ini = configparser.ConfigParser()
    ini.read(tmp_path / "out" / "platformio.ini")
    assert ini["env:nucleo_f446re"]["framework"] == "stm32cube"
    assert "board_build.ldscript" not in ini["env:nucleo_f446re"]
    assert not (tmp_path / "out" / "board").exists()


def test_paths_are_short_and_sources_self_contained(tmp_path: Path) -> None:
    """B110: no path comes near Windows' 260 characters; includes are the folder's own or C's."""
    compile_model(DIGITS, board="nucleo_f746zg", out=tmp_path / "out", project=("platformio",))
    paths = [p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*")]
    assert max(len(str(path)) for path in paths) < 100
    headers = {path.name for path in paths if path.suffix == ".h"}
    for path in paths:
        if path.suffix in (".c", ".h"):
            for line in (tmp_path / "out" / path).read_text("utf-8").splitlines():
                if line.startswith("#include"):
                    name = line.split()[1]
                    known = name.strip('"').rpartition("/")[2] in headers
                    assert known or name in ("<stdint.h>", "<string.h>", "<stddef.h>"), line


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    for board, form in (("qemu_m4", "platformio"), ("nucleo_u575zi_q", "stm32cube")):
        with pytest.raises(BoardError) as caught:
            compile_model(DIGITS, board=board, out=tmp_path / "out", project=(form,))
        assert caught.value.code == "E605" and not (tmp_path / "out").exists()
    for forms in (("platformio", "stm32cube"), ("visual_studio",)):
        with pytest.raises(ModelError, match="E109"):
            compile_model(DIGITS, board="nucleo_f446re", project=forms)
