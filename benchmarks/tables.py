"""The table of models in the documentation, made from the measured results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TOP = """\
# Models

Made by `python -m benchmarks.verify_all --docs` from `benchmarks/results/verify_all.json`; do not
edit. Every model gives the bytes of TFLite's reference kernels (BUILTIN_REF) for all its inputs on
the host and on every core named below.

Arena: RAM of all tensors and scratch, inputs and outputs included; "proven" says that no placement
of these buffers is smaller. TFLM: the same for TensorFlow Lite for Microcontrollers where it was
measured (`benchmarks/peers.toml`). Flash: the whole application with start-up code. Instructions
are counted in QEMU, not cycles.

| model | MMACs | arena | | TFLM arena | flash | stack | M4 instructions | per MAC |
| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |
"""


def models_page(results: Mapping[str, Any]) -> str:
    """Markdown of docs/models.md."""
    models = results["models"]
    board = results["main_board"]
    page = _TOP + "".join(_row(name, models[name], board) for name in sorted(models))
    return page + _cores(models, board) + _accuracy(models) + _tools(results["tools"])


def _row(name: str, m: Mapping[str, Any], board: str) -> str:
    instructions = m["instructions"][board]
    peer = m["tflm_arena_bytes"]
    gap = m["arena_bytes"] - m["lower_bound_bytes"]
    proof = "proven" if m["optimal"] else f"at most {gap:,} above"
    cells = (
        name,
        f"{m['macs'] / 1e6:.2f}",
        f"{m['arena_bytes']:,}",
        proof,
        f"{peer:,}" if peer else "",
        f"{m['flash_bytes']:,}",
        f"{m['stack_bound_bytes']:,}" if m["stack_bound_bytes"] is not None else "",
        f"{instructions / 1e6:.2f} M",
        f"{instructions / m['macs']:.2f}",
    )
    return f"| {' | '.join(cells)} |\n"


def _cores(models: Mapping[str, Any], main: str) -> str:
    boards = sorted({b for m in models.values() for b in m["instructions"]} - {main})
    if not boards:
        return ""
    names = [b.removeprefix("qemu_").upper() for b in boards]
    text = "\n## Instructions on other cores, millions\n\n"
    text += f"| model | {' | '.join(names)} |\n| --- |{' ---: |' * len(boards)}\n"
    for name in sorted(models):
        counted = models[name]["instructions"]
        if set(boards) <= set(counted):
            text += f"| {name} | {' | '.join(f'{counted[b] / 1e6:.2f}' for b in boards)} |\n"
    return text


def _accuracy(models: Mapping[str, Any]) -> str:
    text = "\n## Accuracy\n\nTop-1 of samples of MLPerf Tiny; outputs compared byte by byte.\n\n"
    text += "| model | samples | correct | TFLite | equal outputs, host | emulated |\n"
    text += "| --- | ---: | ---: | ---: | ---: | ---: |\n"
    rows = ""
    for name in sorted(models):
        a = models[name]["accuracy"]
        if a:
            rows += (
                f"| {name} | {a['samples']} | {a['correct']} | {a['tflite_correct']} "
                f"| {a['identical_on_host']} | {a['identical_emulated']} "
                f"of {a['emulated_samples']} |\n"
            )
    return text + rows if rows else ""


def _tools(tools: Mapping[str, str]) -> str:
    listed = "".join(f"- {name}: {version}\n" for name, version in sorted(tools.items()))
    return f"\n## Measured with\n\n{listed}"
