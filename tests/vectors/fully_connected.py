"""Cases of fully_connected: shapes, both rule sets, zero points of the weights, ties, limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mcuc.ops.fully_connected import Attrs
from mcuc.ops.spec import NUMERICS
from tests.support.cases import Case, as_float, as_hybrid, as_int16
from tests.support.weighted_cases import dense

_POWERS = [2.0**-k for k in range(16)]


def _shapes() -> list[Case]:
    cases = [
        dense(f"depth_{k}_units_{n}", (3, k), n, k, x_zero=(-128, 127, 17)[k % 3])
        for k, n in ((1, 1), (3, 7), (4, 2), (5, 1), (8, 8), (16, 3), (17, 5), (64, 10))
    ]
    return [
        *cases,
        dense("b10_1280_to_2", (1, 1280), 2, 1280),
        dense("flattened_map", (1, 4, 3, 2), 5, 24),
        dense("flattened_to_rows", (2, 4, 6), 5, 12),
        dense("b82_batch_2", (2, 9), 4, 9),
        dense("b82_batch_3_per_tensor", (3, 8), 4, 8, w_scale=0.02),
        dense("keep_dims_rank_3", (2, 5, 6), 3, 6, keep_num_dims=True),
        dense("keep_dims_rank_4", (2, 3, 2, 6), 3, 6, keep_num_dims=True),
        dense("rank_1", (6,), 3, 6),
        dense("b97_weights_over_65535_bytes", (1, 2100), 33, 2100),
        dense("b97_input_over_65535_bytes", (1, 66_000), 3, 66_000, weights=[-128, 127]),
        *(
            dense(f"activation_{a}", (4, 16), 8, 16, activation=a)
            for a in ("relu", "relu6", "relu_n1_to_1")
        ),
    ]


def _blocks() -> list[Case]:
    """Around the sizes of the blocks that kernels compute at a time."""
    depths = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17)
    return [
        dense(f"block_depth_{k}_units_{1 + i % 5}", (2, k), 1 + i % 5, k, w_scale=0.003)
        for i, k in enumerate(depths)
    ] + [
        dense(f"six_depth_{k}_units_{n}", (2, k), n, k, w_scale=0.003)
        for k, n in ((4, 6), (5, 7), (8, 8), (12, 11), (13, 12), (16, 18), (20, 13), (33, 17))
    ]


def _arithmetic(numerics: str) -> list[Case]:
    rule: dict[str, Any] = {"numerics": numerics}
    tag = numerics.split("-")[0]
    exact: dict[str, Any] = {"x_scale": 1.0, "out_scale": 1.0, "x_zero": 0, **rule}
    big = 2**31 - 200
    sixteen = np.arange(-8, 8, dtype=np.int8).reshape(16, 1)
    return [
        dense(f"b20_exhaustive_{tag}", (256, 1), 16, 1, pattern="ramp", **rule),
        dense(f"b20_ties_{tag}", (256, 1), 16, 1, pattern="ramp", w_scale=_POWERS, **exact),
        dense(f"b23_negative_{tag}", (64, 3), 16, 3, w_scale=_POWERS, out_zero=100, **exact),
        dense(
            f"b20_double_rounding_{tag}",
            (256, 1),
            16,
            1,
            pattern="ramp",
            w_scale=1.0 / 3.0,
            weights=sixteen,
            out_scale=4.0,
            x_scale=3.0,
            x_zero=0,
            **rule,
        ),
        dense(f"b22_tiny_{tag}", (4, 4), 3, 4, w_scale=[1e-12, 1e-3, 1e-30], **exact),
        dense(f"b22_left_shift_20_{tag}", (4, 4), 3, 4, w_scale=2.0**20, **exact),
        dense(f"left_shifts_{tag}", (4, 4), 3, 4, w_scale=[1.0, 3.0, 8.0], weights=[0, 1], **exact),
        dense(f"b61_weights_zero_point_{tag}", (3, 32), 4, 32, w_scale=0.02, w_zero=-7, **rule),
        dense(
            f"b61_weights_zero_point_127_{tag}",
            (3, 32),
            4,
            32,
            w_scale=0.02,
            w_zero=127,
            x_zero=-128,
            out_scale=5.0,
            out_zero=100,
            bias=None,
            **rule,
        ),
        dense(
            f"accumulator_wraps_{tag}",
            (4, 8),
            2,
            8,
            bias=[big, -big],
            x_zero=-128,
            x_scale=1.0,
            w_scale=1e-7,
            out_scale=2.0,
            **rule,
        ),
        dense(
            f"b61_weights_zero_point_minus_128_{tag}",
            (3, 9),
            2,
            9,
            w_scale=0.02,
            w_zero=-128,
            out_scale=2.0,
            **rule,
        ),
        dense(f"no_bias_{tag}", (4, 8), 3, 8, bias=None, **rule),
        dense(f"extremes_{tag}", (4, 64), 3, 64, weights=[-128, 127], pattern="extremes", **rule),
        dense(f"saturated_{tag}", (4, 16), 3, 16, out_scale=1e-4, **rule),
    ]


def _b34() -> Case:
    """Pairs of products that do not fit int16: 210 * -81 + 198 * -80 (unsigned inputs)."""
    weights = np.array([[-81, -80, 127], [-128, -128, -128], [127, 127, 127]], np.int8)
    return dense(
        "b34_pairs_beyond_int16",
        (32, 3),
        3,
        3,
        weights=weights,
        x_scale=0.01,
        w_scale=0.01,
        out_scale=0.1,
        x_zero=-128,
        bias=[0, 0, 0],
    )


_INTEGER: list[Case] = [
    *_shapes(),
    *_blocks(),
    *(c for n in NUMERICS for c in _arithmetic(n)),
    _b34(),
]


def _asymmetric(case: Case) -> Case:
    """With a zero point of the inputs, found at run time."""
    assert isinstance(case.attrs, Attrs)
    hybrid = as_hybrid(case)
    attrs = replace(case.attrs, asymmetric=True)
    return replace(hybrid, name=f"asymmetric_{hybrid.name}", attrs=attrs)


_SINGLE = [c for c in _INTEGER if c.numerics == "litert-2.3" and "65535" not in c.name]
CASES: list[Case] = [
    *_INTEGER,
    *(as_float(c) for c in _SINGLE),
    *(as_hybrid(c) for c in _SINGLE),
    *(_asymmetric(c) for c in _SINGLE[::2]),
    *(as_int16(c) for c in _SINGLE if "tiny" not in c.name and "shift" not in c.name),
]
