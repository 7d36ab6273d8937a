"""Sparse weights: rows compressed, columns compressed, blocks; used as they are and by DENSIFY."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest

from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from tests.support.oracle import agree, run_tflite
from tests.support.tflite_build import ModelBuilder

pytest.importorskip("ai_edge_litert")
pytestmark = pytest.mark.litert

UNITS, DEPTH = 8, 12
FORMS = {"rows": ([0, 1], []), "columns": ([1, 0], []), "blocks": ([0, 1, 2, 3], [0, 1])}
BLOCK = (2, 4)


def weights(kind: str) -> Array:
    rng = np.random.default_rng(6)
    data = rng.uniform(-1, 1, (UNITS, DEPTH))
    keep = rng.uniform(size=(UNITS // 2, DEPTH // 4)) < 0.5
    data = data * np.kron(keep, np.ones(BLOCK))
    return np.rint(data * 127).astype(np.int8) if kind == "int8" else data.astype(np.float32)


def dense_model(kind: str, densify: bool) -> bytes:
    """FULLY_CONNECTED, or the weights through DENSIFY before."""
    build = ModelBuilder()
    x_quant = {"scale": 0.05, "zero_point": 3} if kind == "int8" else {}
    w_quant = {"scale": 0.01} if kind == "int8" else {}
    x = build.tensor("x", (2, DEPTH), kind, **x_quant)
    w = build.const("w", weights(kind), **w_quant)
    y = build.tensor("y", (2, UNITS), kind, **x_quant)
    if densify:
        sparse, w = w, build.tensor("dense", (UNITS, DEPTH), kind, **w_quant)
        build.op("DENSIFY", [sparse], [w])
    build.op("FULLY_CONNECTED", [x, w, -1], [y], version=4)
    return build.build([x], [y])


def sparse_model(kind: str, densify: bool, form: str, damage: str = "") -> bytes:
    """The model with its weights in a sparse form."""
    from ai_edge_litert import schema_py_generated as schema

    tree = schema.ModelT.InitFromObj(schema.Model.GetRootAs(dense_model(kind, densify), 0))
    tensor = next(t for t in tree.subgraphs[0].tensors if t.name == b"w")
    order, blocked = FORMS[form]
    data = weights(kind)
    sizes = data.shape
    levels = data.transpose(order[:2])
    if blocked:
        sizes = (UNITS // BLOCK[0], DEPTH // BLOCK[1])
        levels = data.reshape(sizes[0], BLOCK[0], sizes[1], BLOCK[1]).transpose(0, 2, 1, 3)
    rest = levels.reshape(*levels.shape[:2], -1)
    used = rest.any(axis=2)
    segments = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    indices = np.nonzero(used)[1]
    if damage == "indices":
        indices = indices + 100
    if damage == "segments":
        segments = segments[::-1]
    sparsity = schema.SparsityParametersT()
    sparsity.traversalOrder, sparsity.blockMap = order, blocked
    sparsity.dimMetadata = [
        _dense(schema, sizes[order[0]]),
        _compressed(schema, segments, indices),
        *(_dense(schema, n) for n in (BLOCK if blocked else ())),
    ]
    if damage == "order":
        sparsity.traversalOrder = [0] * len(order)
    tensor.sparsity = sparsity
    stored = np.ascontiguousarray(rest[used]).tobytes()
    tree.buffers[tensor.buffer].data = np.frombuffer(stored, np.uint8)
    builder = flatbuffers.Builder(1 << 12)
    builder.Finish(tree.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _dense(schema: Any, size: int) -> Any:
    level = schema.DimensionMetadataT()
    level.format, level.denseSize = 0, int(size)
    return level


def _compressed(schema: Any, segments: Array, indices: Array) -> Any:
    level = schema.DimensionMetadataT()
    level.format = 1
    level.arraySegmentsType, level.arrayIndicesType = 1, 3
    level.arraySegments, level.arrayIndices = schema.Int32VectorT(), schema.Uint8VectorT()
    level.arraySegments.values = [int(n) for n in segments]
    level.arrayIndices.values = [int(n) % 256 for n in indices]
    return level


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("densify", [False, True])
@pytest.mark.parametrize("kind", ["int8", "float32"])
def test_decoded_weights_give_the_results_of_dense_ones(
    kind: str, densify: bool, form: str
) -> None:
    graph = load_tflite(Path("m.tflite"), sparse_model(kind, densify, form))
    dense = load_tflite(Path("m.tflite"), dense_model(kind, False))
    for vector in random_vectors(graph, 2):
        (ours,) = run_reference(graph, vector)
        np.testing.assert_array_equal(ours, run_reference(dense, vector)[0])


@pytest.mark.parametrize("form", FORMS)
def test_densify_equals_the_interpreters(form: str) -> None:
    data = sparse_model("float32", True, form)
    graph = load_tflite(Path("m.tflite"), data)
    vectors = random_vectors(graph, 2)
    for vector, theirs in zip(vectors, run_tflite(data, vectors), strict=True):
        assert agree(run_reference(graph, vector)[0], theirs[0])


@pytest.mark.parametrize("damage", ["indices", "segments", "order"])
def test_encodings_that_contradict_themselves_are_refused(damage: str) -> None:
    with pytest.raises(McucError) as caught:
        load_tflite(Path("m.tflite"), sparse_model("float32", False, "rows", damage))
    assert {problem.code for problem in flatten(caught.value)} == {"E101"}
