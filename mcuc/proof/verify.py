"""Proves that numpy reference, host C and device C give the same bytes; names the first that does
not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcuc.compiler.compile import Compiled
from mcuc.device.harness import RunRecord
from mcuc.device.tflite_oracle import run_tflite, run_tflite_tensors
from mcuc.errors import ModelError
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array, Graph
from mcuc.ir.types import DType
from mcuc.numerics import int8
from mcuc.numerics.agreement import FLOAT_TOLERANCE, agree
from mcuc.ops.interpret import run_reference
from mcuc.proof import against_onnx
from mcuc.proof.places import PLACES, Access, Bench, bench
from mcuc.proof.run import profiled
from mcuc.proof.wrong_step import first_wrong_step
from mcuc.report.document import Json

POISONS = 2
RUNS = 2
_AGAINST = {"tflite": "TFLite BUILTIN_REF (ai-edge-litert)", "onnxruntime": against_onnx.NAME}
# Sets of inputs whose every layer is compared, not the outputs alone: a softmax that saturates
# would hide a wrong layer before it.
TRACED = 2


def verify_model(
    compiled: Compiled,
    places: Sequence[str] = PLACES[:3],
    vectors: int = 4,
    against: str = "",
    given: Sequence[Sequence[Array]] = (),
    seed: int = 0,
    access: Access | None = None,
    profile: bool = False,
) -> Json:
    """Compares every place with the numpy reference, byte for byte.

    On host and device each vector runs twice in a row on an arena filled with 0x55 and with 0xAA,
    between guard zones; on the host under ASan and UBSan. Of the first sets every layer's rows are
    compared as well, by their CRC-32.

    Args:
        compiled: The model.
        places: Of PLACES.
        vectors: Random sets of inputs, beside those given.
        against: "tflite" also compares the reference with TFLite's own interpreter: integers byte
            for byte, float32 within FLOAT_TOLERANCE of the largest magnitude. "onnxruntime" does
            with ONNX Runtime (mcuc/proof/against_onnx.py).
        given, seed, access: More sets of inputs; of the random ones; how a device is reached.
        profile: Also count what each layer takes on the device.

    Returns:
        The report with `verify` filled in.
    """
    graph, numerics = compiled.lowered.whole, compiled.options.numerics
    _require(places)
    _check_reference(compiled, against)
    sets = [*map(list, given), *random_vectors(graph, vectors, seed)]
    expected = in_sequence(graph, sets, numerics)
    mismatches, first, ratio = _against(against, compiled, sets, expected)
    device: Json | None = None
    records: list[RunRecord] = []
    report = dict(compiled.report)
    for place in (p for p in places if p != "reference"):
        with bench(compiled, place, access) as made:
            wrong, where, seen = _in_place(made, place, sets, expected)
            if profile and made.board is not None:
                report = profiled(made, report, sets[0])
            device = made.device() or device
        mismatches, first = mismatches + wrong, first or where
        records = records if made.board is None else seen
    report["verify"] = {
        "on": list(places),
        **_device(compiled, _transport(places, access or Access()), records),
        "device": device,
        "against": _AGAINST.get(against),
        "float_tolerance": FLOAT_TOLERANCE if against and _has_floats(compiled) else None,
        "sqnr_db": ratio,
        "vectors": len(sets),
        "runs_per_vector": POISONS * RUNS,
        "mismatches": mismatches,
        "first_mismatch": first,
        "constant_output": _all_the_same(expected[: len(given)]),
    }
    return report


def _check_reference(compiled: Compiled, against: str) -> None:
    """Requires that the outside reference reads files of this kind, and computes this model."""
    if against == "tflite" and compiled.arithmetic.quantized is not None:
        raise ModelError(
            "E109",
            "option against: TFLite computes the model as stored, in float32",
            why="mcuc quantized it",
            help="see `mcuc evaluate --against float`",
        )
    onnx = against_onnx.is_onnx(compiled.model_name)
    if against and onnx != (against == "onnxruntime"):
        wanted = "onnxruntime" if onnx else "tflite"
        what = f"{against} does not read {compiled.model_name}"
        raise ModelError("E109", what, help=f"use --against {wanted}")


def _against(
    other: str, compiled: Compiled, sets: Sequence[Sequence[Array]], expected: Sequence[list[Array]]
) -> tuple[int, Json | None, float | None]:
    """Mismatches with an outside reference, the first one, and the ratio of signal to noise."""
    graph, numerics = compiled.lowered.whole, compiled.options.numerics
    if other == "tflite":
        return (*_against_tflite(compiled, sets, expected), None)
    if other == "onnxruntime":
        data, source = compiled.model_bytes, compiled.lowered.source
        return against_onnx.compare(data, source, graph, sets, numerics)
    return 0, None, None


def _require(places: Sequence[str]) -> None:
    for place in places:
        if place not in PLACES:
            raise ModelError("E109", f"{place!r} is not one of {', '.join(PLACES)}")


def _device(compiled: Compiled, transport: str | None, records: Sequence[RunRecord]) -> Json:
    """What is reported of the runs on a device."""
    runs = compiled.lowered.program.window_runs
    count = records[0].instructions if records else None
    return {
        "board": compiled.board.id if transport else None,
        "transport": transport,
        "stack_bytes": max((r.stack_bytes or 0 for r in records), default=0) or None,
        "stack_limit_bytes": compiled.board.stack_bytes if transport else None,
        "instructions": None if count is None else count // runs,
    }


def _transport(places: Sequence[str], access: Access) -> str | None:
    if "board" in places:
        return "uart"
    return access.transport if "qemu" in places else None


def in_sequence(
    graph: Graph, vectors: Sequence[Sequence[Array]], numerics: str
) -> list[list[Array]]:
    """The reference's outputs of runs one after another: state goes from each to the next."""
    memory: dict[int, Array] = {}
    return [run_reference(graph, vector, numerics, memory=memory) for vector in vectors]


def _has_floats(compiled: Compiled) -> bool:
    """Whether results of others are compared within a tolerance, not byte for byte."""
    source = compiled.lowered.source
    if against_onnx.is_onnx(compiled.model_name):
        return not against_onnx.computes_on_integers(compiled.lowered.whole)
    return any(source.type(v).dtype is DType.F32 for v in source.outputs)


def _all_the_same(outputs: Sequence[Sequence[Array]]) -> bool:
    """Of inputs that were given: random ones may well drive a model into one corner."""
    return len(outputs) > 1 and all(_same(outputs[0], other) for other in outputs[1:])


def _same(a: Sequence[Array], b: Sequence[Array]) -> bool:
    return all(x.tobytes() == np.ascontiguousarray(y).tobytes() for x, y in zip(a, b, strict=True))


def _in_place(
    made: Bench,
    place: str,
    sets: Sequence[Sequence[Array]],
    expected: Sequence[Sequence[Array]],
) -> tuple[int, Json | None, list[RunRecord]]:
    """Runs that differ from what is expected, the first layer that does, all runs."""
    graph, numerics = made.compiled.lowered.whole, made.compiled.options.numerics
    every = [vector for vector in sets for _ in range(RUNS)]
    # With state, where the runs of one vector differ, what each of them gives.
    repeated = in_sequence(graph, every, numerics) if graph.states else None
    records = made.run(sets, thorough=True)
    per_vector = POISONS * RUNS
    wrong = [
        i
        for i, record in enumerate(records)
        if not _same(
            made.compiled.unit.decode(record.outputs),
            expected[i // per_vector]
            if repeated is None
            else repeated[i // per_vector * RUNS + i % RUNS],
        )
    ]
    if not wrong:
        return *_inside(made, place, sets[:TRACED]), records
    vector, run = divmod(wrong[0], per_vector)
    first = first_wrong_step(made, sets[vector]) or {"step": None}
    return len(wrong), {**first, "on": place, "vector": vector, "run": run}, records


def _inside(made: Bench, place: str, sets: Sequence[Sequence[Array]]) -> tuple[int, Json | None]:
    """Sets of inputs with a wrong layer whose outputs are right; the first such layer."""
    found = [(i, step) for i, vector in enumerate(sets) if (step := first_wrong_step(made, vector))]
    if not found:
        return 0, None
    vector, step = found[0]
    return len(found), {**step, "on": place, "vector": vector, "run": None}


def _against_tflite(
    compiled: Compiled, sets: Sequence[Sequence[Array]], expected: Sequence[Sequence[Array]]
) -> tuple[int, Json | None]:
    """Our reference of the model as stored in the file, against TFLite's interpreter."""
    source = compiled.lowered.source
    file_sets = [_file_inputs(compiled, vector) for vector in sets]
    theirs = run_tflite(compiled.model_bytes, file_sets)
    mismatches = 0
    first: Json | None = None
    memory: dict[int, Array] = {}
    for i, (vector, want) in enumerate(zip(file_sets, theirs, strict=True)):
        numerics = compiled.options.numerics
        ours = run_reference(source, vector, numerics, keep_all=True, memory=memory)
        surviving = [ours[p.value] for p in compiled.lowered.program.outputs if p.value in ours]
        own = [ours[v] for v in source.outputs]
        same = all(agree(a, b) for a, b in zip(own, want, strict=True))
        if same and _same(surviving, expected[i]):
            continue
        mismatches += 1
        first = first or {"on": "tflite", "vector": i, **_first_tensor(compiled, vector, ours)}
    return mismatches, first


def _file_inputs(compiled: Compiled, vector: Sequence[Array]) -> list[Array]:
    """Inputs as the file wants them, where `--io quantized` made other ones."""
    source, graph = compiled.lowered.source, compiled.lowered.whole
    result = []
    for before, after, array in zip(source.inputs, graph.inputs, vector, strict=True):
        quant = graph.type(after).quant
        if before == after or quant is None:
            result.append(array)
        elif source.type(before).dtype is DType.F32:
            result.append(int8.dequantize(array, quant.scale, quant.zero_point))
        else:
            shift = 128 if source.type(before).dtype is DType.U8 else 0
            result.append((array.astype(np.int16) + shift).astype(source.type(before).dtype.numpy))
    return result


def _first_tensor(compiled: Compiled, vector: Sequence[Array], ours: dict[int, Array]) -> Json:
    """The first tensor of the file, in execution order, that differs from TFLite's."""
    (theirs,) = run_tflite_tensors(compiled.model_bytes, [vector])
    for node in compiled.lowered.source.nodes:
        for v in node.outputs:
            if v in theirs and v in ours and not agree(ours[v], theirs[v]):
                return {
                    "step": None,
                    "op_index": node.loc.op_index,
                    "op": node.loc.op or node.op,
                    "tensor": node.loc.tensor,
                    "kernel": None,
                }
    return {"step": None}
