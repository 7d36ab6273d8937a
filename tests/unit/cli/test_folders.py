"""Output folders: written whole, replaced whole, and never somebody else's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.command import mcuc
from tests.support.models import DIGITS


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def names(folder: Path) -> list[str]:
    """All entries, hidden ones too."""
    return sorted(path.name for path in folder.iterdir())


def test_compile_writes_what_it_says(tmp_path: Path) -> None:
    outcome = mcuc("compile", DIGITS, "-o", tmp_path / "deep" / "out", "--json")
    assert outcome.code == 0
    files = contents(tmp_path / "deep" / "out")
    assert json.loads(files["report.json"]) == outcome.document
    assert files["model/digits_int8.tflite"] == DIGITS.read_bytes()
    assert {"digits_int8.c", "digits_int8.h", "report.html"} <= set(files)
    assert names(tmp_path / "deep") == ["out"]


def test_the_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert mcuc("compile", DIGITS).code == 0
    assert (tmp_path / "digits_int8_mcuc" / "report.json").is_file()


@pytest.mark.parametrize("there", ["files", "report", "file", "link", "edited"])
def test_what_is_not_ours_stays(there: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    if there == "file":
        out.write_text("mine", "utf-8")
    elif there == "link":
        (tmp_path / "elsewhere").mkdir()
        out.symlink_to(tmp_path / "elsewhere")
    elif there == "edited":
        assert mcuc("compile", DIGITS, "-o", out).code == 0
        (out / "digits_int8.c").write_text("mine", "utf-8")
    else:
        out.mkdir()
        (out / "thesis.txt").write_text("mine", "utf-8")
        if there == "report":
            (out / "report.json").write_text('{"schema": 1}', "utf-8")
    before = contents(tmp_path)
    outcome = mcuc("compile", DIGITS, "-o", out, "--json")
    assert (outcome.code, outcome.error["code"]) == (1, "E107")
    assert contents(tmp_path) == before


def test_ours_is_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert mcuc("compile", DIGITS, "-o", out, "--name", "first").code == 0
    assert mcuc("compile", DIGITS, "-o", out, "--name", "second").code == 0
    assert (out / "second.c").is_file() and not (out / "first.c").exists()
    assert names(tmp_path) == ["out"]


def test_files_of_the_user_stay_and_edits_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("compile", DIGITS, "-o", out, "--project", "platformio,cmake")
    assert mcuc(*words, "--board", "nucleo_f446re").code == 0
    mine = {
        "src/main.c": "int main(void) { return 7; }\n",
        "src/sensor/camera.c": "int camera;\n",
        "platformio.ini": (out / "platformio.ini").read_text("utf-8") + "lib_deps = x\n",
        ".git/HEAD": "ref: refs/heads/mine\n",
    }
    for name, text in mine.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, "utf-8")
    outcome = mcuc(*words, "--board", "nucleo_f746zg", "--name", "other")
    assert outcome.code == 0, outcome.err
    assert "kept as you changed them: platformio.ini, src/main.c" in outcome.out
    assert {name: (out / name).read_text("utf-8") for name in mine} == mine
    assert not (out / "lib" / "digits_int8").exists()
    assert (out / "lib" / "other" / "src" / "other.c").is_file()
    assert "0x20010000" in (out / "board" / "firmware.ld").read_text("utf-8")
    # Kept for good: the next time, and when the project's form changes.
    assert mcuc(*words, "--board", "nucleo_f446re").code == 0
    assert mcuc("compile", DIGITS, "-o", out, "--board", "qemu_m4").code == 0
    assert {name: (out / name).read_text("utf-8") for name in mine} == mine
    assert (out / "digits_int8.c").is_file() and not (out / "board").exists()


def test_a_file_of_the_user_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert mcuc("compile", DIGITS, "-o", out, "--name", "first").code == 0
    (out / "second.c").write_text("mine", "utf-8")
    before = contents(out)
    error = mcuc("compile", DIGITS, "-o", out, "--name", "second", "--json").error
    assert (error["code"], error["data"]["files"]) == ("E107", ["second.c"])
    assert contents(out) == before


def test_an_update_that_fails_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert mcuc("compile", DIGITS, "-o", out).code == 0
    before = contents(out)
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if Path(target) == out / "report.html":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    outcome = mcuc("compile", DIGITS, "-o", out, "--name", "other", "--json")
    assert outcome.error["code"] == "E107"
    assert "No space left" in outcome.error["why"]
    assert contents(out) == before
    assert names(tmp_path) == ["out"]


def test_a_parent_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    error = mcuc("compile", DIGITS, "-o", tmp_path / "file" / "out", "--json").error
    assert error["code"] == "E107"
    if os.geteuid() != 0:  # permissions do not bind the administrator
        (tmp_path / "locked").mkdir(mode=0o555)
        error = mcuc("compile", DIGITS, "-o", tmp_path / "locked" / "out", "--json").error
        assert error["code"] == "E107"


def test_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert mcuc("compile", DIGITS, "-o", ".").code == 0
    assert (tmp_path / "here" / "report.json").is_file()


@pytest.mark.parametrize(
    ("given", "prefix"),
    [
        ("int", "int_"),
        ("3 wild/../names!", "model_3_wild_names"),
        ("数字", "model"),
        ('a"; system("x', "a_system_x"),
        ("Été", "ete"),
    ],
)
def test_odd_names(given: str, prefix: str, tmp_path: Path) -> None:
    outcome = mcuc("compile", DIGITS, "-o", tmp_path / "out", "--name", given, "--json")
    assert outcome.code == 0
    assert outcome.document["model"]["name"] == prefix
    assert (tmp_path / "out" / f"{prefix}.c").is_file()


def test_a_model_file_with_an_odd_name(tmp_path: Path) -> None:
    path = tmp_path / "my model <script x>*.tflite"
    path.write_bytes(DIGITS.read_bytes())
    outcome = mcuc("compile", path, "-o", tmp_path / "out", "--json")
    assert outcome.code == 0
    assert outcome.document["model"]["name"] == "my_model_script_x"
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "script x" in page and "<script x" not in page
