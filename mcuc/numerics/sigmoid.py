"""LOGISTIC and TANH on int16: TFLite's `reference_integer_ops`, which interpolate in a table.

Rule: docs/numerics.md, "Operators on int16".
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mcuc.numerics.int16 import Int16s

# Sigmoid of i / 24 in steps of 2^-16, as TFLite has it: some are off by one from the nearest.
TABLE = (
    32768,
    33451,
    34133,
    34813,
    35493,
    36169,
    36843,
    37513,
    38180,
    38841,
    39498,
    40149,
    40794,
    41432,
    42064,
    42688,
    43304,
    43912,
    44511,
    45102,
    45683,
    46255,
    46817,
    47369,
    47911,
    48443,
    48964,
    49475,
    49975,
    50464,
    50942,
    51409,
    51865,
    52311,
    52745,
    53169,
    53581,
    53983,
    54374,
    54755,
    55125,
    55485,
    55834,
    56174,
    56503,
    56823,
    57133,
    57433,
    57724,
    58007,
    58280,
    58544,
    58800,
    59048,
    59288,
    59519,
    59743,
    59959,
    60168,
    60370,
    60565,
    60753,
    60935,
    61110,
    61279,
    61441,
    61599,
    61750,
    61896,
    62036,
    62172,
    62302,
    62428,
    62549,
    62666,
    62778,
    62886,
    62990,
    63090,
    63186,
    63279,
    63368,
    63454,
    63536,
    63615,
    63691,
    63765,
    63835,
    63903,
    63968,
    64030,
    64090,
    64148,
    64204,
    64257,
    64308,
    64357,
    64405,
    64450,
    64494,
    64536,
    64576,
    64614,
    64652,
    64687,
    64721,
    64754,
    64786,
    64816,
    64845,
    64873,
    64900,
    64926,
    64950,
    64974,
    64997,
    65019,
    65039,
    65060,
    65079,
    65097,
    65115,
    65132,
    65149,
    65164,
    65179,
    65194,
    65208,
    65221,
    65234,
    65246,
    65258,
    65269,
    65280,
    65291,
    65301,
    65310,
    65319,
    65328,
    65337,
    65345,
    65352,
    65360,
    65367,
    65374,
    65381,
    65387,
    65393,
    65399,
    65404,
    65410,
    65415,
    65420,
    65425,
    65429,
    65433,
    65438,
    65442,
    65445,
    65449,
    65453,
    65456,
    65459,
    65462,
    65465,
    65468,
    65471,
    65474,
    65476,
    65479,
    65481,
    65483,
    65485,
    65488,
    65489,
    65491,
    65493,
    65495,
    65497,
    65498,
    65500,
    65501,
    65503,
    65504,
    65505,
    65507,
    65508,
    65509,
    65510,
    65511,
    65512,
    65513,
    65514,
    65515,
    65516,
    65517,
    65517,
    65518,
    65519,
    65520,
    65520,
    65521,
    65522,
    65522,
    65523,
    65523,
    65524,
    65524,
    65525,
    65525,
    65526,
    65526,
    65526,
    65527,
    65527,
    65528,
    65528,
    65528,
    65529,
    65529,
    65529,
    65529,
    65530,
    65530,
    65530,
    65530,
    65531,
    65531,
    65531,
    65531,
    65531,
    65532,
    65532,
    65532,
    65532,
    65532,
    65532,
    65533,
    65533,
    65533,
    65533,
    65533,
    65533,
    65533,
    65533,
    65534,
    65534,
    65534,
    65534,
    65534,
    65534,
    65534,
    65534,
    65534,
    65534,
    65535,
)


def factor(input_scale: float) -> tuple[int, int]:
    """(multiplier, shift to the right) from the input to steps of 1 / (3 * 4096).

    Raises:
        ValueError: if the scale is larger than what TFLite's loop leaves meaningful.
    """
    exponent = math.log2(input_scale)
    nearest = round(exponent)
    if abs(exponent - nearest) < 1e-3 and nearest in (-12, -11):
        return 3 << (nearest + 12), 0
    multiplier, right = input_scale * 4096.0 * 3.0, 0
    while multiplier <= 32767.0 / 2.0 and right <= 30:
        multiplier, right = multiplier * 2.0, right + 1
    if multiplier >= 65536.0:
        raise ValueError(f"a sigmoid of int16 cannot take the input scale {input_scale}")
    return int(multiplier), right


def logistic(x: npt.ArrayLike, multiplier: int, right: int) -> Int16s:
    """Results in steps of 1/32768."""
    scaled, value = _interpolated(x, multiplier, right, 9, 0x7FFF << 10)
    signed = np.where(scaled >= 0, value + 512, (1 << 25) - value + 511)
    return (signed >> 10).astype(np.int16)


def tanh(x: npt.ArrayLike, multiplier: int, right: int) -> Int16s:
    """2 sigmoid(2 x) - 1 in steps of 1/32768."""
    scaled, value = _interpolated(x, multiplier, right, 8, 0xFFFF << 8)
    above = value - (1 << 23)
    return (np.where(scaled >= 0, above + 128, 127 - above) >> 8).astype(np.int16)


def _interpolated(
    x: npt.ArrayLike, multiplier: int, right: int, bits: int, beyond: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The scaled input, and what the table has for its magnitude, in steps of 2^-(16 + bits).

    The entries are 2^bits steps apart; behind the last one it is `beyond`.
    """
    half = (1 << right) >> 1
    scaled = (np.asarray(x, np.int64) * multiplier + half) >> right
    size = np.abs(scaled)
    samples = np.asarray(TABLE, np.int64)
    index = np.minimum(size >> bits, 254)
    step = samples[index + 1] - samples[index]
    between = (samples[index] << bits) + (size & ((1 << bits) - 1)) * step
    return scaled, np.where(size >> bits >= 255, beyond, between)
