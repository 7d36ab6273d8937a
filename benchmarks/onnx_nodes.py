"""ONNX's own conformance suite: the node tests of the `onnx` package, one operator each.

    python -m benchmarks.onnx_nodes                 all tests; results/onnx_nodes.json and the page
    python -m benchmarks.onnx_nodes --only PATTERN  some; prints, and writes nothing
    python -m benchmarks.onnx_nodes --docs          docs/onnx.md from the results

Each test is imported, run by the reference, compiled to C and run on the host, and both results are
compared with the test's own within its tolerances. The suite gives shapes, axes, scales and weights
as inputs of the model; a compiler with static shapes takes what it must know as constants, so what
an operator asks for by E113 is stored in the model first.
"""

from __future__ import annotations

import collections
import functools
import json
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choice import choice
from benchmarks.models import ROOT
from benchmarks.sources import onnx_source_files, sources_sha256
from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.errors import McucError, flatten
from mcuc.frontends.onnx.load import read_onnx
from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc_codegen.project import generate

RESULTS = ROOT / "benchmarks" / "results" / "onnx_nodes.json"
DOCS = ROOT / "docs" / "onnx.md"
COMMAND = "python -m benchmarks.onnx_nodes"
OPTIONS = Options(precision="float32")
BATCH = 40  # models in one program
MOST_RANK = 5

# The operators that mcuc promises; the suite has many more.
_SCOPE = (
    "Abs Add ArgMax ArgMin AveragePool BatchNormalization Cast Clip Concat Constant "
    "Conv ConvInteger ConvTranspose DepthToSpace DequantizeLinear Div Dropout Einsum "
    "Elu Erf Exp Expand Flatten GRU Gather Gelu Gemm GlobalAveragePool GlobalMaxPool "
    "HardSigmoid HardSwish Identity LSTM LayerNormalization LeakyRelu Log LogSoftmax "
    "MatMul MatMulInteger Max MaxPool Min Mish Mul Neg PRelu Pad Pow QLinearConv "
    "QLinearMatMul QuantizeLinear ReduceMax ReduceMean ReduceMin ReduceSum Relu "
    "Reshape Resize Sigmoid Slice Softmax Softplus SpaceToDepth Split Sqrt Squeeze "
    "Sub Sum Tanh Transpose Unsqueeze Where "
)
SCOPE = frozenset(_SCOPE.split())
_DATA = ("float32", "int8", "uint8")
_OPERANDS = (*_DATA, "int32", "int64", "bool")


@dataclass(frozen=True)
class Case:
    """One test of the suite."""

    name: str
    model: Any
    inputs: list[Any]
    outputs: list[Any]
    rtol: float
    atol: float

    @property
    def operators(self) -> list[str]:
        return sorted({node.op_type for node in self.model.graph.node})

    @property
    def in_scope(self) -> bool:
        """Operators, element types and ranks as promised."""
        arrays = [*self.inputs, *self.outputs]
        if not all(isinstance(x, (np.ndarray, np.generic)) for x in arrays) or not self.inputs:
            return False
        known = set(self.operators) <= SCOPE and np.asarray(self.inputs[0]).dtype.name in _DATA
        types = all(np.asarray(x).dtype.name in _OPERANDS for x in arrays)
        ranks = all(np.ndim(x) <= MOST_RANK for x in arrays)
        maps = {"Conv", "ConvTranspose", "AveragePool", "MaxPool", "ConvInteger", "QLinearConv"}
        spatial = not maps & set(self.operators) or np.ndim(self.inputs[0]) <= 4
        return known and types and ranks and spatial and all(np.size(x) for x in arrays)


@functools.cache
def cases() -> dict[str, Case]:
    """By name; the suite makes its models and data anew from fixed seeds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found = collect_testcases(None)
    return {
        case.name: Case(
            case.name, case.model, list(case.data_sets[0][0]), list(case.data_sets[0][1]),
            case.rtol, case.atol,
        )
        for case in found
    }  # fmt: skip


@dataclass(frozen=True)
class Loaded:
    """A test that mcuc takes, and the file of it that was read."""

    case: Case
    graph: Graph
    inputs: list[Array]
    file: bytes


def load(case: Case) -> Loaded:
    """The graph, with as few of the inputs stored as it can do with.

    Raises:
        McucError: why the test is not supported.
    """
    steps = (
        lambda i, x: True,
        lambda i, x: i == 0 or x.dtype.kind == "f",
        lambda i, x: i == 0,
    )
    for number, keep in enumerate(steps):
        try:
            return _bound(case, keep)
        except McucError as error:
            computed = any(p.code == "E113" for p in flatten(error))
            if not computed or number == len(steps) - 1:
                raise
    raise AssertionError


def _bound(case: Case, keep: Any) -> Loaded:
    import onnx

    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    left = []
    for i, (port, data) in enumerate(zip(case.model.graph.input, case.inputs, strict=False)):
        if not isinstance(data, (np.ndarray, np.generic)) or keep(i, np.asarray(data)):
            left.append(data)
        else:
            tensor = onnx.numpy_helper.from_array(np.asarray(data), port.name)
            model.graph.initializer.append(tensor)
    file = model.SerializeToString()
    loaded = read_onnx(Path(f"{case.name}.onnx"), file)
    return Loaded(case, loaded.graph, [np.asarray(x) for x in left], file)


def agrees(case: Case, found: Sequence[Array]) -> bool:
    """Whether results are those of the suite, within its tolerances."""
    if len(found) != len(case.outputs):
        return False
    for ours, theirs in zip(found, map(np.asarray, case.outputs), strict=True):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return False
        if ours.dtype.kind != "f":
            if not np.array_equal(ours, theirs):
                return False
        elif not np.allclose(ours, theirs, rtol=case.rtol, atol=case.atol, equal_nan=True):
            return False
    return True


def is_finite(loaded: Loaded) -> bool:
    """Whether neither data nor constants of a test hold infinities or NaN."""
    arrays = [*loaded.inputs, *map(np.asarray, loaded.case.outputs)]
    arrays += [v.const for v in loaded.graph.values.values() if v.const is not None]
    return all(np.isfinite(x).all() for x in arrays if x.dtype.kind == "f")


def run(names: Sequence[str]) -> dict[str, str]:
    """Status of tests: "pass", "fail: where", or the code and reason of what is not supported."""
    result: dict[str, str] = {}
    ready: list[Loaded] = []
    for name in names:
        case = cases()[name]
        try:
            loaded = load(case)
            found = run_reference(loaded.graph, loaded.inputs)
        except McucError as error:
            first = flatten(error)[0]
            result[name] = f"{first.code} {first.loc.op or 'input'}"
            continue
        if agrees(case, found):
            ready.append(loaded)
        else:
            result[name] = "fail: reference" if is_finite(loaded) else "not finite"
    for first in range(0, len(ready), BATCH):
        result.update(_on_host(ready[first : first + BATCH]))
    return result


def _on_host(batch: Sequence[Loaded]) -> dict[str, str]:
    """Compiled, and run in one program."""
    result: dict[str, str] = {}
    units, run_of = [], []
    for i, loaded in enumerate(batch):
        try:
            units.append(_unit(loaded, f"m{i}"))
            run_of.append(loaded)
        except McucError as error:
            result[loaded.case.name] = f"fail: {flatten(error)[0].code}"
    with tempfile.TemporaryDirectory(prefix="mcuc-nodes-") as folder:
        program = build_bench(units, Path(folder), None, optimize="size", merge=True, sanitize=True)
        vectors = [[loaded.inputs] for loaded in run_of]
        records = run_bench(program, units, vectors, runs=1, poisons=(0x55,))
    for loaded, unit, (record,) in zip(run_of, units, records, strict=True):
        found = unit.decode(record.outputs)
        result[loaded.case.name] = "pass" if agrees(loaded.case, found) else "fail: host"
    return result


def _unit(loaded: Loaded, name: str) -> Unit:
    lowered = lower_and_plan(loaded.graph, HOST, OPTIONS)
    project = generate(lowered.program, lowered.plan, name, f"{name}.onnx")
    return Unit(lowered.program, lowered.plan, project)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when nothing fails."""
    from benchmarks.onnx_page import page

    asked = choice(__doc__, arguments)
    if asked.docs:
        DOCS.write_text(page(json.loads(RESULTS.read_text("utf-8"))), encoding="utf-8")
        return 0
    found = run(asked.of(cases()))
    for line in _lines(found):
        print(line)
    if asked.only is None:
        stored = document(found)
        RESULTS.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", "utf-8")
        DOCS.write_text(page(stored), encoding="utf-8")
    return 1 if any(status.startswith("fail") for status in found.values()) else 0


def document(found: dict[str, str]) -> dict[str, Any]:
    """What is stored."""
    import onnx

    scope = sorted(name for name in found if cases()[name].in_scope)
    return {
        "onnx": onnx.__version__,
        "tests": dict(sorted(found.items())),
        "scope": scope,
        "sources_sha256": sources_sha256(onnx_source_files()),
    }


def _lines(found: dict[str, str]) -> Iterator[str]:
    counts = collections.Counter(status.partition(" ")[0] for status in found.values())
    scope = [name for name in found if cases()[name].in_scope]
    passing = sum(found[name] == "pass" for name in scope)
    yield f"{dict(counts)}; in scope {passing} of {len(scope)} pass"
    for name, status in found.items():
        if status.startswith("fail") or (status != "pass" and name in scope):
            yield f"{name}: {status}"


if __name__ == "__main__":
    raise SystemExit(main())
