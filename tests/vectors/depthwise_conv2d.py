"""Cases of depthwise_conv2d: kernels, strides, multipliers, blocks of channels, dead channels."""

from __future__ import annotations

from tests.support.cases import Case, as_float, as_hybrid, as_int16
from tests.support.weighted_cases import depthwise

_KERNELS = ((1, 1), (2, 2), (3, 3), (5, 5), (7, 7), (1, 4), (5, 1))
_ACTIVATIONS = ("none", "relu", "relu6", "relu_n1_to_1")


def _kernels() -> list[Case]:
    cases = []
    for i, kernel in enumerate(_KERNELS):
        for stride in ((1, 1), (2, 2), (3, 4))[: 2 + i % 2]:
            name = f"kernel_{kernel[0]}x{kernel[1]}_stride_{stride[0]}x{stride[1]}"
            case = depthwise(
                name,
                (1, 8 + i % 2, 9 - stride[0] % 2, 4),
                kernel,
                stride=stride,
                pad="SAME" if i % 3 else "VALID",
                x_zero=(-128, 127, 17)[i % 3],
                x_scale=0.002,
                activation=_ACTIVATIONS[(i + stride[0]) % 4],
            )
            cases.append(case)
    return cases


def _multipliers() -> list[Case]:
    return [
        *(
            depthwise(
                f"b11_multiplier_{m}_channels_{c}_stride_{s}",
                (1, 5, 6, c),
                (3, 3),
                m,
                stride=(s, s),
                pad="SAME",
            )
            for m, c, s in ((2, 1, 1), (2, 4, 2), (6, 3, 1), (8, 3, 2), (16, 1, 2), (32, 4, 1))
        ),
        depthwise("b11_multiplier_17", (1, 4, 4, 3), (2, 3), 17, dilation=(2, 1)),
        depthwise("b11_channels_1_multiplier_32", (1, 16, 16, 1), (3, 3), 32, stride=(2, 2)),
        depthwise("multiplier_2_per_tensor", (2, 4, 4, 3), (3, 3), 2, w_scale=0.01, pad="SAME"),
    ]


def _whole_rows() -> list[Case]:
    """Rows that are computed channel by channel: pieces of a row, few outputs at its end, edges."""
    cases = []
    for size in (3, 5, 7):
        for i, (width, stride, pad, channels) in enumerate(
            (
                (12 * (1 + size // 4), 1, "SAME", 4),
                (29, 1, "SAME", 6),
                (38, 1, "VALID", 5),
                (25, 2, "SAME", 9),
                (62, 2, (1, 4, 5, 0), 4),
            )
        ):
            name = f"rows_{size}x{size}_{width}_stride_{stride}_channels_{channels}"
            zero = (-128, 127, 17)[i % 3]
            x = (1, 8 if i == 4 else 3 + size // 2, width, channels)
            fits = pad if pad != "VALID" else (2, 2, 0, 0)
            case = depthwise(name, x, (size, size), stride=(stride, stride), pad=fits, x_zero=zero)
            cases.append(case)
    return [
        *cases,
        depthwise(
            "rows_with_rare_shifts",
            (1, 4, 14, 6),
            (3, 3),
            pad="SAME",
            x_scale=0.5,
            w_scale=[1.0, 0.01, 2.0, 0.25, 4.0, 0.001],
            out_scale=1.0,
            activation="relu6",
        ),
        depthwise("rows_dilated_down", (1, 7, 13, 4), (3, 3), dilation=(2, 1), pad="SAME"),
    ]


def _geometry() -> list[Case]:
    return [
        *(
            depthwise(f"channels_{c}", (1, 5, 4, c), (3, 3), pad="SAME")
            for c in (1, 3, 5, 8, 15, 16, 17, 33)
        ),
        depthwise("dilation_2", (1, 9, 8, 5), (3, 3), dilation=(2, 2), pad="SAME"),
        depthwise("dilation_1x3", (1, 4, 12, 3), (3, 3), dilation=(1, 3), stride=(2, 1)),
        # Windows that begin between two kernel rows or columns: the first one present is not 0.
        depthwise(
            "dilation_2_pad_1", (1, 7, 6, 5), (3, 3), dilation=(2, 2), pad=(1, 1, 1, 1), x_zero=-77
        ),
        depthwise(
            "dilation_3_pads_1_2_2_1",
            (1, 8, 9, 3),
            (3, 3),
            2,
            dilation=(3, 3),
            pad=(1, 2, 2, 1),
            x_zero=33,
        ),
        depthwise(
            "dilation_2_pad_5", (1, 4, 5, 2), (3, 2), dilation=(2, 3), pad=(5, 4, 4, 5), x_zero=101
        ),
        depthwise(
            "dilation_3_stride_2_pad_4",
            (1, 9, 10, 3),
            (4, 3),
            3,
            dilation=(3, 2),
            stride=(2, 2),
            pad=(4, 4, 3, 3),
            x_zero=-128,
        ),
        depthwise("b16_pads", (1, 5, 6, 4), (3, 3), pad=(2, 0, 1, 3), x_zero=-128),
        depthwise("b17_5x5_stride2", (1, 11, 11, 8), (5, 5), stride=(2, 2), pad="SAME"),
        depthwise("b17_7x7_stride2", (1, 12, 12, 8), (7, 7), stride=(2, 2), pad="SAME"),
        depthwise("map_1x1", (1, 1, 1, 7), (3, 3), pad="SAME"),
        depthwise("kernel_beyond_map", (1, 3, 2, 3), (7, 5), pad="SAME"),
        depthwise("whole_map", (1, 7, 5, 9), (7, 5)),
        depthwise("b82_batch_3", (3, 4, 5, 3), (3, 3), pad="SAME"),
        depthwise("b97_row_over_65535_bytes", (1, 2, 1030, 64), (2, 2), stride=(1, 50)),
    ]


def _requantization() -> list[Case]:
    powers = [2.0**-k for k in range(1, 17)]
    big = 2**31 - 200
    return [
        depthwise("b19_ties", (1, 6, 6, 16), (1, 1), x_scale=1.0, w_scale=powers, out_scale=1.0),
        depthwise(
            "b22_tiny_and_large_factors",
            (1, 4, 4, 4),
            (2, 2),
            x_scale=1.0,
            w_scale=[1e-12, 2.0**20, 3.0, 1e-20],
            out_scale=1.0,
            bias=[2**31 - 1, 3, -2, 9],
        ),
        depthwise(
            "b26_dead_channels",
            (1, 7, 7, 4),
            (5, 5),
            w_scale=[0.01, 1e-12, 0.02, 1e-9],
            bias=[100, 2**30, -100, -(2**30)],
            pad="SAME",
        ),
        depthwise("per_tensor", (1, 5, 5, 6), (3, 3), w_scale=0.02, pad="SAME"),
        depthwise("extreme_weights", (1, 5, 5, 5), (3, 3), weights=[-128, -127, 127]),
        depthwise(
            "extremes", (1, 5, 5, 5), (3, 3), weights=[-128, 127], pattern="extremes", x_zero=127
        ),
        depthwise("saturated_results", (1, 5, 5, 4), (3, 3), out_scale=1e-4, out_zero=127),
        depthwise("accumulator_wraps", (1, 4, 4, 2), (3, 3), bias=[big, -big], x_zero=-128),
        depthwise("no_bias", (1, 5, 5, 4), (3, 3), bias=None, pad="SAME"),
        depthwise("ramp_input", (1, 16, 16, 1), (1, 1), pattern="ramp", w_scale=0.03),
        depthwise(
            "negative_scales",
            (1, 6, 6, 4),
            (3, 3),
            w_scale=[0.01, -0.01, -0.003, -1e-9],
            out_scale=0.05,
            pad="SAME",
        ),
    ]


def _blocks() -> list[Case]:
    """Around the sizes of the blocks that kernels compute at a time."""
    cases = [
        depthwise(f"block_channels_{c}_taps_{h}x{w}", (1, 5, 6, c), (h, w), pad="SAME", x_zero=-99)
        for c, (h, w) in zip(
            (4, 5, 6, 7, 8, 9, 10, 11, 12),
            ((1, 1), (1, 2), (3, 1), (2, 2), (1, 5), (2, 3), (1, 7), (2, 4), (5, 2)),
            strict=True,
        )
    ]
    scales = [0.01, 3.0, 0.02, 40.0, 0.01, 0.6]
    rare = {"w_scale": scales, "x_scale": 0.1, "out_scale": 0.1, "pad": "SAME"}
    return [
        *cases,
        depthwise("block_rare", (1, 4, 5, 6), (3, 3), **rare, activation="relu6"),
        depthwise("block_column_stride_2", (1, 9, 1, 8), (3, 1), stride=(2, 1), pad="SAME"),
    ]


def _vectors() -> list[Case]:
    """Channels and rows that fill vectors, and pieces of rows that planes hold."""
    ends = {"weights": [-127, 127], "pattern": "extremes"}
    return [
        depthwise("vectors_3x3_columns_70", (1, 3, 70, 9), (3, 3), pad="SAME", activation="relu"),
        depthwise("vectors_5x5_columns_40", (1, 5, 40, 17), (5, 5), pad="SAME", x_zero=-128),
        depthwise("vectors_7x7_stride_2", (1, 7, 61, 8), (7, 7), stride=(2, 2), pad="SAME"),
        depthwise("vectors_5x5_relu", (1, 5, 11, 8), (5, 5), pad="SAME", activation="relu6"),
        depthwise("vectors_7x7_relu", (1, 7, 7, 8), (7, 7), pad="SAME", activation="relu6"),
        depthwise("vectors_3x8_relu", (1, 4, 9, 8), (3, 8), pad="SAME", activation="relu6"),
        depthwise("vectors_taps_25", (1, 7, 6, 20), (5, 5), stride=(2, 2), pad="SAME", **ends),
        depthwise(
            "vectors_taps_dilated",
            (1, 7, 6, 18),
            (3, 2),
            dilation=(2, 2),
            pad="SAME",
            activation="relu_n1_to_1",
        ),
    ]


def _polynomials() -> list[Case]:
    """Sums of two outputs in turns of three or alone, kernel rows and columns of padding, fields
    at their limits, and both shifts of lines."""
    cases = [
        depthwise(
            f"poly_{size}x{size}_columns_{x[2]}_stride_{stride}",
            x,
            (size, size),
            stride=(stride, stride),
            pad="SAME",
            x_zero=zero,
            activation=activation,
        )
        for size, stride, x, zero, activation in (
            (5, 1, (1, 6, 2, 4), -128, "relu6"),
            (5, 1, (1, 3, 6, 5), 127, "none"),
            (5, 1, (1, 2, 25, 4), 9, "relu"),
            (5, 2, (1, 7, 14, 4), -77, "relu6"),
            (7, 1, (1, 4, 7, 6), 127, "relu"),
            (7, 1, (1, 9, 3, 4), -128, "none"),
            (7, 1, (1, 3, 24, 4), 31, "relu6"),
            (7, 2, (1, 9, 12, 7), 100, "none"),
            (7, 2, (1, 6, 25, 4), -128, "relu_n1_to_1"),
        )
    ]
    beyond = {"x_zero": 50, "activation": "relu6"}
    small = {"w_scale": 0.01, "out_scale": 0.0018, "out_zero": -128, "activation": "relu"}
    limits = {"weights": [-127, 127], "pattern": "extremes", "x_zero": 0, "bias": None}
    return [
        *cases,
        depthwise("poly_5x5_pads", (1, 4, 9, 6), (5, 5), pad=(1, 4, 3, 2), **beyond),
        depthwise("poly_5x5_beyond_map", (1, 2, 3, 4), (5, 5), pad=(5, 6, 5, 5), **beyond),
        depthwise(
            "poly_7x7_beyond_map", (1, 1, 3, 4), (7, 7), pad=(7, 6, 8, 9), stride=(2, 2), **beyond
        ),
        depthwise("poly_5x5_large_factors", (1, 5, 11, 4), (5, 5), pad="SAME", **small),
        depthwise("poly_7x7_large_factors", (1, 7, 11, 5), (7, 7), pad="SAME", **small),
        depthwise("poly_7x7_limits", (1, 7, 12, 16), (7, 7), pad="SAME", **limits),
        depthwise("poly_7x7_limits_stride_2", (1, 8, 27, 8), (7, 7), stride=(2, 2), **limits),
        depthwise("poly_5x5_beyond_fields", (1, 5, 8, 4), (5, 5), bias=[1 << 20, 5, 0, -(1 << 21)]),
    ]


def _uint8() -> list[Case]:
    """Weights with zero points; tests/unit/frontends/test_uint8.py has the interpreter judge."""
    return [
        depthwise(
            f"uint8_{name}",
            x,
            kernel,
            multiplier,
            w_scale=0.013,
            w_zero=zero,
            x_zero=99,
            weights=list(range(-128, 128)),
            uint8=True,
            **more,
        )
        for name, x, kernel, multiplier, zero, more in (
            ("same", (1, 6, 7, 9), (3, 3), 1, 17, {"pad": "SAME", "stride": (2, 1)}),
            ("multiplier", (1, 6, 7, 3), (2, 3), 4, -128, {"dilation": (2, 2), "pad": "SAME"}),
            ("symmetric", (2, 5, 4, 8), (3, 3), 1, 0, {"pad": "SAME"}),
            ("no_bias", (1, 5, 4, 5), (2, 2), 1, 127, {"bias": None}),
        )
    ]


CASES: list[Case] = [
    *_kernels(),
    *_multipliers(),
    *_geometry(),
    *_whole_rows(),
    *_requantization(),
    *_blocks(),
    *_vectors(),
    *_polynomials(),
    *_uint8(),
    *(as_float(case) for case in (*_kernels(), *_multipliers(), *_geometry())),
    *(as_int16(case) for case in (*_kernels(), *_multipliers(), *_geometry())),
    *(as_hybrid(case) for case in (*_kernels(), *_multipliers()[:-1], *_geometry())),
]
