"""Computes what depends on nothing that runs: shapes, and arithmetic on them and on constants.

`onnx.reference` does it, operator by operator as the graph is read, so that a shape that the user
gave (`--input-shape`) is known to what computes with it. Nothing grows without limit: an operator
whose result could be large is left to the graph, or refused there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mcuc.ir.graph import Array

# Elements of operands and results.
_MOST_ELEMENTS = 1 << 22

_ELEMENTWISE = frozenset(
    (
        *("Abs", "Acos", "And", "Add", "Asin", "Atan", "Cast", "CastLike", "Ceil", "Clip", "Cos"),
        *("Div", "Equal", "Erf", "Exp", "Floor", "Greater", "GreaterOrEqual", "Identity", "IsNaN"),
        *("Less", "LessOrEqual", "Log", "Max", "Min", "Mod", "Mul", "Neg", "Not", "Or", "Pow"),
        *("Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sqrt", "Sub", "Sum", "Tanh"),
        *("Where", "Xor", "BitShift", "Softmax"),
    )
)
# Results that are no larger than all operands together.
_MOVES = frozenset(
    (
        *("Concat", "Constant", "Flatten", "GatherElements", "Reshape", "Slice", "Split"),
        *("Squeeze", "Transpose", "Unsqueeze", "Trilu", "CumSum", "NonZero", "ScatterND"),
        *("ScatterElements", "ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean"),
        *("ArgMax", "ArgMin", "TopK", "DepthToSpace", "SpaceToDepth"),
    )
)


def evaluated(node: Any, operands: Sequence[Array | None], opset: int) -> list[Array] | None:
    """The results of a standard operator over constants, or None if it is not computed here.

    Raises:
        ValueError: the operator cannot be computed from these operands.
    """
    if any(a.name == "num_outputs" and a.i != len(node.output) for a in node.attribute):
        raise ValueError(f"num_outputs is not {len(node.output)}, the number of its results")
    size = _result_elements(node, operands)
    if size is None or size > _MOST_ELEMENTS:
        return None
    if sum(0 if x is None else x.size for x in operands) > _MOST_ELEMENTS:
        return None
    return _run(node, operands, opset)


def _run(node: Any, operands: Sequence[Array | None], opset: int) -> list[Array] | None:
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    names = [name for name in node.input if name]
    known = {n: x for n, x in zip(node.input, operands, strict=True) if n and x is not None}
    if len(known) < len(set(names)):
        return None
    inputs = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for n, x in known.items()
    ]
    wanted = [name for name in node.output if name]
    outputs = [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in wanted]
    graph = helper.make_graph([node], "constant", inputs, outputs)
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports)
    try:
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(model).run(wanted, known)
    except Exception as error:  # whatever a damaged operator makes of it
        raise ValueError(f"{type(error).__name__}: {str(error)[:200]}") from None
    if not all(isinstance(x, (np.ndarray, np.generic)) for x in found):
        return None
    by_name = dict(zip(wanted, (np.asarray(x) for x in found), strict=True))
    return [by_name.get(name, np.zeros(0)) for name in node.output]


def _result_elements(node: Any, operands: Sequence[Array | None]) -> int | None:
    """How many elements the largest result has at most; None = not computed here."""
    kind = node.op_type
    shapes = [x.shape for x in operands if x is not None]
    if kind in _MOVES:
        return sum(math.prod(shape) for shape in shapes)
    if kind in _ELEMENTWISE:
        return _broadcast_elements(shapes)
    sized = _SIZED.get(kind)
    return None if sized is None else sized(operands)


def _broadcast_elements(shapes: Sequence[tuple[int, ...]]) -> int | None:
    try:
        return math.prod(np.broadcast_shapes(*shapes))
    except ValueError:
        return None  # the graph's own op says what is wrong


def _product(data: Array | None) -> int | None:
    """Of a few integers."""
    if data is None or data.dtype.kind not in "iu" or data.size > 16:
        return None
    numbers = [int(n) for n in data.ravel()]
    return None if any(n < 0 for n in numbers) else math.prod(numbers)


def _expand(operands: Sequence[Array | None]) -> int | None:
    x, shape = operands[:2]
    if x is None or shape is None or _product(shape) is None:
        return None
    return _broadcast_elements([x.shape, tuple(int(n) for n in shape.ravel())])


def _gather(operands: Sequence[Array | None]) -> int | None:
    x, indices = operands[:2]
    return None if x is None or indices is None else x.size * max(1, indices.size)


def _range(operands: Sequence[Array | None]) -> int | None:
    numbers = [None if x is None or x.size != 1 else float(x.ravel()[0]) for x in operands[:3]]
    if len(numbers) < 3 or any(n is None or not math.isfinite(n) for n in numbers):
        return None
    start, end, step = (n for n in numbers if n is not None)
    return max(0, math.ceil((end - start) / step)) if step else None


def _tile(operands: Sequence[Array | None]) -> int | None:
    x, times = operands[:2]
    product = _product(times)
    return None if x is None or product is None else x.size * product


_SIZED = {
    "ConstantOfShape": lambda operands: _product(operands[0]),
    "Expand": _expand,
    "Gather": _gather,
    "Range": _range,
    "Tile": _tile,
}
