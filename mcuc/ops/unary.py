"""Element-wise functions of one operand: int8 as a table, float32 in the arithmetic of TFLite.

int16: mcuc/ops/unary_int16.py; int32, int64 and NEG of int16: mcuc/ops/unary_whole.py.

Rules: docs/numerics.md, "Unary operators". Each function of TFLite has the element types for which
the reference interpreter (BUILTIN_REF) has it; those that ONNX alone has are on float32. NEG of
int8 and int16 negates the stored integers, which is the negative only where input and output have
one scale and no zero point; other models are refused.
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
from mcuc.numerics import float32, float_arcs, float_bends, float_functions
from mcuc.numerics.int8 import float_table
from mcuc.numerics.unary import TABLES, Scales
from mcuc.ops import unary_int16, unary_whole
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs

Floats = npt.NDArray[np.float32]

DTYPES = (DType.S8, DType.S16, DType.F32, DType.S32, DType.S64)
_ZERO, _ONE, _SIX = (np.float32(n) for n in (0, 1, 6))


def _hard_swish(x: Floats, own: Attrs) -> Floats:
    result: Floats = x * np.minimum(np.maximum(x + np.float32(3), _ZERO), _SIX) / _SIX
    return result


def _gelu(x: Floats, own: Attrs) -> Floats:
    result: Floats = np.float32(0.5) * x * (_ONE + float_functions.erf(x * np.float32(0.70710678)))
    return result


def _gelu_tanh(x: Floats, own: Attrs) -> Floats:
    inner = np.float32(0.79788456) * (x + np.float32(0.044715) * (x * x * x))
    result: Floats = np.float32(0.5) * x * (_ONE + float_functions.tanh(inner))
    return result


def _clip(x: Floats, low: float | np.float32, high: float | np.float32) -> Floats:
    return float32.clamp(x, (float(low), float(high)))


@dataclass(frozen=True)
class Attrs:
    """A function and its numbers.

    Attributes:
        function: A key of TABLES or FLOATS.
        alpha: LEAKY_RELU's, ELU's, SELU's, CELU's factor below zero; HARD_SIGMOID's factor;
            THRESHOLDED_RELU's bound; the lower bound of CLIP.
        beta: HARD_SIGMOID's summand; SELU's factor of all; the upper bound of CLIP.
    """

    function: str
    alpha: float = 0.0
    beta: float = 0.0

    @property
    def numbers(self) -> tuple[np.float32, np.float32]:
        """Alpha and beta as the kernels have them."""
        return np.float32(self.alpha), np.float32(self.beta)


# Functions by kernel, in the order of the numbers of runtime_c/src/unary/unary.h. A model gets the
# code of the kernels that it uses.
PLAIN: Mapping[str, Callable[[Floats, Attrs], Floats]] = MappingProxyType(
    {
        "abs": lambda x, own: np.abs(x),
        "neg": lambda x, own: -x,
        "square": lambda x, own: x * x,
        "sqrt": lambda x, own: np.sqrt(x),
        "rsqrt": lambda x, own: np.asarray(_ONE / np.sqrt(x), np.float32),
        "floor": lambda x, own: np.floor(x),
        "leaky_relu": lambda x, own: np.where(x > 0, x, x * own.numbers[0]),
        "hard_swish": _hard_swish,
        "relu_0_to_1": lambda x, own: np.minimum(np.maximum(x, _ZERO), _ONE),
        "sign": lambda x, own: np.sign(x),
        "ceil": lambda x, own: np.ceil(x),
        "round": lambda x, own: np.rint(x),
        "reciprocal": lambda x, own: np.asarray(_ONE / x, np.float32),
        "softsign": lambda x, own: np.asarray(x / (_ONE + np.abs(x)), np.float32),
        "hard_sigmoid": lambda x, own: _clip(own.numbers[0] * x + own.numbers[1], 0.0, 1.0),
        "thresholded_relu": lambda x, own: np.where(x > own.numbers[0], x, _ZERO),
        "clip": lambda x, own: _clip(x, *own.numbers),
    }
)
SERIES: Mapping[str, Callable[[Floats, Attrs], Floats]] = MappingProxyType(
    {
        "exp": lambda x, own: float32.exp(x),
        "log": lambda x, own: float_functions.log(x),
        "tanh": lambda x, own: float_functions.tanh(x),
        "sin": lambda x, own: float_functions.sine(x),
        "cos": lambda x, own: float_functions.sine(x, 1),
        "gelu": _gelu,
        "gelu_tanh": _gelu_tanh,
    }
)
BENDS: Mapping[str, Callable[[Floats, Attrs], Floats]] = MappingProxyType(
    {
        "erf": lambda x, own: float_functions.erf(x),
        "softplus": lambda x, own: float_bends.softplus(x),
        "mish": lambda x, own: float_bends.mish(x),
        "elu": lambda x, own: float_bends.elu(x, own.numbers[0]),
        "selu": lambda x, own: own.numbers[1] * float_bends.elu(x, own.numbers[0]),
        "celu": lambda x, own: float_bends.celu(x, own.numbers[0]),
    }
)
ARCS: Mapping[str, Callable[[Floats, Attrs], Floats]] = MappingProxyType(
    {
        "tan": lambda x, own: float_arcs.tan(x),
        "asin": lambda x, own: float_arcs.asin(x),
        "acos": lambda x, own: float_arcs.acos(x),
        "atan": lambda x, own: float_arcs.atan(x),
        "sinh": lambda x, own: float_arcs.sinh(x),
        "cosh": lambda x, own: float_arcs.cosh(x),
        "asinh": lambda x, own: float_arcs.asinh(x),
        "acosh": lambda x, own: float_arcs.acosh(x),
        "atanh": lambda x, own: float_arcs.atanh(x),
    }
)
FLOATS = MappingProxyType({**PLAIN, **SERIES, **BENDS, **ARCS})
# On int8 tables of the float function, since TFLite has no rule of its own for them. Of the others,
# TFLite knows some on float32 alone, and some are not defined everywhere.
BY_FLOAT = (
    *("ceil", "round", "softsign", "hard_sigmoid", "thresholded_relu", "clip"),
    *BENDS,
)
ON_INT8 = frozenset({*TABLES, *BY_FLOAT})


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    name = attrs_of(site).function
    known = (ON_INT8, (*unary_int16.FUNCTIONS, "neg"), FLOATS, unary_whole.FUNCTIONS, ("neg",))
    dtypes = tuple(d for d, functions in zip(DTYPES, known, strict=True) if name in functions)
    x = problems.operand(0, "input", dtypes)
    if x is not None and site.output.dtype is not x.dtype:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    elif x is not None and x.dtype in (DType.S8, DType.S16):
        quant, out = problems.per_tensor(x, "input"), problems.result(x.dtype)
        if name == "neg" and quant is not None:
            problems.same_quant(quant, out, "input and output of a NEG")
            if quant.zero_point != 0:
                problems.add(
                    "E203",
                    f"the zero point of the input of a NEG is {quant.zero_point}, not 0",
                    why="TFLite negates the stored integers",
                )
        elif x.dtype is DType.S16:
            unary_int16.check(problems, name)
    problems.raise_all()
    if site.input().dtype is DType.S16 and name != "neg":
        unary_int16.check_scales(site, *_named(site))
    if site.input().dtype is DType.S8:
        combined(site, lambda *_: table(site))
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def _named(site: Site) -> tuple[str, float]:
    return attrs_of(site).function, attrs_of(site).alpha


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    x, y, attrs = quant_of(site.input()), quant_of(site.output), attrs_of(site)
    if attrs.function in BY_FLOAT:

        def function(numbers: Floats) -> Floats:
            with np.errstate(all="ignore"):
                return np.asarray(FLOATS[attrs.function](numbers, attrs), np.float32)

        return float_table(function, x.scale, x.zero_point, y.scale, y.zero_point)
    scales = Scales(x.scale, x.zero_point, y.scale, y.zero_point, attrs.alpha)
    return TABLES[attrs.function](scales)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if x.dtype == np.int8:
        return (apply_table(table(site), x),)
    if x.dtype == np.int16 and attrs_of(site).function != "neg":
        return (unary_int16.ref(site, x, *_named(site)),)
    if x.dtype.kind == "i":
        return (unary_whole.ref(x, attrs_of(site).function),)
    attrs = attrs_of(site)
    with np.errstate(all="ignore"):
        result = FLOATS[attrs.function](np.asarray(x, np.float32), attrs)
    return (np.asarray(result, np.float32),)


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    return Params(
        "mcuc_unary_params",
        "unary/unary.h",
        {
            "channels": site.input().nhwc[3],
            "function": list(FLOATS).index(attrs.function),
            "alpha": float(attrs.numbers[0]),
            "beta": float(attrs.numbers[1]),
        },
    )


def _is_int8(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.S8


def _float_kernel(file: str, functions: Mapping[str, object]) -> Kernel:
    """The kernel that computes these functions of float32."""

    def when(site: Site, target: Target) -> bool:
        return site.input().dtype is DType.F32 and attrs_of(site).function in functions

    return Kernel(
        symbol=f"mcuc_unary_{file}",
        source=f"unary/{file}.c",
        form=Form.PIXEL,
        when=when,
        pack=pack,
        inplace=(0,),
    )


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
        *unary_int16.kernels(_named),
        *unary_whole.kernels(_named),
        _float_kernel("f32_f32__c", PLAIN),
        _float_kernel("f32_f32_series__c", SERIES),
        _float_kernel("f32_f32_bends__c", BENDS),
        _float_kernel("f32_f32_arcs__c", ARCS),
    ),
)
