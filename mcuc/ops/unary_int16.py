"""Functions of one operand on int16, without zero points: rules and kernels of `unary`.

Sources: TFLite `elementwise.cc`, `activations.cc` with `LUTPopulate` and `reference/integer_ops/
tanh.h`; formulas in docs/numerics.md, "Operators on int16". EXP, LOG, RSQRT and the approximate
GELU interpolate in a table of 513 samples, TANH in that of the sigmoid, LEAKY_RELU and ABS rescale.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.numerics import int16, sigmoid
from mcuc.numerics.params import Multiplier, quantize_multiplier
from mcuc.numerics.unary import gelu_tanh
from mcuc.ops.arithmetic import kernel_on
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, Site

_HEADER = "unary/unary_s16.h"
_TANH_SCALE = 1 / 32768
_LARGEST_EXPONENT = 80


TABLES: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "exp": lambda x: np.exp(x),
        "log": lambda x: np.log(x),
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "gelu_tanh": gelu_tanh,
    }
)
# Of what is defined above zero alone, the result elsewhere.
_NOT_POSITIVE = MappingProxyType({"log": -32768, "rsqrt": 32767})
_RESCALED = ("abs", "leaky_relu")
FUNCTIONS = frozenset({*TABLES, *_RESCALED, "tanh"})


def check(problems: Problems, name: str) -> None:
    """Requires the scale that TANH gives."""
    out = problems.result(DType.S16)
    if name == "tanh" and out is not None and out.scale != _TANH_SCALE:
        problems.add("E205", f"the int16 result has the scale {out.scale:g}, not 1/32768")


def check_scales(site: Site, name: str, alpha: float) -> None:
    """Requires scales that can be combined."""
    if name == "tanh":
        _tanh_factor(site)
    elif name in _RESCALED:
        _factors(site, alpha)
    elif name == "exp":
        combined(site, _exp_range, quant_of(site.input()).scale)


def _exp_range(scale: float) -> None:
    """TFLite's table is undefined where the exponential is no float32."""
    if scale * 32768 > _LARGEST_EXPONENT:
        raise ValueError(f"EXP of int16 cannot take the input scale {scale:g}")


def _tanh_factor(site: Site) -> tuple[int, int]:
    return combined(site, sigmoid.factor, quant_of(site.input()).scale)


def _factors(site: Site, alpha: float) -> tuple[Multiplier, Multiplier]:
    """Above zero, and of LEAKY_RELU below."""

    def both(x: float, y: float) -> tuple[Multiplier, Multiplier]:
        own, out = np.float32(x), np.float32(y)
        below = own * np.float32(alpha) / out
        return quantize_multiplier(float(own / out)), quantize_multiplier(float(below))

    return combined(site, both, quant_of(site.input()).scale, quant_of(site.output).scale)


def _samples(site: Site, name: str) -> int16.Int16s:
    scales = quant_of(site.input()).scale, quant_of(site.output).scale
    if name not in _NOT_POSITIVE:
        return int16.function_table(TABLES[name], *scales)
    limit = np.float32(scales[1]) * np.float32(_NOT_POSITIVE[name])

    def function(x: Any) -> Any:
        return np.where(x <= 0, limit, TABLES[name](np.where(x <= 0, 1.0, x)))

    return int16.function_table(function, *scales)


def ref(site: Site, x: Array, name: str, alpha: float) -> Array:
    """The result of int16."""
    if name == "tanh":
        return sigmoid.tanh(x, *_tanh_factor(site))
    wide = np.asarray(x, np.int64)
    if name in TABLES:
        return int16.look_up(wide, _samples(site, name)).astype(np.int16)
    above, below = _factors(site, alpha)
    if name == "abs":
        return int16.clamped(int16.rescale(np.abs(wide), above))
    both = (int16.rescale(wide, factor) for factor in (above, below))
    return int16.clamped(np.where(wide >= 0, *both))


Named = Callable[[Site], tuple[str, float]]


def _kernel(file: str, names: Collection[str], named: Named) -> Kernel:
    """The kernel of these functions; `named`: function and alpha of a site."""

    def when(site: Site, target: Target) -> bool:
        return named(site)[0] in names

    def pack(site: Site) -> Params:
        name, alpha = named(site)
        fields: dict[str, ParamValue] = {"channels": site.input().nhwc[3]}
        if name in TABLES:
            fields["samples"] = _samples(site, name)
            return Params("mcuc_unary_table_params", _HEADER, fields)
        if name == "tanh":
            multiplier, right = _tanh_factor(site)
            samples = np.asarray(sigmoid.TABLE, np.uint16)
            fields |= {"multiplier": multiplier, "right": right, "samples": samples}
            return Params("mcuc_unary_tanh_params", _HEADER, fields)
        above, below = _factors(site, alpha)
        fields |= {"multiplier": above.multiplier, "shift": above.shift, "fold": int(name == "abs")}
        fields |= {"below_multiplier": below.multiplier, "below_shift": below.shift}
        return Params("mcuc_unary_scaled_params", _HEADER, fields)

    return kernel_on(DType.S16, f"unary/{file}.c", Form.PIXEL, pack, when=when, inplace=(0,))


def kernels(named: Named) -> tuple[Kernel, ...]:
    """All on int16."""
    return (
        _kernel("s16_s16_table__c", TABLES, named),
        _kernel("s16_s16_tanh__c", ("tanh",), named),
        _kernel("s16_s16_scaled__c", _RESCALED, named),
    )
