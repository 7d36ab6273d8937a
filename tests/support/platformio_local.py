"""PlatformIO without the network: a platform folder that builds as ststm32 does without framework.

It takes the system's arm-none-eabi-gcc, PyPI's SCons, and as boards those of boards/.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from mcuc.device.board import Board
from mcuc.device.boards import list_boards, load_board

MISSING = [name for name in ("platformio", "SCons") if importlib.util.find_spec(name) is None]

# What ststm32 passes for a project without framework, and its programs.
_BUILDER = """\
import os
from SCons.Script import COMMAND_LINE_TARGETS, AlwaysBuild, Builder, Default, DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
cpu = "-mcpu=" + board.get("build.cpu")
env.Replace(
    AR="arm-none-eabi-ar", AS="arm-none-eabi-as", CC="arm-none-eabi-gcc",
    CXX="arm-none-eabi-g++", OBJCOPY="arm-none-eabi-objcopy", RANLIB="arm-none-eabi-ranlib",
    SIZETOOL="arm-none-eabi-size", SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
    SIZEPROGREGEXP=r"^(?:\\.text|\\.data|\\.rodata)\\s+(\\d+).*",
    SIZEDATAREGEXP=r"^(?:\\.data|\\.bss|\\.noinit)\\s+(\\d+).*",
    ARFLAGS=["rc"], PROGNAME="firmware", PROGSUFFIX=".elf",
)
env["ENV"]["PATH"] = os.environ["PATH"]
env.Append(
    CCFLAGS=["-Os", "-ffunction-sections", "-fdata-sections", "-Wall", "-mthumb", cpu],
    CPPDEFINES=[("F_CPU", "$BOARD_F_CPU")],
    LINKFLAGS=["-Os", "-Wl,--gc-sections,--relax", "-mthumb", cpu],
    LIBS=["c", "gcc", "m", "stdc++"],
    BUILDERS={"ElfToBin": Builder(
        action=env.VerboseAction("$OBJCOPY -O binary $SOURCES $TARGET", "Building $TARGET"),
        suffix=".bin",
    )},
)
if env.subst("$UPLOAD_PROTOCOL") == "stlink":
    env.Replace(
        UPLOADER="openocd",
        UPLOADERFLAGS=["-d1", "-f", "interface.cfg", "-c", "program {$SOURCE} verify reset"],
        UPLOADCMD="$UPLOADER $UPLOADERFLAGS",
    )
stem = os.path.join("$BUILD_DIR", "${PROGNAME}")
if "nobuild" in COMMAND_LINE_TARGETS:
    elf, image = stem + ".elf", stem + ".bin"
else:
    elf = env.BuildProgram()
    image = env.ElfToBin(stem, elf)
AlwaysBuild(env.Alias("nobuild", image))
env.Alias("buildprog", image, image)
AlwaysBuild(env.Alias(
    "upload", elf, [env.VerboseAction("$UPLOADCMD", "Uploading $SOURCE")]
))
Default(image)
"""

_SCONS = """\
import sys
import SCons.Script

SCons.Script.main()
"""


def write_platform(folder: Path) -> Path:
    """Writes platform and SCons package below `folder`; returns the platform's folder."""
    platform, scons = folder / "platform", folder / "tool-scons"
    (platform / "builder").mkdir(parents=True)
    (platform / "boards").mkdir()
    scons.mkdir()
    about = {"name": "local", "title": "Local", "description": "Offline", "version": "1.0.0"}
    _json(platform / "platform.json", {**about, "packages": {}})
    (platform / "builder" / "main.py").write_text(_BUILDER, "utf-8")
    (platform / "platform.py").write_text(
        "from platformio.public import PlatformBase\n\n\nclass LocalPlatform(PlatformBase):\n"
        "    pass\n",
        "utf-8",
    )
    for name in list_boards():
        board = load_board(name)
        known_as = board.platformio.board if board.platformio else name
        _json(platform / "boards" / f"{known_as}.json", _manifest(board))
    version = importlib.metadata.version("scons").split(".")
    coded = f"4.{int(version[0])}{int(version[1]):02d}{int(version[2]):02d}.0"
    _json(scons / "package.json", {"name": "tool-scons", "version": coded})
    (scons / "scons.py").write_text(_SCONS, "utf-8")
    return platform


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), "utf-8")


def _manifest(board: Board) -> dict[str, object]:
    hz = board.clock.hz if board.clock else 0
    protocols = board.platformio.protocols if board.platformio else ()
    return {
        "name": board.description,
        "vendor": "ST",
        "url": "https://example.org",
        "build": {"cpu": board.core, "f_cpu": f"{hz}L", "mcu": board.id},
        "frameworks": [],
        "upload": {
            # Less than the board has, as ststm32 says of some: the project knows better.
            "maximum_size": 1024,
            "maximum_ram_size": 16,
            "protocol": "custom",
            "protocols": [*protocols, "custom"],
        },
    }


def take_local(project: Path, platform: Path, *, extra: str = "") -> None:
    """Turns a project's platformio.ini from the online form to the local platform."""
    path = project / "platformio.ini"
    text = path.read_text("utf-8")
    text, one = re.subn(r"(?m)^platform = ststm32$", f"platform = symlink://{platform}", text)
    scons = f"platform_packages = platformio/tool-scons @ symlink://{platform.parent}/tool-scons"
    text, two = re.subn(r"(?m)^platform_packages = .*$", scons, text)
    assert (one, two) == (1, 1)
    path.write_text(text + extra, "utf-8")


def environment(folder: Path) -> dict[str, str]:
    """Environment of `pio`: its own home, no telemetry, nothing looked up."""
    return {
        **os.environ,
        "PLATFORMIO_CORE_DIR": str(folder / "core"),
        "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
        "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "9999",
        "PLATFORMIO_NO_ANSI": "true",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }


def run_pio(project: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`pio WORDS` in a project."""
    return subprocess.run(
        [sys.executable, "-m", "platformio", *words],
        cwd=project,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
    )
