"""Seeded damage to `.onnx` files: of the bytes, and of the messages that they hold."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import onnx

from tests.support.mutate import flipped_bits, truncated

_WILD = (0, 1, -1, 2, 3, 255, 1 << 16, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 40, (1 << 63) - 1)
_KINDS = ("Conv", "Add", "Reshape", "Gather", "Concat", "Resize", "Expand", "Tile", "Pad", "Slice")
_KINDS += ("MatMul", "Gemm", "Transpose", "Softmax", "ConstantOfShape", "Range", "LSTM", "TopK")


def mutate_onnx(data: bytes, seed: int) -> bytes:
    """A damaged copy; the same seed gives the same damage."""
    rng = random.Random(seed)
    return ONNX_KINDS[seed % len(ONNX_KINDS)](data, rng)


def _on_model(change: Callable[[Any, random.Random], None]) -> Callable[..., bytes]:
    def mutated(data: bytes, rng: random.Random) -> bytes:
        model = onnx.ModelProto.FromString(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            change(model, rng)
        return bytes(model.SerializeToString())

    mutated.__name__ = change.__name__
    return mutated


def wild_attributes(model: Any, rng: random.Random) -> None:
    node = rng.choice(model.graph.node)
    if not node.attribute:
        return
    attribute = rng.choice(node.attribute)
    if attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(_WILD)
    elif attribute.HasField("i"):
        attribute.i = rng.choice(_WILD)
    elif attribute.HasField("f"):
        attribute.f = rng.choice((0.0, -1.0, float("inf"), float("nan"), 1e38))
    elif attribute.HasField("s"):
        attribute.s = rng.choice((b"", b"SAME_UPPER", b"nonsense", b"\xff\xfe"))
    else:
        attribute.type = rng.randrange(15)


def wild_operands(model: Any, rng: random.Random) -> None:
    """Names that lead elsewhere: to later nodes, to themselves, to nothing."""
    node = rng.choice(model.graph.node)
    names = [name for other in model.graph.node for name in (*other.input, *other.output)]
    names += [tensor.name for tensor in model.graph.initializer] + ["", "nobody"]
    side = rng.choice((node.input, node.input, node.output))
    if side:
        side[rng.randrange(len(side))] = rng.choice(names)


def other_operators(model: Any, rng: random.Random) -> None:
    node = rng.choice(model.graph.node)
    kinds = [other.op_type for other in model.graph.node]
    node.op_type = rng.choice((*kinds, *_KINDS, "", "Loop", "NoSuchOperator"))


def wild_tensors(model: Any, rng: random.Random) -> None:
    if not model.graph.initializer:
        return
    tensor = rng.choice(model.graph.initializer)
    choice = rng.randrange(4)
    if choice == 0 and tensor.dims:
        tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(_WILD)
    elif choice == 1:
        tensor.data_type = rng.randrange(24)
    elif choice == 2:
        tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data) + 1)]
    else:  # small integers: shapes, axes, indices
        small = [t for t in model.graph.initializer if 0 < len(t.raw_data) <= 64]
        if small:
            chosen = rng.choice(small)
            damaged = bytearray(chosen.raw_data)
            damaged[rng.randrange(len(damaged))] = rng.choice((0, 1, 127, 128, 255))
            chosen.raw_data = bytes(damaged)


def other_ranks(model: Any, rng: random.Random) -> None:
    """Tensors and inputs with more or fewer axes."""
    if model.graph.initializer and rng.random() < 0.6:
        tensor = rng.choice(model.graph.initializer)
        count = math.prod(tensor.dims)
        del tensor.dims[:]
        tensor.dims.extend(rng.choice(((count,), (1, count), (count, 1), (1, 1, count), ())))
        return
    port = rng.choice(model.graph.input)
    element = port.type.tensor_type.elem_type
    shape = rng.choice(((), (1,), (3, 4), (2, 3, 4), (1, 2, 3, 4), (2, 1, 3, 2, 2), (0, 2)))
    port.CopyFrom(onnx.helper.make_tensor_value_info(port.name, element, shape))


def wild_ports(model: Any, rng: random.Random) -> None:
    port = rng.choice((*model.graph.input, *model.graph.output))
    dims = port.type.tensor_type.shape.dim
    if dims and rng.random() < 0.7:
        dim = rng.choice(dims)
        dim.dim_value = rng.choice(_WILD)
    elif rng.random() < 0.5:
        port.type.tensor_type.elem_type = rng.randrange(24)
    else:
        port.name = "nobody"


def changed_lists(model: Any, rng: random.Random) -> None:
    """Nodes doubled, removed and moved; other versions."""
    nodes = model.graph.node
    choice = rng.randrange(4)
    if choice == 0:
        nodes.append(rng.choice(nodes))
    elif choice == 1 and len(nodes) > 1:
        del nodes[rng.randrange(len(nodes))]
    elif choice == 2:
        nodes.insert(0, nodes.pop())
    else:
        model.opset_import[0].version = rng.choice((0, 1, 7, 9, 11, 13, 18, 24, 99, -1))


ONNX_KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    truncated,
    flipped_bits,
    *map(
        _on_model,
        (
            wild_attributes,
            wild_operands,
            other_operators,
            wild_tensors,
            other_ranks,
            wild_ports,
            changed_lists,
        ),
    ),
)
