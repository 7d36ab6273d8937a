"""Which element types TFLite's interpreter runs for each operator, and which mcuc takes.

`python -m tests.support.type_matrix` prints the table of docs/tflite_types.md: a model of one
operator for every operator and element type, put to the interpreter (BUILTIN_REF, prepare and
invoke, each in a forked child) and to the loader.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Array
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.numerics.agreement import agree
from mcuc.ops.interpret import run_reference
from tests.support.cases import Operand
from tests.support.one_op import OneOp, file_of, ints, typed
from tests.support.tflite_build import OptionValue

DTYPES = (DType.F32, DType.S8, DType.U8, DType.S16, DType.S32, DType.S64, DType.BOOL)
SHAPE = (1, 4, 4, 4)

Maker = Callable[[DType], OneOp]


def _op(
    name: str,
    shapes: Sequence[Sequence[int]],
    result: Sequence[int] = SHAPE,
    extra: Sequence[Operand] = (),
    options: dict[str, OptionValue] | None = None,
    version: int = 1,
    out: DType | None = None,
    results: int = 1,
    pattern: str = "random",
) -> Maker:
    """Run-time operands of one type, constants behind them."""

    def made(dtype: DType) -> OneOp:
        operands = [Operand(kind_of(name, shape, dtype), pattern=pattern) for shape in shapes]
        kind = kind_of(name, result, dtype if out is None else out)
        fixed = FIXED.get((name, dtype))
        if fixed is not None:
            kind = TensorType(kind.shape, kind.dtype, Quant(*fixed))
        given = (*operands, *extra)
        return OneOp(dtype.value, name, given, (kind,) * results, options or {}, 0, version)

    return made


QUANT = (0.1, 4)
_FINE = (0.001, 0)  # of int16
_CENTRED = (0.1, 0)  # of NEG, which negates the stored integers
_UNSCALED = ("FLOOR_DIV", "FLOOR_MOD")  # of the stored integers


def kind_of(op: str, shape: Sequence[int], dtype: DType) -> TensorType:
    """The type of an operand or result of an operator, with the quantization of all tests."""
    if op in _UNSCALED:
        return TensorType(tuple(shape), dtype)
    quant = _FINE if dtype is DType.S16 else _CENTRED if op == "NEG" else QUANT
    return typed(shape, dtype, quant)


# Why mcuc leaves out what the interpreter runs.
_TOO_SMALL = "sums and products are kept in the type of the elements, as if without scales"
WHY = {
    "DIV": "not built; float32 has it",
    "PRELU": "results outside of 16 bits are not clamped",
    "GELU": "the exact form; the approximate one is there",
    "LOG_SOFTMAX": "not built; float32 has it",
    "SQRT": "not built; float32 has it",
    "SUM": _TOO_SMALL,
    "REDUCE_PROD": _TOO_SMALL,
    "TRANSPOSE_CONV": "not built: its weights have a zero point",
    "QUANTIZE": "the interpreter gives the zero point for all numbers",
}
VERSIONS = (1, 2, 3, 4)
# Scale and zero point that the operator's result must have.
FIXED: dict[tuple[str, DType], tuple[tuple[float, ...], tuple[int, ...]]] = {
    ("SOFTMAX", DType.S8): ((1 / 256,), (-128,)),
    ("SOFTMAX", DType.U8): ((1 / 256,), (0,)),
    ("SOFTMAX", DType.S16): ((1 / 32768,), (0,)),
    ("LOGISTIC", DType.S8): ((1 / 256,), (-128,)),
    ("LOGISTIC", DType.U8): ((1 / 256,), (0,)),
    ("LOGISTIC", DType.S16): ((1 / 32768,), (0,)),
    ("TANH", DType.S8): ((1 / 128,), (0,)),
    ("TANH", DType.U8): ((1 / 128,), (128,)),
    ("TANH", DType.S16): ((1 / 32768,), (0,)),
    ("L2_NORMALIZATION", DType.S8): ((1 / 128,), (0,)),
    ("L2_NORMALIZATION", DType.U8): ((1 / 128,), (128,)),
    ("LOG_SOFTMAX", DType.S8): ((16 / 256,), (127,)),
    ("LOG_SOFTMAX", DType.U8): ((16 / 256,), (255,)),
}

_CONV: dict[str, OptionValue] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
_POOL: dict[str, OptionValue] = {**_CONV, "filter_height": 2, "filter_width": 2}


def _weighted(name: str, shape: Sequence[int], options: dict[str, OptionValue]) -> Maker:
    """Operators with weights: float, int8 or uint8 ones."""

    def made(dtype: DType) -> OneOp:
        kind = {DType.S16: DType.S8, DType.S8: DType.S8, DType.U8: DType.U8}.get(dtype, dtype)
        ready = np.ones(shape, kind.numpy)
        weights = typed(shape, kind, (0.1, 0))
        bias = {DType.S16: DType.S64, DType.F32: DType.F32}.get(dtype, DType.S32)
        scale = None if dtype is DType.F32 else Quant((float(np.float32(0.1) ** 2),), (0,))
        count = shape[3] if name == "DEPTHWISE_CONV_2D" else shape[0]
        operands = [
            Operand(typed(SHAPE, dtype, QUANT)),
            Operand(weights, ready),
            Operand(TensorType((count,), bias, scale), np.zeros(count, bias.numpy)),
        ]
        result = (16, 4) if name == "FULLY_CONNECTED" else SHAPE
        if name == "TRANSPOSE_CONV":
            operands = [ints(1, 4, 4, 4), operands[1], operands[0], operands[2]]
        version = 4 if dtype is DType.S16 else 3
        kind_of = typed(result, dtype, QUANT)
        return OneOp(dtype.value, name, tuple(operands), (kind_of,), options, 0, version)

    return made


def _two(name: str, out: DType | None = None, version: int = 2, **own: OptionValue) -> Maker:
    return _op(name, (SHAPE, SHAPE), out=out, version=version, options=dict(own))


def _one(name: str, version: int = 2, pattern: str = "random", **own: OptionValue) -> Maker:
    return _op(name, (SHAPE,), version=version, options=dict(own), pattern=pattern)


def _fixed_first(name: str, first: Operand, count: int) -> Maker:
    """SPLIT, whose axis stands first."""

    def made(dtype: DType) -> OneOp:
        x, part = Operand(typed(SHAPE, dtype, QUANT)), typed((1, 4, 4, 2), dtype, QUANT)
        return OneOp(
            dtype.value, name, (first, x), (part,) * count, {"num_splits": count}, version=2
        )

    return made


def _select(dtype: DType) -> OneOp:
    condition = Operand(TensorType(SHAPE, DType.BOOL))
    kinds = typed(SHAPE, dtype, QUANT)
    return OneOp(dtype.value, "SELECT_V2", (condition, Operand(kinds), Operand(kinds)), (kinds,))


def _padv2(dtype: DType) -> OneOp:
    kinds = typed(SHAPE, dtype, QUANT)
    value = Operand(typed((1,), dtype, QUANT), np.ones(1, dtype.numpy))
    edges = ints([[0, 0], [1, 1], [1, 1], [0, 0]])
    result = typed((1, 6, 6, 4), dtype, QUANT)
    return OneOp(dtype.value, "PADV2", (Operand(kinds), edges, value), (result,), version=2)


def _top(dtype: DType) -> OneOp:
    x = Operand(typed((2, 6), dtype, QUANT))
    results = (typed((2, 3), dtype, QUANT), TensorType((2, 3), DType.S32))
    return OneOp(dtype.value, "TOPK_V2", (x, ints(3)), results, version=2)


_EDGES = ints([[0, 0], [1, 1], [1, 1], [0, 0]])
_AXES = ints(1, 2)
_REDUCED = (1, 4)

MAKERS: dict[str, Maker] = {
    "ADD": _two("ADD", pot_scale_int16=False),
    "SUB": _two("SUB", version=3, pot_scale_int16=False),
    "MUL": _two("MUL", version=4),
    **{name: _two(name, version=2) for name in ("DIV", "SQUARED_DIFFERENCE", "POW", "FLOOR_DIV")},
    **{name: _two(name) for name in ("MAXIMUM", "MINIMUM", "FLOOR_MOD")},
    **{
        name: _two(name, DType.BOOL)
        for name in ("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL")
    },
    **{name: _two(name, DType.BOOL, 1) for name in ("LOGICAL_AND", "LOGICAL_OR")},
    "LOGICAL_NOT": _op("LOGICAL_NOT", (SHAPE,), out=DType.BOOL),
    "PRELU": _op("PRELU", (SHAPE, (1, 1, 4))),
    **{
        name: _one(name)
        for name in (
            *("ABS", "NEG", "EXP", "FLOOR", "CEIL", "ROUND", "SIN", "COS", "SIGN", "SQUARE", "ELU"),
            *("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "HARD_SWISH", "GELU", "TANH"),
            *("LOGISTIC", "L2_NORMALIZATION", "LOG_SOFTMAX", "ZEROS_LIKE"),
        )
    },
    **{name: _one(name, pattern="below 120") for name in ("SQRT", "RSQRT", "LOG")},
    "LEAKY_RELU": _one("LEAKY_RELU", alpha=0.2),
    "SOFTMAX": _one("SOFTMAX", beta=1.0),
    **{
        name: _op(name, (SHAPE,), _REDUCED, (_AXES,), {"keep_dims": False}, 2)
        for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY")
    },
    "REDUCE_ALL": _op("REDUCE_ALL", (SHAPE,), _REDUCED, (_AXES,)),
    **{
        name: _op(name, (SHAPE,), (1, 4, 4), (ints(3),), {"output_type": 2}, 2, DType.S32)
        for name in ("ARG_MAX", "ARG_MIN")
    },
    "CUMSUM": _op("CUMSUM", (SHAPE,), SHAPE, (ints(2),)),
    "TOPK_V2": _top,
    "AVERAGE_POOL_2D": _one("AVERAGE_POOL_2D", **_POOL),
    "MAX_POOL_2D": _one("MAX_POOL_2D", **_POOL),
    "L2_POOL_2D": _one("L2_POOL_2D", 1, **_POOL),
    "CONV_2D": _weighted("CONV_2D", (4, 2, 2, 4), _CONV),
    "DEPTHWISE_CONV_2D": _weighted(
        "DEPTHWISE_CONV_2D", (1, 2, 2, 4), {**_CONV, "depth_multiplier": 1}
    ),
    "TRANSPOSE_CONV": _weighted("TRANSPOSE_CONV", (4, 2, 2, 4), _CONV),
    "FULLY_CONNECTED": _weighted("FULLY_CONNECTED", (4, 4), {}),
    "BATCH_MATMUL": _op("BATCH_MATMUL", ((2, 3, 4), (2, 4, 5)), (2, 3, 5), version=2),
    "RESIZE_BILINEAR": _op("RESIZE_BILINEAR", (SHAPE,), (1, 7, 5, 4), (ints(7, 5),), {}, 3),
    "RESIZE_NEAREST_NEIGHBOR": _op(
        "RESIZE_NEAREST_NEIGHBOR", (SHAPE,), (1, 7, 5, 4), (ints(7, 5),), {}, 3
    ),
    "PAD": _op("PAD", (SHAPE,), (1, 6, 6, 4), (_EDGES,), version=2),
    "PADV2": _padv2,
    "MIRROR_PAD": _op("MIRROR_PAD", (SHAPE,), (1, 6, 6, 4), (_EDGES,), {"mode": 0}, 2),
    "CONCATENATION": _op("CONCATENATION", (SHAPE, SHAPE), (1, 4, 4, 8), (), {"axis": 3}, 2),
    "RESHAPE": _op("RESHAPE", (SHAPE,), (4, 16), (ints(4, 16),)),
    "EXPAND_DIMS": _op("EXPAND_DIMS", (SHAPE,), (1, 4, 1, 4, 4), (ints(2),)),
    "SQUEEZE": _op("SQUEEZE", (SHAPE,), (4, 4, 4)),
    "TRANSPOSE": _op("TRANSPOSE", (SHAPE,), SHAPE, (ints(0, 2, 3, 1),), version=2),
    "SLICE": _op("SLICE", (SHAPE,), (1, 2, 4, 4), (ints(0, 1, 0, 0), ints(1, 2, 4, 4)), version=2),
    "STRIDED_SLICE": _op(
        "STRIDED_SLICE",
        (SHAPE,),
        (1, 2, 4, 4),
        (ints(0, 0, 0, 0), ints(1, 4, 4, 4), ints(1, 2, 1, 1)),
        version=2,
    ),
    "SPLIT": _fixed_first("SPLIT", ints(3), 2),
    "SPLIT_V": _op(
        "SPLIT_V", (SHAPE,), (1, 4, 4, 2), (ints(2, 2), ints(3)), {"num_splits": 2}, 2, results=2
    ),
    "PACK": _op("PACK", ((4, 4), (4, 4)), (2, 4, 4), (), {"values_count": 2, "axis": 0}, 2),
    "UNPACK": _op("UNPACK", ((2, 4, 4),), (4, 4), (), {"num": 2, "axis": 0}, 2, results=2),
    "GATHER": _op("GATHER", (SHAPE,), (1, 2, 4, 4), (ints(3, 1),), {"axis": 1}, 2),
    "GATHER_ND": _op("GATHER_ND", (SHAPE,), (2, 4, 4), (ints([[0, 1], [0, 2]]),)),
    "TILE": _op("TILE", (SHAPE,), (1, 8, 4, 4), (ints(1, 2, 1, 1),)),
    "BROADCAST_TO": _op("BROADCAST_TO", ((1, 4),), (3, 4), (ints(3, 4),), version=2),
    "REVERSE_V2": _op("REVERSE_V2", (SHAPE,), SHAPE, (ints([1]),), version=2),
    "DEPTH_TO_SPACE": _op("DEPTH_TO_SPACE", (SHAPE,), (1, 8, 8, 1), (), {"block_size": 2}),
    "SPACE_TO_DEPTH": _op("SPACE_TO_DEPTH", (SHAPE,), (1, 2, 2, 16), (), {"block_size": 2}),
    "SPACE_TO_BATCH_ND": _op(
        "SPACE_TO_BATCH_ND", (SHAPE,), (4, 2, 2, 4), (ints(2, 2), ints([[0, 0], [0, 0]]))
    ),
    "BATCH_TO_SPACE_ND": _op(
        "BATCH_TO_SPACE_ND", ((4, 2, 2, 4),), SHAPE, (ints(2, 2), ints([[0, 0], [0, 0]]))
    ),
    "SELECT_V2": _select,
    "QUANTIZE": _op("QUANTIZE", (SHAPE,), out=DType.S8, version=2),
    "DEQUANTIZE": _op("DEQUANTIZE", (SHAPE,), out=DType.F32, version=2),
}


@dataclass(frozen=True)
class Found:
    """Of one operator on one type.

    Attributes:
        theirs: The interpreter runs it.
        refusal: Why mcuc does not take it, "" if it does.
        differs: Both run it, and the bytes differ.
    """

    op: str
    dtype: DType
    theirs: bool
    refusal: str = ""
    differs: bool = False


def survey(names: Sequence[str] = ()) -> list[Found]:
    """Every operator on every type."""
    return [
        _judged(n, make(d), d)
        for n, make in MAKERS.items()
        if n in (names or MAKERS)
        for d in DTYPES
    ]


def _judged(name: str, one: OneOp, dtype: DType) -> Found:
    """With the first version of the operator that the interpreter runs."""
    for version in VERSIONS:
        data, feeds = file_of([replace(one, version=version)])
        results = _run(data, feeds)
        if results is not None:
            break
    try:
        graph = load_tflite(Path("m.tflite"), data)
        refusal = ""
    except McucError as problem:
        refusal = "; ".join(f"{p.code} {p.what}" for p in flatten(problem))
    differs = False
    if results is not None and not refusal:
        ours = [array for feed in feeds for array in run_reference(graph, feed)]
        pairs = zip(ours, results, strict=True)
        differs = not all(agree(a, np.frombuffer(b, a.dtype).reshape(a.shape)) for a, b in pairs)
    return Found(name, dtype, results is not None, refusal, differs)


def _run(data: bytes, feeds: list[list[Array]]) -> list[bytes] | None:
    """The interpreter's results in a forked child, None if it does not run the model."""
    import pickle

    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiver)
        found: list[bytes] | None = None
        with contextlib.suppress(Exception):
            found = _invoke(data, feeds)
        with os.fdopen(sender, "wb") as stream:
            pickle.dump(found, stream)
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


def _invoke(data: bytes, feeds: list[list[Array]]) -> list[bytes]:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1
    )
    interpreter.allocate_tensors()
    results = []
    for feed in feeds:
        for place, array in zip(interpreter.get_input_details(), feed, strict=True):
            interpreter.set_tensor(place["index"], array)
        interpreter.invoke()
        outputs = interpreter.get_output_details()
        results += [interpreter.get_tensor(place["index"]).tobytes() for place in outputs]
    return results


def page(found: Sequence[Found]) -> str:
    """docs/tflite_types.md."""
    rows = [
        "| operator | the interpreter and mcuc | the interpreter only | mcuc says | why |",
        "|---|---|---|---|---|",
    ]
    for name in MAKERS:
        own = [f for f in found if f.op == name and f.theirs]
        both = " ".join(f.dtype.value for f in own if not f.refusal)
        refused = [f for f in own if f.refusal]
        codes = sorted({word for f in refused for word in f.refusal.split() if _is_code(word)})
        only = " ".join(f.dtype.value for f in refused)
        if own:
            why = WHY[name] if refused else ""
            rows.append(f"| {name} | {both} | {only} | {' '.join(codes)} | {why} |")
    return _HEAD + "\n".join(rows) + "\n"


def _is_code(word: str) -> bool:
    return len(word) == 4 and word[0] == "E" and word[1:].isdigit()


_HEAD = """# Element types of TFLite's operators

What TFLite's interpreter (ai-edge-litert, BUILTIN_REF) prepares and invokes, each operator alone
with all its tensors of one type, and what of that mcuc takes with equal results. The rest is
refused, with the codes in the fourth column (`mcuc explain CODE`); operators with nothing in the
second column are not supported at all. uint8 (u8) is that of a model that computes in it.
Written by `python -m tests.support.type_matrix > docs/tflite_types.md`.

"""


if __name__ == "__main__":
    import ai_edge_litert.interpreter  # noqa: F401  (once, before the forks)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    everything = survey()
    wrong = [f"{f.op} {f.dtype.value}" for f in everything if f.differs]
    print("Results differ: " + ", ".join(wrong) if wrong else page(everything), end="")
