"""Cases of conv2d: kernels, strides, dilation, padding, groups, requantization limits."""

from __future__ import annotations

from typing import Any

from tests.support.cases import Case, as_float, as_hybrid, as_int16
from tests.support.weighted_cases import conv

_KERNELS = ((1, 1), (2, 2), (3, 3), (5, 5), (7, 7), (1, 3), (3, 1), (1, 7), (4, 1), (2, 5))
_ACTIVATIONS = ("none", "relu", "relu6", "relu_n1_to_1")
_CHANNELS = ((1, 2), (3, 7), (4, 1), (5, 3), (8, 8), (16, 2), (17, 5))
_WIDE = 2.0**20
# Factors and sums of what int16 excludes.
_INT8_ONLY = ("b22_left_shift_20", "accumulator_wraps")


def _kernels() -> list[Case]:
    cases = []
    for i, (h, w) in enumerate(_KERNELS):
        stride = (1 + i % 4, 1 + (i + 1) % 4)
        for pad in ("SAME", "VALID")[: 2 - i % 2]:
            name = f"kernel_{h}x{w}_stride_{stride[0]}x{stride[1]}_{pad.lower()}"
            x = (1, 8 + i % 2, 9 - i % 2, 3)
            cases.append(
                conv(
                    name,
                    x,
                    (2, h, w, 3),
                    stride=stride,
                    pad=pad,
                    x_zero=(-128, 127, 17)[i % 3],
                    x_scale=0.002,
                    activation=_ACTIVATIONS[(i + len(pad)) % 4],
                )
            )
    return cases


def _channels() -> list[Case]:
    cases = []
    for i, (c, o) in enumerate(_CHANNELS):
        cases.append(conv(f"channels_{c}_to_{o}_1x1", (1, 3, 5, c), (o, 1, 1, c), x_zero=-128))
        if i % 2:
            continue
        cases.append(
            conv(
                f"channels_{c}_to_{o}_3x3",
                (1, 5, 4, c),
                (o, 3, 3, c),
                pad="SAME",
                out_zero=(-128, 127, 0)[i % 3],
                w_scale=0.02 if i % 4 else None,
            )
        )
    return cases


def _geometry() -> list[Case]:
    return [
        conv("b05_conv1d_dilation_2", (1, 1, 8, 1), (1, 1, 3, 1), dilation=(1, 2), pad="SAME"),
        conv("dilation_2x3", (1, 9, 11, 4), (3, 3, 3, 4), dilation=(2, 3), pad="SAME"),
        conv("dilation_3_valid", (1, 8, 7, 2), (2, 2, 3, 2), dilation=(3, 2), stride=(2, 1)),
        # Windows that begin between two kernel rows or columns: the first one present is not 0.
        conv(
            "dilation_2_pad_1",
            (1, 7, 6, 3),
            (4, 3, 3, 3),
            dilation=(2, 2),
            pad=(1, 1, 1, 1),
            x_zero=-77,
        ),
        conv(
            "dilation_3_pads_1_2_2_1",
            (1, 8, 9, 2),
            (3, 3, 3, 2),
            dilation=(3, 3),
            pad=(1, 2, 2, 1),
            x_zero=33,
        ),
        conv(
            "dilation_2_pad_5",
            (1, 4, 5, 2),
            (3, 3, 2, 2),
            dilation=(2, 3),
            pad=(5, 4, 4, 5),
            x_zero=101,
        ),
        conv(
            "dilation_3_stride_2_pad_4",
            (1, 9, 10, 3),
            (2, 4, 3, 3),
            dilation=(3, 2),
            stride=(2, 2),
            pad=(4, 4, 3, 3),
            x_zero=-128,
        ),
        conv(
            "dilation_rows_only_1xk",
            (1, 6, 9, 2),
            (3, 1, 3, 2),
            dilation=(2, 4),
            pad=(0, 0, 3, 3),
            x_zero=9,
        ),
        conv("dilation_beyond_map", (1, 3, 3, 2), (2, 3, 3, 2), dilation=(4, 4), pad="SAME"),
        *(
            conv(f"b07_1x{k}_stride4", (1, 1, 32, c), (2, 1, k, c), stride=(1, 4), pad="SAME")
            for k, c in ((4, 1), (5, 3), (7, 5))
        ),
        conv("b08_1x1_stride2", (1, 6, 6, 8), (4, 1, 1, 8), stride=(2, 2)),
        conv("b08_1x1_pad1", (1, 4, 4, 8), (4, 1, 1, 8), pad=(1, 1, 1, 1), x_zero=-100),
        conv("b08_3x1", (1, 6, 5, 4), (4, 3, 1, 4), pad="SAME"),
        conv("stride_beyond_kernel", (1, 9, 10, 3), (3, 2, 2, 3), stride=(4, 3)),
        conv("stride_beyond_kernel_same", (1, 9, 10, 3), (3, 1, 2, 3), stride=(4, 3), pad="SAME"),
        conv("b16_pads_1_2_1_1", (1, 6, 6, 2), (3, 4, 4, 2), pad=(1, 1, 2, 1), x_zero=-128),
        conv("b16_pads_0_1_0_1", (1, 6, 6, 2), (3, 3, 3, 2), pad=(0, 1, 0, 1), x_zero=5),
        conv("b16_pads_wider_than_kernel", (1, 3, 2, 2), (2, 2, 2, 2), pad=(3, 0, 4, 5), x_zero=5),
        conv("map_1x1", (1, 1, 1, 5), (3, 3, 3, 5), pad="SAME"),
        conv("kernel_beyond_map", (1, 2, 3, 3), (2, 5, 7, 3), pad="SAME"),
        conv("b82_batch_2", (2, 5, 5, 3), (4, 3, 3, 3), pad="SAME"),
        conv("b82_batch_3_1x1", (3, 2, 3, 4), (5, 1, 1, 4)),
        conv("b97_row_over_65535_bytes", (1, 3, 1030, 64), (1, 2, 3, 64), stride=(1, 64)),
        conv("b97_row_over_65535_bytes_1x1", (1, 2, 260, 256), (1, 1, 1, 256)),
    ]


def _groups() -> list[Case]:
    return [
        conv("b14_groups_6", (1, 5, 5, 6), (6, 3, 3, 1), pad="SAME"),
        conv("b14_groups_2", (1, 5, 4, 8), (8, 3, 3, 4), pad="SAME", x_zero=17),
        conv("b14_groups_3_out_6", (1, 4, 6, 9), (6, 2, 3, 3), stride=(2, 1), dilation=(1, 2)),
        conv("b14_groups_4_1x1", (2, 3, 3, 8), (12, 1, 1, 2)),
        conv("b11_group_conv_multiplier_6", (1, 4, 4, 3), (18, 3, 3, 1), pad="SAME"),
    ]


def _requantization() -> list[Case]:
    powers = [2.0**-k for k in range(1, 17)]
    big = 2**31 - 200
    small: dict[str, Any] = {"x": (1, 4, 4, 2), "w": (4, 1, 1, 2)}
    return [
        conv("b19_ties", (1, 8, 8, 2), (16, 1, 1, 2), x_scale=1.0, w_scale=powers, out_scale=1.0),
        *(
            conv(
                f"ties_{activation}_wide",
                (1, 8, 8, 4),
                (16, 1, 1, 4),
                x_scale=1.0,
                w_scale=powers,
                out_scale=1.0,
                activation=activation,
            )
            for activation in ("none", "relu")
        ),
        conv(
            "b22_tiny_factors",
            **small,
            w_scale=[1e-12, 1e-10, 1e-30, 1e-3],
            x_scale=1.0,
            out_scale=1.0,
            bias=[2**31 - 1, -(2**31), 77, 5],
        ),
        conv("b22_left_shift_20", **small, x_scale=_WIDE, w_scale=1.0, out_scale=1.0, bias=None),
        conv(
            "left_shifts",
            **small,
            x_scale=1.0,
            w_scale=[0.5, 1.0, 2.0, 4.0],
            out_scale=1.0,
            weights=[0, 1],
            bias=None,
        ),
        conv("b26_dead_channels", (1, 6, 6, 4), (4, 3, 3, 4), w_scale=[0.01, 1e-12, 0.02, 1e-9]),
        *(
            conv(
                f"constant_outputs_{a}",
                (1, 4, 7, 4),
                (5, 1, 1, 4),
                weights=[0],
                activation=a,
                w_scale=1e-9,
                bias=[1 << 29, -(1 << 29), 1 << 28, 1 << 30, 0],
            )
            for a in ("relu", "none")
        ),
        *(
            conv(f"lines_{c}_to_{o}", (1, 5, 8, c), (o, 3, 3, c), w_scale=0.003, activation="relu")
            for c, o in ((3, 7), (4, 10), (9, 3))
        ),
        conv("extreme_weights", (1, 5, 5, 8), (3, 3, 3, 8), weights=[-128, -127, 127]),
        conv(
            "extreme_weights_and_input",
            (1, 5, 5, 17),
            (3, 3, 3, 17),
            weights=[-128, 127],
            pattern="extremes",
            x_zero=-128,
            pad="SAME",
        ),
        conv("saturated_results", (1, 5, 5, 4), (3, 3, 3, 4), out_scale=1e-4),
        conv(
            "accumulator_wraps",
            **small,
            bias=[big, -big, big, -big],
            weights=[-128, 127],
            x_zero=127,
        ),
        conv("no_bias", (1, 5, 5, 4), (3, 3, 3, 4), bias=None, pad="SAME", x_zero=-128),
        conv("no_bias_1x1", (1, 5, 5, 4), (3, 1, 1, 4), bias=None),
        conv("ramp_input", (1, 16, 16, 1), (2, 1, 1, 1), pattern="ramp", w_scale=0.03),
        *(
            conv(
                f"negative_scales_{k}x{k}",
                (1, 6, 6, 4),
                (4, k, k, 4),
                w_scale=[0.01, -0.01, -0.003, -1e-9],
                out_scale=0.1,
                pad="SAME",
            )
            for k in (1, 3)
        ),
    ]


def _blocks() -> list[Case]:
    """Around the sizes of the blocks that kernels compute at a time."""
    pixels, outputs = (1, 2, 3, 4, 5, 7), (1, 2, 3, 4, 5)
    cases = [
        conv(f"block_{n}_pixels_{o}_outputs_1x1", (1, 1, n, 8), (o, 1, 1, 8))
        for n in pixels
        for o in outputs[n % 2 :: 2]
    ]
    for i, k in enumerate((1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)):
        n, o = pixels[i % 6], outputs[i % 5]
        cases += [
            conv(f"block_depth_{k}_1x1", (1, 1, n, k), (o, 1, 1, k), activation="relu"),
            conv(f"block_depth_{k}_3x3", (1, 4, n + 2, k), (o, 3, 3, k), pad="SAME", x_zero=77),
        ]
    for i, (k, w, stride) in enumerate(((1, 3, 1), (1, 2, 2), (3, 3, 1), (3, 3, 2), (2, 5, 1))):
        for n in (3, 4, 6, 7, 9):
            x = (1, 3, n * stride + w - stride, k)
            name = f"block_words_{k}_channels_{w}_columns_{n}_pixels_{i}"
            cases.append(conv(name, x, (3, 2, w, k), stride=(1, stride), pad=(1, 1, 0, 0)))
    # One column: the output of a row may lie on the input of the one before.
    cases += [conv(f"block_column_{k}", (1, 9, 1, k), (o, 1, 1, k)) for k, o in ((16, 4), (18, 3))]
    shifted = {"w_scale": [0.01, 3.0, 0.02, 40.0, 0.01], "out_scale": 0.1, "x_scale": 0.1}
    return [
        *cases,
        *(conv(f"block_rare_{k}x{k}", (1, 4, 5, 4), (5, k, k, 4), **shifted) for k in (1, 3)),
        # The largest sums that pairs of weights may have.
        *(
            conv(
                f"block_sum_{'over' if k > 516 else 'at'}_limit",
                (1, 1, 4, k),
                (2, 1, 1, k),
                weights=[127] if sign > 0 else [-127],
                pattern="extremes",
                out_scale=100.0,
            )
            for k, sign in ((516, 1), (520, -1))
        ),
    ]


def _uint8() -> list[Case]:
    """Weights with zero points; tests/unit/frontends/test_uint8.py has the interpreter judge."""
    return [
        conv(
            f"uint8_{name}",
            x,
            w,
            w_scale=0.013,
            w_zero=zero,
            x_zero=-77,
            weights=list(range(-128, 128)),
            uint8=True,
            **more,
        )
        for name, x, w, zero, more in (
            ("1x1", (1, 4, 5, 8), (5, 1, 1, 8), -25, {}),
            ("same", (1, 6, 7, 3), (4, 3, 3, 3), 17, {"pad": "SAME", "stride": (2, 1)}),
            ("dilated", (1, 8, 7, 2), (3, 3, 2, 2), 127, {"dilation": (2, 3), "pad": (3, 2, 2, 1)}),
            ("groups", (2, 5, 4, 8), (8, 3, 3, 4), -128, {"pad": "SAME"}),
            ("symmetric", (1, 5, 4, 8), (8, 3, 3, 8), 0, {"pad": "SAME"}),
            ("no_bias", (1, 5, 4, 8), (4, 2, 2, 8), 3, {"bias": None}),
        )
    ]


CASES: list[Case] = [
    *_kernels(),
    *_channels(),
    *_geometry(),
    *_groups(),
    *_requantization(),
    *_blocks(),
    *_uint8(),
    *(as_float(case) for case in (*_kernels(), *_channels(), *_geometry(), *_groups())),
    *(as_int16(case) for case in (*_kernels(), *_channels(), *_geometry(), *_groups())),
    *(as_hybrid(case) for case in (*_kernels(), *_channels(), *_geometry())),
    *(as_int16(case) for case in _requantization() if case.name not in _INT8_ONLY),
]
