"""Preprocessing of images: the C against its twin, bit for bit, and that against Pillow."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from mcuc.around.image import FITS, FORMATS, RESIZES
from mcuc.inputs.frames import encode_frame
from tests.around import c_program
from tests.around.image_twin import Setup, decode, preprocess

# As the enumerations of runtime_c/around/{pixel,image}.h.
FORMAT_NUMBERS = ("gray8", "rgb888", "bgr888", "rgb565_le", "rgb565_be", "yuyv")
COLOR_NUMBERS = ("gray", "rgb", "bgr")
FIT_NUMBERS = ("stretch", "crop", "letterbox")
RESIZE_NUMBERS = ("nearest", "bilinear")

Case = tuple[Setup, int, int, int, bool, bool]  # setup, width, height, element, planar, ring


def random_frame(rng: np.random.Generator, format: str, width: int, height: int) -> np.ndarray:
    """Lines with some bytes beside the image; extremes are frequent."""
    stride = FORMATS[format] * (width + width % 2) + int(rng.integers(0, 5))
    frame = rng.integers(0, 256, (height, stride), np.uint8)
    return np.where(rng.random(frame.shape) < 0.3, 255 * (frame & 1), frame).astype(np.uint8)


def cases() -> list[Case]:
    rng = np.random.default_rng(5)
    result: list[Case] = []
    for number in range(240):
        w, h = (int(n) for n in rng.integers(1, 40, 2))
        rows, columns = (int(n) for n in rng.integers(1, 24, 2))
        part = None
        if number % 3 == 0:
            x, y = int(rng.integers(0, w)), int(rng.integers(0, h))
            part = (x, y, int(rng.integers(1, 45)), int(rng.integers(1, 45)))
        setup = Setup(
            rows,
            columns,
            FORMAT_NUMBERS[number % 6],
            COLOR_NUMBERS[number // 6 % 3],
            FIT_NUMBERS[number // 2 % 3],
            RESIZE_NUMBERS[int(rng.integers(0, 2))],
            part,
            int(rng.integers(0, 256)),
        )
        result.append((setup, w, h, (1, 2, 4)[number % 3], number % 5 == 0, number % 4 == 0))
    wide = Setup(3, 2, "gray8", "gray")  # positions at the limits of 32 bits
    result.append((wide, 32767, 1, 1, False, False))
    result.append((replace(wide, columns=32767, rows=1, fit="letterbox"), 2, 3, 1, False, False))
    return result


def encode(case: Case, table: np.ndarray, frame: np.ndarray) -> bytes:
    setup, width, height, element, planar, ring = case
    channels = 1 if setup.color == "gray" else 3
    facts = [
        *(setup.rows, setup.columns),
        *(setup.part or (0, 0, 0, 0)),
        256 if channels > 1 else 0,
        1 if planar else channels,
        setup.rows * setup.columns if planar else 1,
        FORMAT_NUMBERS.index(setup.format),
        COLOR_NUMBERS.index(setup.color),
        FIT_NUMBERS.index(setup.fit),
        RESIZE_NUMBERS.index(setup.resize),
        element,
        setup.bar,
        *(width, height, frame.shape[1], height if element == 2 else 0),
        setup.columns * (1 if planar else channels),
        setup.rows * setup.columns * channels * element,
        table.nbytes,
        frame.nbytes,
        int(ring),
    ]
    return struct.pack(f"<{len(facts)}i", *facts) + table.tobytes() + frame.tobytes()


@pytest.mark.gcc
def test_c_equals_its_twin() -> None:
    rng = np.random.default_rng(7)
    request, wanted = b"", []
    for case in cases():
        setup, width, height, element, planar, _ = case
        frame = random_frame(rng, setup.format, width, height)
        channels = 1 if setup.color == "gray" else 3
        table = rng.integers(0, 256, (channels, 256, element), np.uint8)
        request += encode(case, table, frame)
        numbers = preprocess(frame, width, setup)
        elements = table[np.arange(channels), numbers]
        wanted.append((np.moveaxis(elements, 2, 0) if planar else elements).tobytes())
    response = c_program.run("image_main.c", request)
    place = 0
    for case, expected in zip(cases(), wanted, strict=True):
        assert response[place : place + len(expected)] == expected, case
        place += len(expected)
    assert place == len(response)


@pytest.mark.gcc
def test_impossible_frames_write_nothing() -> None:
    table = np.full((1, 256, 1), 7, np.uint8)
    frame = np.zeros((4, 4), np.uint8)
    outside = Setup(2, 2, "gray8", "gray", part=(9, 0, 2, 2))
    sizes = [(0, 4), (-1, 4), (4, 0), (32768, 1), (1, 40000)]
    plain = replace(outside, part=None)
    made = [(plain, w, h, 1, False, ring) for w, h in sizes for ring in (False, True)]
    made.append((outside, 4, 4, 1, False, False))
    request = b"".join(encode(case, table, frame) for case in made)
    assert c_program.run("image_main.c", request) == bytes(4 * len(made))


def test_every_word_of_a_specification_is_known_to_the_c() -> None:
    assert set(FORMATS) == set(FORMAT_NUMBERS)
    assert set(FITS) == set(FIT_NUMBERS)
    assert set(RESIZES) == set(RESIZE_NUMBERS)


def test_gray_and_nearest_are_those_of_pillow() -> None:
    image_module = pytest.importorskip("PIL.Image")
    rgb = np.random.default_rng(1).integers(0, 256, (13, 17, 3), np.uint8)
    image = image_module.fromarray(rgb)
    lines = rgb.reshape(13, -1)
    gray = preprocess(lines, 17, Setup(13, 17, color="gray"))[:, :, 0]
    assert np.array_equal(gray, np.asarray(image.convert("L")))
    small = image.resize((5, 6), image_module.Resampling.NEAREST)
    assert np.array_equal(preprocess(lines, 17, Setup(6, 5, resize="nearest")), np.asarray(small))
    large = image.resize((40, 31), image_module.Resampling.BILINEAR)
    ours = preprocess(lines, 17, Setup(31, 40)).astype(int)
    assert np.abs(ours - np.asarray(large)).max() <= 1


@pytest.mark.parametrize("format", FORMAT_NUMBERS)
def test_frames_hold_the_image_they_were_made_of(format: str) -> None:
    rgb = np.random.default_rng(2).integers(0, 256, (6, 7, 1), np.uint8).repeat(3, axis=2)
    raw = encode_frame(rgb, format)
    width, height, stride, lines = struct.unpack_from("<4i", raw)
    assert (width, height, lines) == (7, 6, 6)
    frame = np.frombuffer(raw[16:], np.uint8).reshape(height, stride)
    lost = 8 if "565" in format else 0
    assert np.abs(decode(frame, format, width) - rgb).max() <= lost
