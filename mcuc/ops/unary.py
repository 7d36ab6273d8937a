"""Element-wise functions of one operand: int8 as a table, float32 in the arithmetic of TFLite.

Rules: docs/numerics.md, "Unary operators". Each function has the element types for which the
reference interpreter (BUILTIN_REF) has it. NEG of int8 negates the stored integers, which is the
negative only where input and output have one scale and no zero point; other models are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, float_functions
from mcuc.numerics.unary import TABLES, Scales
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs

Floats = npt.NDArray[np.float32]

DTYPES = (DType.S8, DType.F32)
_ZERO, _ONE, _SIX = (np.float32(n) for n in (0, 1, 6))


def _hard_swish(x: Floats, alpha: np.float32) -> Floats:
    result: Floats = x * np.minimum(np.maximum(x + np.float32(3), _ZERO), _SIX) / _SIX
    return result


def _gelu(x: Floats, alpha: np.float32) -> Floats:
    result: Floats = np.float32(0.5) * x * (_ONE + float_functions.erf(x * np.float32(0.70710678)))
    return result


def _gelu_tanh(x: Floats, alpha: np.float32) -> Floats:
    inner = np.float32(0.79788456) * (x + np.float32(0.044715) * (x * x * x))
    result: Floats = np.float32(0.5) * x * (_ONE + float_functions.tanh(inner))
    return result


# Order: the numbers of runtime_c/src/unary/unary.h.
FLOATS: Mapping[str, Callable[[Floats, np.float32], Floats]] = MappingProxyType(
    {
        "abs": lambda x, alpha: np.abs(x),
        "neg": lambda x, alpha: -x,
        "square": lambda x, alpha: x * x,
        "sqrt": lambda x, alpha: np.sqrt(x),
        "rsqrt": lambda x, alpha: np.asarray(_ONE / np.sqrt(x), np.float32),
        "floor": lambda x, alpha: np.floor(x),
        "leaky_relu": lambda x, alpha: np.where(x > 0, x, x * alpha),
        "hard_swish": _hard_swish,
        "relu_0_to_1": lambda x, alpha: np.minimum(np.maximum(x, _ZERO), _ONE),
        "sign": lambda x, alpha: np.sign(x),
        "exp": lambda x, alpha: float32.exp(x),
        "log": lambda x, alpha: float_functions.log(x),
        "tanh": lambda x, alpha: float_functions.tanh(x),
        "sin": lambda x, alpha: float_functions.sine(x),
        "cos": lambda x, alpha: float_functions.sine(x, 1),
        "gelu": _gelu,
        "gelu_tanh": _gelu_tanh,
    }
)


# Computed by polynomials, and therefore in a kernel of their own.
SERIES = ("exp", "log", "tanh", "sin", "cos", "gelu", "gelu_tanh")


@dataclass(frozen=True)
class Attrs:
    """function: a key of TABLES or FLOATS; alpha: LEAKY_RELU's factor below zero."""

    function: str
    alpha: float = 0.0


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    name = attrs_of(site).function
    dtypes = tuple(d for d, known in zip(DTYPES, (TABLES, FLOATS), strict=True) if name in known)
    x = problems.operand(0, "input", dtypes)
    if x is not None and site.output.dtype is not x.dtype:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    elif x is not None and x.dtype is DType.S8:
        quant, out = problems.per_tensor(x, "input"), problems.result()
        if name == "neg" and quant is not None:
            problems.same_quant(quant, out, "input and output of a NEG")
            if quant.zero_point != 0:
                problems.add(
                    "E203",
                    f"the zero point of the input of a NEG is {quant.zero_point}, not 0",
                    why="TFLite negates the stored integers",
                )
    problems.raise_all()
    if site.input().dtype is DType.S8:
        combined(site, lambda *_: table(site))
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    x, y, attrs = quant_of(site.input()), quant_of(site.output), attrs_of(site)
    scales = Scales(x.scale, x.zero_point, y.scale, y.zero_point, attrs.alpha)
    return TABLES[attrs.function](scales)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if x.dtype == np.int8:
        return (apply_table(table(site), x),)
    attrs = attrs_of(site)
    with np.errstate(all="ignore"):
        result = FLOATS[attrs.function](np.asarray(x, np.float32), np.float32(attrs.alpha))
    return (np.asarray(result, np.float32),)


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    return Params(
        "mcuc_unary_params",
        "unary/unary.h",
        {
            "channels": site.input().nhwc[3],
            "function": list(FLOATS).index(attrs.function),
            "alpha": float(np.float32(attrs.alpha)),
        },
    )


def _is_int8(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.S8


def _is_plain(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.F32 and attrs_of(site).function not in SERIES


def _is_series(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.F32 and attrs_of(site).function in SERIES


SPEC = OpSpec(
    name="unary",
    doc=f"Element-wise: {', '.join(sorted({*TABLES, *FLOATS})).upper()}",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        lut_kernel(table, _is_int8),
        Kernel(
            symbol="mcuc_unary_f32_f32__c",
            source="unary/f32_f32__c.c",
            form=Form.PIXEL,
            when=_is_plain,
            pack=pack,
            inplace=(0,),
        ),
        Kernel(
            symbol="mcuc_unary_f32_f32_series__c",
            source="unary/f32_f32_series__c.c",
            form=Form.PIXEL,
            when=_is_series,
            pack=pack,
            inplace=(0,),
        ),
    ),
)
