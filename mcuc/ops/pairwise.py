"""Element-wise functions of two operands with broadcast, beside ADD and MUL.

float32: SUB, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM, PRELU, POW, FLOOR_DIV, FLOOR_MOD;
comparisons, which give bool.
int8: SUB, SQUARED_DIFFERENCE, PRELU, comparisons (mcuc/ops/pairwise_int8.py); MAXIMUM, MINIMUM of
tensors that are quantized alike, where the stored integers tell. int16 as int8, without
SQUARED_DIFFERENCE and PRELU; LESS and its like of tensors quantized alike.
bool: LOGICAL_AND, LOGICAL_OR, EQUAL, NOT_EQUAL (which is the exclusive or). int32 and int64: ADD,
SUB, MUL, MAXIMUM, MINIMUM, which wrap around, and comparisons, int32 also DIV and
SQUARED_DIFFERENCE. FLOOR_DIV and FLOOR_MOD of integers without a scale: int16, int32; FLOOR_MOD of
int64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, float_bends
from mcuc.ops import pairwise_int8
from mcuc.ops.binary import (
    broadcast_params,
    broadcast_shape,
    canonical_binary,
    region_binary,
)
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs

_ALL = (DType.S8, DType.F32)
_REAL = (DType.F32,)
_WHOLE = (DType.S32, DType.S64)
_COUNTS = (DType.S32,)
_ORDERED = (DType.S8, DType.S16, *_WHOLE, DType.F32)
_BOOL = (DType.BOOL,)
RESCALED = ("sub", "squared_difference", "prelu")  # of int8: the others take equal scales
_RESCALED_TYPES = (DType.S8, DType.S16)
_FLOORS = ("floor_div", "floor_mod")


@dataclass(frozen=True)
class Function:
    """numpy's function, the element types of the operands, whether the result is bool."""

    of: Callable[[Any, Any], Any]
    dtypes: tuple[DType, ...]
    to_bool: bool = False


def _divide(a: Array, b: Array) -> Array:
    """The quotient; of integers cut to an integer, 0 where b is 0 (where TFLite fails)."""
    if a.dtype.kind == "f":
        return np.asarray(np.divide(a, b))
    wide, divisor = np.asarray(a, np.int64), np.asarray(b, np.int64)
    quotient = np.abs(wide) // np.where(divisor == 0, 1, np.abs(divisor))
    signed = np.where((wide < 0) == (divisor < 0), quotient, -quotient)
    return np.where(divisor == 0, 0, signed).astype(np.int32)


def _floor_div(a: Array, b: Array) -> Array:
    """Quotient, rounded down; of integers 0 where b is 0 (where TFLite fails)."""
    if a.dtype.kind == "f":
        return np.asarray(np.floor(np.divide(a, b)))
    divisor = np.where(b == 0, 1, np.asarray(b, np.int64))
    quotient = np.floor_divide(np.asarray(a, np.int64), divisor)
    return np.where(b == 0, 0, quotient).astype(a.dtype)


def _floor_mod(a: Array, b: Array) -> Array:
    """Rest, of the sign of b; of integers 0 where b is 0 (where TFLite fails)."""
    if a.dtype.kind == "f":
        rest = np.fmod(a, b)
        against = np.less(rest, 0) != np.less(b, 0)
        return np.where((rest != 0) & against, rest + b, rest)
    return np.where(b == 0, 0, np.mod(a, np.where(b == 0, 1, b))).astype(a.dtype)


# Order: the numbers of runtime_c/src/pairwise/pairwise.h.
FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "sub": Function(np.subtract, _ORDERED),
        "div": Function(_divide, _REAL + _COUNTS),
        "squared_difference": Function(lambda a, b: (a - b) * (a - b), _ALL + _COUNTS),
        "minimum": Function(np.minimum, _ORDERED),
        "prelu": Function(lambda a, b: np.where(a >= 0, a, a * b), _ALL),
        "less": Function(np.less, _ORDERED, True),
        "less_equal": Function(np.less_equal, _ORDERED, True),
        "greater": Function(np.greater, _ORDERED, True),
        "greater_equal": Function(np.greater_equal, _ORDERED, True),
        "equal": Function(np.equal, _ORDERED + _BOOL, True),
        "not_equal": Function(np.not_equal, _ORDERED + _BOOL, True),
        "logical_and": Function(np.logical_and, (DType.BOOL,), True),
        "logical_or": Function(np.logical_or, (DType.BOOL,), True),
        "maximum": Function(np.maximum, _ORDERED),
        "pow": Function(float_bends.power, _REAL),
        "add": Function(np.add, _WHOLE),
        "mul": Function(np.multiply, _WHOLE),
        "floor_div": Function(_floor_div, (*_REAL, DType.S16, *_COUNTS)),
        "floor_mod": Function(_floor_mod, (*_REAL, DType.S16, *_WHOLE)),
    }
)


@dataclass(frozen=True)
class Attrs:
    """function: a key of FUNCTIONS; activation: fused into SUB and DIV."""

    function: str
    activation: str = "none"


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    attrs = attrs_of(site)
    function = FUNCTIONS[attrs.function]
    problems = Problems(site)
    a = problems.operand(0, "first operand", function.dtypes)
    b = problems.operand(1, "second operand", function.dtypes if a is None else (a.dtype,))
    shape = broadcast_shape(problems, a, b) if a is not None and b is not None else ()
    if attrs.function == "prelu" and a is not None and shape != a.shape:
        problems.add("E111", f"the slopes of a PRELU have more elements than its input {a.shape}")
    wanted = DType.BOOL if function.to_bool or a is None else a.dtype
    if site.output.dtype is not wanted:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {wanted.value}")
    elif a is not None and a.dtype is DType.F32:
        problems.activation(attrs.activation, None)
    elif a is not None and a.dtype in _WHOLE and attrs.activation != "none":
        problems.add("E115", f"{attrs.activation} fused into arithmetic of {a.dtype.value}")
    elif a is not None and attrs.function in _FLOORS:
        if any(t is not None and t.quant for t in (a, b, site.output)):
            problems.add("E203", f"{attrs.function.upper()} of quantized integers has no meaning")
    elif a is not None and (a.dtype is DType.S8 or (a.dtype is DType.S16 and a.quant)):
        quants = [
            problems.per_tensor(type_, name)
            for type_, name in ((a, "first operand"), (b, "second operand"))
        ]
        if attrs.function not in RESCALED and not pairwise_int8.rescales(a, attrs.function):
            problems.same_quant(quants[0], quants[1], "the operands")
        if not function.to_bool:
            out = problems.result(a.dtype)
            if attrs.function not in RESCALED:
                problems.same_quant(quants[0], out, "operands and output")
            problems.activation(attrs.activation, out)
    problems.raise_all()
    if attrs.function == "sub" and site.input().dtype is DType.S16 and not site.input().quant:
        raise site.error("E201", "int16 tensors without a scale are subtracted")
    rescaled = attrs.function in RESCALED and site.input().dtype in _RESCALED_TYPES
    if rescaled or pairwise_int8.is_rescaled(site, attrs.function):
        pairwise_int8.check(site, attrs.function)
    return (TensorType(shape, wanted, None if function.to_bool else site.output.quant),)


def ref(site: Site, a: Array, b: Array) -> tuple[Array, ...]:
    attrs = attrs_of(site)
    if attrs.function in RESCALED and DType.of(a.dtype) in _RESCALED_TYPES:
        return (pairwise_int8.ref(site, attrs.function, attrs.activation, a, b),)
    if pairwise_int8.is_rescaled(site, attrs.function):
        a, b = pairwise_int8.at_common_scale(site, a, b)
    with np.errstate(all="ignore"):
        result = np.asarray(FUNCTIONS[attrs.function].of(a, b))
    if result.dtype == np.float32 and attrs.function != "pow":
        result = float32.clamp(result, float32.bounds(attrs.activation))
    return (result,)


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    low, high = float32.bounds(attrs.activation)
    number: dict[str, ParamValue] = {"function": list(FUNCTIONS).index(attrs.function)}
    fields = {**broadcast_params(site), **number}
    if site.output.dtype is DType.F32 and attrs.function not in ("pow", *_FLOORS):
        fields |= {"low": low, "high": high}
        return Params("mcuc_pairwise_f32_params", "pairwise/pairwise.h", fields)
    return Params("mcuc_pairwise_params", "pairwise/pairwise.h", fields)


def pack_scaled(site: Site) -> Params:
    return pairwise_int8.pack_comparison(site, list(FUNCTIONS).index(attrs_of(site).function))


def pack_difference(site: Site) -> Params:
    attrs = attrs_of(site)
    return pairwise_int8.pack_differences(site, attrs.function, attrs.activation)


def _kernel(
    file: str, source: DType, result: DType, only: str = "", record: Callable[[Site], Params] = pack
) -> Kernel:
    """A kernel on element types; `only`: of this function, which the others leave out."""

    def when(site: Site, target: Target) -> bool:
        own = site.input().dtype is source and site.output.dtype is result
        return own and only in ("", attrs_of(site).function)

    return Kernel(
        symbol=f"mcuc_pairwise_{file}",
        source=f"pairwise/{file}.c",
        form=Form.PIXEL,
        when=when,
        pack=record,
        operands=(0, 1),
        inplace=(0, 1) if source is result else (),
    )


def _comparison(dtype: DType, scaled: bool) -> Kernel:
    """Comparisons of stored numbers, or `scaled`: those that TFLite makes at a common scale."""

    def when(site: Site, target: Target) -> bool:
        own = site.input().dtype is dtype and site.output.dtype is DType.BOOL
        return own and pairwise_int8.is_rescaled(site, attrs_of(site).function) == scaled

    name = f"{dtype.value}_{dtype.value}_u8"
    file, record = (f"{name}_scaled__c", pack_scaled) if scaled else (f"{name}__c", pack)
    return replace(_kernel(file, dtype, DType.BOOL, record=record), when=when)


def _others(dtype: DType) -> Kernel:
    """All functions of a type but those with kernels of their own."""
    own = {DType.F32: ("pow", *_FLOORS), DType.S64: _FLOORS}.get(dtype, ())

    def when(site: Site, target: Target) -> bool:
        return (
            site.input().dtype is site.output.dtype is dtype and attrs_of(site).function not in own
        )

    name = dtype.value
    return replace(_kernel(f"{name}_{name}_{name}__c", dtype, dtype), when=when)


def _floors(dtype: DType) -> Kernel:
    """FLOOR_DIV and FLOOR_MOD."""

    def when(site: Site, target: Target) -> bool:
        return (
            site.input().dtype is site.output.dtype is dtype and attrs_of(site).function in _FLOORS
        )

    name = dtype.value
    return replace(_kernel(f"{name}_{name}_{name}_floor__c", dtype, dtype), when=when)


def _extremes(dtype: DType) -> Kernel:
    """Of small integers the maximum and the minimum alone."""

    def when(site: Site, target: Target) -> bool:
        return site.output.dtype is dtype and attrs_of(site).function in ("maximum", "minimum")

    name = dtype.value
    return replace(_kernel(f"{name}_{name}_{name}__c", dtype, dtype), when=when)


_TYPES = (DType.S8, DType.S16, DType.S32, DType.S64, DType.F32, DType.BOOL)


SPEC = OpSpec(
    name="pairwise",
    doc=f"Element-wise with broadcast: {', '.join(FUNCTIONS).upper()}",
    Attrs=Attrs,
    operands=(
        OperandSpec("a", _TYPES),
        OperandSpec("b", _TYPES),
    ),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_binary,
    kernels=(
        _kernel("s8_s8_s8_sub__c", DType.S8, DType.S8, "sub", pack_difference),
        _kernel("s8_s8_s8_squared__c", DType.S8, DType.S8, "squared_difference", pack_difference),
        _kernel("s8_s8_s8_prelu__c", DType.S8, DType.S8, "prelu", pairwise_int8.pack_prelu),
        _kernel("s16_s16_s16_sub__c", DType.S16, DType.S16, "sub", pack_difference),
        *(_floors(dtype) for dtype in (DType.S16, DType.S64, DType.F32)),
        _extremes(DType.S8),
        _extremes(DType.S16),
        _kernel("u8_u8_u8__c", DType.BOOL, DType.BOOL),
        *(_comparison(t, True) for t in _RESCALED_TYPES),
        *(_comparison(t, False) for t in _ORDERED),
        _kernel("f32_f32_f32_pow__c", DType.F32, DType.F32, "pow"),
        *(_others(dtype) for dtype in (*_WHOLE, DType.F32)),
    ),
    canonical=canonical_binary,
)
