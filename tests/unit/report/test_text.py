"""Numbers and names as text."""

from __future__ import annotations

import pytest

from mcuc.report import text


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0"), (7, "7"), (999, "999"), (1000, "1.00 k"), (7_489_664, "7.49 M"), (99_960, "100 k"),
     (999_499, "999 k"), (999_600, "1.00 M"), (31_200_000, "31.2 M"), (2_000_000_000, "2.00 G")],
)  # fmt: skip
def test_about(number: int, expected: str) -> None:
    assert text.about(number) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (131072, "128 KiB"),
     (2**31, "2 GiB")],
)  # fmt: skip
def test_binary(number: int, expected: str) -> None:
    assert text.binary(number) == expected


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(0, 5, "0.0 %"), (1, 10_000, "< 0.1 %"), (1, 2, "50.0 %"), (9999, 10_000, "> 99.9 %"),
     (5, 5, "100.0 %"), (10, 5, "200.0 %"), (1, 0, "–")],
)  # fmt: skip
def test_percent(part: int, whole: int, expected: str) -> None:
    assert text.percent(part, whole) == expected


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(31, 10, "3.10"), (123, 10, "12.3"), (12345, 10, "1,234"), (1, 3, "0.333"), (0, 3, "0")],
)
def test_ratio(part: int, whole: int, expected: str) -> None:
    assert text.ratio(part, whole) == expected


def test_shorten_keeps_both_ends() -> None:
    assert text.shorten("abcdefghij", 10) == "abcdefghij"
    short = text.shorten("abcdefghij", 7)
    assert len(short) == 7
    assert short == "ab…ghij"
    assert text.shorten("abc", 1) == "…"


@pytest.mark.parametrize(
    ("label", "room", "expected"),
    [
        ("net/conv1/Relu6;net/conv1/Conv2D", 40, "net/conv1/Relu6"),
        ("net/conv1/Relu6", 12, "conv1/Relu6"),
        ("net/conv1/Relu6", 8, "conv1/R…"),
        ("3 rows of net/conv1/Relu6", 19, "3 rows conv1/Relu6"),
        ("short", 5, "short"),
    ],
)
def test_fitting(label: str, room: int, expected: str) -> None:
    assert text.fitting(label, room) == expected
    assert len(text.fitting(label, room)) <= room
