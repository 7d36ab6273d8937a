"""Models of one operator of TFLM's audio front-end that joins the calls of a stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from tests.support.tflite_build import ModelBuilder

CALLS = 12


@dataclass(frozen=True)
class Stream:
    """An operator with the shapes of its input and results; the last one may say what is valid."""

    op: str
    shape: tuple[int, ...]
    result: tuple[int, ...]
    options: dict[str, int | bool]
    dtype: str = "int16"
    flag: bool = False


STREAMS = {
    "delay": Stream("SignalDelay", (10,), (10,), {"delay_length": 4}),
    "delay_long": Stream("SignalDelay", (2, 5), (2, 5), {"delay_length": 13}),
    **{
        f"framer_{name}": Stream(
            "SignalFramer",
            shape,
            (*shape[:-1], shape[-1] // step, frame),
            {"frame_size": frame, "frame_step": step, "prefill": prefill},
            flag=True,
        )
        for name, shape, frame, step, prefill in (
            ("prefilled", (8,), 9, 4, True),
            ("uneven", (2, 6), 7, 3, False),
            ("even", (4,), 12, 4, False),
            ("apart", (6,), 3, 3, False),
        )
    },
    **{
        f"stacker_{left}_{right}_{step}": Stream(
            "SignalStacker",
            (3,),
            (3 * (left + right + 1),),
            {
                "num_channels": 3,
                "stacker_left_context": left,
                "stacker_right_context": right,
                "stacker_step": step,
            },
            flag=True,
        )
        for left, right, step in ((1, 1, 1), (0, 0, 1), (2, 0, 3), (1, 2, 2))
    },
    "overlap_add": Stream("SignalOverlapAdd", (2, 8), (6,), {"T": 7, "frame_step": 3}),
    "overlap_add_outer": Stream("SignalOverlapAdd", (2, 3, 5), (2, 12), {"T": 7, "frame_step": 4}),
    "overlap_add_f32": Stream(
        "SignalOverlapAdd", (2, 8), (6,), {"T": 0, "frame_step": 3}, "float32"
    ),
    **{
        f"irfft_{n}": Stream("SignalIrfft", (n + 2,), (n,), {"T": 7, "fft_length": n})
        for n in (8, 32, 512)
    },
}


def model(name: str) -> bytes:
    own = STREAMS[name]
    build = ModelBuilder()
    x = build.tensor("x", own.shape, own.dtype)
    results = [build.tensor("y", own.result, own.dtype)]
    if own.flag:
        results.append(build.tensor("valid", (), "bool"))
    build.custom(own.op, [x], results, own.options)
    return build.build([x], results)


def inputs(name: str) -> list[Array]:
    """Quiet and loud ones in turns."""
    own = STREAMS[name]
    rng = np.random.default_rng(len(name))
    found = []
    for k in range(CALLS):
        if own.dtype == "float32":
            found.append(rng.normal(0, 1, own.shape).astype(np.float32))
        else:
            size = (100, 4000, 32000)[k % 3]
            found.append(rng.integers(-size, size, own.shape).astype(np.int16))
    return found


def wanted(name: str, outputs: list[Array]) -> list[Array]:
    """What is to be compared of the results of a call: nothing but the flag where it says so."""
    return outputs if not STREAMS[name].flag or bool(outputs[1]) else outputs[1:]
