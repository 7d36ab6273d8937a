"""Every vector of every op: written as a `.tflite` file, read back, and put to the interpreter.

All cases together are one file, so that one child process of the interpreter judges them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Graph
from mcuc.ir.types import DType, TensorType
from mcuc.ops import registry, unary
from mcuc.ops.interpret import run_reference
from mcuc.ops.pooling import PoolAttrs
from mcuc.passes.fuse_pad import fuse_pad
from tests import builtins, vectors
from tests.support.cases import Case
from tests.support.export import CannotExportError, export, merge
from tests.support.one_op import file_of
from tests.support.oracle import agree, run_tflite
from tests.vectors.unary import ONNX_ONLY

VECTORS = 2
OVERFLOW = "the factor leaves int32, where TFLite's C++ has undefined behaviour"
NO_FUNCTION = "TFLite has none: tests/numerics/test_float_functions.py compares it with doubles"
UNDEFINED_CAST = "NaN, infinities, floats beyond int32: undefined behaviour of TFLite's C++"


def unusual_output_scale(case: Case) -> bool:
    out = case.outputs[0]
    return out.dtype is DType.S8 and out.quant is not None and out.quant.scale != 1 / 256


def has_gaps(case: Case) -> bool:
    return isinstance(case.attrs, PoolAttrs) and case.attrs.dilation != (1, 1)


def ends_in_limits(case: Case) -> bool:
    return case.name.endswith("_limits") and not case.name.endswith("by_limits")


def is_function(name: str) -> Callable[[Case], bool]:
    return lambda case: isinstance(case.attrs, unary.Attrs) and case.attrs.function == name


# Ops that no file holds: why there is no operator to compare with.
NO_OPERATOR = {
    "slide_rows": "mcuc.passes.slide puts it where rows live from run to run; it computes nothing",
    "lstm": "its state is joined to one tensor; tests/e2e/test_state.py has models with it",
    "layer_norm": "TFLite has none: tests/numerics/test_layer_norm.py compares it with doubles",
    "recurrent": "it is joined to its state; tests/e2e/test_sequences.py has models with it",
    "resample": "TFLite has none: tests/numerics/test_resample.py compares it with doubles",
    "svdf_feature": "SVDF is both halves with a state between: tests/e2e/test_svdf.py",
    "svdf_time": "as svdf_feature",
    "signal": "custom operators of TFLM: tests/golden/test_audio.py",
    "top_k": "TFLite's has the values beside: tests/builtins/search.py",
    "copy_rows": "mcuc.passes.stream_input puts it behind a streamed input; it computes nothing",
    "give_rows": "mcuc.passes.stream_output puts it in front of an output; it computes nothing",
    "fully_connected_rows": "mcuc.passes.flatten makes it of FULLY_CONNECTED, which is compared",
    "take": "many operators become it; tests/e2e/test_builtins.py puts them to the interpreter",
}
# Element types that TFLite's operators do not have and mcuc's ops that move bytes do not look at:
# between TFLM's audio operators (u32, u64), and of constants as a file stores them (f16).
MOVED_ONLY = {
    (op, dtype)
    for op in ("concatenation", "gather", "reshape", "select", "take")
    for dtype in (DType.U32, DType.U64, DType.F16)
}
# (op, which of its cases, why the interpreter cannot judge them).
NOT_JUDGED: tuple[tuple[str, Callable[[Case], bool], str], ...] = (
    ("conv2d", lambda c: c.name == "b22_left_shift_20", OVERFLOW),
    ("depthwise_conv2d", lambda c: c.name == "b22_tiny_and_large_factors", OVERFLOW),
    ("fully_connected", lambda c: c.name == "b22_left_shift_20_litert", OVERFLOW),
    ("conv2d", lambda c: not can_export(c), "rules of uint8: tests/unit/frontends/test_uint8.py"),
    ("depthwise_conv2d", lambda c: not can_export(c), "rules of uint8, as above"),
    ("quantize", lambda c: c.name.endswith("extremes"), UNDEFINED_CAST),
    ("cast", lambda c: c.name == "f32_to_u32", UNDEFINED_CAST),
    ("pairwise", lambda c: c.name.endswith("by_limits"), "int32 that overflows, or divides by 0"),
    ("pairwise", ends_in_limits, "int32 that overflows, or divides by 0"),
    ("logistic", unusual_output_scale, "refused: the output's scale must be 1/256"),
    ("softmax", lambda c: c.name.startswith("depth"), "an assertion of gemmlowp ends the process"),
    ("average_pool2d", lambda c: not can_export(c), "paddings, and halves up as in uint8"),
    ("l2_norm", lambda c: not can_export(c), "rules of uint8: tests/builtins/old_uint8.py"),
    ("resize_bilinear", lambda c: not can_export(c), "rules of uint8, as above"),
    ("gather", lambda c: not can_export(c), "shared axes of GATHER_ND"),
    ("gather", lambda c: c.name.startswith("outside"), "refused: indices outside of the tensor"),
    ("max_pool2d", lambda c: has_gaps(c), "windows with gaps, which TFLite's pools have not"),
    (
        "max_pool2d",
        lambda c: not has_gaps(c) and not can_export(c),
        "paddings other than SAME and VALID",
    ),
    *(("unary", is_function(name), NO_FUNCTION) for name in ONNX_ONLY),
)


def all_cases() -> list[Case]:
    found: list[Case] = []
    for info in pkgutil.iter_modules(vectors.__path__):
        module = importlib.import_module(f"tests.vectors.{info.name}")
        if info.name in registry() and info.name not in NO_OPERATOR:
            found += module.cases() if hasattr(module, "cases") else module.CASES
    return found


CASES = [case for case in all_cases() if case.numerics == "litert-2.3"]


def can_export(case: Case) -> bool:
    try:
        export(case.graph())
    except CannotExportError:
        return False
    return True


def facts(graph: Graph) -> list[tuple[object, ...]]:
    """What import(export(graph)) must keep: ops, attributes, types of results and operands."""
    return [
        (
            node.op,
            node.attrs,
            *map(stored, graph.output_types(node)),
            *map(stored, graph.operand_types(node)),
        )
        for node in graph.nodes
    ]


def stored(type_: TensorType | None) -> TensorType | None:
    """A type as a file holds it: one scale has no axis."""
    if type_ is None or type_.quant is None or type_.quant.per_channel:
        return type_
    return replace(type_, quant=replace(type_.quant, axis=None))


def test_every_op_has_cases() -> None:
    assert {case.op for case in CASES} == set(registry()) - set(NO_OPERATOR)


def compared() -> set[tuple[str, DType]]:
    """Ops with the element types of their first operands that the interpreter judges somewhere."""
    graphs = [case.graph() for case in CASES if is_judged(case)]
    for info in pkgutil.iter_modules(builtins.__path__):
        module = importlib.import_module(f"tests.builtins.{info.name}")
        if hasattr(module, "ops"):
            graphs += [load_tflite(Path(one.name), file_of([one])[0]) for one in module.ops()]
    found = ((n.op, graph.operand_types(n)[0]) for graph in graphs for n in graph.nodes)
    return {(op, type_.dtype) for op, type_ in found if type_ is not None}


def test_every_element_type_of_every_op_is_compared() -> None:
    found = compared()
    elsewhere = set(NO_OPERATOR) - {op for op, _ in found}
    missing = [
        f"{op} of {dtype.value}"
        for op, spec in registry().items()
        for dtype in (spec.operands[0].dtypes if spec.operands else ())
        if (op, dtype) not in found and op not in elsewhere and (op, dtype) not in MOVED_ONLY
    ]
    assert not missing, "no case of these is put to the interpreter"


def test_ops_without_an_operator_cannot_be_written() -> None:
    for op in NO_OPERATOR:
        module = importlib.import_module(f"tests.vectors.{op}")
        for case in module.cases() if hasattr(module, "cases") else module.CASES:
            with pytest.raises(ValueError, match="no builtin operator"):
                export(case.graph())


def is_judged(case: Case) -> bool:
    return not any(case.op == op and which(case) for op, which, _ in NOT_JUDGED)


def test_few_cases_are_not_judged() -> None:
    for op, which, why in NOT_JUDGED:
        left_out = [case.name for case in CASES if case.op == op and which(case)]
        assert left_out, f"{op}: there is no case with {why}"
        assert len(left_out) <= 10, f"{op}: {left_out}"
    assert all(can_export(case) for case in CASES if is_judged(case))


@pytest.mark.litert
def test_references_equal_the_interpreter() -> None:
    pytest.importorskip("ai_edge_litert")
    judged = [case for case in CASES if is_judged(case)]
    graphs = [case.graph() for case in judged]
    inputs = [case.inputs(VECTORS) for case in judged]
    feeds = [[x for own in inputs for x in own[v]] for v in range(VECTORS)]
    results = run_tflite(export(merge(graphs)), feeds)
    wrong: list[str] = []
    for v, result in enumerate(results):
        remaining = iter(result)
        for case, graph, own in zip(judged, graphs, inputs, strict=True):
            for wanted in run_reference(graph, own[v], case.numerics):
                actual = next(remaining)
                if not agree(wanted, actual):
                    wrong.append(f"{case.op} {case.name}")
    assert not wrong


def test_files_are_read_back_as_they_were() -> None:
    for case in CASES:
        if not can_export(case):
            continue
        graph = case.graph()
        back = fuse_pad(load_tflite(Path(f"{case.name}.tflite"), export(graph)))
        assert len(back.nodes) == 1, case.name
        # A missing bias comes back as zeros, behind all else.
        assert facts(back)[0][: len(facts(graph)[0])] == facts(graph)[0], case.name
        for a, b in zip(back.nodes[0].inputs, graph.nodes[0].inputs, strict=False):
            if b is not None and graph.values[b].const is not None:
                assert a is not None
                np.testing.assert_array_equal(back.values[a].const, graph.values[b].const)
