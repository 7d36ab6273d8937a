"""Collecting all that is wrong with one node, so that a user sees it at once.

An `infer` makes a `Problems`, calls the checks, and ends with `raise_all()`. Checks whose
precondition failed (no operand to look at) return quietly: the cause is already recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from mcuc.errors import McucError, flatten, raise_all
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.checks import (
    activation_range,
    per_tensor,
    quant_error,
    require_activation,
    require_dtype,
)
from mcuc.ops.spec import Site

T = TypeVar("T")

# Relative difference of two scales that stays below 1/32 of a quantization step over 255 steps.
SAME_SCALE = 1e-4


class Problems:
    """The problems found in one node so far."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.found: list[McucError] = []

    def add(self, code: str, what: str, why: str = "", help: str = "") -> None:
        """Records a ModelError (E1xx) or a QuantError (E2xx)."""
        if code.startswith("E2"):
            self.found.append(quant_error(self.site, code, what, why, help))
        else:
            self.found.append(self.site.error(code, what, why, help))

    def attempt(self, check: Callable[..., T], *args: object) -> T | None:
        """`check(site, *args)`, or None with what it raised recorded."""
        try:
            return check(self.site, *args)
        except McucError as problem:
            self.found.extend(flatten(problem))
            return None

    def raise_all(self) -> None:
        """Raises what was found, if anything."""
        raise_all(self.found)

    def operand(
        self,
        position: int,
        name: str,
        dtypes: Sequence[DType] = (DType.S8,),
        *,
        optional: bool = False,
        const: bool = False,
    ) -> TensorType | None:
        """The type of an operand if it is there, not empty, and has one of `dtypes`.

        Args:
            position: Index into the node's operands.
            name: For messages.
            dtypes: Accepted element types.
            optional: May be absent.
            const: Must be stored in the file.
        """
        inputs = self.site.inputs
        found = inputs[position] if position < len(inputs) else None
        if found is None:
            if not optional:
                self.add("E112", f"operand {position} (the {name}) is missing")
            return None
        if const:
            self.attempt(Site.const, position)
        before = len(self.found)
        self.attempt(require_dtype, found, f"the {name}", *dtypes)
        return found if len(self.found) == before else None

    def rank(self, found: TensorType | None, name: str, rank: int) -> bool:
        """Whether a tensor is there and has the rank."""
        if found is None:
            return False
        if len(found.shape) != rank:
            self.add("E114", f"the {name} has the shape {found.shape}; rank {rank} is needed")
            return False
        return True

    def per_tensor(self, found: TensorType | None, name: str) -> Quant | None:
        """The per-tensor quantization, if valid; a float tensor has none."""
        if found is None or found.dtype is DType.F32:
            return None
        return self.attempt(per_tensor, found, f"the {name}")

    def result_like(self, operand: TensorType | None) -> Quant | None:
        """As `result`, of the operand's element type."""
        return self.result(DType.S8 if operand is None else operand.dtype)

    def result(self, dtype: DType = DType.S8) -> Quant | None:
        """The per-tensor quantization of the node's result, a tensor of that element type."""
        out = TensorType((), self.site.output.dtype, self.site.output.quant)
        before = len(self.found)
        self.attempt(require_dtype, out, "the output", dtype)
        return self.per_tensor(out, "output") if len(self.found) == before else None

    def activation(self, activation: str, out: Quant | None) -> None:
        """Requires a known fused activation that the output's scale, if any, can express."""
        if out is not None:
            self.attempt(activation_range, activation)
        elif self.site.output.dtype is DType.F32:
            self.attempt(require_activation, activation)

    def same_quant(
        self, a: Quant | None, b: Quant | None, names: str, tolerance: float = SAME_SCALE
    ) -> None:
        """Requires equal scales (up to a relative tolerance) and zero points of two tensors."""
        if a is None or b is None:
            return
        differ = abs(a.scale - b.scale) > tolerance * max(a.scale, b.scale)
        if differ or a.zero_point != b.zero_point:
            self.add(
                "E207",
                f"{names} are quantized differently",
                why=f"scale {a.scale:g} and zero point {a.zero_point} against scale {b.scale:g} "
                f"and zero point {b.zero_point}; this operator does not rescale",
                help="give both the same parameters, or put a QUANTIZE operator between",
            )

    def at_least(self, name: str, values: Sequence[int], least: int) -> bool:
        """Whether all values of an attribute are at least `least`."""
        if min(values) < least:
            self.add("E115", f"{name} is {tuple(values)}; the least allowed value is {least}")
            return False
        return True
