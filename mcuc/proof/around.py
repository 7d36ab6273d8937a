"""What stands around a model, run as generated C: on this machine, or on a board's emulator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mcuc.around.image import Image
from mcuc.compiler.compile import Compiled
from mcuc.device.around import BEFORE, BEHIND, Answer, call_around
from mcuc.device.board import Board
from mcuc.errors import ModelError
from mcuc.inputs.frames import encode_frame, encode_samples
from mcuc.inputs.vectors import read_arrays, require_no_factor
from mcuc.ir.graph import Array

Json = dict[str, Any]


def preprocess(
    compiled: Compiled, samples: Sequence[Array], board: Board | None = None
) -> list[Array]:
    """Raw samples as inputs of the model, made by the generated C.

    Args:
        compiled: With something before the model.
        samples: Images [H, W], [H, W, 1] or [H, W, 3], uint8; or sound [N], int16.
        board: An emulated one, or None: this machine.

    Raises:
        ModelError: E121 a sample is of another kind.
        ToolchainError, DeviceError: As `call_around` says.
    """
    before = compiled.around.before
    assert before is not None
    type_ = before.tensor.type
    answers = _call(compiled, [_raw(compiled, sample) for sample in samples], board)
    return [np.frombuffer(a.data, type_.dtype.numpy).reshape(type_.shape) for a in answers]


def _raw(compiled: Compiled, sample: Array) -> tuple[int, bytes]:
    """The call that preprocesses a sample."""
    before = compiled.around.before
    if isinstance(before, Image):
        return BEFORE, encode_frame(sample, before.format)
    return BEFORE, encode_samples(sample)


def raw_sample(path: Path, compiled: Compiled, factor: float | None, offset: float) -> Array:
    """The raw sample in a file, for the only input of a model.

    Raises:
        ModelError: E109 a factor is given too, E120 unreadable, E121 not one sample and one input.
    """
    require_no_factor(factor, offset)
    arrays = list(read_arrays(path).values())
    inputs = len(compiled.lowered.whole.inputs)
    if len(arrays) != 1 or inputs != 1:
        raise ModelError(
            "E121",
            f"{path.name} holds {len(arrays)} arrays and the model has {inputs} inputs",
            help="--preprocess makes the only input of a model from one raw sample",
        )
    return arrays[0]


def postprocess(
    compiled: Compiled, outputs: Sequence[Sequence[Array]], board: Board | None = None
) -> list[list[Json]]:
    """What the generated C finds in the outputs of each run, best first (docs/around.md).

    Args:
        compiled: With something behind the model.
        outputs: By run, all outputs.
        board: An emulated one, or None: this machine.
    """
    behind = compiled.around.behind
    assert behind is not None
    answers = _call(compiled, [(BEHIND, behind.request(run)) for run in outputs], board)
    return [behind.findings(answer.data, compiled.around.labels) for answer in answers]


def instructions_around(
    compiled: Compiled, sample: Array | None, outputs: Sequence[Array]
) -> dict[str, int | None]:
    """Instructions of `preprocess` and `postprocess` on the board's emulator, as far as there are.

    Args:
        compiled: With something around the model.
        sample: Raw; None where nothing is before the model, or the input was made otherwise.
        outputs: Of a run.
    """
    calls = {} if sample is None else {"preprocess": _raw(compiled, sample)}
    if compiled.around.behind is not None:
        calls["postprocess"] = BEHIND, compiled.around.behind.request(outputs)
    answers = _call(compiled, list(calls.values()), compiled.board) if calls else []
    return {k: a.instructions for k, a in zip(calls, answers, strict=True)}


def _call(compiled: Compiled, calls: list[tuple[int, bytes]], board: Board | None) -> list[Answer]:
    project, around = compiled.project, compiled.around
    assert project.around is not None
    most = around.before.tensor.type.size_bytes if around.before else 0
    most = max(most, around.behind.response_bytes if around.behind else 0)
    wanted = {f"{project.name}.h", f"{project.name}_around.c"}
    files = {k: v for k, v in project.files.items() if k in wanted or k.startswith("mcuc/")}
    files["glue.c"] = project.around.glue
    optimize = compiled.options.optimize
    return call_around(files, calls, most, board=board, optimize=optimize)
