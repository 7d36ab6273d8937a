"""report.html: complete, safe with any names, self-contained, honest about what is unknown."""

from __future__ import annotations

import copy
import html
import re
import time
from html.parser import HTMLParser
from typing import Any

import pytest

from mcuc.errors import McucError
from mcuc.report.html import pairs, write_html
from tests.unit.report import samples

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></svg></style><script>alert(2)</script>",
    "a]]>&amp;<!--",
    "{{ 7 * 7 }}{% raw %}",
    "' onmouseover='alert(3)",
    "nul\x00bell\x07rtl\u202egnp.exe\ud800end",
]
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "nav", "section", "figure"),
    *("figcaption", "h1", "h2", "h3", "p", "div", "span", "code", "bdi", "b", "i", "a", "br"),
    *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "dl", "dt", "dd", "ul", "li"),
    *("svg", "rect", "line", "text", "tspan", "path"),
}
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Collects elements, attributes, text; checks that elements nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def every_sample() -> dict[str, dict[str, Any]]:
    return {
        "smallest": samples.smallest(),
        "typical": samples.typical(),
        "measured": samples.measured(samples.typical()),
        "streamed": samples.streamed(),
    }


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    assert found
    return found.group()


@pytest.mark.parametrize("sample", every_sample())
def test_page_nests_and_loads_nothing(sample: str) -> None:
    page = write_html(every_sample()[sample])
    for tag, attrs in Reader(page).tags:
        assert tag in ALLOWED, tag
        assert not {"src", "srcset", "action", "xlink:href"} & set(attrs)
        assert not [a for a in attrs if a.startswith("on")]
        assert (attrs.get("href") or "#").startswith("#")
    bare = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|//\w+\.|url\(|@import|javascript:", bare)
    assert "Content-Security-Policy" in page


def test_links_lead_somewhere() -> None:
    for document in every_sample().values():
        reader = Reader(write_html(document))
        ids = {attrs["id"] for _, attrs in reader.tags if "id" in attrs}
        targets = {(attrs["href"] or "")[1:] for tag, attrs in reader.tags if tag == "a"}
        assert targets == ids


def test_all_layers_are_listed() -> None:
    document = samples.measured(samples.typical())
    table = section(write_html(document), "layers")
    rows = re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1].split("</tbody>")[0])
    assert len(rows) == len(document["layers"])
    for row, layer in zip(rows, document["layers"], strict=True):
        assert f'title="{html.escape(layer["name"])}"' in row
        assert f">{layer['op']}<" in row
        assert "×".join(map(str, layer["shape"])) in row
        assert f">{layer['macs']:,}<" in row
        assert f">{layer['instructions']:,}<" in row
        assert layer["kernel"] in row
        assert f">{layer['ram_bytes']:,}<" in row


def test_proofs_are_named_where_the_document_has_them() -> None:
    document = samples.typical()
    assert "proven: pairs" in Reader(write_html(document)).text
    for layer in document["layers"]:
        del layer["proofs"]  # as written before they were added to the schema
    assert "proven" not in Reader(section(write_html(document), "layers")).text


def test_names_are_text_only() -> None:
    clean = Reader(write_html(samples.streamed()))
    document = samples.streamed()
    for i, layer in enumerate(document["layers"]):
        layer["name"] = EVIL[i % len(EVIL)]
        layer["op"] = layer["kernel"] = EVIL[(i + 1) % len(EVIL)]
    for i, buffer in enumerate(document["memory"]["buffers"]):
        buffer["label"] = EVIL[i % len(EVIL)]
    for i, s in enumerate(document["schedule"]["segments"]):
        s["label"] = EVIL[i % len(EVIL)]
    for i, live in enumerate(document["memory"]["peak"]["live"]):
        live["label"] = EVIL[i % len(EVIL)]
    for region in document["memory"]["regions"]:
        for buffer in document["memory"]["buffers"]:
            if buffer["region"] == region["name"]:
                buffer["region"] = region["name"] + EVIL[0]
        region["name"] += EVIL[0]
    document["memory"]["peak"].update(layer=EVIL[1], advice=list(EVIL))
    document["model"].update(file=EVIL[2], name=EVIL[1], sha256=EVIL[0])
    document["board"] = {"id": EVIL[1], "core": EVIL[0]}
    document["inputs"][0]["name"] = EVIL[5]
    document["options"] = {EVIL[0]: EVIL[1], "nested": {EVIL[2]: [EVIL[3]]}}
    document["flash"]["symbols"] = dict.fromkeys(EVIL, 5)
    document["flash"]["compiler"] = EVIL[0]
    document["notes"] = list(EVIL)
    document["verify"] = {"on": EVIL, "vectors": 3, "mismatches": 1, "against": EVIL[1],
                          "first_mismatch": {EVIL[0]: EVIL[1]}}  # fmt: skip
    page = write_html(document)
    page.encode("utf-8")
    reader = Reader(page)
    assert {tag for tag, _ in reader.tags} == {tag for tag, _ in clean.tags}
    assert not [a for _, attrs in reader.tags for a in attrs if a.startswith("on")]
    assert not re.search("[\x00-\x08\u202e\ud800]", page)
    assert EVIL[4] in reader.text, "templates in names are not executed"
    assert EVIL[0] in reader.text


def test_long_names_are_cut_with_the_whole_as_title() -> None:
    document = samples.smallest()
    name = "scope/" * 20 + "tail"
    document["layers"][0]["name"] = name
    row = section(write_html(document), "layers")
    assert f'title="{name}"' in row
    assert f">{name}<" not in row
    assert "/tail<" in row


def test_unknown_is_not_measured_and_never_zero() -> None:
    reader = Reader(write_html(samples.typical()))
    head = reader.text.split("Memory over time")[0]
    assert "Not verified" in head
    assert "Fits as far as measured" in head
    assert "not measured: static, stack, code size" in head
    assert "static not measured + stack not measured" in head
    assert "Instructions not measured" in head
    assert "Instructions per MAC not measured" in head
    assert "≥ 64,512 B" in head
    layers = section(write_html(samples.typical()), "layers")
    assert "Instructions per layer: not measured" in layers
    assert "Instr." not in layers


def test_one_unmeasured_layer_moves_the_shares_to_macs() -> None:
    document = samples.measured(samples.typical())
    assert "shares in instructions" in section(write_html(document), "layers")
    document["layers"][3]["instructions"] = None
    table = section(write_html(document), "layers")
    assert "shares in MACs" in table
    assert table.count("not measured") == 1


def test_measured_head() -> None:
    document = samples.measured(samples.typical())
    text = Reader(write_html(document)).text
    assert "✓ Verified 200 vectors, 0 mismatches on host and qemu_m4 against litert 2.3.0" in text
    assert "✓ Fits" in text
    assert f"{document['memory']['total_bytes']:,} B" in text
    assert f"{document['run']['instructions']:,}" in text
    per = document["run"]["instructions"] / document["macs"]["executed"]
    assert f"Instructions per MAC {per:.2f}" in text
    assert "Top-1 accuracy 85.70 %" in text
    assert "not measured" not in text


def test_mismatch_is_told_with_the_first_one() -> None:
    page = write_html(samples.streamed())
    assert "✗ Mismatch" in page
    checks = Reader(section(page, "checks")).text
    assert "3 of 200 vectors differ" in Reader(page).text
    assert "First mismatch vector 17 output scores index 0, 1 got -3 want -2" in checks


@pytest.mark.parametrize(
    ("part", "key", "value", "expected"),
    [
        ("flash", "limit_bytes", 1000, "flash needs"),
        ("memory", "total_bytes", 200_000, "RAM needs 200,000 B of 131,072 B"),
    ],
)
def test_too_large_is_told(part: str, key: str, value: int, expected: str) -> None:
    document = samples.measured(samples.typical())
    document[part][key] = value
    text = Reader(write_html(document)).text
    assert "✗ Does not fit" in text
    assert expected in text
    assert "✓ Fits" not in text


def test_too_small_a_region_is_named() -> None:
    document = samples.streamed()
    document["memory"]["regions"][0]["size_bytes"] = 100
    assert "region dtcm needs" in Reader(write_html(document)).text


def test_verify_without_vectors_is_not_verified() -> None:
    document = samples.typical()
    document["verify"] = {"on": [], "vectors": 0, "mismatches": 0, "first_mismatch": None}
    assert "✓ Verified" not in write_html(document)


def test_schedule_only_where_there_is_one() -> None:
    assert 'id="schedule"' not in write_html(samples.typical())
    text = Reader(section(write_html(samples.streamed()), "schedule")).text
    assert "1 to 9 patch patch 0,0 … patch 2,2" in text
    assert "0 stream rows 0..48 5" in text
    assert "10 to 29 layer" in text


def test_recompute_is_told() -> None:
    assert "21.0 % recomputed" in write_html(samples.streamed())


def test_largest_symbols_and_the_rest() -> None:
    document = samples.measured(samples.typical())
    flash = section(write_html(document), "flash")
    assert flash.count('<td class="mono">') == 15
    rest = sorted(document["flash"]["symbols"].values())[:-15]
    assert f"{len(rest)} more" in flash
    assert f">{sum(rest):,}<" in flash


def test_no_buffers_no_map() -> None:
    document = samples.smallest()
    document["memory"].update(
        buffers=[], peak=None, arena_bytes=0, total_bytes=0, lower_bound_bytes=0
    )
    document["memory"]["regions"][0]["used_bytes"] = 0
    page = write_html(document)
    assert "<svg" not in page
    assert "No buffers" in page


def test_equal_documents_give_equal_pages_and_stay_as_they_are() -> None:
    document = samples.streamed()
    before = copy.deepcopy(document)
    assert write_html(document) == write_html(before)
    assert document == before


def test_other_schema_is_refused() -> None:
    with pytest.raises(McucError, match="E801"):
        write_html({**samples.smallest(), "schema": 2})


def test_huge_is_small_and_fast() -> None:
    document = samples.huge(1500)
    write_html(samples.smallest())
    # The least of three: the machine that runs this has other work too.
    times = []
    for _ in range(3):
        start = time.perf_counter()
        page = write_html(document)
        times.append(time.perf_counter() - start)
    assert len(page.encode()) < 1.5e6
    assert min(times) < 1.5
    assert page.count('class="mm-b ') == 1500


def test_pairs_flatten() -> None:
    record = {"a_b": 1, "c": {"d": None, "e": True}, "f": [1, "x"], "g": 1.5}
    assert pairs(record, "unknown") == [
        ("a b", "1"), ("c: d", "unknown"), ("c: e", "yes"), ("f", "1, x"), ("g", "1.5"),
    ]  # fmt: skip
