"""Real networks in small parts: emulated, behind an MPU fence that leaves only the part's RAM.

What stands for the camera, and the trace, lie in memory beyond the fence; stack, static data, state
and the arena between its guard zones inside.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.models import ROOT, model_file
from mcuc.compiler.compile import compile_model
from mcuc.device.boards import load_board
from mcuc.errors import BoardError, MemoryBudgetError
from mcuc.proof.verify import verify_model
from tests.support.models import DIGITS

PARTS = ROOT / "examples" / "parts"
KIB = 1024


def part(kib: int) -> str:
    return str(PARTS / f"m4_{kib}k.toml")


def check(model: Path, kib: int, mode: str, budget: int) -> None:
    """Compiles for the part, in which everything fits, and runs it behind the fence."""
    made = compile_model(model, board=part(kib), input_mode=mode, io="quantized")
    memory = made.report["memory"]
    assert memory["total_bytes"] <= kib * KIB, "arena, state, static data and stack"
    assert memory["arena_bytes"] + memory["state_bytes"] <= budget
    verdict = verify_model(made, places=("reference", "qemu"), vectors=1)["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]


@pytest.mark.data
@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize(
    ("model", "kib", "mode", "budget"),
    [
        ("mcunet/mcunet_in3_imagenet_int8", 64, "streamed", 60_400),
        ("mcunet/mcunet_in3_imagenet_int8", 64, "random", 60_400),
        ("mcunet/mbv2_100_224_rand", 128, "streamed", 122_000),
        ("mcunet/mbv2_100_224_rand", 256, "consumed", 204_900),
    ],
)
def test_networks_run_behind_the_fence(model: str, kib: int, mode: str, budget: int) -> None:
    check(model_file(model), kib, mode, budget)


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize("mode", ["consumed", "streamed", "random"])
def test_a_small_network_runs_behind_the_fence(mode: str) -> None:
    check(DIGITS, 64, mode, 10_000)


@pytest.mark.data
def test_what_does_not_fit_is_refused_with_its_need() -> None:
    model = model_file("mcunet/mbv2_100_224_rand")
    with pytest.raises(MemoryBudgetError) as caught:
        compile_model(model, board=part(64), input_mode="consumed", io="quantized")
    assert caught.value.data["need_bytes"] > 224 * 224 * 3, "the image alone is more than that"
    assert caught.value.data["have_bytes"] == 64 * KIB


@pytest.mark.parametrize("kib", [64, 128, 256])
def test_the_parts_are_what_their_names_say(kib: int) -> None:
    board = load_board(part(kib))
    assert board.target.regions[0].size_bytes == kib * KIB
    assert board.emulator is not None
    assert board.emulator.ram_limit_bytes == kib * KIB


def test_the_outside_must_suit_the_fence(tmp_path: Path) -> None:
    text = (PARTS / "m4_64k.toml").read_text(encoding="utf-8")
    for old, new in (("kib = 1024", "kib = 1000"), ("0x21000000", "0x21080000")):
        path = tmp_path / "board.toml"
        path.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(BoardError) as caught:
            load_board(str(path))
        assert "not a power of two" in caught.value.why
