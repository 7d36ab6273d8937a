"""The documents tell the truth: their code runs, their links, commands and names exist."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from mcuc.cli import COMMANDS, cli
from mcuc.ir.target import HOST
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import lower
from mcuc_codegen.project import generate

ROOT = Path(__file__).parents[2]
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
DOCUMENTS = sorted(
    [
        *(path for path in ROOT.glob("*.md")),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
    ]
)
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
TREE = ("mcuc", "codegen", "runtime_c", "boards", "tests", "pyproject.toml")


@dataclass(frozen=True)
class Block:
    """A fenced code block: language, what stands behind it (a path), text."""

    language: str
    path: str
    text: str


def blocks(name: str) -> list[Block]:
    text = (ROOT / name).read_text("utf-8")
    found = re.findall(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", text, re.M | re.S)
    return [Block(language, path.strip(), body) for language, path, body in found]


def prose(name: str) -> str:
    """The text of a document without its code blocks."""
    return re.sub(r"^```.*?^```$", "", (ROOT / name).read_text("utf-8"), flags=re.M | re.S)


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a document."""
    text = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    broken = []
    text = prose(name)
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / name).parent / file if file else ROOT / name
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(target)
    assert not broken


# Made by runs, or placeholders: no files of the repository.
NOT_HERE = ("docs/models.md", ".venv/", "out/")


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_named_exist(name: str) -> None:
    """Of the form `folder/…/file`, in backquotes; <…> and * stand for anything."""
    missing = []
    roots = tuple(path.name for path in ROOT.iterdir() if path.is_dir())
    for word in re.findall(r"`([\w.<>*/-]+/[\w.<>*-]*)`", prose(name)):
        if word.split("/")[0] not in roots or word.startswith(NOT_HERE):
            continue
        pattern = re.sub(r"<[^>]+>", "*", word).rstrip("/")
        if not any(ROOT.glob(pattern)):
            missing.append(word)
    assert not missing


@pytest.mark.parametrize("name", NAMES)
def test_no_absolute_paths(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert not re.findall(r"(?<![\w.:/<])/(?:home|root|work|tmp|usr|opt|mnt|Users)/\S*", text)


def console_lines(name: str) -> list[str]:
    lines = [
        line
        for block in blocks(name)
        if block.language in ("console", "sh", "bash", "shell")
        for line in block.text.replace("\\\n", " ").splitlines()
    ]
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    inline = re.findall(r"`(mcuc [a-z][^`]*)`", prose(name))
    return [*commands, *(line for line in inline if "…" not in line)]


MCUC_LINES = [
    (name, line)
    for name in NAMES
    for line in console_lines(name)
    if line.split()[0].rpartition("/")[2] == "mcuc"
]


@pytest.mark.parametrize(("name", "line"), MCUC_LINES, ids=[f"{n}: {x}" for n, x in MCUC_LINES])
def test_commands_exist_as_they_are_called(name: str, line: str) -> None:
    """Parsed, not executed: command, options and values."""
    words = shlex.split(line, comments=True)[1:]
    if "|" in words:
        words = words[: words.index("|")]
    while words and words[0].startswith("-"):
        words = words[1:]
    if not words:
        return
    assert words[0] in COMMANDS, f"{name}: mcuc has no command {words[0]!r}"
    context = click.Context(cli)
    command = cli.get_command(context, words[0])
    assert command is not None
    arguments = [word for word in words[1:] if word not in ("--help", "-h")]
    mention = not arguments  # a bare name, as in `mcuc run`: no arguments are missing there
    command.make_context(words[0], arguments, parent=context, resilient_parsing=mention)


@pytest.mark.parametrize("name", NAMES)
def test_make_targets_exist(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?:^\$ |`)make ([a-z-]+)", (ROOT / name).read_text("utf-8"), re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_readme_uses_the_generated_header_as_it_is() -> None:
    from mcuc.frontends.tflite import load_tflite

    graph = load_tflite(DIGITS)
    program = lower(graph, HOST)
    header = generate(program, plan_memory(program), "digits_int8", DIGITS.name).files
    code = [block.text for block in blocks("README.md") if block.language == "c"]
    assert code
    used = set(re.findall(r"\b\w*digits_int8\w*", "\n".join(code), re.I))
    declared = header["digits_int8.h"]
    assert {name for name in used if not re.search(rf"\b{name}\b", declared)} <= {"digits_int8"}


@pytest.mark.gcc
def test_the_readme_program_compiles(tmp_path: Path) -> None:
    from mcuc.frontends.tflite import load_tflite

    program = lower(load_tflite(DIGITS), HOST)
    files = generate(program, plan_memory(program), "digits_int8", DIGITS.name).files
    main = "\n".join(block.text for block in blocks("README.md") if block.language == "c")
    for name, text in {**files, "main.c": main}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    compiler = shutil.which("gcc") or shutil.which("clang")
    assert compiler is not None
    sources = ["main.c", "digits_int8.c", "digits_int8_arena.c"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([compiler, *flags, *sources], cwd=tmp_path, check=True)


def patched(text: str, diff: str) -> str:
    """The text with the hunks of a diff without line numbers applied."""
    for hunk in re.split(r"^@@\n", diff, flags=re.M):
        lines = hunk.splitlines()
        old = "\n".join(line[1:] for line in lines if line[:1] in " -")
        new = "\n".join(line[1:] for line in lines if line[:1] in " +")
        assert text.count(old) == 1, f"the context of the document is not in the file:\n{old}"
        text = text.replace(old, new)
    return text


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A copy of the tree with the code of docs/adding-an-op.md in it."""
    for name in TREE:
        if (ROOT / name).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    for block in blocks("docs/adding-an-op.md"):
        if not block.path:
            continue
        path = tmp_path / block.path
        if block.language == "diff":
            path.write_text(patched(path.read_text("utf-8"), block.text), "utf-8")
        else:
            assert not path.exists(), f"{block.path} exists: let the document add another op"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
    return tmp_path


@pytest.mark.gcc
def test_the_op_of_the_document_passes_the_tests_of_ops(scratch: Path) -> None:
    """Its step 5, without the emulator; the file's operator is read back by the frontend."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(scratch), str(scratch / "codegen")]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    check = (
        "import mcuc, pathlib, sys\n"
        "assert pathlib.Path(mcuc.__file__).is_relative_to(pathlib.Path.cwd()), mcuc.__file__\n"
        "from mcuc.frontends.tflite.builtins import BUILTINS\n"
        "from mcuc.ops import registry\n"
        "assert 'MAXIMUM' in BUILTINS and 'maximum' in registry()\n"
    )
    python = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not qemu"]
    tests = [f"tests/{name}" for name in ("arch/test_structure.py", "kernels", "vectors")]
    tests += ["tests/e2e/test_ops_against_tflite.py"]
    wanted = ["-k", "maximum or read_back or (structure and not short)"]
    for command in ([sys.executable, "-c", check], [*python, *wanted, *tests]):
        done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    kernel = "test_kernels_on_the_host_under_sanitizers"
    assert re.search(r"\b\d+ passed", done.stdout), done.stdout
    listed = [
        *python,
        "--collect-only",
        "-k",
        "maximum",
        f"tests/kernels/test_kernels.py::{kernel}",
    ]
    done = subprocess.run(listed, cwd=scratch, env=environment, capture_output=True, text=True)
    assert f"{kernel}[maximum]" in done.stdout
