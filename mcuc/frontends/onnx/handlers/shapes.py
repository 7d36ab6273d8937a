"""Operators that give the same elements another shape or order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mcuc.frontends.onnx.operator import Handler, Operator, Results


def reshape(operator: Operator) -> Results:
    """Without a shape to a scalar. A size of 0 is that of the input (unless allowzero)."""
    shape = list(operator.integers(1, "new shape")) if operator.has(1) else []
    if not operator.integer("allowzero", 0):
        for i, size in enumerate(shape):
            if size == 0:
                if i >= len(operator.shape()):
                    raise operator.error("E111", f"the shape {tuple(shape)} copies axis {i}")
                shape[i] = operator.shape()[i]
    return (operator.graph.reshape(operator.value(), _filled(operator, shape)),)


def _filled(operator: Operator, shape: Sequence[int]) -> list[int]:
    known = math.prod(n for n in shape if n != -1)
    total = math.prod(operator.shape())
    return [total // known if n == -1 and known > 0 else n for n in shape]


def flatten(operator: Operator) -> Results:
    shape = operator.shape()
    axis = operator.integer("axis", 1)
    if not -len(shape) <= axis <= len(shape):
        raise operator.error("E115", f"axis {axis} does not exist in a tensor of rank {len(shape)}")
    axis = axis + len(shape) if axis < 0 else axis
    flat = (math.prod(shape[:axis]), math.prod(shape[axis:]))
    return (operator.graph.reshape(operator.value(), flat),)


def squeeze(operator: Operator) -> Results:
    shape = operator.shape()
    axes = operator.list_of("axes", 1, 13)
    if axes is None:
        gone = {i for i, n in enumerate(shape) if n == 1}
    else:
        gone = {operator.axis(axis, len(shape)) for axis in axes}
    if any(shape[i] != 1 for i in gone):
        raise operator.error("E115", f"axes {axes} of the shape {shape} are not all of size 1")
    kept = [n for i, n in enumerate(shape) if i not in gone]
    return (operator.graph.reshape(operator.value(), kept),)


def unsqueeze(operator: Operator) -> Results:
    axes = operator.list_of("axes", 1, 13)
    if axes is None:
        raise operator.error("E112", "the axes are missing")
    rank = len(operator.shape()) + len(axes)
    new = {operator.axis(axis, rank) for axis in axes}
    if len(new) != len(axes):
        raise operator.error("E115", f"the axes {axes} name one twice")
    sizes = iter(operator.shape())
    shape = [1 if i in new else next(sizes) for i in range(rank)]
    return (operator.graph.reshape(operator.value(), shape),)


def transpose(operator: Operator) -> Results:
    rank = len(operator.shape())
    perm = operator.ints("perm") or tuple(reversed(range(rank)))
    if sorted(perm) != list(range(rank)):
        raise operator.error("E115", f"{perm} is not a permutation of {rank} axes")
    return (operator.graph.transpose(operator.value(), perm),)


def depth_to_space(operator: Operator) -> Results:
    n, c, h, w, b = _blocks(operator)
    if c % (b * b):
        raise operator.error("E111", f"{c} channels do not fill blocks of {b}x{b}")
    if operator.word("mode", "DCR") == "CRD":
        split, perm = (n, c // (b * b), b, b, h, w), (0, 1, 4, 2, 5, 3)
    else:
        split, perm = (n, b, b, c // (b * b), h, w), (0, 3, 4, 1, 5, 2)
    return (_moved(operator, split, perm, (n, c // (b * b), h * b, w * b)),)


def space_to_depth(operator: Operator) -> Results:
    n, c, h, w, b = _blocks(operator)
    if h % b or w % b:
        raise operator.error("E111", f"a map of {h}x{w} has no whole blocks of {b}x{b}")
    split = (n, c, h // b, b, w // b, b)
    perm = (0, 1, 3, 5, 2, 4) if operator.word("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    return (_moved(operator, split, perm, (n, c * b * b, h // b, w // b)),)


def _blocks(operator: Operator) -> tuple[int, int, int, int, int]:
    shape, block = operator.shape(), operator.integer("blocksize", 0)
    if len(shape) != 4 or block < 1:
        raise operator.error("E114", f"shape {shape}, block size {block}")
    return (*shape, block)


def _moved(
    operator: Operator, split: Sequence[int], perm: Sequence[int], shape: Sequence[int]
) -> int:
    graph = operator.graph
    moved = graph.transpose(graph.reshape(operator.value(), split), perm)
    return graph.reshape(moved, shape)


HANDLERS: dict[str, Handler] = {
    "Reshape": reshape,
    "Flatten": flatten,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Transpose": transpose,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
}
