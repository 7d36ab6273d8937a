"""Numbers and names as text for people. Names come from model files and may hold anything."""

from __future__ import annotations

import json
import math
import re
from typing import Any

NOT_MEASURED = "not measured"
TITLE_LIMIT = 400
"""Characters of a name in a tooltip; fused names of some converters run to kilobytes."""

# Not allowed in XML, or able to reorder the text around them (bidirectional controls).
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)
_BINARY = ("B", "KiB", "MiB", "GiB")
_DECIMAL = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def clean(value: object) -> str:
    """A name without characters that XML forbids or that change the direction of text."""
    return _UNSAFE.sub("\ufffd", str(value))


def shorten(value: object, limit: int) -> str:
    """At most `limit` characters; the middle goes, since ends tell tensor names apart."""
    text = clean(value)
    if len(text) <= limit:
        return text
    if limit < 2:
        return "…"[:limit]
    head = (limit - 1) // 3
    return text[:head] + "…" + text[len(text) - (limit - 1 - head) :]


def brief(name: object) -> str:
    """The tensor's own name: the first of a name that a converter fused, as "a/b;a/c;a/d"."""
    text = clean(name)
    return text.split(";")[0] if ";" in text[1:] else text


def fitting(label: object, room: int) -> str:
    """A buffer's label in at most `room` characters, scopes of its path leaving first.

    What stands before " of " stays ("3 rows of a/b/c" -> "3 rows b/c"): it says what the bytes are.
    """
    text = brief(label)
    if len(text) <= room:
        return text
    before, _, name = text.rpartition(" of ")
    before = f"{before} " if before and len(before) <= room // 2 else ""
    path = (name if before else text).split("/")
    while len(path) > 2 and len(before) + len("/".join(path)) > room:
        path = path[1:]
    short = before + "/".join(path)
    return short if len(short) <= room else short[: room - 1] + "…"


def exact(number: int) -> str:
    """An integer with separators: 1,234,567."""
    return f"{number:,}"


def in_bytes(number: int) -> str:
    """A size to the byte: 43,008 B."""
    return f"{number:,} B"


def binary(number: float) -> str:
    """A size for the eye, in powers of 1024: 42 KiB."""
    power = 0
    while abs(number) >= 1024 and power < len(_BINARY) - 1:
        number /= 1024
        power += 1
    digits = 0 if power == 0 or number >= 100 or number == int(number) else 1
    return f"{number:.{digits}f} {_BINARY[power]}"


def about(number: float) -> str:
    """A count for the eye, three digits: 7.49 M."""
    for factor, suffix in _DECIMAL:
        # 999,500 and more round to the next unit: "1.00 M", never "1000 k".
        if abs(number) >= factor * 0.9995 and number >= 1000:
            scaled = number / factor
            digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
            return f"{scaled:.{digits}f} {suffix}"
    return f"{number:g}"


def percent(part: float, whole: float) -> str:
    """A share as text; a share that is not zero never reads as zero, nor a part as all."""
    if whole <= 0:
        return "–"
    value = 100 * part / whole
    if 0 < value < 0.1:
        return "< 0.1 %"
    if 99.95 <= value < 100:
        return "> 99.9 %"
    return f"{value:.1f} %"


def ratio(part: float, whole: float) -> str:
    """A quotient with three significant digits."""
    value = part / whole
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{min(digits, 4)}f}"


def shape(dims: list[int]) -> str:
    """A shape as 1×48×48×16; a scalar has none."""
    return "×".join(str(d) for d in dims) or "scalar"


def plain(value: Any) -> str:
    """Any JSON value as text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return exact(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list) and all(isinstance(v, str | int | float) for v in value):
        return ", ".join(plain(v) for v in value) or "none"
    return clean(json.dumps(value, ensure_ascii=False))
