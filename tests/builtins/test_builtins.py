"""Every operator alone: interpreter, reference and C give the same bytes."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

import tests.builtins
from tests.support.one_op import OneOp, differences, judge, run_in_c

pytest.importorskip("ai_edge_litert")
pytestmark = pytest.mark.litert

FAMILIES = sorted(
    info.name for info in pkgutil.iter_modules(tests.builtins.__path__) if "test" not in info.name
)


def ops_of(family: str) -> list[OneOp]:
    return list(importlib.import_module(f"tests.builtins.{family}").ops())


@pytest.mark.parametrize("family", FAMILIES)
def test_references_equal_the_interpreter(family: str) -> None:
    ops = ops_of(family)
    judged = judge(ops)
    for theirs, ours in zip(judged.theirs, judged.ours, strict=True):
        assert not differences(ops, theirs, ours)


@pytest.mark.gcc
@pytest.mark.parametrize("family", FAMILIES)
def test_c_on_the_host_equals_the_interpreter(family: str, tmp_path: Path) -> None:
    _check_c(family, tmp_path, None)


@pytest.mark.qemu
@pytest.mark.parametrize("family", FAMILIES)
def test_c_on_cortex_m4_equals_the_interpreter(family: str, tmp_path: Path) -> None:
    _check_c(family, tmp_path, "qemu_m4")


def _check_c(family: str, folder: Path, board: str | None) -> None:
    ops = ops_of(family)
    judged = judge(ops)
    for theirs, ours in zip(judged.theirs, run_in_c(ops, folder, board), strict=True):
        assert not differences(ops, theirs, ours)
