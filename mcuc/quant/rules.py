"""What quantization must know of an op: which operands take part, and what ties them together.

Whether an op can be computed on integers at all, its own `infer` decides when it is tried
(`fold_qdq`); here stands only how to ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcuc.ir.graph import Node
from mcuc.ir.types import DType, Quant
from mcuc.ops import average_pool2d, l2_norm, logistic, max_pool2d, pairwise, reduce, unary
from mcuc.ops.softmax import OUTPUTS as SOFTMAX_OUTPUTS

Kind = Literal["free", "same", "weights"]


@dataclass(frozen=True)
class Rule:
    """How an op is quantized.

    Attributes:
        kind: "free": input and output have scales of their own; "same": all have the output's;
            "weights": operand 1 are weights, operand 2 a bias.
        operands: Positions of the activations; None = all.
        exact: It commutes with quantization: it moves or compares numbers and computes none.
        axis: Of the weights' output channels.
    """

    kind: Kind
    operands: tuple[int, ...] | None = (0,)
    exact: bool = False
    axis: int = 0

    def activations(self, node: Node) -> tuple[int, ...]:
        """Positions of the operands that are activations."""
        wanted = range(len(node.inputs)) if self.operands is None else self.operands
        return tuple(i for i in wanted if node.inputs[i] is not None)


_FREE = Rule("free")
_FREE_PAIR = Rule("free", (0, 1))
_SAME = Rule("same")
_MOVE = Rule("same", exact=True)
_RULES = {
    "add": _FREE_PAIR,
    "batch_matmul": _FREE_PAIR,
    "concatenation": Rule("same", None, exact=True),
    "conv2d": Rule("weights", axis=0),
    "depthwise_conv2d": Rule("weights", axis=3),
    "fully_connected": Rule("weights", axis=0),
    "gather": _MOVE,
    "l2_norm": _FREE,
    "layer_norm": _FREE,
    "logistic": _FREE,
    "mean": _FREE,
    "mul": _FREE_PAIR,
    "pad": _MOVE,
    "relu": _FREE,
    "reshape": _MOVE,
    "resize_bilinear": _SAME,
    "select": Rule("same", (1, 2), exact=True),
    "softmax": _FREE,
    "take": _MOVE,
    "transpose": _MOVE,
    "transpose_conv": Rule("weights", axis=0),
}
_COMPARED = Rule("same", (0, 1), exact=True)


def rule_of(node: Node) -> Rule | None:
    """How a node is quantized; None: it has no arithmetic on integers that rescales."""
    attrs = node.attrs
    if isinstance(attrs, max_pool2d.Attrs):
        return _MOVE if attrs.activation == "none" else _SAME
    if isinstance(attrs, average_pool2d.Attrs):
        return _SAME
    if isinstance(attrs, reduce.Attrs):
        return _MOVE if attrs.kind in ("max", "min") else None
    if isinstance(attrs, pairwise.Attrs):
        by_function = {
            "sub": _FREE_PAIR,
            "squared_difference": _FREE_PAIR,
            "prelu": _FREE_PAIR,
            "minimum": _COMPARED,
            "maximum": _COMPARED,
        }
        return by_function.get(attrs.function)
    if isinstance(attrs, unary.Attrs):
        return None if attrs.function == "neg" else _FREE
    return _RULES.get(node.op)


def required_output(node: Node, dtype: DType) -> Quant | None:
    """The only quantization that the op gives its result; None: it gives any."""
    if node.op == "softmax":
        scale, zero_point = SOFTMAX_OUTPUTS[dtype, dtype]
        return Quant((scale,), (zero_point,))
    if node.op == "logistic" and dtype is DType.S16:
        return Quant((logistic.INT16_SCALE,), (0,))
    if node.op == "l2_norm" and dtype is DType.S8:
        return Quant((l2_norm.SCALE,), (0,))
    return None


def fixed_output(node: Node, dtype: DType) -> Quant | None:
    """The only, or the best, quantization of a result whose range the op itself gives."""
    required = required_output(node, dtype)
    if required is not None:
        return required
    if node.op == "logistic" and dtype is DType.S8:
        return Quant((1 / 256,), (-128,))
    if isinstance(node.attrs, unary.Attrs) and node.attrs.function == "tanh":
        return Quant((1 / 128,), (0,)) if dtype is DType.S8 else None
    return None
