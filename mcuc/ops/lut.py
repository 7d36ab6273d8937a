"""Tables of 256 entries: what the unary ops on 8-bit elements share.

The table is made on the host from the op's exact reference, so that every such op is one load per
element on the device, and in place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType
from mcuc.ops.checks import integer_range
from mcuc.ops.spec import Kernel, Site, always


def apply_table(table: Array, x: Array) -> Array:
    """table[x] for a table [256] over the values of x's dtype in ascending order."""
    return table[x.astype(np.int64) - integer_range(DType.of(x.dtype))[0]]


def region_same(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The region of an element-wise op of one operand."""
    return (out,)


def lut_kernel(
    table: Callable[[Site], Array], when: Callable[[Site, Target], bool] = always
) -> Kernel:
    """The kernel of a unary op on bytes, signed or not.

    Args:
        table: [256] int8 or uint8 results over the input dtype's values in ascending order.
        when: Whether the op is one on bytes at this site.
    """

    def pack(site: Site) -> Params:
        ascending = table(site).view(np.uint8)
        lowest = integer_range(site.input().dtype)[0]
        # The kernel looks up the byte as unsigned: entry 0 must be the one of the value 0.
        by_byte = np.roll(ascending, lowest)
        return Params(
            "mcuc_lut_params", "lut/lut.h", {"channels": site.input().nhwc[3], "table": by_byte}
        )

    return Kernel(
        symbol="mcuc_lut_s8_s8__c",
        source="lut/s8_s8__c.c",
        form=Form.PIXEL,
        when=when,
        pack=pack,
        inplace=(0,),
    )
