"""The head of the report: the verdicts, and the key figures with what they are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcuc.report.text import (
    NOT_MEASURED,
    about,
    binary,
    exact,
    in_bytes,
    percent,
    plain,
    ratio,
)

Json = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """One answer. Attributes: tone = "good", "bad" or "open" (not known); title; detail."""

    tone: str
    title: str
    detail: str


@dataclass(frozen=True)
class Figure:
    """One number of the head.

    Attributes:
        label: What it is.
        value: As text; NOT_MEASURED where it is unknown.
        notes: Lines below: exact value, parts, limits.
        share: Of the limit, for a bar, or None; more than 1 where it does not fit.
    """

    label: str
    value: str
    notes: tuple[str, ...] = ()
    share: float | None = None

    @property
    def known(self) -> bool:
        return self.value != NOT_MEASURED


def verdicts(document: Json) -> tuple[Verdict, ...]:
    """Verified? Fits? In this order."""
    return (_verified(document["verify"]), _fits(document))


def figures(document: Json) -> tuple[Figure, ...]:
    """The key figures, memory first."""
    run = document["run"] or {}
    result = [
        _ram(document["memory"]),
        _arena(document["memory"]),
        _flash(document["flash"]),
        _macs(document["macs"]),
        *_work(run, document["macs"]["executed"]),
    ]
    accuracy = document.get("accuracy")
    if accuracy:
        result.append(_accuracy(accuracy))
    return tuple(result)


def ram_limit(memory: Json) -> int:
    """RAM of the board: all regions."""
    return sum(int(r["size_bytes"]) for r in memory["regions"])


def unknown_ram(memory: Json) -> list[str]:
    """The parts of the RAM total that were not measured."""
    return [n for n in ("static", "stack") if memory[f"{n}_bytes"] is None]


def flash_total(flash: Json) -> tuple[int, bool]:
    """(bytes, complete): the total, or what is known of it."""
    if flash["total_bytes"] is not None:
        return int(flash["total_bytes"]), True
    return int(flash["weights_bytes"]) + int(flash["code_bytes"] or 0), False


def joined(value: object) -> str:
    """A place or a list of places as text: "host and qemu_m4"."""
    names = [plain(v) for v in value] if isinstance(value, list | tuple) else [plain(value)]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nothing"


def _verified(verify: Json | None) -> Verdict:
    if not verify or not verify.get("vectors"):
        return Verdict("open", "Not verified", "no test vectors were run")
    vectors, mismatches = verify["vectors"], verify.get("mismatches")
    place = f"on {joined(verify['on'])}" if verify.get("on") else ""
    against = f"against {joined(verify['against'])}" if verify.get("against") else ""
    where = " ".join(filter(None, (place, against)))
    if mismatches is None:
        return Verdict("open", "Not verified", f"{exact(vectors)} vectors, none compared {where}")
    if mismatches:
        return Verdict(
            "bad",
            "Mismatch",
            f"{exact(mismatches)} of {exact(vectors)} vectors differ {where}".strip(),
        )
    noun = "vector" if vectors == 1 else "vectors"
    return Verdict("good", "Verified", f"{exact(vectors)} {noun}, 0 mismatches {where}".strip())


def _fits(document: Json) -> Verdict:
    memory, flash = document["memory"], document["flash"]
    problems = _too_large(memory, flash)
    if problems:
        return Verdict("bad", "Does not fit", "; ".join(problems))
    total, complete = flash_total(flash)
    parts = [f"RAM {percent(memory['total_bytes'], ram_limit(memory))} used"]
    if flash["limit_bytes"]:
        parts.append(f"flash {percent(total, flash['limit_bytes'])} used")
    missing = unknown_ram(memory) + ([] if complete else ["code size"])
    if missing:
        return Verdict(
            "open",
            "Fits as far as measured",
            f"{', '.join(parts)}; not measured: {', '.join(missing)}",
        )
    return Verdict("good", "Fits", ", ".join(parts))


def _too_large(memory: Json, flash: Json) -> list[str]:
    problems = [
        f"region {plain(r['name'])} needs {in_bytes(r['used_bytes'])} of "
        f"{in_bytes(r['size_bytes'])}"
        for r in memory["regions"]
        if r["used_bytes"] > r["size_bytes"]
    ]
    limit = ram_limit(memory)
    if not problems and memory["total_bytes"] > limit:
        problems.append(f"RAM needs {in_bytes(memory['total_bytes'])} of {in_bytes(limit)}")
    total, _ = flash_total(flash)
    if flash["limit_bytes"] and total > flash["limit_bytes"]:
        problems.append(f"flash needs {in_bytes(total)} of {in_bytes(flash['limit_bytes'])}")
    return problems


def _ram(memory: Json) -> Figure:
    limit, total = ram_limit(memory), memory["total_bytes"]
    missing = unknown_ram(memory)
    parts = [f"arena\u00a0{exact(memory['arena_bytes'])}"]
    for name in ("static", "stack"):
        known = memory[f"{name}_bytes"]
        parts.append(f"{name}\u00a0{NOT_MEASURED if known is None else exact(known)}")
    return Figure(
        "RAM total",
        ("≥ " if missing else "") + in_bytes(total),
        (" + ".join(parts), f"{percent(total, limit)} of {binary(limit)}"),
        _share(total, limit),
    )


def _arena(memory: Json) -> Figure:
    arena, bound = memory["arena_bytes"], memory["lower_bound_bytes"]
    above = arena - bound
    if above <= 0:
        gap = "equal to the lower bound"
    else:
        gap = f"{in_bytes(above)} ({percent(above, bound)}) above the lower bound"
    # Data of a push-fed or stateful model counts in the arena; said only where there is any.
    state = memory.get("state_bytes")
    extra = (f"state {in_bytes(state)}",) if state else ()
    proof = "proven smallest" if memory["optimal"] else "not proven smallest"
    return Figure("Arena", in_bytes(arena), (gap, f"{proof}, {memory['solver']} solver", *extra))


def _flash(flash: Json) -> Figure:
    limit = flash["limit_bytes"]
    total, complete = flash_total(flash)
    code = flash["code_bytes"]
    parts = (
        f"weights\u00a0{exact(flash['weights_bytes'])} + "
        f"code\u00a0{NOT_MEASURED if code is None else exact(code)}"
    )
    notes = [parts]
    if limit:
        notes.append(f"{percent(total, limit)} of {binary(limit)}")
    return Figure(
        "Flash", ("" if complete else "≥ ") + in_bytes(total), tuple(notes), _share(total, limit)
    )


def _macs(macs: Json) -> Figure:
    done, once = macs["executed"], macs["layer_by_layer"]
    notes = [exact(done)] if done >= 1000 else []
    if done > once > 0:
        notes.append(f"{percent(done - once, once)} recomputed to save RAM")
    else:
        notes.append("nothing is computed twice")
    return Figure("MACs per inference", about(done), tuple(notes))


def _work(run: Json, macs: int) -> tuple[Figure, Figure]:
    """Instructions, and instructions per MAC."""
    count = run.get("instructions")
    if count is None:
        note = ("known once the firmware has run",)
        return (
            Figure("Instructions", NOT_MEASURED, note),
            Figure("Instructions per MAC", NOT_MEASURED),
        )
    where = (f"on {joined(run['on'])}",) if run.get("on") else ()
    per = ratio(count, macs) if macs else "no MACs"
    return (
        Figure("Instructions", about(count), (exact(count), *where)),
        Figure("Instructions per MAC", per, ("all instructions over executed MACs",)),
    )


def _accuracy(accuracy: Json) -> Figure:
    notes = []
    if accuracy.get("samples") is not None and accuracy.get("correct") is not None:
        notes.append(f"{exact(accuracy['correct'])} of {exact(accuracy['samples'])} correct")
    if accuracy.get("on"):
        notes.append(f"on {joined(accuracy['on'])}")
    top1 = accuracy.get("top1")
    value = NOT_MEASURED if top1 is None else f"{100 * top1:.2f} %"
    return Figure("Top-1 accuracy", value, tuple(notes))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole > 0 else None


def shares(values: Sequence[int | None]) -> list[float]:
    """Each value as a share of the sum; zeros where nothing is known."""
    total = sum(v or 0 for v in values)
    return [(v or 0) / total if total else 0.0 for v in values]
