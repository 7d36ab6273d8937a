"""Safety evidence: what `mcuc evidence` says is true, and what is wrong is found."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mcuc.compiler.compile import compile_model
from mcuc.device.boards import load_board
from mcuc.device.static_analysis import cppcheck, gcc_analyzer
from mcuc.evidence.misra import DEVIATIONS, table
from mcuc.evidence.sbom import linked_members, spdx
from tests.support.command import mcuc
from tests.support.models import DIGITS

ROOT = Path(__file__).parents[2]
needs_cppcheck = pytest.mark.skipif(shutil.which("cppcheck") is None, reason="no cppcheck")
TWICE = """\
#include <stdlib.h>
void use(int *p);
void twice(int n);
void twice(int n)
{
  int *p = malloc(4);
  use(p);
  free(p);
  if (n) {
    free(p);
  }
}
"""


@pytest.mark.arm_gcc
@pytest.mark.slow
@needs_cppcheck
def test_the_evidence_of_a_model_is_clean_and_complete(tmp_path: Path) -> None:
    out, sbom = tmp_path / "out", tmp_path / "sbom.json"
    report = compile_model(DIGITS, board="nucleo_f446re", out=out).report
    outcome = mcuc("evidence", out, "--sbom", sbom, "--json")
    assert outcome.code == 0, outcome.out
    found = outcome.document["evidence"]
    assert found["stack"]["bound_bytes"] == report["memory"]["stack_bytes"]
    assert found["stack"]["functions"][0]["name"] == "digits_int8_run"
    assert found["stack"]["functions"][0]["bound_bytes"] == found["stack"]["bound_bytes"]
    assert found["stack"]["unknown"] == [] and found["heap"]["allocators"] == []
    assert [entry["findings"] for entry in found["analysis"]] == [[], []]
    assert all(entry["version"] for entry in found["analysis"])
    assert json.loads(sbom.read_text("utf-8")) == found["sbom"]
    stored = json.loads((out / "report.json").read_text("utf-8"))
    assert stored["evidence"] == found
    # It is kept by runs, and gone when the model is compiled anew.
    assert mcuc("run", out, "--on", "host").code == 0
    assert json.loads((out / "report.json").read_text("utf-8"))["evidence"] == found


@pytest.mark.arm_gcc
def test_analysers_find_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text(TWICE, "utf-8")
    found = gcc_analyzer(load_board("nucleo_f446re"), [bad], [], "balanced").findings
    assert found is not None and any("-Wanalyzer-double-free" in line for line in found)
    bad.write_text("this is no C", "utf-8")
    found = gcc_analyzer(load_board("nucleo_f446re"), [bad], [], "balanced").findings
    assert found  # a failure is a finding, never silence


@needs_cppcheck
def test_cppcheck_finds_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text(TWICE, "utf-8")
    found = cppcheck([bad], []).findings
    assert found is not None and any("doubleFree" in line for line in found)


@pytest.mark.arm_gcc
@needs_cppcheck
def test_start_up_is_clean() -> None:
    """Of the board with the most of it: steps and both caches."""
    from mcuc.compiler.project import _view

    board = load_board("nucleo_h743zi")
    folder = Path(_written(_view(board, "balanced").files))
    sources = [folder / "startup.c", folder / "port_app.c"]
    try:
        assert gcc_analyzer(board, sources, [folder], "balanced").findings == ()
        assert cppcheck(sources, [folder]).findings == ()
    finally:
        shutil.rmtree(folder)


def _written(files: object) -> str:
    import tempfile

    folder = tempfile.mkdtemp()
    for name, text in dict(files).items():  # type: ignore[call-overload]
        (Path(folder) / name).write_text(text, "utf-8")
    return folder


MAP = """\
Archive member included to satisfy reference by file (symbol)

/usr/lib/gcc/thumb/libgcc.a(_aeabi_ldivmod.o)
                              /tmp/x.o (__aeabi_ldivmod)
/usr/lib/gcc/thumb/libgcc.a(_dvmd_tls.o)
                              /usr/lib/gcc/thumb/libgcc.a(_aeabi_ldivmod.o) (__aeabi_ldiv0)
/usr/lib/thumb/libc.a(lib_a-memset.o)
                              /tmp/x.o (memset)

Memory Configuration

/usr/lib/thumb/libm.a(lib_a-s_sin.o)
"""


def test_the_bill_of_materials_lists_what_is_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    members = linked_members(MAP)
    assert members == {
        "libc": ("lib_a-memset.o",),
        "libgcc": ("_aeabi_ldivmod.o", "_dvmd_tls.o"),
    }
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    document = spdx("net", {"net.c": b"int x;"}, ("net.tflite", b"TFL3"), members, "gcc 12")
    assert document == spdx("net", {"net.c": b"int x;"}, ("net.tflite", b"TFL3"), members, "gcc 12")
    other = spdx("net", {"net.c": b"int y;"}, ("net.tflite", b"TFL3"), members, "gcc 12")
    assert other["documentNamespace"] != document["documentNamespace"]
    ids = {document["SPDXID"]} | {e["SPDXID"] for k in ("packages", "files") for e in document[k]}
    assert len(ids) == 1 + len(document["packages"]) + len(document["files"])
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids
    linked = {r["relatedSpdxElement"] for r in document["relationships"]}
    assert linked == ids - {"SPDXRef-DOCUMENT"}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    document = spdx("net", {}, ("net.tflite", b""), {}, "")
    assert document["creationInfo"]["created"] == "1970-01-02T00:00:00Z"


def test_the_page_lists_the_deviations() -> None:
    assert table() in (ROOT / "docs" / "safety.md").read_text("utf-8")


@pytest.mark.arm_gcc
@pytest.mark.slow
@needs_cppcheck
def test_no_other_misra_rule_is_broken(tmp_path: Path) -> None:
    out = tmp_path / "out"
    compile_model(DIGITS, board="nucleo_f746zg", out=out)
    src = out / "lib" / "digits_int8" / "src"
    call = ["cppcheck", "--std=c11", "--addon=misra", "-q", "--template={id}", f"-I{src}"]
    call += [f"-I{out / 'board'}", *map(str, [*src.glob("*.c"), out / "board"])]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600)
    broken = set(re.findall(r"misra-c2012-([\d.]+)", done.stdout + done.stderr))
    assert broken, "the addon ran"
    assert broken <= {deviation.rule for deviation in DEVIATIONS}
