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


_FORMS = """
## All files, all forms

Made from `benchmarks/results/forms.json`: every `.tflite` file of the test data on random and
realistic inputs and those of stored outputs, with state on 50 in a row and again after a reset; in
the schedules `stream` and `layer`, on the host and an emulated Cortex-M4, whose bytes are equal.
Against: BUILTIN_REF, or mcuc's own reference where the interpreter refuses the file. Agreement: the
inputs, all of them with the same integers; of float32 the largest distance of an element, as a part
of its output's largest. RAM is arena and state; it, flash and instructions are those of the
schedule that mcuc takes. They stand above for the files of that table.

| file | form | against | agreement | RAM | flash | M4 instructions |
| --- | --- | --- | --- | ---: | ---: | ---: |
"""


def models_page(results: Mapping[str, Any], forms: Mapping[str, Any] | None = None) -> str:
    """Markdown of docs/models.md.

    Args:
        results: Of `benchmarks.verify_all`.
        forms: Of `benchmarks.forms`.
    """
    models = results["models"]
    board = results["main_board"]
    page = _TOP + "".join(_row(name, models[name], board) for name in sorted(models))
    page += _cores(models, board) + _accuracy(models)
    if forms is not None:
        page += _FORMS + "".join(_form_row(name, m) for name, m in forms["models"].items())
    return page + _tools(results["tools"])


def _form_row(name: str, m: Mapping[str, Any]) -> str:
    if "refused" in m:
        return f"| {name} | {m['form']} | | refused: {'; '.join(m['refused'])} | | | |\n"
    both = [m[schedule] for schedule in ("stream", "layer")]
    count = sum(m["inputs"].values())
    agreement = f"{count} of {count}"
    if "worst" in both[0]:
        within = min(found["within"] for found in both)
        rest = "" if within == 1.0 else f", {within:.3%} of all within the tolerance"
        agreement = f"{max(found['worst'] for found in both):.1e}{rest}"
    against = m["against"].partition(":")[0]
    form = f"{m['form']}, state" if m["stateful"] else m["form"]
    cells = ("", "", "")
    if "flash_bytes" in m:
        ram = m["arena_bytes"] + m["state_bytes"]
        cells = (f"{ram:,}", f"{m['flash_bytes']:,}", f"{m['instructions'] / 1e6:.2f} M")
    return f"| {' | '.join((name, form, against, agreement, *cells))} |\n"


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
