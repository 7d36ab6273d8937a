"""The requantization of the DSP kernels gives the rule's bits, also at and beside every tie."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from mcuc.numerics import int8
from mcuc.ops import dsp_tables
from tests.numerics.test_c_twin import FLAGS, HEADER, SANITIZE
from tests.numerics.vectors import vectors

pytestmark = pytest.mark.gcc


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dsp") / "dsp_main"
    source = Path(__file__).with_name("dsp_main.c")
    command = ["gcc", *FLAGS, *SANITIZE, f"-I{HEADER.parents[1]}", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.parametrize("offset", [-128, 0, 127, -5])
def test_requantize(program: Path, offset: int) -> None:
    directed = np.asarray(
        [
            *((x, m, -right) for x, m, right in vectors("multiply_and_shift_right")),
            *vectors("multiply_by_quantized_multiplier"),
        ],
        np.int64,
    )
    # As packed: multipliers are 0 or have 31 bits, and other shifts act like these.
    normal = (directed[:, 1] >= 2**30) | ((directed[:, 1] == 0) & (directed[:, 2] == 0))
    acc, multiplier, shift = directed[normal].T
    scales = dsp_tables.scales(np.zeros(len(acc), np.int32), multiplier, shift)
    records = np.column_stack([acc, np.full(len(acc), offset), scales]).astype(np.int64)
    done = subprocess.run([str(program)], input=records.tobytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    got = np.frombuffer(done.stdout, np.int64)
    wanted = np.concatenate(
        [
            int8.requantize_conv(acc[i : i + 1], multiplier[i : i + 1], shift[i : i + 1], offset)
            for i in range(len(acc))
        ]
    )
    wrong = np.flatnonzero(got != wanted)
    assert not wrong.size, (directed[normal][wrong[0]], got[wrong[0]], wanted[wrong[0]])
    assert (scales[:, 2] < 0).any() and (scales[:, 2] == 0).any() and (scales[:, 2] > 0).any()
