"""The long sweep: every real model on the host and in emulation against TFLite's reference kernels.

    python -m benchmarks.verify_all                  all models, writes results/verify_all.json
    python -m benchmarks.verify_all --only PATTERN   some; prints, and writes nothing
    python -m benchmarks.verify_all --docs           docs/models.md from the results

Finished models are kept in .cache until a source changes, so that a run can be continued.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import importlib.metadata
import json
import multiprocessing
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from benchmarks.measure import measure
from benchmarks.models import MAIN_BOARD, MODELS, ROOT, model_file
from benchmarks.runs import emulator
from benchmarks.sources import sources_sha256
from benchmarks.tables import models_page
from mcuc.device.boards import load_board
from mcuc.device.toolchain import find_toolchain, version
from mcuc.report.document import Json

RESULTS = ROOT / "benchmarks" / "results" / "verify_all.json"
FORMS_RESULTS = ROOT / "benchmarks" / "results" / "forms.json"
DOCS = ROOT / "docs" / "models.md"
CACHE = ROOT / ".cache" / "verify_all"
COMMAND = "python -m benchmarks.verify_all"
DOCS_COMMAND = f"{COMMAND} --docs"
SCHEMA = 1

Measure = Callable[[str], tuple[Json, list[str]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when everything is identical and no arena is above a peer's."""
    options = _parser().parse_args(arguments)
    if options.docs:
        DOCS.write_text(page(), encoding="utf-8")
        return 0
    names = [n for n in MODELS if options.only is None or fnmatch.fnmatch(n, f"*{options.only}*")]
    missing = [n for n in names if not model_file(n).is_file()]
    if missing or not names:
        print(f"no such models: {', '.join(missing) or options.only}; is MCUC_DATA set?")
        return 2
    started = time.monotonic()
    records, problems = sweep(names, options.jobs, sources_sha256())
    for name in sorted(records):
        print(_summary(name, records[name]))
    print(f"{len(names)} models in {time.monotonic() - started:.0f} s")
    if problems:
        print("\n".join(["PROBLEMS:", *problems]))
        return 1
    if options.only is None:
        write_results(records)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="PATTERN", help="models whose name holds this")
    parser.add_argument("--docs", action="store_true", help="write docs/models.md from the results")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    return parser


def sweep(names: Sequence[str], jobs: int, sources: str) -> tuple[dict[str, Json], list[str]]:
    """Records by model, and everything that is wrong.

    Args:
        names: Of MODELS.
        jobs: Processes.
        sources: Hash of the sources; what was measured from the same ones is taken from the cache.
    """
    return in_processes(_measured, names, jobs, CACHE / sources[:16])


def in_processes(
    one: Measure, names: Sequence[str], jobs: int, cache: Path
) -> tuple[dict[str, Json], list[str]]:
    """Records of models by name, and everything that is wrong.

    Args:
        one: Measures a model, in a process of its own.
        names: Of the models.
        jobs: Processes.
        cache: Folder of what is finished.
    """
    cache.mkdir(parents=True, exist_ok=True)
    records: dict[str, Json] = {}
    problems: list[str] = []
    # spawn: forking a process with threads of the planner in it is not safe
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
        futures = {pool.submit(_kept, one, name, cache): name for name in _longest_first(names)}
        for done, future in enumerate(as_completed(futures), 1):
            name = futures[future]
            record, wrong = future.result()
            problems += [f"{name}: {text}" for text in wrong]
            if record is not None:
                records[name] = record
            print(f"[{done}/{len(names)}] {name}{': PROBLEMS' if wrong else ''}", flush=True)
    return records, problems


def _longest_first(names: Sequence[str]) -> list[str]:
    """So that no process idles at the end: the largest files take longest."""
    return sorted(names, key=lambda name: -model_file(name).stat().st_size)


def _measured(name: str) -> tuple[Json, list[str]]:
    return measure(name, functools.partial(print, flush=True))


def _kept(one: Measure, name: str, cache: Path) -> tuple[Json | None, list[str]]:
    """One model, in a process of its own, or what is known of it."""
    kept = cache / f"{name.replace('/', '__')}.json"
    if kept.is_file():
        record: Json = json.loads(kept.read_text("utf-8"))
        return record, []
    try:
        record, problems = one(name)
    except Exception:
        return None, [traceback.format_exc()]
    if not problems:
        kept.write_text(json.dumps(record), encoding="utf-8")
    return record, problems


def _summary(name: str, m: Json) -> str:
    peer = m["tflm_arena_bytes"]
    count = m["instructions"][MAIN_BOARD] or 0
    return (
        f"{name}: arena {m['arena_bytes']:,} (bound {m['lower_bound_bytes']:,}, "
        f"{'optimal' if m['optimal'] else 'NOT PROVEN'}, TFLM {f'{peer:,}' if peer else '-'}), "
        f"flash {m['flash_bytes']:,}, M4 {count / 1e6:.2f} M, {count / m['macs']:.2f} per MAC, "
        f"stack {m['stack_measured_bytes']} of {m['stack_bound_bytes']}, "
        f"identical {m['identical_to_tflite']}, {m['accuracy'] or ''}"
    )


def page() -> str:
    """docs/models.md from the results; those of `benchmarks.forms` if they are there."""
    found = json.loads(RESULTS.read_text("utf-8"))
    forms = json.loads(FORMS_RESULTS.read_text("utf-8")) if FORMS_RESULTS.is_file() else None
    return models_page(found, forms)


def results_document(records: dict[str, Json]) -> Json:
    """What is committed."""
    return {
        "schema": SCHEMA,
        "sources_sha256": sources_sha256(),
        "main_board": MAIN_BOARD,
        "tools": tools(),
        "models": dict(sorted(records.items())),
    }


def write_results(records: dict[str, Json]) -> None:
    """Writes the results of a whole sweep."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results_document(records), indent=1) + "\n", encoding="utf-8")
    print(f"wrote {RESULTS.relative_to(ROOT)}; now run `{DOCS_COMMAND}`")


def tools() -> dict[str, str]:
    """Versions of what the figures depend on besides the sources."""
    return {
        "compiler": version(find_toolchain(load_board(MAIN_BOARD))),
        "emulator": emulator(),
        "TFLite": f"ai-edge-litert {importlib.metadata.version('ai-edge-litert')}",
    }


if __name__ == "__main__":
    sys.exit(main())
