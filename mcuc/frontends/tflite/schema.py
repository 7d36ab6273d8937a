"""The tables of a `.tflite` file as records, with every index checked.

Field numbers are positions in TFLite's `schema.fbs` (version 3). Nothing here judges whether a
model is supported; only a file that contradicts itself is refused (E101).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.frontends.tflite.flatbuffer import Reader, Table

IDENTIFIER = b"TFL3"
MAX_LIST = 1 << 15  # tensors, operators, buffers; the largest networks have some thousands
MAX_OPERANDS = 1 << 12  # of an operator, or of the model
MAX_RANK = 8
BUILTIN_CUSTOM = 32
_PLACEHOLDER_OFFSET = 1  # "there is external data", before the writer knew where

# Model
_OPERATOR_CODES, _SUBGRAPHS, _BUFFERS = 1, 2, 4
# SubGraph
_TENSORS, _INPUTS, _OUTPUTS, _OPERATORS, _GRAPH_NAME = range(5)


@dataclass(frozen=True)
class RawQuant:
    """QuantizationParameters as stored.

    Attributes:
        scales: float32.
        zero_points: int64, possibly fewer than scales.
        axis: `quantized_dimension`, not checked.
        custom: The parameters are of an unknown kind.
    """

    scales: npt.NDArray[np.float32]
    zero_points: npt.NDArray[np.int64]
    axis: int
    custom: bool


@dataclass(frozen=True)
class RawTensor:
    """Tensor.

    Attributes:
        shape: As stored; a size may be -1.
        signature: `shape_signature`, -1 for sizes that are not fixed; () if absent.
        type_code: TensorType value.
        buffer: Index of a buffer.
        variable: Keeps its value from one run to the next.
        sparsity: SparsityParameters of a sparse encoding.
    """

    name: str
    shape: tuple[int, ...]
    signature: tuple[int, ...]
    type_code: int
    buffer: int
    quant: RawQuant | None
    variable: bool
    sparsity: Table | None


@dataclass(frozen=True)
class RawOperator:
    """Operator with its code resolved.

    Attributes:
        code: BuiltinOperator value.
        custom_name: For custom operators.
        inputs: Tensor indices, -1 = absent.
        outputs: Tensor indices.
        options_type: BuiltinOptions value, 0 = none.
        options: The options; all defaults if there are none.
        intermediates: Tensor indices of what it computes inside.
        custom: Options of a custom operator.
    """

    code: int
    custom_name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options_type: int
    options: Table
    intermediates: tuple[int, ...] = ()
    custom: bytes = b""


@dataclass(frozen=True)
class RawModel:
    """A subgraph; of the first one also the others."""

    tensors: tuple[RawTensor, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[RawOperator, ...]
    buffers: tuple[tuple[int, int], ...]  # (offset in the file, size) of the data
    name: str
    others: tuple[RawModel, ...] = ()


def read_model(reader: Reader) -> RawModel:
    """Reads all tables that a graph is made from.

    Raises:
        ModelError: E101.
    """
    model = reader.root(IDENTIFIER)
    buffers = tuple(_buffer(reader, t) for t in model.tables(_BUFFERS, MAX_LIST))
    codes = [_operator_code(t) for t in model.tables(_OPERATOR_CODES, MAX_LIST)]
    subgraphs = model.tables(_SUBGRAPHS, MAX_LIST)
    if not subgraphs:
        raise reader.damaged("the file has no subgraph")
    main, *others = (_subgraph(reader, table, codes, buffers) for table in subgraphs)
    return replace(main, others=tuple(others))


def _subgraph(
    reader: Reader,
    table: Table,
    codes: Sequence[tuple[int, str]],
    buffers: tuple[tuple[int, int], ...],
) -> RawModel:
    tensors = tuple(_tensor(reader, t, len(buffers)) for t in table.tables(_TENSORS, MAX_LIST))
    count = len(tensors)
    return RawModel(
        tensors,
        _indices(reader, table, _INPUTS, count, "a model input"),
        _indices(reader, table, _OUTPUTS, count, "a model output"),
        tuple(_operator(reader, t, codes, count) for t in table.tables(_OPERATORS, MAX_LIST)),
        buffers,
        table.text(_GRAPH_NAME),
    )


def _indices(
    reader: Reader, table: Table, field: int, count: int, what: str, lowest: int = 0
) -> tuple[int, ...]:
    found = _ints(table, field)
    if len(found) > MAX_OPERANDS:
        raise reader.damaged(f"a list of {len(found)} tensors; at most {MAX_OPERANDS} are sensible")
    for index in found:
        if not lowest <= index < count:
            raise reader.damaged(f"{what} is tensor {index}; there are {count} tensors")
    return found


def _ints(table: Table, field: int) -> tuple[int, ...]:
    numbers = table.numbers(field, "<i4")
    return () if numbers is None else tuple(numbers.tolist())


def _bytes(table: Table, field: int) -> bytes:
    numbers = table.numbers(field, "u1")
    return b"" if numbers is None else numbers.tobytes()


def _buffer(reader: Reader, table: Table) -> tuple[int, int]:
    """Where the data of a buffer is: in the table, or for files above 2 GB behind all tables."""
    data = table.numbers(0, "u1")
    offset, size = table.scalar(1, "u64"), table.scalar(2, "u64")
    if data is not None and len(data):
        start = data.__array_interface__["data"][0] - _address(reader.data)
        return start, len(data)
    if offset <= _PLACEHOLDER_OFFSET or size == 0:
        return 0, 0
    reader.span(offset, size)
    return offset, size


def _address(data: bytes) -> int:
    address: int = np.frombuffer(data, np.uint8).__array_interface__["data"][0]
    return address


def _operator_code(table: Table) -> tuple[int, str]:
    """(builtin code, custom name). Codes up to 127 may stand in the old int8 field only."""
    old, new = table.scalar(0, "i8"), table.scalar(3, "i32")
    return max(old, new), table.text(1)


def _tensor(reader: Reader, table: Table, buffers: int) -> RawTensor:
    name = table.text(3)
    shape, signature = _ints(table, 0), _ints(table, 7)
    buffer = table.scalar(2, "u32")
    if buffer >= buffers and buffer != 0:
        raise reader.damaged(f"tensor {name!r} uses buffer {buffer} of {buffers}")
    if len(shape) > MAX_RANK:
        raise reader.damaged(f"tensor {name!r} has rank {len(shape)}; the format allows {MAX_RANK}")
    if min(shape, default=0) < -1:
        raise reader.damaged(f"tensor {name!r} has the shape {shape}")
    quant = table.table(4)
    return RawTensor(
        name=name,
        shape=shape,
        signature=signature if len(signature) == len(shape) else (),
        type_code=table.scalar(1, "i8"),
        buffer=buffer,
        quant=None if quant is None else _quant(quant),
        variable=table.scalar(5, "bool", False),
        sparsity=table.table(6),
    )


def _quant(table: Table) -> RawQuant:
    scales, zero_points = table.numbers(2, "<f4"), table.numbers(3, "<i8")
    return RawQuant(
        scales=_empty("<f4") if scales is None else scales,
        zero_points=_empty("<i8") if zero_points is None else zero_points,
        axis=table.scalar(6, "i32"),
        custom=table.scalar(4, "u8") != 0,
    )


def _empty(dtype: str) -> npt.NDArray[Any]:
    return np.empty(0, dtype)


def _operator(
    reader: Reader, table: Table, codes: Sequence[tuple[int, str]], tensors: int
) -> RawOperator:
    index = table.scalar(0, "u32")
    if index >= len(codes):
        raise reader.damaged(f"an operator has the code number {index} of {len(codes)}")
    code, custom_name = codes[index]
    options = table.table(4)
    return RawOperator(
        code=code,
        custom_name=custom_name,
        inputs=_indices(reader, table, 1, tensors, "an operand", lowest=-1),
        outputs=_indices(reader, table, 2, tensors, "a result"),
        options_type=0 if options is None else table.scalar(3, "u8"),
        options=options or Table(None),
        intermediates=_indices(reader, table, 8, tensors, "an intermediate", lowest=-1),
        custom=_bytes(table, 5),
    )


@functools.cache
def enum_names(enum: str) -> dict[int, str]:
    """Value -> name of an enumeration of the schema, for example "BuiltinOperator"."""
    import tflite  # type: ignore[import-untyped,unused-ignore]

    members = vars(getattr(tflite, enum))
    return {v: k for k, v in members.items() if isinstance(v, int) and not k.startswith("_")}


def operator_name(operator: RawOperator) -> str:
    """The operator's name as users know it."""
    if operator.code == BUILTIN_CUSTOM:
        return f"CUSTOM:{operator.custom_name}"
    return enum_names("BuiltinOperator").get(operator.code, f"BUILTIN:{operator.code}")
