"""Boxes and heat maps: the C against a twin that was written apart from it."""

from __future__ import annotations

import re
import struct
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.around.boxes import ANCHORED, DECODES, Boxes, Heat, Level
from mcuc.around.fields import read_text
from mcuc.around.plan import plan_around
from mcuc.around.tensor import Tensor
from mcuc.compiler.compile import compile_model
from mcuc.device.boards import load_board
from mcuc.errors import McucError, flatten
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.proof.around import postprocess
from tests.around import box_twin, c_program
from tests.support.models import data_folder

TYPES = {DType.S8: 0, DType.U8: 1, DType.S16: 2, DType.F32: 3}


@dataclass(frozen=True)
class Case:
    spec: Boxes
    arrays: tuple[np.ndarray, ...]


def tensor(array: np.ndarray, scale: float, zero: int) -> Tensor:
    dtype = DType.of(array.dtype)
    quant = None if dtype is DType.F32 else Quant((scale,), (zero,))
    return Tensor("t", TensorType(array.shape, dtype, quant))


def stored(real: np.ndarray, dtype: np.dtype[Any]) -> tuple[np.ndarray, float, int]:
    """Numbers of a type that stand for about these values, with scale and zero point."""
    if dtype == np.float32:
        return real.astype(np.float32), 1.0, 0
    info = np.iinfo(dtype.name)
    low, high = min(0.0, float(real.min())), max(1e-3, float(real.max()))
    scale = float(np.float32((high - low) / (info.max - info.min)))
    zero = int(np.clip(round(info.min - low / scale), info.min, info.max))
    numbers = np.rint(real / scale) + zero
    return np.clip(numbers, info.min, info.max).astype(dtype), scale, zero


def random_case(number: int) -> Case:
    rng = np.random.default_rng(number)
    decode = DECODES[number % 6]
    anchored = decode in ANCHORED
    together, planar = number % 2 == 0, number % 4 == 2
    object_, sigmoids = number % 5 in (0, 1), number % 3 == 0
    classes, skipped = int(rng.integers(2, 6)), number % 7 == 0
    separate = anchored and not planar and number % 8 in (1, 4)  # tensors of each level
    levels = []
    for i in range(2 if anchored else 1):
        sizes = tuple((float(h), float(w)) for h, w in rng.uniform(0.05, 0.5, (2 + i, 2)))
        grid = (3 + i, 4 - i) if anchored else (24, 1)
        step = (1 / grid[0], 1 / grid[1]) if anchored else (0.0, 0.0)
        levels.append(Level(*grid, step, sizes if anchored else (), 0, 0))
    dtype = np.dtype(("int8", "float32", "uint8", "int16")[number // 6 % 4])
    arrays, tensors, placed = [], [], []
    counts = [level.count for level in levels] if separate else [sum(x.count for x in levels)]
    for count in counts:
        boxes = rng.normal(0, 1.0, (count, 4))
        if not anchored:
            boxes = rng.uniform(0.1, 0.9, (count, 4))
            boxes[:, 2:] = boxes[:, :2] + boxes[:, 2:] / 3 if decode == "corners" else boxes[:, 2:]
        scores = rng.normal(0, 2, (count, classes + object_))
        scores = scores if sigmoids else 1 / (1 + np.exp(-scores))
        rows = [np.concatenate([boxes, scores], 1)] if together else [boxes, scores]
        for row in rows:
            numbers, scale, zero = stored(row.T if planar else row, dtype)
            arrays.append(numbers)
            tensors.append(tensor(numbers, scale, zero))
        place = len(arrays) - len(rows)
        placed.append((place, len(arrays) - 1))
    placed = placed if separate else placed * len(levels)
    spec = Boxes(
        tensors=tuple(tensors),
        outputs=tuple(range(len(tensors))),
        levels=tuple(
            replace(level, boxes=b, scores=s) for level, (b, s) in zip(levels, placed, strict=True)
        ),
        decode=decode,
        planar=planar,
        yx=number % 3 == 1,
        together=together,
        object=object_,
        classes=classes,
        box_fields=4 + (classes + object_ if together else 0),
        skipped=int(skipped),
        sigmoid=sigmoids,
        agnostic=number % 11 == 0,
        factors=(0.1, 0.1, 0.2, 0.2) if decode in ("ssd", "linear") else (1.0, 1.0, 1.0, 1.0),
        threshold=(0.3, 0.5, 0.7)[number % 3],
        iou=(0.2, 0.5)[number % 2],
        most=(40, 5)[number % 13 == 0],
    )
    return Case(spec, tuple(arrays))


def encode(case: Case) -> bytes:
    spec = case.spec
    out = struct.pack("<2i", 0, len(case.arrays))
    for array in case.arrays:
        out += struct.pack("<i", array.nbytes) + np.ascontiguousarray(array).tobytes()
    out += struct.pack("<i", len(spec.levels))

    def scale(place: int) -> bytes:
        t = spec.tensors[place]
        return struct.pack("<fii", t.scale, t.zero_point, TYPES[t.type.dtype])

    for level in spec.levels:
        out += struct.pack("<3i2fi", level.rows, level.columns, level.anchors, *level.step,
                           bool(level.sizes))  # fmt: skip
        out += np.array(level.sizes, np.float32).tobytes()
        out += scale(level.boxes) + scale(level.scores)
        out += struct.pack("<f2i", spec.least(level), level.boxes, level.scores)
    for fields, first in ((spec.box_fields, 0), (spec.fields, 4 if spec.together else 0)):
        elements = sum(level.count for level in spec.levels)
        out += struct.pack("<3i", *((1, elements) if spec.planar else (fields, 1)), first)
    out += struct.pack("<3i", spec.classes, spec.skipped, spec.most)
    out += struct.pack("<6f", *spec.factors, spec.threshold, spec.iou)
    flags = (spec.yx, spec.object, spec.sigmoid, spec.agnostic)
    return out + struct.pack("<5i", DECODES.index(spec.decode), *flags)


def expected(case: Case) -> list[box_twin.Box]:
    spec = case.spec

    def rows(places: list[int]) -> np.ndarray:
        parts = []
        for place in dict.fromkeys(places):
            t, array = spec.tensors[place], case.arrays[place]
            parts.append(box_twin.real(array.T if spec.planar else array, t.scale, t.zero_point))
        return np.concatenate(parts)

    boxes = rows([level.boxes for level in spec.levels])[:, :4]
    scores = rows([level.scores for level in spec.levels])[:, 4 if spec.together else 0 :]
    order = [0, 1, 2, 3] if spec.yx else [1, 0, 3, 2]
    grids = [box_twin.Grid(x.rows, x.columns, x.step, x.sizes) for x in spec.levels]
    return box_twin.detect(
        box_twin.anchors(grids),
        boxes[:, order] * np.float32(spec.factors),
        scores[:, 1:] if spec.object else scores,
        scores[:, 0] if spec.object else None,
        decode=spec.decode,
        sigmoids=spec.sigmoid,
        skipped=spec.skipped,
        threshold=spec.threshold,
        limit=spec.iou,
        most=spec.most,
        agnostic=spec.agnostic,
    )


def decoded(response: bytes) -> list[list[box_twin.Box]]:
    result, place = [], 0
    while place < len(response):
        (count,) = struct.unpack_from("<i", response, place)
        end = place + 4 + 24 * count
        result.append(list(struct.iter_unpack("<5fi", response[place + 4 : end])))
        place = end
    return result


@pytest.mark.gcc
def test_detector_equals_its_twin() -> None:
    cases = [random_case(number) for number in range(144)]
    found = decoded(c_program.run("detect_main.c", b"".join(map(encode, cases))))
    assert len(found) == len(cases)
    total = 0
    for number, (case, got) in enumerate(zip(cases, found, strict=True)):
        want = expected(case)
        assert [b[5] for b in got] == [b[5] for b in want], number
        assert [b[4] for b in got] == [np.float32(b[4]) for b in want], number
        assert np.allclose([b[:4] for b in got], [b[:4] for b in want], rtol=2e-5, atol=2e-6)
        total += len(want)
    assert total > 500, "cases that find nothing prove nothing"


@pytest.mark.gcc
def test_nothing_is_found_in_what_is_no_number() -> None:
    nan = np.full((1, 24, 6), np.nan, np.float32)
    base = random_case(4)
    assert base.spec.decode == "center"
    spec = replace(base.spec, tensors=(tensor(nan, 1, 0),), planar=False, together=True,
                   object=False, classes=2, box_fields=6, skipped=0)  # fmt: skip
    some = nan.copy()
    some[0, 3, 4] = 0.9  # a box without a place, and one class without a score
    request = encode(Case(spec, (nan,))) + encode(Case(spec, (some,)))
    first, second = decoded(c_program.run("detect_main.c", request))
    assert first == []
    assert [b[4:] for b in second] == [(np.float32(0.9), 0)]


@pytest.mark.gcc
def test_heat_map_equals_its_twin() -> None:
    request, wanted = b"", []
    for number in range(60):
        rng = np.random.default_rng(number)
        shape = (int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(2, 4)))
        scores = np.where(rng.random(shape) < 0.2, rng.uniform(0.3, 1, shape), 0.1)
        numbers, scale, zero = stored(scores, np.dtype(("int8", "float32")[number % 2]))
        t = tensor(numbers, scale, zero)
        heat = Heat((t,), (0,), *shape, skipped=number % 3 == 0, threshold=0.5, most=64)
        request += struct.pack("<2i", 1, numbers.nbytes) + numbers.tobytes()
        request += struct.pack("<fii", scale, zero, TYPES[t.type.dtype])
        request += struct.pack("<5if", *shape, heat.skipped, heat.most, heat.least)
        real = box_twin.real(numbers, scale, zero)
        wanted.append(box_twin.heat_objects(real, heat.skipped, 0.5))
    found = decoded(c_program.run("detect_main.c", request))
    for got, want in zip(found, wanted, strict=True):
        assert sorted(b[4:] for b in got) == sorted((np.float32(b[4]), b[5]) for b in want)
        assert np.allclose(sorted(b[:4] for b in got), sorted(b[:4] for b in want), atol=1e-6)
        assert [b[4] for b in got] == sorted((b[4] for b in got), reverse=True)
    assert sum(map(len, wanted)) > 100


@pytest.mark.gcc
def test_a_full_heat_map_list_keeps_the_best() -> None:
    numbers = np.zeros((1, 9, 1), np.float32)
    numbers[0, ::2, 0] = [0.6, 0.9, 0.7, 0.8, 0.5]
    request = struct.pack("<2i", 1, numbers.nbytes) + numbers.tobytes()
    request += struct.pack("<fii5if", 1.0, 0, 3, 1, 9, 1, 0, 2, 0.5)
    (found,) = decoded(c_program.run("detect_main.c", request))
    assert [round(b[4], 3) for b in found] == [0.9, 0.8]


SSD_96 = """
kind = "boxes"
decode = "ssd"
threshold = 0.45
levels = [{stride = 16, sizes = [16, [24, 40], 48]}, {stride = 32, sizes = [32, 64, [96, 48]]}]
"""


@pytest.mark.gcc
@pytest.mark.qemu
@pytest.mark.data
def test_a_real_detector_finds_the_same_on_board_and_host() -> None:
    name = "gen/tflite/ssd_96_int8"
    made = compile_model(
        data_folder() / "models" / f"{name}.tflite",
        schedule="layer",
        preprocess=read_text("image:format=rgb565_le,values=-1..1,fit=letterbox"),
        postprocess=tomllib.loads(SSD_96),
    )
    golden = np.load(data_folder() / "models/golden/gen__tflite__ssd_96_int8.tflite.npz")
    outputs = [[golden["s0_y0"]], [golden["s1_y0"]]]
    here = postprocess(made, outputs)
    assert here == postprocess(made, outputs, load_board("qemu_m4"))
    spec = made.around.behind
    for run, got in zip(outputs, here, strict=True):
        want = expected(Case(spec, (run[0][0],)))
        assert [b["index"] for b in got] == [b[5] for b in want]
        places = [[b[k] for k in ("top", "left", "bottom", "right", "score")] for b in got]
        assert np.allclose(places, [b[:5] for b in want], rtol=2e-5, atol=2e-6)
    assert sum(map(len, here)) > 3
    assert made.report["around"]["ram_bytes"] == 24 * spec.most


def resolved(spec: dict[str, Any], size: tuple[int, int], outputs: list[Tensor]) -> Any:
    image = Tensor("in", TensorType((1, *size, 3), DType.S8, Quant((1.0,), (0,))))
    return plan_around(None, spec, (), [image], outputs).behind


@pytest.mark.gcc
@pytest.mark.data
def test_outputs_of_real_detectors_are_decoded_like_the_twin_does() -> None:
    """A YOLO of planar rows in pixels, and the face detector of docs/around.md."""
    golden = data_folder() / "models" / "golden"
    yolo = np.load(golden / "gen__onnx__yolo_nano_128__ts.onnx.npz")["s0_y0"]
    text = "boxes:decode=center,fields=first,pixels=true,threshold=0.3,most=64"
    cases = [Case(resolved(read_text(text), (128, 128), [tensor(yolo, 1, 0)]), (yolo[0],))]
    page = (Path(__file__).parents[2] / "docs" / "around.md").read_text("utf-8")
    example = next(
        b for b in re.findall(r"```toml\n(.*?)```", page, re.S) if "[" in b and "ssd" in b
    )
    slim = np.load(golden / "repo__emza_ssd_slim_120x160_int8.tflite.npz")
    boxes, scores = slim["s0_y0"], slim["s0_y1"]
    outputs = [tensor(boxes, 0.0625, 10), tensor(scores, 1 / 256, -128)]
    spec = tomllib.loads(example) | {"threshold": 0.04}
    cases.append(Case(resolved(spec, (120, 160), outputs), (boxes[0], scores[0])))
    found = decoded(c_program.run("detect_main.c", b"".join(map(encode, cases))))
    for case, got in zip(cases, found, strict=True):
        want = expected(case)
        assert len(want) > 3
        assert [b[5] for b in got] == [b[5] for b in want]
        assert np.allclose([b[:5] for b in got], [b[:5] for b in want], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("decode=box", "E130", "box"),
        ("decode=ssd", "E130", "levels is missing"),
        ("decode=center,levels=3", "E130", "has none"),
        ("decode=corners,boxes=2", "E130", "0..0"),
        ("decode=center,threshold=1.5", "E130", "threshold"),
        ("decode=center,fields=first", "E131", "too short"),
        ("decode=center,size=0/4", "E130", "size"),
    ],
)
def test_wrong_specifications_of_boxes_are_refused(text: str, code: str, words: str) -> None:
    image = Tensor("in", TensorType((1, 8, 8, 3), DType.S8, Quant((1.0,), (0,))))
    output = Tensor("out", TensorType((1, 3, 8), DType.S8, Quant((1.0,), (0,))))
    with pytest.raises(McucError) as raised:
        plan_around(None, read_text(f"boxes:{text}"), (), [image], [output])
    assert code in [e.code for e in flatten(raised.value)]
    assert words in raised.value.render()


@pytest.mark.parametrize(
    ("level", "words"),
    [
        ({"stride": 4, "sizes": []}, "sizes"),
        ({"stride": 4, "sizes": [[1, 2, 3]]}, "sizes"),
        ({"stride": 0, "sizes": [1]}, "stride"),
        ({"stride": 4, "sizes": [1], "size": 3}, "size is no key"),
        ({"stride": 4, "sizes": [1, 2, 3, 4, 5]}, "does not hold 20 boxes"),
        ("4", "stride is missing"),
    ],
)
def test_wrong_levels_are_refused(level: Any, words: str) -> None:
    image = Tensor("in", TensorType((1, 8, 8, 3), DType.S8, Quant((1.0,), (0,))))
    output = Tensor("out", TensorType((1, 3, 8), DType.S8, Quant((1.0,), (0,))))
    spec = {"kind": "boxes", "decode": "ssd", "levels": [level]}
    with pytest.raises(McucError) as raised:
        plan_around(None, spec, (), [image], [output])
    assert words in raised.value.render()
