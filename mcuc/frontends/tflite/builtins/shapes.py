"""Operators that move elements: RESHAPE and its relatives, TRANSPOSE, PAD, CONCATENATION."""

from __future__ import annotations

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator
from mcuc.ops import concatenation, pad, reshape, transpose


def reshape_(operator: Operator) -> Mapped:
    """The shape is operand 1, or in models without it ReshapeOptions: new_shape."""
    if len(operator.inputs) > 1 and operator.inputs[1] is not None:
        shape = operator.integers(1, "new shape")
    else:
        numbers = operator.options.numbers(0, "<i4")
        if numbers is None:
            raise operator.error("E112", "the new shape is missing")
        shape = tuple(numbers.tolist())
        if shape == (0,):  # how old files spell a scalar
            shape = ()
    return Mapped("reshape", reshape.Attrs(shape), operands=1)


def squeeze(operator: Operator) -> Mapped:
    """SqueezeOptions: squeeze_dims; none means all axes of size 1."""
    shape = operator.shape()
    numbers = operator.options.numbers(0, "<i4")
    axes = [] if numbers is None else numbers.tolist()
    if not axes:
        return Mapped("reshape", reshape.Attrs(tuple(size for size in shape if size != 1)))
    gone = {operator.axis(axis, len(shape)) for axis in axes}
    if any(shape[axis] != 1 for axis in gone):
        raise operator.error("E115", f"axes {axes} of the shape {shape} are not all of size 1")
    kept = tuple(size for axis, size in enumerate(shape) if axis not in gone)
    return Mapped("reshape", reshape.Attrs(kept))


def expand_dims(operator: Operator) -> Mapped:
    """Operand 1 is the place of the new axis."""
    axes = operator.integers(1, "axis")
    if len(axes) != 1:
        raise operator.error("E115", f"the axis has {len(axes)} elements, not 1")
    shape = operator.shape()
    axis = operator.axis(axes[0], len(shape) + 1)
    return Mapped("reshape", reshape.Attrs((*shape[:axis], 1, *shape[axis:])), operands=1)


def transpose_(operator: Operator) -> Mapped:
    """Operand 1 is the permutation."""
    perm = operator.integers(1, "permutation")
    return Mapped("transpose", transpose.Attrs(perm), operands=1)


def pad_(operator: Operator) -> Mapped:
    return Mapped("pad", pad.Attrs())


def concatenation_(operator: Operator) -> Mapped:
    """ConcatenationOptions: axis, activation."""
    axis = operator.options.scalar(0, "i32")
    return Mapped("concatenation", concatenation.Attrs(axis, operator.activation(1)))


BUILTINS = {
    "RESHAPE": Builtin(reshape_, "ReshapeOptions"),
    "SQUEEZE": Builtin(squeeze, "SqueezeOptions"),
    "EXPAND_DIMS": Builtin(expand_dims),
    "TRANSPOSE": Builtin(transpose_),
    "PAD": Builtin(pad_),
    "PADV2": Builtin(pad_),
    "CONCATENATION": Builtin(concatenation_, "ConcatenationOptions"),
}
