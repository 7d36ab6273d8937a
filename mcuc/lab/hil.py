"""Hardware in the loop: models on a lab's boards, verified and compared with a stored baseline."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcuc.compiler.compile import compile_model
from mcuc.compiler.output import replace_files
from mcuc.errors import McucError, ModelError, exit_code, flatten
from mcuc.lab.description import Case, Lab
from mcuc.proof.verify import verify_model
from mcuc.report.document import Json

SCHEMA = 1
# Emulated counts are exact, but for a compiler's next version; a board's cycles vary with its clock
# domains and caches.
TOLERANCE = {"instructions": 0.01, "cycles": 0.03}
MISMATCH_EXIT = 3


@dataclass(frozen=True)
class Result:
    """What became of a case.

    Attributes:
        case: Its name.
        board, model: Its parts.
        status: "passed", "mismatch", "regressed", or "error".
        problems: Why it did not pass, for people.
        exit_code: 0 when it passed.
        seconds: That it took.
        figures: `unit`, `count`, `ram_bytes`, `arena_bytes`, `stack_bytes`, `transport`; empty when
            nothing was measured.
        errors: Of an error, as in the errors document.
    """

    case: str
    board: str
    model: str
    status: str
    problems: tuple[str, ...] = ()
    exit_code: int = 0
    seconds: float = 0.0
    figures: Json = field(default_factory=dict)
    errors: tuple[Json, ...] = ()

    def as_json(self) -> Json:
        """For the document of `--json`."""
        return {
            "case": self.case,
            "board": self.board,
            "model": self.model,
            "status": self.status,
            "problems": list(self.problems),
            "exit": self.exit_code,
            "seconds": round(self.seconds, 3),
            "figures": self.figures,
            "errors": list(self.errors),
        }


def run_lab(
    lab: Lab,
    cases: Sequence[Case],
    baseline: Mapping[str, Json],
    before: Callable[[Case], None] = lambda case: None,
) -> list[Result]:
    """Runs cases one after the other; one that fails does not stop the others."""
    results = []
    for case in cases:
        before(case)
        results.append(run_case(case, baseline))
    return results


def run_case(case: Case, baseline: Mapping[str, Json]) -> Result:
    """Compiles, verifies and measures; compares with the baseline's entry, if there is one."""
    began = time.monotonic()

    def result(status: str, problems: Iterable[str] = (), **more: Any) -> Result:
        seconds = time.monotonic() - began
        names = (case.name, case.board.name, case.model.stem)
        return Result(*names, status, tuple(problems), seconds=seconds, **more)

    try:
        verdict, figures = _measured(case)
    except McucError as error:
        entries = tuple(e.as_json() for e in flatten(error))
        problems = (e.render() for e in flatten(error))
        return result("error", problems, exit_code=exit_code(error), errors=entries)
    if verdict["mismatches"]:
        text = f"{verdict['mismatches']} runs differ; the first: {verdict['first_mismatch']}"
        return result("mismatch", [text], exit_code=MISMATCH_EXIT, figures=figures)
    worse = compare(figures, baseline[case.name]) if case.name in baseline else []
    if worse:
        return result("regressed", worse, exit_code=MISMATCH_EXIT, figures=figures)
    return result("passed", figures=figures)


def _measured(case: Case) -> tuple[Json, Json]:
    """The verdict of `verify`, and the figures."""
    made = compile_model(case.model, board=case.board.board, schedule=case.schedule)
    place, access = case.board.place, case.board.access
    report = verify_model(made, (place,), case.vectors, seed=case.seed, access=access)
    verdict = report["verify"]
    figures = {
        "unit": made.board.counter.unit,
        "count": verdict["instructions"],
        "ram_bytes": made.report["memory"]["total_bytes"],
        "arena_bytes": made.report["memory"]["arena_bytes"],
        "stack_bytes": verdict["stack_bytes"],
        "transport": verdict["transport"],
    }
    return verdict, figures


def compare(figures: Json, stored: Json) -> list[str]:
    """What is worse than in the baseline, beyond what is allowed: nothing, when all is well."""
    worse = [
        f"{key} is {figures[key]}, the baseline's {stored.get(key)}"
        for key in ("unit", "transport")
        if figures[key] != stored.get(key)
    ]
    count, before = figures["count"], stored.get("count")
    if before is not None and not worse:
        allowed = TOLERANCE[figures["unit"]]
        if count is None:
            worse.append(f"{figures['unit']} were not counted, the baseline has {before:,}")
        elif count > before * (1 + allowed):
            more = 100 * (count / before - 1)
            worse.append(
                f"{count:,} {figures['unit']}, {more:.2f} % more than the baseline's {before:,} "
                f"({100 * allowed:g} % are allowed)"
            )
    for key in ("ram_bytes", "arena_bytes"):
        if figures[key] > stored.get(key, figures[key]):
            more = figures[key] - stored[key]
            worse.append(f"{key} {figures[key]:,}, {more:,} more than the baseline's")
    return worse


def load_baseline(file: Path) -> dict[str, Json]:
    """The stored figures by case; empty when the file is not there.

    Raises:
        ModelError: E108 when it is none of ours.
    """
    if not file.exists():
        return {}
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        cases = document["cases"]
        if document["schema"] != SCHEMA or not all(map(_entry, cases.values())):
            raise ValueError("it has another schema")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            "E108", f"{file} is no baseline", why=str(error), help="write it with --update-baseline"
        ) from error
    return dict(cases)


def _entry(figures: Any) -> bool:
    """Whether an entry of a baseline can be compared with."""
    count = figures["count"]
    sizes = (figures["ram_bytes"], figures["arena_bytes"])
    return all(isinstance(n, int) for n in sizes) and (count is None or isinstance(count, int))


def store_baseline(file: Path, baseline: Mapping[str, Json], results: Sequence[Result]) -> None:
    """Puts the figures of cases that gave right results into the baseline; others stay.

    Raises:
        ModelError: E107.
    """
    measured = {r.case: r.figures for r in results if r.status in ("passed", "regressed")}
    document = {"schema": SCHEMA, "cases": dict(sorted({**baseline, **measured}.items()))}
    replace_files(file.parent, {file.name: json.dumps(document, indent=2) + "\n"})
