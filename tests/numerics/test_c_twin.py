"""The C twin gives the numpy twin's bits, under address and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.numerics import fixed
from tests.numerics.vectors import vectors

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "runtime_c/include/mcuc/requant.h"
FLAGS = [
    "-std=c11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wsign-conversion",
    "-Werror",
]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

# In the order of the twins, which is also the numbering of requant_main.c.
FUNCTIONS = (
    "saturating_left_shift",
    "saturating_rounding_doubling_high_mul",
    "rounding_divide_by_pot",
    "multiply_and_shift_right",
    "multiply_by_quantized_multiplier",
    "multiply_by_quantized_multiplier_single",
    "count_leading_zeros",
    "multiply_by_double",
    "multiply_long_by_double",
    "multiply_long_by_reduced",
    "divide_rounding_half_away",
    "divide_rounding_half_up",
    "exp_on_interval_between_negative_one_quarter_and_0_excl",
    "exp_on_negative_values",
    "one_over_one_plus_x_for_x_in_0_1",
    "get_reciprocal",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        if "gcc" in os.environ.get("MCUC_REQUIRE", "").split(","):
            pytest.fail("gcc is required and missing")
        pytest.skip("gcc is not installed")
    target = tmp_path_factory.mktemp("requant") / "requant_main"
    source = Path(__file__).with_name("requant_main.c")
    command = ["gcc", *FLAGS, *SANITIZE, f"-I{HEADER.parents[1]}", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def _run(program: Path, function: int, arguments: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    records = np.zeros((len(arguments), 4), dtype=np.int64)
    records[:, 0] = function
    records[:, 1 : 1 + arguments.shape[1]] = arguments
    done = subprocess.run([str(program)], input=records.tobytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return np.frombuffer(done.stdout, dtype=np.int64)


def _numpy(name: str, arguments: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if name == "get_reciprocal":
        pairs = [fixed.get_reciprocal(int(x), int(b)) for x, b in arguments]
        return np.asarray([int(scale) * 64 + int(bits) + 32 for scale, bits in pairs])
    return np.asarray(getattr(fixed, name)(*arguments.T))


def _random(name: str, directed: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Directed arguments, shuffled column by column, with x drawn anew where any x is allowed."""
    rng = np.random.default_rng(7)
    mixed = np.column_stack([rng.permutation(column) for column in directed.T])
    if name.startswith("multiply_long"):
        return mixed
    if name.startswith(("multiply", "rounding", "saturating")):
        mixed[:, 0] = rng.integers(-(2**31), 2**31, len(mixed)) >> rng.integers(0, 31, len(mixed))
    return mixed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_c_equals_numpy(program: Path, name: str) -> None:
    directed = np.asarray(vectors(name), dtype=np.int64)
    arguments = np.concatenate([directed, _random(name, directed)])
    got = _run(program, FUNCTIONS.index(name), arguments)
    wanted = _numpy(name, arguments)
    wrong = np.flatnonzero(got != wanted)
    assert not wrong.size, (arguments[wrong[0]], got[wrong[0]], wanted[wrong[0]])


def test_twins_have_the_same_functions_in_the_same_order() -> None:
    python = re.findall(r"^def ([a-z]\w+)\(", Path(fixed.__file__).read_text(), re.MULTILINE)
    in_header = re.findall(
        r"^(?:static inline int32_t )?mcuc_(\w+)\(u?int", HEADER.read_text(), re.MULTILINE
    )
    assert python == in_header
    assert tuple(python[1:]) == FUNCTIONS
