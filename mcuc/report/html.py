"""report.html: one self-contained page from the report document. No scripts, nothing loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import jinja2
from markupsafe import Markup

from mcuc.errors import McucError
from mcuc.report import text
from mcuc.report.document import SCHEMA_VERSION
from mcuc.report.figures import figures, flash_total, joined, shares, verdicts
from mcuc.report.front import front
from mcuc.report.memory_map import KINDS, memory_map

Json = dict[str, Any]
Pairs = list[tuple[str, str]]

NAME_LIMIT = 42
SYMBOLS = 15
LIVE_ROWS = 12


def write_html(document: Json) -> str:
    """The page as text; equal documents give equal pages.

    Args:
        document: A report of schema 1, as made by `document()` or read from report.json.

    Raises:
        McucError: E801 when the document is of another schema.
    """
    if document.get("schema") != SCHEMA_VERSION:
        raise McucError(
            "E801",
            f"the report is of schema {document.get('schema')!r}, not {SCHEMA_VERSION}",
            help="compile the model again with this version of mcuc",
        )
    page = _environment().get_template("report.html.j2")
    return page.render(
        doc=document,
        verdicts=verdicts(document),
        figures=figures(document),
        map=_map(document),
        peak=_peak(document["memory"]["peak"]),
        layers=_layers(document["layers"]),
        quantization=_quantization(document.get("quantization")),
        flash=_flash(document["flash"]),
        schedule=_schedule(document["schedule"]),
        front=Markup(
            front(document["schedule"].get("front", []), document["schedule"].get("point"))
        ),
        ports=[(way, p) for way in ("input", "output") for p in document[f"{way}s"]],
        checks=_checks(document),
        options=pairs(document["options"]),
    )


def pairs(record: Mapping[str, Any], none: str = "none") -> Pairs:
    """A record as (name, value) texts, nested records flattened; `none` is the text for null."""
    result: Pairs = []
    for key, value in record.items():
        name = text.clean(key).replace("_", " ")
        if isinstance(value, Mapping):
            result += [(f"{name}: {inner}", v) for inner, v in pairs(value, none)]
        else:
            result.append((name, none if value is None else text.plain(value)))
    return result


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mcuc.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        clean=text.clean,
        brief=text.brief,
        fitting=text.fitting,
        short=text.shorten,
        n=text.exact,
        bytes=text.in_bytes,
        dims=text.shape,
        # Nine digits tell every float32 from its neighbours.
        quant=lambda value: f"{value:.9g}",
        percent=lambda share: text.percent(share, 1),
        width=lambda share: f"{100 * share:.2f}%",
    )
    environment.globals.update(
        not_measured=text.NOT_MEASURED, name_limit=NAME_LIMIT, title_limit=text.TITLE_LIMIT
    )
    return environment


def _map(document: Json) -> Json:
    memory, segments = document["memory"], document["schedule"]["segments"]
    present = {b["kind"] for b in memory["buffers"]}
    svg = memory_map(memory, segments, _segment_names(document))
    return {
        # Not escaped here: memory_map escapes every name that it writes.
        "svg": Markup(svg),
        "kinds": [k for k in KINDS if k in present] + (["other"] if present - set(KINDS) else []),
        "regions": len({b["region"] for b in memory["buffers"]}),
        "segments": [
            k for k in ("layer", "stream", "patch") if any(s["kind"] == k for s in segments)
        ],
    }


def _segment_names(document: Json) -> list[str]:
    """What each segment computes, where the document tells: layer by layer, one node each."""
    layers, segments = document["layers"], document["schedule"]["segments"]
    if len(layers) != len(segments) or any(s["kind"] != "layer" for s in segments):
        return []
    return [f"{layer['op']} {layer['name']}" for layer in layers]


def _peak(peak: Json | None) -> Json | None:
    """The peak with shares of the live bytes, and the long tail of small buffers in one line."""
    if peak is None:
        return None
    live, rest = peak["live"][:LIVE_ROWS], peak["live"][LIVE_ROWS:]
    largest = max((b["bytes"] for b in live), default=0)
    total = peak["live_bytes"]
    return {
        **peak,
        "rows": [
            {
                **b,
                "share": b["bytes"] / total if total else 0.0,
                "bar": b["bytes"] / largest if largest else 0.0,
                "css": b["kind"] if b["kind"] in KINDS else "other",
            }
            for b in live
        ],
        "rest": len(rest),
        "rest_bytes": sum(b["bytes"] for b in rest),
    }


def _layers(layers: Sequence[Json]) -> Json:
    """The table's rows, with shares of instructions where all are measured, else of MACs."""
    measured = [layer["instructions"] for layer in layers if layer["instructions"] is not None]
    unit = "instructions" if layers and len(measured) == len(layers) else "macs"
    parts = shares([layer[unit] for layer in layers])
    largest = max(parts, default=0.0)
    top = max((layer["ram_bytes"] for layer in layers), default=0)
    rows = [
        {
            **layer,
            "per_mac": _per_mac(layer),
            "share": part,
            "bar": part / largest if largest else 0.0,
            "at_peak": layer["ram_bytes"] == top > 0,
            "proven": ", ".join(proof["claim"] for proof in layer.get("proofs", ())),
        }
        for layer, part in zip(layers, parts, strict=True)
    ]
    return {
        "rows": rows,
        "unit": "instructions" if unit == "instructions" else "MACs",
        "measured": len(measured),
        "macs": sum(layer["macs"] for layer in layers),
        "instructions": sum(measured),
    }


def _quantization(found: Json | None) -> Json | None:
    """The rows of quantized layers, their ratios as shares of the best."""
    if found is None:
        return None
    best = max((layer["sqnr_db"] for layer in found["layers"]), default=0.0)
    rows = [
        {
            **layer,
            "bits": "/".join(str(b) for b in (layer["activation_bits"], layer["weight_bits"]) if b),
            "bar": max(0.0, layer["sqnr_db"]) / best if best > 0 else 0.0,
        }
        for layer in found["layers"]
    ]
    return {"rows": rows}


def _per_mac(layer: Json) -> str | None:
    if layer["instructions"] is None or not layer["macs"]:
        return None
    return text.ratio(layer["instructions"], layer["macs"])


def _flash(flash: Json) -> Json:
    """Parts of the flash and the largest symbols."""
    total, complete = flash_total(flash)
    known = flash["weights_bytes"] + (flash["code_bytes"] or 0)
    parts = [("weights", flash["weights_bytes"])]
    if flash["code_bytes"] is not None:
        parts.append(("code", flash["code_bytes"]))
    if total > known:
        parts.append(("other", total - known))
    whole = max(total, flash["limit_bytes"] or 0)
    if whole > total:
        parts.append(("free", whole - total))
    ranked = sorted(flash["symbols"].items(), key=lambda item: (-item[1], item[0]))
    largest = ranked[0][1] if ranked else 0
    return {
        "total": total,
        "complete": complete,
        "parts": [
            {"name": name, "bytes": size, "share": size / whole if whole else 0.0}
            for name, size in parts
        ],
        "symbols": [
            {
                "name": name,
                "bytes": size,
                "bar": size / largest if largest else 0.0,
                "share": size / total if total else 0.0,
            }
            for name, size in ranked[:SYMBOLS]
        ],
        "rest": len(ranked[SYMBOLS:]),
        "rest_bytes": sum(size for _, size in ranked[SYMBOLS:]),
    }


def _schedule(schedule: Json) -> list[Json]:
    """Runs of segments of one kind, in order; streams stay apart since each has its own peak."""
    segments = schedule["segments"]
    if all(s["kind"] == "layer" for s in segments):
        return []
    runs = groupby(enumerate(segments), key=lambda p: (p[1]["kind"], p[0] * _alone(p[1])))
    rows = [_run_of_segments(list(run)) for _, run in runs]
    top = max(row["live_bytes"] for row in rows)
    return [{**row, "bar": row["live_bytes"] / top if top else 0.0} for row in rows]


def _run_of_segments(members: list[tuple[int, Json]]) -> Json:
    labels = [s["label"] for _, s in members if s["label"]]
    return {
        "first": members[0][0],
        "last": members[-1][0],
        "kind": members[0][1]["kind"],
        "label": f"{labels[0]} … {labels[-1]}" if len(labels) > 1 else "".join(labels),
        "steps": sum(len(s["steps"]) for _, s in members),
        "live_bytes": max(s["live_bytes"] for _, s in members),
    }


def _alone(segment: Json) -> bool:
    return bool(segment["kind"] == "stream")


def _checks(document: Json) -> list[tuple[str, Pairs | None, Pairs]]:
    """(title, facts or None, first mismatch) of verification, run and accuracy."""
    result: list[tuple[str, Pairs | None, Pairs]] = []
    for title, key in (("Verification", "verify"), ("Run", "run"), ("Accuracy", "accuracy")):
        record = document.get(key)
        if record is None:
            result.append((title, None, []))
            continue
        facts = {
            k: joined(v) if k in ("on", "against") and v is not None else v
            for k, v in record.items()
            if k != "first_mismatch"
        }
        mismatch = record.get("first_mismatch") or {}
        result.append((title, pairs(facts, text.NOT_MEASURED), pairs(mismatch)))
    return result
