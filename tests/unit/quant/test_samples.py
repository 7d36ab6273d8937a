"""Samples for calibration: files of all kinds, layouts, scaling, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcuc.errors import ModelError
from mcuc.inputs.samples import MOST, Scaling, labelled_samples, load_samples
from tests.support.float_nets import FloatBuilder

PYTORCH = Scaling((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def model(*shapes: tuple[int, ...]):
    build = FloatBuilder()
    sources = [build.source(*shape) for shape in shapes]
    return build.graph(*sources)


def saved(path: Path, **arrays) -> str:
    np.savez(path / "data.npz", **arrays)
    return str(path / "data.npz")


@pytest.mark.parametrize("shape", [(1, 4, 6, 3), (1, 3, 4, 6)])
@pytest.mark.parametrize("stored", [(4, 6, 3), (3, 4, 6)])
def test_pictures_are_turned_and_scaled(shape, stored, tmp_path: Path) -> None:
    data = np.random.default_rng(0).integers(0, 256, (5, *stored), np.uint8)
    samples = load_samples(saved(tmp_path, x=data), model(shape), PYTORCH)
    assert len(samples) == 5
    last = data[2] if stored[-1] == 3 else data[2].transpose(1, 2, 0)
    wanted = (last / 255 - PYTORCH.mean) / PYTORCH.std
    if shape[1] == 3:
        wanted = wanted.transpose(2, 0, 1)
    assert samples[2][0].dtype == np.float32 and samples[2][0].shape == shape
    assert np.allclose(samples[2][0][0], wanted, atol=1e-5)


def test_numbers_are_taken_as_they_are_without_scaling(tmp_path: Path) -> None:
    data = np.random.default_rng(0).integers(0, 256, (3, 28, 28), np.uint8)
    (sample, *_) = load_samples(saved(tmp_path, x=data, y=np.zeros(3)), model((1, 28, 28, 1)))
    assert (sample[0][0, ..., 0] == data[0]).all()
    np.save(tmp_path / "data.npy", data.astype(np.float64) / 7)
    (sample, *_) = load_samples(str(tmp_path / "data.npy"), model((1, 784)))
    assert np.allclose(sample[0], data[0].reshape(1, 784) / 7)


def test_of_many_samples_some_are_taken_evenly(tmp_path: Path) -> None:
    samples = load_samples(saved(tmp_path, x=np.arange(1000.0).reshape(1000, 1)), model((1, 1)))
    numbers = [float(s[0][0, 0]) for s in samples]
    assert len(numbers) == MOST and numbers[0] == 0 and numbers[-1] == 999
    assert numbers == sorted(numbers)


def test_inputs_by_name(tmp_path: Path) -> None:
    a, b = np.ones((4, 2)), np.zeros((4, 3))
    samples = load_samples(saved(tmp_path, x1=b, x0=a), model((1, 2), (1, 3)))
    assert [x.shape for x in samples[0]] == [(1, 2), (1, 3)] and samples[0][0].all()


def test_a_folder_of_images(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "b").mkdir()
    colours = {"b/2.png": (255, 0, 0), "1.png": (0, 0, 255)}
    for name, colour in colours.items():
        image.new("RGB", (9, 7), colour).save(tmp_path / name)
    samples = load_samples(str(tmp_path), model((1, 3, 4, 5)), Scaling((0.0,), (1.0,)))
    assert [tuple(s[0][0, :, 1, 1].tolist()) for s in samples] == [(0, 0, 1), (1, 0, 0)]
    grey = load_samples(str(tmp_path), model((1, 4, 5, 1)))
    assert grey[0][0].shape == (1, 4, 5, 1)


def test_random_samples_are_the_same_each_time() -> None:
    a, b = (load_samples("random", model((1, 4))) for _ in range(2))
    assert all((x[0] == y[0]).all() for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("arrays", "code"),
    [
        ({"x": np.zeros((0, 4))}, "E121"),
        ({"x": np.zeros((3, 5))}, "E121"),
        ({"a": np.zeros((3, 4)), "b": np.zeros((3, 4))}, "E121"),
        ({"x": np.full((3, 4), np.nan)}, "E121"),
        ({"x": np.asarray([["a"] * 4])}, "E121"),
    ],
)
def test_what_does_not_fit_is_refused(arrays, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as error:
        load_samples(saved(tmp_path, **arrays), model((1, 4)))
    assert error.value.code == code


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no numbers", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    for name in ("text.npz", "missing.npz", "empty"):
        with pytest.raises(ModelError) as error:
            load_samples(str(tmp_path / name), model((1, 4, 4, 3)))
        assert error.value.code == "E120"
    with pytest.raises(ModelError):
        labelled_samples(Path(saved(tmp_path, x=np.zeros((3, 4)), y=np.zeros(2))), model((1, 4)))
