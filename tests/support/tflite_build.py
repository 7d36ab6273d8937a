"""Writes small `.tflite` files for tests: tensors, operators and their builtin options.

Tensors and operators are collected in order and serialised by :meth:`ModelBuilder.build`.
Option names are the schema's own field names (`stride_h`, `fused_activation_function`, ...);
enumerations are given by name (`padding="SAME"`, `fused_activation_function="RELU6"`). Fields
that are left out keep the schema's default.

    m = ModelBuilder()
    x = m.tensor("x", (1, 4, 4, 2), "int8", scale=0.5, zero_point=-3)
    y = m.tensor("y", (1, 2, 2, 2), "int8", scale=0.5, zero_point=-3)
    m.op("MAX_POOL_2D", [x], [y], dict(padding="VALID", stride_h=2, stride_w=2,
                                       filter_height=2, filter_width=2))
    data = m.build([x], [y])
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import flatbuffers.flexbuffers
import numpy as np
import numpy.typing as npt
import tflite

OptionValue = int | float | bool | str | Sequence[int]

_DTYPES = {
    "float32": "FLOAT32",
    "float16": "FLOAT16",
    "int8": "INT8",
    "uint8": "UINT8",
    "int16": "INT16",
    "int32": "INT32",
    "uint32": "UINT32",
    "int64": "INT64",
    "bool": "BOOL",
}

# Operator name -> its table in the schema's BuiltinOptions union. Any other operator is written
# without options.
_OPTIONS = {
    "CONV_2D": "Conv2DOptions",
    "SHAPE": "ShapeOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "TRANSPOSE_CONV": "TransposeConvOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "ADD": "AddOptions",
    "SUB": "SubOptions",
    "MUL": "MulOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "MEAN": "ReducerOptions",
    "SUM": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "REDUCE_PROD": "ReducerOptions",
    "REDUCE_ANY": "ReducerOptions",
    "REDUCE_ALL": "ReducerOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "SOFTMAX": "SoftmaxOptions",
    "PAD": "PadOptions",
    "PADV2": "PadV2Options",
    "CONCATENATION": "ConcatenationOptions",
    "RESHAPE": "ReshapeOptions",
    "SQUEEZE": "SqueezeOptions",
    "EXPAND_DIMS": "ExpandDimsOptions",
    "TRANSPOSE": "TransposeOptions",
    "QUANTIZE": "QuantizeOptions",
    "DEQUANTIZE": "DequantizeOptions",
    "STRIDED_SLICE": "StridedSliceOptions",
    "SPLIT": "SplitOptions",
    "SPLIT_V": "SplitVOptions",
    "PACK": "PackOptions",
    "UNPACK": "UnpackOptions",
    "MIRROR_PAD": "MirrorPadOptions",
    "RESIZE_NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions",
    "RESIZE_BILINEAR": "ResizeBilinearOptions",
    "BATCH_MATMUL": "BatchMatMulOptions",
    "CUMSUM": "CumsumOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "SVDF": "SVDFOptions",
    "GATHER": "GatherOptions",
    "ARG_MAX": "ArgMaxOptions",
    "ARG_MIN": "ArgMinOptions",
    "DEPTH_TO_SPACE": "DepthToSpaceOptions",
    "SPACE_TO_DEPTH": "SpaceToDepthOptions",
    "LEAKY_RELU": "LeakyReluOptions",
    "DIV": "DivOptions",
    "GELU": "GeluOptions",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTMOptions",
    "LSTM": "LSTMOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "RNN": "RNNOptions",
}

_ENUMS: Mapping[str, Any] = {
    "padding": tflite.Padding,
    "fused_activation_function": tflite.ActivationFunctionType,
}


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]
    dtype: str
    buffer: int
    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    quantized_dimension: int
    variable: bool = False


@dataclass(frozen=True)
class _Op:
    name: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, OptionValue]
    custom: bytes = b""  # options of a custom operator


@dataclass
class ModelBuilder:
    """Collects one subgraph and writes it as a `.tflite` file (see the module's text)."""

    _tensors: list[_Tensor] = field(default_factory=list)
    _ops: list[_Op] = field(default_factory=list)
    _buffers: list[bytes] = field(default_factory=lambda: [b""])

    def buffer(self, data: npt.NDArray[Any] | bytes) -> int:
        """Adds a constant buffer and returns its index; several tensors may name it."""
        self._buffers.append(data if isinstance(data, bytes) else _little_endian(data))
        return len(self._buffers) - 1

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        *,
        scale: float | Sequence[float] = (),
        zero_point: int | Sequence[int] = 0,
        quantized_dimension: int = 0,
        data: npt.NDArray[Any] | None = None,
        buffer: int | None = None,
        variable: bool = False,
    ) -> int:
        """Adds a tensor and returns its index.

        Args:
            name: the label stored in the file.
            shape: dimensions.
            dtype: a key of numpy's naming, e.g. ``int8``.
            scale: one number (per tensor), one per channel, or nothing (not quantized).
            zero_point: one number for all scales, or one per scale.
            quantized_dimension: axis of the channels.
            data: constant contents of dtype `dtype`; it gets a buffer of its own.
            buffer: an index from :meth:`buffer`, instead of `data`.
            variable: it keeps its contents from run to run.
        """
        scales = (float(scale),) if isinstance(scale, (int, float)) else tuple(map(float, scale))
        if isinstance(zero_point, (int, np.integer)):
            zero_points = (int(zero_point),) * len(scales)
        else:
            zero_points = tuple(map(int, zero_point))
        if data is not None:
            if str(data.dtype) != dtype or tuple(data.shape) != tuple(shape):
                raise ValueError(f"{name}: data is {data.dtype}{data.shape}, not {dtype}{shape}")
            buffer = self.buffer(data)
        self._tensors.append(
            _Tensor(
                name,
                tuple(shape),
                dtype,
                buffer or 0,
                scales,
                zero_points,
                quantized_dimension,
                variable,
            )
        )
        return len(self._tensors) - 1

    def const(self, name: str, data: npt.NDArray[Any], **quant: Any) -> int:
        """Adds a constant tensor with the shape and dtype of `data`; `quant` as :meth:`tensor`."""
        return self.tensor(name, data.shape, str(data.dtype), data=data, **quant)

    def op(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: Mapping[str, OptionValue] | None = None,
        *,
        version: int = 1,
    ) -> None:
        """Appends an operator; an input of -1 is an absent optional operand."""
        if not hasattr(tflite.BuiltinOperator, name):
            raise ValueError(f"no builtin operator is called {name}")
        if options and name not in _OPTIONS:
            raise ValueError(f"options of {name} are not supported by this builder")
        self._ops.append(_Op(name, version, tuple(inputs), tuple(outputs), dict(options or {})))

    def custom(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: Mapping[str, int | bool],
    ) -> None:
        """Appends a custom operator with a map of numbers as its options."""
        flex = flatbuffers.flexbuffers.Dumps(dict(options))
        self._ops.append(_Op(f"CUSTOM:{name}", 1, tuple(inputs), tuple(outputs), {}, bytes(flex)))

    def build(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """Serialises the model with the given subgraph inputs and outputs."""
        fb = flatbuffers.Builder(1024)
        codes = sorted({(op.name, op.version) for op in self._ops})
        tensors = _table_vector(fb, [_write_tensor(fb, t) for t in self._tensors])
        index = {code: i for i, code in enumerate(codes)}
        ops = _table_vector(fb, [_write_op(fb, o, index[o.name, o.version]) for o in self._ops])
        subgraph = _write_table(
            fb,
            "SubGraph",
            Tensors=tensors,
            Inputs=_int_vector(fb, inputs),
            Outputs=_int_vector(fb, outputs),
            Operators=ops,
            Name=fb.CreateString("main"),
        )
        model = _write_table(
            fb,
            "Model",
            Version=3,
            OperatorCodes=_table_vector(fb, [_write_opcode(fb, *code) for code in codes]),
            Subgraphs=_table_vector(fb, [subgraph]),
            Description=fb.CreateString("mcuc test model"),
            Buffers=_table_vector(fb, [_write_buffer(fb, b) for b in self._buffers]),
        )
        fb.Finish(model, b"TFL3")
        return bytes(fb.Output())


def _little_endian(data: npt.NDArray[Any]) -> bytes:
    return np.ascontiguousarray(data).astype(data.dtype.newbyteorder("<")).tobytes()


def _write_table(fb: Any, table: str, **fields: Any) -> int:
    getattr(tflite, f"{table}Start")(fb)
    for name, value in fields.items():
        if value is not None:
            getattr(tflite, f"{table}Add{name}")(fb, value)
    return int(getattr(tflite, f"{table}End")(fb))


def _int_vector(fb: Any, values: Sequence[int]) -> int:
    return int(fb.CreateNumpyVector(np.asarray(list(values), dtype=np.int32)))


def _table_vector(fb: Any, offsets: Sequence[int]) -> int:
    fb.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        fb.PrependUOffsetTRelative(offset)
    return int(fb.EndVector())


def _write_buffer(fb: Any, data: bytes) -> int:
    if not data:
        return _write_table(fb, "Buffer")
    fb.StartVector(1, len(data), 16)  # the schema demands 16-byte alignment of the data
    fb.head -= len(data)
    fb.Bytes[fb.head : fb.head + len(data)] = data
    return _write_table(fb, "Buffer", Data=int(fb.EndVector()))


def _write_opcode(fb: Any, name: str, version: int) -> int:
    if name.startswith("CUSTOM:"):
        custom = fb.CreateString(name.removeprefix("CUSTOM:"))
        code = int(tflite.BuiltinOperator.CUSTOM)
        return _write_table(
            fb,
            "OperatorCode",
            DeprecatedBuiltinCode=code,
            CustomCode=custom,
            Version=version,
            BuiltinCode=code,
        )
    code = int(getattr(tflite.BuiltinOperator, name))
    # The old int8 field holds a placeholder for codes that do not fit.
    return _write_table(
        fb,
        "OperatorCode",
        DeprecatedBuiltinCode=min(code, 127),
        Version=version,
        BuiltinCode=code,
    )


def _write_tensor(fb: Any, t: _Tensor) -> int:
    quant = None
    if t.scale:
        quant = _write_table(
            fb,
            "QuantizationParameters",
            Scale=fb.CreateNumpyVector(np.asarray(t.scale, dtype=np.float32)),
            ZeroPoint=fb.CreateNumpyVector(np.asarray(t.zero_point, dtype=np.int64)),
            QuantizedDimension=t.quantized_dimension,
        )
    return _write_table(
        fb,
        "Tensor",
        Shape=_int_vector(fb, t.shape),
        Type=int(getattr(tflite.TensorType, _DTYPES[t.dtype])),
        Buffer=t.buffer,
        Name=fb.CreateString(t.name),
        Quantization=quant,
        IsVariable=t.variable or None,
    )


def _write_op(fb: Any, op: _Op, opcode: int) -> int:
    table = _OPTIONS.get(op.name)
    options = None
    if table is not None:
        options = _write_table(fb, table, **_option_fields(fb, table, op.options))
    custom = None
    if op.custom:
        custom = fb.CreateNumpyVector(np.frombuffer(op.custom, np.uint8))
    return _write_table(
        fb,
        "Operator",
        CustomOptions=custom,
        OpcodeIndex=opcode,
        Inputs=_int_vector(fb, op.inputs),
        Outputs=_int_vector(fb, op.outputs),
        BuiltinOptionsType=int(getattr(tflite.BuiltinOptions, table)) if table else 0,
        BuiltinOptions=options,
    )


def _option_fields(fb: Any, table: str, options: Mapping[str, OptionValue]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in options.items():
        camel = re.sub(r"(?:^|_)(\w)", lambda m: m.group(1).upper(), key)
        if not hasattr(tflite, f"{table}Add{camel}"):
            raise ValueError(f"{table} has no field {key}")
        if isinstance(value, str):
            fields[camel] = int(getattr(_ENUMS[key], value))
        elif isinstance(value, (int, float)):
            fields[camel] = value
        else:
            fields[camel] = _int_vector(fb, value)
    return fields
