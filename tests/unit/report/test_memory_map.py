"""The memory map's geometry, read back from the SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from mcuc.report.memory_map import memory_map, ticks
from tests.unit.report import samples

SVG = "{http://www.w3.org/2000/svg}"


def draw(document: dict[str, Any]) -> ET.Element:
    return ET.fromstring(memory_map(document["memory"], document["schedule"]["segments"]))


def boxes(root: ET.Element) -> list[tuple[float, float, float, float, str]]:
    """x, y, width, height and tooltip of every buffer."""
    return [
        (*(float(r.get(k, "nan")) for k in ("x", "y", "width", "height")),
         r.findtext(f"{SVG}title") or "")
        for r in root.iter(f"{SVG}rect")
        if (r.get("class") or "").startswith("mm-b ")
    ]  # fmt: skip


def texts(root: ET.Element, css: str) -> list[str]:
    return ["".join(t.itertext()) for t in root.iter(f"{SVG}text") if t.get("class") == css]


@pytest.mark.parametrize(
    "make", [samples.smallest, samples.typical, samples.streamed, samples.huge]
)
def test_well_formed_and_inside_the_page(make: Any) -> None:
    document = make()
    root = draw(document)
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    found = boxes(root)
    assert len(found) == len(document["memory"]["buffers"])
    for x, y, w, h, _ in found:
        assert x >= 0 and y >= 0 and w > 0 and h >= 0
        assert x + w <= width + 0.01
        assert y + h <= height + 0.01


def test_rectangles_stand_for_bytes_and_segments() -> None:
    document = samples.typical()
    buffers = document["memory"]["buffers"]
    found = boxes(draw(document))
    x0, _, w0, h0, _ = found[0]
    per_byte = h0 / buffers[0]["bytes"]
    step = w0 / (buffers[0]["last"] - buffers[0]["first"] + 1)
    floor = found[0][1] + h0 + buffers[0]["offset"] * per_byte
    for (x, y, w, h, title), b in zip(found, buffers, strict=True):
        assert x == pytest.approx(x0 + (b["first"] - buffers[0]["first"]) * step, abs=0.1)
        assert w == pytest.approx((b["last"] - b["first"] + 1) * step, abs=0.1)
        assert h == pytest.approx(b["bytes"] * per_byte, abs=0.1)
        assert y + h == pytest.approx(floor - b["offset"] * per_byte, abs=0.1)
        assert title.startswith(b["label"])
        assert f"{b['bytes']:,} B" in title


def test_no_two_rectangles_overlap() -> None:
    found = boxes(draw(samples.typical()))
    for i, (x, y, w, h, _) in enumerate(found):
        for ox, oy, ow, oh, _ in found[:i]:
            across = min(x + w, ox + ow) - max(x, ox)
            along = min(y + h, oy + oh) - max(y, oy)
            assert across < 0.05 or along < 0.05


def test_bound_is_drawn_at_its_address() -> None:
    document = samples.typical()
    root = draw(document)
    (line,) = [e for e in root.iter(f"{SVG}line") if e.get("class") == "mm-bound"]
    field = next(e for e in root.iter(f"{SVG}rect") if e.get("class") == "mm-field")
    top, height = float(field.get("y", 0)), float(field.get("height", 0))
    share = document["memory"]["lower_bound_bytes"] / document["memory"]["arena_bytes"]
    assert float(line.get("y1", 0)) == pytest.approx(top + height * (1 - share), abs=0.1)
    assert texts(root, "mm-boundtext") == [
        f"lower bound {document['memory']['lower_bound_bytes']:,} B"
    ]


def test_peak_frames_its_segment() -> None:
    document = samples.typical()
    peak = document["memory"]["peak"]
    root = draw(document)
    (frame,) = [e for e in root.iter(f"{SVG}rect") if e.get("class") == "mm-peak"]
    column = [
        e for e in root.iter(f"{SVG}rect")
        if (e.findtext(f"{SVG}title") or "").startswith(f"segment {peak['segment']}:")
    ]  # fmt: skip
    x, w = float(frame.get("x", 0)), float(frame.get("width", 0))
    assert x <= float(column[0].get("x", 0)) <= x + w
    assert texts(root, "mm-peaktext") == [
        f"peak: segment {peak['segment']}, {peak['live_bytes']:,} B live"
    ]


def test_a_strip_for_every_used_region_and_no_bound_over_several() -> None:
    root = draw(samples.streamed())
    names = [t.split()[0] for t in texts(root, "mm-region")]
    assert names == ["dtcm", "sram"]
    assert texts(root, "mm-boundtext") == []
    assert len([e for e in root.iter(f"{SVG}rect") if e.get("class") == "mm-peak"]) == 2


def test_times_before_and_after_the_run() -> None:
    root = draw(samples.smallest())
    assert {"before", "0", "after"} <= set(texts(root, "mm-time"))
    assert "before the run to after the run" in boxes(root)[0][4]


def test_any_label_is_text() -> None:
    document = samples.smallest()
    for label in ("<b>&\"'</b>", "]]>", "\x00\x1f\ufffe\ud800", "", " ", ";", "a;b", "/", " of "):
        document["memory"]["buffers"][0]["label"] = label
        root = draw(document)
        title = boxes(root)[0][4]
        assert title.startswith(re.sub("[\x00-\x1f\ufffe\ud800]", "\ufffd", label))


def test_labels_fit_their_rectangles() -> None:
    root = draw(samples.typical())
    labels = [t for t in root.iter(f"{SVG}text") if t.get("class") == "mm-label"]
    assert len(labels) > 10
    found = boxes(root)
    for label in labels:
        spans = list(label.iter(f"{SVG}tspan"))
        x = float(spans[0].get("x", 0))
        y = sum(float(s.get("y", 0)) for s in spans) / len(spans) - 3.5
        (box,) = [
            b for b in found if abs(b[0] + b[2] / 2 - x) < 0.1 and abs(b[1] + b[3] / 2 - y) < 0.1
        ]
        length, depth = (box[3], box[2]) if label.get("transform") else (box[2], box[3])
        assert max(len(s.text or "") for s in spans) * 6 <= length
        assert len(spans) * 11 <= depth


def test_no_buffers_is_no_map() -> None:
    assert memory_map({"buffers": []}, []) == ""


@pytest.mark.parametrize("limit", [1, 2, 7, 16, 1000, 43008, 131072, 5_000_000])
def test_ticks(limit: int) -> None:
    found = ticks(limit)
    assert found[0] == 0
    assert found[-1] <= limit
    assert len(found) <= 9
    assert limit < 4 or len(found) >= 5
    step = found[1] - found[0]
    assert step & (step - 1) == 0
