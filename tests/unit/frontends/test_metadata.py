"""Labels, normalization and signatures of a file; bytes that are damaged have none."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mcuc.frontends.tflite.metadata import Metadata, Signature, read_metadata
from tests.support.models import data_folder
from tests.support.tflite_build import ModelBuilder

LABELLED = "models/repo/coral_mobilenet_v1_0.25_128_u8.tflite"
SIGNED = "models/repo/emza_ssd_slim_120x160_int8.tflite"


def model(name: str) -> bytes:
    folder = data_folder()
    if folder is None or not (folder / name).is_file():
        pytest.skip("the model is not there (MCUC_DATA)")
    return Path(folder / name).read_bytes()


def test_labels_and_normalization_of_a_real_model() -> None:
    found = read_metadata(model(LABELLED))
    assert len(found.labels) == 1001
    assert found.labels[:2] == ("background", "tench, Tinca tinca")
    assert found.normalization == (((127.5,), (127.5,)),)
    assert found.lines()[0].startswith("Input 0 is to be normalized: (x - mean) / std, 127.5")


def test_signatures_of_a_real_model() -> None:
    (found,) = read_metadata(model(SIGNED)).signatures
    inputs = (("input_1", "serving_default_input_1:0"),)
    assert found.key == "serving_default" and found.inputs == inputs
    assert [name for name, _ in found.outputs] == ["face_boxes", "face_scores"]


def test_a_file_without_metadata_has_none() -> None:
    build = ModelBuilder()
    x, y = (build.tensor(name, (1, 4), "float32") for name in "xy")
    build.op("ABS", [x], [y])
    data = build.build([x], [y])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("labels.txt", "a\nb\n")  # which no metadata name
    for given in (data, data + archive.getvalue(), b"", b"TFL3", b"\x08\0\0\0TFL3"):
        assert read_metadata(given) == Metadata()


def test_damaged_metadata_are_left_out_quietly() -> None:
    data = model(LABELLED)
    start = data.index(b"M001") - 200
    rng = np.random.default_rng(2)
    for _ in range(300):
        changed = bytearray(data)
        for place in rng.integers(start, start + 1000, 8):
            changed[place] = rng.integers(256)
        found = read_metadata(bytes(changed))
        assert len(found.labels) in (0, 1001)


def test_lines() -> None:
    signature = Signature("f", (("a", "x:0"), ("b", "y:0")), (("c", "z:0"),))
    found = Metadata((), (None, ((1.0, 2.0), (3.0, 4.0))), (signature,)).lines()
    assert found == [
        "Input 1 is to be normalized: (x - mean) / std, 1, 2 and 3, 4.",
        "Signature f, inputs: a = x:0, b = y:0.",
        "Signature f, outputs: c = z:0.",
    ]
