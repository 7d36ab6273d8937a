"""Every operator in every element type and variant: interpreter, reference and C agree.

All of a module of tests/variants are one file, one graph and one C program.
"""

from __future__ import annotations

import functools
import importlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.frontends.tflite import load_tflite
from mcuc.frontends.tflite.builtins import BUILTINS
from mcuc.ir.graph import Array
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc.plan import exact
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import lower
from mcuc_codegen.project import generate
from tests.support.one_op import Judged, OneOp, file_of, judge
from tests.support.oracle import agree
from tests.variants.making import types_of
from tests.variants.sums import REDUCTIONS

pytest.importorskip("ai_edge_litert")
pytestmark = pytest.mark.litert

GROUP = 60  # operators in one model: more make its memory plan slow
MANY = 600  # in one program: more make the C compiler slow
SOME = 61  # every so many-th variant of a module runs in C without `-m slow`
MODULES = ("maps", "moves", "pairs", "sums")
# Axes along which an operand is broadcast, of 4
BROADCAST = ((), (0, 1, 2, 3), (0, 1, 2), (3,), (0, 2), (1,), (0,))
ALONG = ("CONCATENATION", "SPLIT", "SPLIT_V", "PACK", "UNPACK", "GATHER", "CUMSUM", "ARG_MAX")
# Operators without variants of their own, and where they are compared.
ELSEWHERE = {
    "CAST": "tests/vectors/cast.py: pairs of types",
    "DENSIFY": "tests/unit/frontends/test_sparse.py",
    "FILL": "constant when the model is compiled",
    "SHAPE": "constant when the model is compiled",
    "SELECT": "SELECT_V2, and tests/builtins/logic.py",
    "SVDF": "tests/e2e/test_svdf.py",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "tests/e2e/test_state.py",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "tests/e2e/test_sequences.py",
    "LSTM": "tests/e2e/test_sequences.py",
    "RNN": "tests/e2e/test_sequences.py",
    "WHILE": "tests/unit/frontends/test_loops.py",
}


@pytest.fixture(autouse=True)
def no_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any memory plan does here."""
    monkeypatch.setattr(exact, "DETERMINISTIC_TIME", 0.05)


@functools.cache
def variants(module: str) -> Mapping[str, list[OneOp]]:
    """By operator."""
    made = importlib.import_module(f"tests.variants.{module}").VARIANTS
    return {op: [one for t in types_of(op) for one in make(t)] for op, make in made.items()}


def ops_of(module: str) -> list[OneOp]:
    return list(itertools.chain(*variants(module).values()))


@functools.cache
def judged(module: str) -> Judged:
    return judge(ops_of(module))


def disagreeing(ops: Sequence[OneOp], left: Sequence[Array], right: Sequence[Array]) -> list[str]:
    names = [f"{one.op} {one.name}" for one in ops for _ in one.results]
    return [n for n, a, b in zip(names, left, right, strict=True) if not agree(a, b)]


@pytest.mark.parametrize("module", MODULES)
def test_references_agree_with_the_interpreter(module: str) -> None:
    found = judged(module)
    for theirs, ours in zip(found.theirs, found.ours, strict=True):
        assert not disagreeing(ops_of(module), ours, theirs)


@pytest.mark.gcc
@pytest.mark.parametrize("module", MODULES)
def test_c_of_some_agrees(module: str, tmp_path: Path) -> None:
    """tests/kernels/test_kernels.py compares every kernel with its reference."""
    check_c(ops_of(module)[::SOME], tmp_path)


@pytest.mark.gcc
@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_c_of_all_agrees(module: str, tmp_path: Path) -> None:
    ops = ops_of(module)
    for i in range(0, len(ops), MANY):
        check_c(ops[i : i + MANY], tmp_path / str(i))


def check_c(ops: Sequence[OneOp], folder: Path) -> None:
    """Groups of operators, each a model, in one program on the host."""
    groups = [ops[i : i + GROUP] for i in range(0, len(ops), GROUP)]
    units, feeds, wanted = [], [], []
    for i, group in enumerate(groups):
        data, own = file_of(group)
        graph = load_tflite(Path("variants.tflite"), data)
        program = lower(graph, HOST)
        plan = plan_memory(program)
        units.append(Unit(program, plan, generate(program, plan, f"group_{i}", "variants")))
        feeds.append(own)
        wanted.append([run_reference(graph, feed) for feed in own])
    bench = build_bench(units, folder, None, optimize="size", merge=True)
    found = run_bench(bench, units, feeds, runs=1, poisons=(0x55,))
    for unit, records, group, theirs in zip(units, found, groups, wanted, strict=True):
        for record, results in zip(records, theirs, strict=True):
            assert not disagreeing(group, unit.decode(record.outputs), results)


def test_every_operator_has_variants() -> None:
    covered = [op for module in MODULES for op, ops in variants(module).items() if ops]
    assert len(covered) == len(set(covered))
    assert not set(covered) & set(ELSEWHERE)
    audio = {op for op in BUILTINS if op.startswith("CUSTOM:")}  # tests/golden/test_audio.py
    assert {*covered, *ELSEWHERE, *audio} == set(BUILTINS)


@pytest.mark.parametrize("op", sorted(variants("pairs")))
def test_every_broadcast_of_every_type(op: str) -> None:
    """Told by the shapes: the axes that either operand has no elements of its own along."""
    if op in ("PRELU", "SELECT_V2"):  # one-sided, and of three operands
        return
    for dtype in types_of(op):
        found = set()
        for one in variants("pairs")[op]:
            sides = [x.type for x in one.operands if x is not None]
            if sides[0].dtype is dtype and len(one.results[0].shape) == 4:
                found.add(tuple(shared_axes(side.shape, one.results[0].shape) for side in sides))
        for axes in BROADCAST:
            assert {(axes, ()), ((), axes)} <= found, f"{op} {dtype.value} {axes}"
        assert any(a and b for a, b in found), f"{op} {dtype.value} crosswise"


def shared_axes(shape: Sequence[int], result: Sequence[int]) -> tuple[int, ...]:
    padded = (1,) * (len(result) - len(shape)) + tuple(shape)
    return tuple(i for i, (n, m) in enumerate(zip(padded, result, strict=True)) if n < m)


@pytest.mark.parametrize("op", REDUCTIONS)
def test_every_set_of_axes_of_every_type(op: str) -> None:
    wanted = {
        (tuple(axes), keep)
        for count in range(1, 5)
        for axes in itertools.combinations(range(4), count)
        for keep in (False, True)
    }
    for dtype in types_of(op):
        found = set()
        for one in variants("sums")[op]:
            x, axes = (x for x in one.operands if x is not None)
            if x.type.dtype is dtype and len(x.type.shape) == 4 and axes.data is not None:
                found.add((tuple(axes.data.tolist()), bool(one.options["keep_dims"])))
        assert wanted <= found, f"{op} {dtype.value}"


@pytest.mark.parametrize("op", ALONG)
def test_every_axis_of_every_type(op: str) -> None:
    """Of what works along one axis: all four, and one counted from behind."""
    for dtype in types_of(op):
        module = "moves" if op in variants("moves") else "sums"
        found = {axis_of(one) for one in variants(module)[op] if dtype.value in one.name.split()}
        assert {0, 1, 2, 3, -1} <= found, f"{op} {dtype.value}"


def axis_of(one: OneOp) -> int:
    if "axis" in one.options:
        return int(one.options["axis"])  # type: ignore[call-overload]
    known = [x.data for x in one.operands if x is not None and x.data is not None]
    return int(known[0 if one.op == "SPLIT" else -1].ravel()[0])
