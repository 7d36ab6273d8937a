"""Tensors of a file as graph values: element type, quantization, constant data."""

from __future__ import annotations

import math

import numpy as np

from mcuc.errors import Loc, McucError, ModelError, QuantError, flatten
from mcuc.frontends.tflite.flatbuffer import Reader
from mcuc.frontends.tflite.schema import RawModel, RawQuant, RawTensor, enum_names
from mcuc.frontends.tflite.sparse import decode
from mcuc.frontends.tflite.uint8 import is_uint8
from mcuc.ir.graph import Array, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.uint8 import as_int8

# No microcontroller holds more, and C indices are 32 bits wide.
MAX_ELEMENTS = (1 << 31) - 1

_DTYPES = {
    "FLOAT32": DType.F32,
    "FLOAT16": DType.F16,
    "INT32": DType.S32,
    "UINT8": DType.U8,
    "INT64": DType.S64,
    "UINT32": DType.U32,
    "UINT64": DType.U64,
    "BOOL": DType.BOOL,
    "INT16": DType.S16,
    "INT8": DType.S8,
}
STATE_HELP = "export the model without state, and feed the state as inputs and outputs"


class Tensors:
    """The tensors of a file, read when they are first asked for.

    Problems of a tensor are recorded once, in `problems`; such a tensor has no value.
    """

    def __init__(self, reader: Reader, model: RawModel) -> None:
        self._reader = reader
        self._model = model
        self._arrays: dict[tuple[int, DType, tuple[int, ...]], Array] = {}
        self._values: dict[int, Value | None] = {}
        self.problems: list[McucError] = []
        self.uint8 = is_uint8(model)  # such tensors become int8:
        self.moved: set[int] = set()
        # A tensor without elements has no bytes either: it is stored, unless something computes it.
        self._computed = {t for operator in model.operators for t in operator.outputs}
        self._computed.update(model.inputs)

    def raw(self, index: int) -> RawTensor:
        """The tensor as stored."""
        return self._model.tensors[index]

    def value(self, index: int, user: Loc) -> Value | None:
        """The tensor as a graph value, or None with its problems recorded.

        Args:
            index: Tensor index.
            user: The operator that asks, for messages about the tensor.
        """
        if index not in self._values:
            try:
                self._values[index] = self._read(index, user)
            except McucError as problem:
                self.problems.extend(flatten(problem))
                self._values[index] = None
        return self._values[index]

    def is_stored(self, index: int) -> bool:
        """Whether the file holds the tensor's data."""
        tensor = self.raw(index)
        if 0 in tensor.shape and index not in self._computed:
            return True
        return self._data_span(tensor)[1] > 0

    def _data_span(self, tensor: RawTensor) -> tuple[int, int]:
        buffers = self._model.buffers
        return buffers[tensor.buffer] if tensor.buffer < len(buffers) else (0, 0)

    def _read(self, index: int, user: Loc) -> Value:
        tensor = self.raw(index)
        loc = Loc(user.file, user.op_index, user.op, tensor.name)
        dtype = _dtype(tensor, loc)
        shape = static_shape(tensor, loc)
        stored = self.is_stored(index)
        quant = None if dtype in (DType.F16, DType.F32) else _quant(tensor, shape, stored, loc)
        const = self._const(tensor, dtype, shape, loc) if stored else None
        value = Value(TensorType(shape, dtype, quant), tensor.name, const)
        if self.uint8 and dtype is DType.U8:
            self.moved.add(index)
            value = as_int8(value)
        return value

    def _const(self, tensor: RawTensor, dtype: DType, shape: tuple[int, ...], loc: Loc) -> Array:
        start, size = self._data_span(tensor)
        if tensor.sparsity is not None:
            span = (start, size)
            return decode(self._reader, tensor.sparsity, dtype.numpy, span, shape, loc)
        count = math.prod(shape)
        if size != count * dtype.size_bytes:
            raise self._reader.damaged(
                f"tensor {tensor.name!r} of {size} bytes has the shape {shape} of {dtype.value}"
            )
        key = (tensor.buffer, dtype, shape)
        if key not in self._arrays:
            little_endian = dtype.numpy.newbyteorder("<")
            flat = np.frombuffer(self._reader.data, little_endian, count, start if count else 0)
            self._arrays[key] = flat.reshape(shape)
        return self._arrays[key]


def _dtype(tensor: RawTensor, loc: Loc) -> DType:
    name = enum_names("TensorType").get(tensor.type_code, f"type {tensor.type_code}")
    if name not in _DTYPES:
        raise ModelError(
            "E119",
            f"tensors of element type {name.lower()} are not supported",
            loc=loc,
            why="integers of 8 and 16 bits and float32 are computed",
            help="convert the model with full integer quantization (int8)",
        )
    return _DTYPES[name]


def static_shape(tensor: RawTensor, loc: Loc) -> tuple[int, ...]:
    """The shape, with an open batch size taken as 1.

    Raises:
        ModelError: E105 if another size is open, or the tensor is too large.
    """
    shape = tuple(1 if i == 0 and size == -1 else size for i, size in enumerate(tensor.shape))
    if -1 in shape:
        raise ModelError(
            "E105",
            f"the tensor's shape {tensor.shape} is not fixed",
            loc=loc,
            why="memory is planned when the model is compiled",
            help="export the model with fixed input sizes",
        )
    if math.prod(shape) > MAX_ELEMENTS:
        raise ModelError("E105", f"the tensor of shape {shape} has too many elements", loc=loc)
    return shape


def _quant(tensor: RawTensor, shape: tuple[int, ...], stored: bool, loc: Loc) -> Quant | None:
    raw = tensor.quant
    if raw is None or (len(raw.scales) == 0 and not raw.custom):
        return None
    if raw.custom:
        raise QuantError("E209", "the tensor has a custom quantization", loc=loc)
    zero_points = _zero_points(raw, loc)
    axis = None
    if len(raw.scales) > 1:
        axis = _axis(raw, shape, stored, loc)
    return Quant(tuple(float(s) for s in raw.scales), zero_points, axis)


def _zero_points(raw: RawQuant, loc: Loc) -> tuple[int, ...]:
    count = len(raw.scales)
    if len(raw.zero_points) in (0, 1):
        only = int(raw.zero_points[0]) if len(raw.zero_points) else 0
        return (only,) * count
    if len(raw.zero_points) != count:
        raise QuantError(
            "E209",
            f"the tensor has {count} scales and {len(raw.zero_points)} zero points",
            loc=loc,
            help="export the model again with a current TFLite converter",
        )
    return tuple(raw.zero_points.tolist())


def _axis(raw: RawQuant, shape: tuple[int, ...], stored: bool, loc: Loc) -> int:
    if not stored:
        raise QuantError(
            "E209",
            f"the tensor is computed at run time and has {len(raw.scales)} scales",
            loc=loc,
            why="only weights can be quantized per channel",
            help="quantize activations per tensor",
        )
    # Old converters copied the filter's axis to the bias, where it means nothing.
    axis = 0 if len(shape) == 1 else raw.axis
    if not 0 <= axis < len(shape) or shape[axis] != len(raw.scales):
        raise QuantError(
            "E209",
            f"the tensor of shape {shape} has {len(raw.scales)} scales for axis {raw.axis}",
            loc=loc,
            help="export the model again with a current TFLite converter",
        )
    return axis
