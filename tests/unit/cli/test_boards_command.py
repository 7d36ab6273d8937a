"""`mcuc boards`, `mcuc boards new`, and boards of the user's own."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from mcuc.data import data_dir
from tests.support.command import mcuc
from tests.support.models import DIGITS


def test_a_new_board_is_a_template_that_compiles_once_filled_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = mcuc("boards", "new", "my_board")
    assert outcome.code == 0 and "my_board/board.toml" in outcome.out
    path = tmp_path / "my_board" / "board.toml"
    raw = tomllib.loads(path.read_text("utf-8"))
    assert raw["id"] == "my_board"
    # Every figure that only the user knows is named at once, and nothing else is wrong.
    refused = mcuc("compile", DIGITS, "--board", "my_board/board.toml", "--json").error
    assert refused["code"] == "E602"
    assert {p.partition(":")[0] for p in refused["data"]["problems"]} == {
        "source", "flash.kib", "ram[0].kib", "clock.hz", "uart.clock_hz",
    }  # fmt: skip
    text = (
        path.read_text("utf-8")
        .replace('source = ""', 'source = "DS1"')
        .replace("kib = 0", "kib = 128")
    )
    path.write_text(text.replace("hz = 0", "hz = 16000000"), "utf-8")
    outcome = mcuc("compile", DIGITS, "--board", "my_board/board.toml", "-o", "out")
    assert outcome.code == 0, outcome.err


def test_new_takes_a_board_as_pattern_and_never_overwrites(tmp_path: Path) -> None:
    words = ("boards", "new", "mine", "--like", "nucleo_f446re", "-o", tmp_path / "b")
    assert mcuc(*words).code == 0
    path = tmp_path / "b" / "board.toml"
    pattern = (data_dir("boards") / "nucleo_f446re" / "board.toml").read_text("utf-8")
    assert path.read_text("utf-8") == pattern.replace('id = "nucleo_f446re"', 'id = "mine"')
    path.write_text("edited", "utf-8")
    assert mcuc(*words, "--json").error["code"] == "E107"
    assert path.read_text("utf-8") == "edited"


@pytest.mark.parametrize("name", ["Bad Name", "../x", "qemu_m4", "", "a" * 100])
def test_new_refuses_names_that_cannot_be_ids(name: str, tmp_path: Path) -> None:
    outcome = mcuc("boards", "new", name, "-o", tmp_path / "b", "--json")
    assert outcome.error["code"] == "E606"
    assert not (tmp_path / "b").exists()


def test_a_folder_made_for_an_own_board_works_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board's file travels with the folder, whatever the current folder was and is."""
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    text = (data_dir("boards") / "qemu_m4" / "board.toml").read_text("utf-8")
    (tmp_path / "there" / "board.toml").write_text(text.replace('"qemu_m4"', '"mine"'), "utf-8")
    monkeypatch.chdir(tmp_path / "there")
    assert mcuc("compile", DIGITS, "--board", "board.toml", "-o", tmp_path / "out").code == 0
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "there" / "board.toml").unlink()
    outcome = mcuc("verify", "../out", "--on", "reference,host", "--vectors", "2", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.document["board"]["id"] == "mine"
