"""What is generated around a model: compiled, run on the host and in QEMU, reported, refused."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.around.fields import read_spec
from mcuc.around.plan import BEFORE, BEHIND, plan_around
from mcuc.around.tensor import Tensor
from mcuc.cli.source import options_of
from mcuc.compiler.compile import compile_model
from mcuc.device.boards import load_board
from mcuc.errors import McucError, flatten
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.proof.around import postprocess, preprocess
from mcuc.proof.evaluate import load_samples
from tests.around.image_twin import Setup
from tests.around.image_twin import preprocess as twin
from tests.support.command import mcuc
from tests.support.models import DIGITS, ROOT

LAYER = ("--schedule", "layer")
HOST = (*LAYER, "--on", "host")
SPEC = "image:format=rgb565_be,fit=crop,values=0..1"


def camera_images(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits as a camera of 100 x 56 pixels would see them, in its middle."""
    stored = np.load(DIGITS.with_name("digits_test.npz"))
    x = (stored["x"][:count, :, :, 0].astype(np.float64) * 255 / 16).round().astype(np.uint8)
    large = np.kron(x, np.ones((1, 7, 7), np.uint8))
    gray = np.pad(large, ((0, 0), (0, 0), (22, 22)))
    return np.repeat(gray[..., None], 3, axis=3), stored["y"][:count]


@functools.cache
def make(mode: str = "consumed") -> Any:
    return compile_model(
        DIGITS,
        input_mode=mode,
        labels=[f"digit {i}" for i in range(10)],
        preprocess=read_spec(SPEC),
        postprocess=read_spec("top:k=3"),
    )


@pytest.mark.gcc
def test_the_generated_c_computes_what_the_twin_does() -> None:
    made = make()
    images, _ = camera_images(3)
    inputs = preprocess(made, images)
    quant = made.around.before.tensor
    for image, got in zip(images, inputs, strict=True):
        words = image.astype(np.uint16)
        packed = (words[..., 0] >> 3 << 11) | (words[..., 1] >> 2 << 5) | (words[..., 2] >> 3)
        frame = packed.astype(">u2").view(np.uint8)
        setup = Setup(8, 8, "rgb565_be", "gray", "crop")
        numbers = twin(frame, image.shape[1], setup)
        exact = numbers / 255 / quant.scale + quant.zero_point
        assert np.array_equal(got.reshape(8, 8, 1), np.floor(exact + 0.5).clip(-128, 127))


@pytest.mark.qemu
@pytest.mark.gcc
def test_board_and_host_compute_the_same_bytes() -> None:
    made = make()
    images, _ = camera_images(4)
    board = load_board("qemu_m4")
    here, there = preprocess(made, images), preprocess(made, images, board)
    assert [a.tobytes() for a in here] == [a.tobytes() for a in there]
    rng = np.random.default_rng(0)
    outputs = [[rng.integers(-128, 128, (1, 10), np.int8)] for _ in range(4)]
    assert postprocess(made, outputs) == postprocess(made, outputs, board)


@pytest.mark.gcc
def test_evaluate_takes_raw_images_from_a_folder_and_from_a_file(tmp_path: Path) -> None:
    image_module = pytest.importorskip("PIL.Image")
    images, labels = camera_images(12)
    np.savez(tmp_path / "raw.npz", x=images, y=labels)
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        folder = tmp_path / "images" / f"digit {label}"
        folder.mkdir(parents=True, exist_ok=True)
        image_module.fromarray(image).save(folder / f"{i}.png")
    (tmp_path / "labels.txt").write_text("".join(f"digit {i}\n" for i in range(10)))
    words = ["--preprocess", SPEC, "--postprocess", "top:k=3", "--labels", tmp_path / "labels.txt"]
    done = mcuc(
        "evaluate",
        DIGITS,
        *HOST,
        "--data",
        tmp_path / "images",
        *words,
        "--json",
    )
    assert done.code == 0, done.err
    accuracy = done.document["accuracy"]
    assert accuracy["correct"] >= 11
    assert accuracy["top_k"] == {"k": 3, "correct": 12}
    made = make()
    of_folder, y = load_samples(tmp_path / "images", made, None, 0.0, None)
    of_file, same = load_samples(tmp_path / "raw.npz", made, None, 0.0, None)
    inputs = [
        sorted((int(n), sample[0].tobytes()) for sample, n in zip(samples, numbers, strict=True))
        for samples, numbers in ((of_folder, y), (of_file, same))
    ]
    assert inputs[0] == inputs[1]


@pytest.mark.gcc
def test_run_shows_what_was_found(tmp_path: Path) -> None:
    images, labels = camera_images(1)
    np.save(tmp_path / "one.npy", images[0])
    done = mcuc("run", DIGITS, *HOST, "--input", tmp_path / "one.npy",
                "--preprocess", SPEC, "--postprocess", "top:threshold=0.25", "--json")  # fmt: skip
    assert done.code == 0, done.err
    (best,) = done.document["run"]["found"]
    assert best["index"] == labels[0]
    assert best["score"] >= 0.25


@pytest.mark.arm_gcc
@pytest.mark.parametrize("mode", ["streamed", "random"])
def test_the_example_compiles_in_every_input_mode(mode: str) -> None:
    made = make(mode)
    assert "_preprocess" in made.project.files["example_main.c"]
    assert made.report["memory"]["stack_bytes"] is not None
    around = made.report["around"]
    assert (around["preprocess"], around["postprocess"]) == ("image", "top")
    assert around["ram_bytes"] == 3 * 8  # the list of classes
    assert around["table_bytes"] == 256


def test_a_model_alone_has_nothing_around_it() -> None:
    plain = compile_model(DIGITS, schedule="layer")
    assert plain.report["around"] is None
    assert not [name for name in plain.project.files if "image" in name or "around" in name]


def test_a_folder_remembers_its_specifications(tmp_path: Path) -> None:
    (tmp_path / "image.toml").write_text(
        'kind = "image"\nformat = "gray8"\nmean = 127.5\nstd = [127.5]\npart = [1, 2, 30, 40]\n'
    )
    out = tmp_path / "out"
    done = mcuc(
        "compile",
        DIGITS,
        *LAYER,
        "-o",
        out,
        "--preprocess",
        tmp_path / "image.toml",
        "--json",
    )
    assert done.code == 0, done.err
    stored = json.loads((out / "report.json").read_text())["options"]["preprocess"]
    assert stored["part"] == [1, 2, 30, 40]
    assert "".join((out / "digits_int8.h").read_text().split()).count("(number-127.5)/127.5") == 1
    report = json.loads((out / "report.json").read_text())
    assert options_of({}, report["options"]).as_json() == report["options"]


@pytest.mark.parametrize(
    ("before", "behind", "codes", "words"),
    [
        ("picture", None, ["E130"], "picture"),
        ("image:format", None, ["E130"], "no key=value"),
        ("image:format=gray8,format=gray8", None, ["E130"], "twice"),
        ("image:format=gray8", None, ["E130"], "real values"),
        ("image:format=gray8,values=0..1,mean=3", None, ["E130"], "say the same"),
        ("image:format=gray8,values=0..2", None, ["E130"], "0..2"),
        ("image:format=gray8,mean=0,std=0", None, ["E130"], "positive"),
        ("image:format=gray8,mean=1/2/3,std=1", None, ["E130"], "1 numbers"),
        ("image:format=gray8,mean=nan,std=1", None, ["E130"], "mean"),
        ("image:format=gray8,values=0..1,part=1/2/3", None, ["E130"], "4 numbers"),
        ("image:format=gray8,values=0..1,part=-1/2/3/4", None, ["E130"], "part"),
        ("image:format=gray8,values=0..1,color=rgb", None, ["E130"], "color"),
        ("image:format=gray8,values=0..1,layout=nchw", None, ["E131"], "nchw"),
        ("image:format=gray8,values=0..1,input=1", None, ["E130"], "input"),
        ("image:format=gray7,fit=wide", "top:k=0", ["E130"] * 4, "k 0"),
        (None, "top:k=11", ["E130"], "k 11"),
        (None, "top:output=1", ["E130"], "output"),
        (None, "top:threshold=high", ["E130"], "threshold"),
    ],
)
def test_wrong_specifications_are_refused_with_all_problems(
    before: str | None, behind: str | None, codes: list[str], words: str
) -> None:
    quant = Quant((1 / 255,), (-128,))
    input_ = Tensor("in", TensorType((1, 8, 8, 1), DType.S8, quant))
    output = Tensor("out", TensorType((1, 10), DType.S8, quant))
    with pytest.raises(McucError) as raised:
        plan_around(
            None if before is None else read_spec(before),
            None if behind is None else read_spec(behind),
            (),
            [input_],
            [output],
        )
    errors = flatten(raised.value)
    assert [e.code for e in errors] == codes
    assert words in "\n".join(e.render() for e in errors)


def test_labels_and_factors_that_contradict_are_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("one\ntwo\n")
    few = mcuc("compile", DIGITS, *LAYER, "-o", tmp_path / "o", "--labels", tmp_path / "labels.txt",
               "--postprocess", "top", "--json")  # fmt: skip
    assert (few.code, few.error["code"]) == (1, "E132")
    (tmp_path / "empty.txt").write_text("\n")
    words = ["compile", DIGITS, "-o", tmp_path / "o", "--json"]
    none = mcuc(*words, "--labels", tmp_path / "empty.txt")
    assert none.error["code"] == "E132"
    missing = mcuc(*words, "--preprocess", "no.toml")
    assert missing.error["code"] == "E108"
    np.savez(tmp_path / "raw.npz", x=np.zeros((1, 9, 9), np.uint8), y=np.zeros(1, int))
    both = mcuc("evaluate", DIGITS, *HOST, "--data", tmp_path / "raw.npz",
                "--preprocess", SPEC, "--factor", "2", "--json")  # fmt: skip
    assert both.error["code"] == "E109"
    np.savez(tmp_path / "float.npz", x=np.zeros((1, 9, 9)), y=np.zeros(1, int))
    kind = mcuc("evaluate", DIGITS, *HOST, "--data", tmp_path / "float.npz",
                "--preprocess", SPEC, "--json")  # fmt: skip
    assert kind.error["code"] == "E121"
    boxes = mcuc("evaluate", DIGITS, *HOST, "--data", tmp_path / "raw.npz",
                 "--postprocess", "boxes:decode=center", "--json")  # fmt: skip
    assert boxes.error["code"] == "E131"
    unknown = tmp_path / "images" / "cat"
    unknown.mkdir(parents=True)
    folder = mcuc("evaluate", DIGITS, *HOST, "--data", tmp_path / "images",
                  "--preprocess", SPEC, "--json")  # fmt: skip
    assert folder.error["code"] == "E121"


JUNK = (
    *(None, -1, 0, 3.5, 1e300, float("nan"), True, "", "x", "0..1"),
    *([], [1], [[2]], ["a"], {}, {"a": 1}, [{}], [{"stride": "x", "sizes": 4}]),
)


@pytest.mark.parametrize("kind", [*BEFORE, *BEHIND])
def test_junk_in_specifications_is_refused_and_nothing_else(kind: str) -> None:
    quant = Quant((1 / 255,), (-128,))
    input_ = Tensor("in", TensorType((1, 8, 8, 1), DType.S8, quant))
    output = Tensor("out", TensorType((1, 4, 10), DType.S8, quant))
    good: dict[str, Any] = {
        "image": {"format": "gray8", "values": "0..1"},
        "audio": {"frame": 64, "hop": 32, "mels": 8},
        "top": {},
        "boxes": {"decode": "ssd", "levels": [{"stride": 4, "sizes": [3]}]},
        "heat": {},
    }[kind]
    source = "".join(p.read_text() for p in (ROOT / "mcuc" / "around").glob("*.py"))
    keys = sorted({*good, *re.findall(r'fields\.\w+\(\s*"(\w+)"', source)})
    assert len(keys) > 30
    for key in keys:
        for junk in JUNK:
            spec = {**good, key: junk, "kind": kind}
            before, behind = (spec, None) if kind in BEFORE else (None, spec)
            with contextlib.suppress(McucError):
                plan_around(before, behind, (), [input_], [output])
