"""ABS, NEG and SIGN of int32, NEG of int64 and int16: rules and kernels of `unary`.

Source: TFLite `elementwise.cc`, `neg.cc`, `sign.cc`: the stored integers, which wrap around. NEG of
int16 is the negative only where input and output have one scale; other models are refused.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.ops.arithmetic import kernel_on
from mcuc.ops.spec import Kernel, Site

# Order: the numbers of runtime_c/src/unary/unary_whole.h.
FUNCTIONS = ("abs", "neg", "sign")
BY_DTYPE = {DType.S32: FUNCTIONS, DType.S64: ("neg",), DType.S16: ("neg",)}


def ref(x: Array, name: str) -> Array:
    """The result of a function on integers, which wraps around."""
    if name == "sign":
        return np.sign(x)
    with np.errstate(over="ignore"):
        negative = np.negative(x)
    return negative if name == "neg" else np.where(np.less(x, 0), negative, x)


def kernels(named: Callable[[Site], tuple[str, float]]) -> tuple[Kernel, ...]:
    """All of them; `named`: function and alpha of a site."""

    def pack(site: Site) -> Params:
        function = FUNCTIONS.index(named(site)[0])
        fields = {"channels": site.input().nhwc[3], "function": function}
        return Params("mcuc_unary_whole_params", "unary/unary_whole.h", fields)

    def when(site: Site, target: Target) -> bool:
        return named(site)[0] in FUNCTIONS

    def only_neg(site: Site, target: Target) -> bool:
        return named(site)[0] == "neg"

    return (
        kernel_on(
            DType.S16, "unary/s16_s16_neg__c.c", Form.PIXEL, pack, when=only_neg, inplace=(0,)
        ),
        kernel_on(DType.S32, "unary/s32_s32__c.c", Form.PIXEL, pack, when=when, inplace=(0,)),
        kernel_on(DType.S64, "unary/s64_s64__c.c", Form.PIXEL, pack, when=when, inplace=(0,)),
    )
