"""The structure that keeps an op in one place: registry, kernels, sources and vectors match."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from mcuc.data import data_dir
from mcuc.ops import registry

ROOT = Path(__file__).parents[2]
SYMBOL = re.compile(r"mcuc_(?P<op>[a-z0-9_]+?)_(?P<rest>(?:[suf]\d+_)+(?:[a-z0-9x]+_)*_[a-z]+.*)")
PYTHON_LINES, FUNCTION_LINES, C_LINES, TEMPLATE_LINES = 500, 60, 250, 200
KERNELS = [(spec, kernel) for spec in registry().values() for kernel in spec.kernels]


def sources(pattern: str, *folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob(pattern))]


@pytest.mark.parametrize("name", sorted(registry()))
def test_op_is_complete(name: str) -> None:
    spec = registry()[name]
    assert spec.doc
    assert callable(spec.ref)
    vectors = importlib.import_module(f"tests.vectors.{name}")
    cases = vectors.cases() if hasattr(vectors, "cases") else vectors.CASES
    assert cases, "an op without test vectors"
    if not spec.alias:
        assert spec.kernels[-1].symbol.endswith("__c"), "the last kernel is the portable one"


@pytest.mark.parametrize("kernel", [k for _, k in KERNELS], ids=lambda k: k.symbol)
def test_kernel_symbol_is_its_path(kernel) -> None:
    path = data_dir("runtime_c") / "src" / kernel.source
    assert path.is_file()
    folder, _, file = kernel.source.partition("/")
    assert kernel.symbol == f"mcuc_{folder}_{file.removesuffix('.c')}"
    text = path.read_text(encoding="utf-8")
    # or the name of a text that it includes: runtime_c/include/mcuc/part.h
    own = re.search(rf"MCUC_FN\s+void\s+{kernel.symbol}\(", text)
    assert own or re.search(rf"^#define MCUC_KERNEL {kernel.symbol}$", text, re.M)


def test_every_kernel_source_is_named_by_a_kernel() -> None:
    named = {kernel.source for _, kernel in KERNELS}
    root = data_dir("runtime_c") / "src"
    assert {str(path.relative_to(root)) for path in root.rglob("*.c")} == named


def test_static_helpers_of_kernels_have_unique_names() -> None:
    """All kernels of a model are included in one translation unit."""
    owner: dict[str, str] = {}
    for path in sources("*.[ch]", "runtime_c"):
        for name in re.findall(r"^static [\w\s*]*?(\w+)\(", path.read_text(), re.M):
            if name == "MCUC_PART":
                continue  # named after its kernel
            assert owner.setdefault(name, path.name) == path.name, f"{name} stands twice"


def test_files_are_short_enough_to_read() -> None:
    limits = [
        *((path, PYTHON_LINES) for path in sources("*.py", "mcuc", "codegen", "tests")),
        *((path, C_LINES) for path in sources("*.c", "runtime_c")),
        *((path, TEMPLATE_LINES) for path in sources("*.j2", "codegen")),
    ]
    long = [
        f"{path.relative_to(ROOT)}: {lines}"
        for path, limit in limits
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > limit
    ]
    assert not long


def test_functions_are_short_enough_to_read() -> None:
    import ast

    long = []
    for path in sources("*.py", "mcuc", "codegen"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno:
                lines = node.end_lineno - node.lineno + 1
                name = f"{path.relative_to(ROOT)}:{node.name}"
                if lines > FUNCTION_LINES:
                    long.append(f"{name}: {lines}")
    assert not long


def test_kernels_use_nothing_but_string_h() -> None:
    allowed = {"string.h", "stdint.h", "arm_mve.h"}  # the last is the compiler's own
    for path in sources("*.[ch]", "runtime_c"):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"#include <(.+?)>", text)) <= allowed, path
        assert not re.search(r"\b(malloc|calloc|free|alloca)\s*\(", text), path


def test_names_without_meaning_are_not_used() -> None:
    bad = re.compile(r"(utils?|helpers?|misc|common_functions)$")
    assert not [p for p in sources("*.py", "mcuc", "codegen") if bad.search(p.stem)]
