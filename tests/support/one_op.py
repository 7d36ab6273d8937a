"""Operators of a `.tflite` file, each alone: one file with all of them, its graph, its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.device.boards import load_board
from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Array
from mcuc.ir.target import HOST
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.interpret import run_reference
from mcuc.passes.remove_dead_nodes import remove_dead_nodes
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import lower
from mcuc_codegen.project import generate
from tests.support.cases import Operand, fill
from tests.support.oracle import run_tflite
from tests.support.tflite_build import ModelBuilder, OptionValue

VECTORS = 2
INTS = (DType.S32, DType.S64)


@dataclass(frozen=True)
class OneOp:
    """An operator with its operands and the types of its results.

    Attributes:
        name: Of the case.
        op: Builtin operator.
        operands: Run-time where they have no data; None = absent.
        results: Shape, element type, quantization.
    """

    name: str
    op: str
    operands: tuple[Operand | None, ...]
    results: tuple[TensorType, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    seed: int = 0
    version: int = 1


def ints(*numbers: object) -> Operand:
    """A constant of int32."""
    data = np.asarray(numbers[0] if len(numbers) == 1 else numbers, np.int32)
    return Operand(TensorType(data.shape, DType.S32), data)


def typed(shape: Sequence[int], dtype: DType, quant: tuple[float, int] = (0.1, 4)) -> TensorType:
    """A type, quantized if it is one of small integers."""
    if dtype not in (DType.S8, DType.U8, DType.S16):
        return TensorType(tuple(shape), dtype)
    zero_point = 0 if dtype is DType.S16 else quant[1]
    return TensorType(tuple(shape), dtype, Quant((float(np.float32(quant[0])),), (zero_point,)))


def file_of(ops: Sequence[OneOp]) -> tuple[bytes, list[list[Array]]]:
    """One file with all operators, and `VECTORS` sets of inputs."""
    model = ModelBuilder()
    inputs: list[int] = []
    outputs: list[int] = []
    feeds: list[list[Array]] = [[] for _ in range(VECTORS)]
    for i, one in enumerate(ops):
        rng = np.random.default_rng(one.seed)
        operands = []
        for k, operand in enumerate(one.operands):
            if operand is None:
                operands.append(-1)
                continue
            operands.append(_tensor(model, f"c{i}_x{k}", operand.type, operand.data))
            if operand.data is None:
                inputs.append(operands[-1])
                for feed in feeds:
                    feed.append(fill(rng, operand.type, operand.pattern))
        results = [_tensor(model, f"c{i}_y{k}", type_) for k, type_ in enumerate(one.results)]
        model.op(one.op, operands, results, one.options, version=one.version)
        outputs += results
    return model.build(inputs, outputs), feeds


def _tensor(model: ModelBuilder, name: str, type_: TensorType, data: Array | None = None) -> int:
    dtype = type_.dtype.numpy.name
    if type_.quant is None:
        return model.tensor(name, type_.shape, dtype, data=data)
    scale, zero_point = type_.quant.scales, type_.quant.zero_points
    return model.tensor(name, type_.shape, dtype, data=data, scale=scale, zero_point=zero_point)


@dataclass(frozen=True)
class Judged:
    """What an interpreter made of the file, and what mcuc makes of it."""

    theirs: list[list[Array]]
    ours: list[list[Array]]


def judge(ops: Sequence[OneOp]) -> Judged:
    """Runs the file in TFLite's interpreter and with mcuc's references."""
    data, feeds = file_of(ops)
    graph = load_tflite(Path("ops.tflite"), data)
    ours = [run_reference(graph, feed) for feed in feeds]
    return Judged(run_tflite(data, feeds), ours)


def differences(ops: Sequence[OneOp], left: Sequence[Array], right: Sequence[Array]) -> list[str]:
    """Names of the operators whose results differ in a bit."""
    names = [f"{one.op} {one.name} result {k}" for one in ops for k in range(len(one.results))]
    return [
        f"{name}: {int((a != b).sum()) if a.shape == b.shape else b.shape} of {a.size} {a.shape}"
        for name, a, b in zip(names, left, right, strict=True)
        if a.shape != b.shape or a.dtype != b.dtype or a.tobytes() != b.tobytes()
    ]


def run_in_c(ops: Sequence[OneOp], folder: Path, board_id: str | None) -> list[list[Array]]:
    """The outputs of the compiled C by vector: on the host under sanitizers, or on a board."""
    board = None if board_id is None else load_board(board_id)
    units: list[Unit] = []
    feeds: list[list[list[Array]]] = []
    for i, one in enumerate(ops):
        data, own = file_of([one])
        graph = remove_dead_nodes(load_tflite(Path(f"{one.name}.tflite"), data))
        program = lower(graph, HOST if board is None else board.target)
        plan = plan_memory(program)
        units.append(Unit(program, plan, generate(program, plan, f"op_{i}", one.op)))
        feeds.append(own)
    bench = build_bench(units, folder, board, sanitize=board is None, merge=True)
    results: list[list[Array]] = [[] for _ in range(VECTORS)]
    for unit, records in zip(units, run_bench(bench, units, feeds), strict=True):
        per_vector = len(records) // VECTORS
        for v in range(VECTORS):
            results[v] += unit.decode(records[v * per_vector].outputs)
    return results
