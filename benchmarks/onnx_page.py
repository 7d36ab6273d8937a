"""docs/onnx.md: what of ONNX's own node tests passes, from the stored results."""

from __future__ import annotations

import collections
from typing import Any

from benchmarks.onnx_nodes import COMMAND

_HEAD = """# ONNX conformance

The node tests of the `onnx` package ({version}), one operator each: imported, run by the reference,
compiled to C and run on the host under sanitizers, each within the test's own tolerances. Written
by `{command}`.

Shapes, axes, scales and weights that the suite gives as inputs are stored in the model where an
operator must know them. In scope are the operators that mcuc promises on float32, int8 and uint8,
with operands of int32, int64 and bool, static shapes, up to rank 5, and maps of one or two axes.

| | tests | pass | fail | not supported |
|---|---|---|---|---|
| in scope | {scope} | {scope_pass} | {scope_fail} | {scope_rest} |
| all of the suite | {all} | {all_pass} | {all_fail} | {all_rest} |

"not finite" are tests whose data are infinities or NaN: float32 is clamped to finite numbers here
(docs/numerics.md).
"""


def page(stored: dict[str, Any]) -> str:
    """The page."""
    tests: dict[str, str] = stored["tests"]
    scope: list[str] = stored["scope"]
    own = {name: tests[name] for name in scope}
    numbers: dict[str, object] = {"version": stored["onnx"], "command": COMMAND}
    for name, found in (("scope", own), ("all", tests)):
        passing = sum(status == "pass" for status in found.values())
        failing = sum(status.startswith("fail") for status in found.values())
        numbers |= {
            name: len(found),
            f"{name}_pass": passing,
            f"{name}_fail": failing,
            f"{name}_rest": len(found) - passing - failing,
        }
    rest = [f"| {name} | {status} |" for name, status in own.items() if status != "pass"]
    lines = ["## In scope and not supported", "| test | reason |", "|---|---|", *rest, ""]
    parts = [_HEAD.format(**numbers), "\n".join(lines), _reasons(tests) + _passing(tests)]
    return "\n".join(parts)


def _reasons(tests: dict[str, str]) -> str:
    counts = collections.Counter(s for s in tests.values() if s != "pass")
    rows = [f"| {reason} | {number} |" for reason, number in sorted(counts.items())]
    head = ["## All reasons", "| code and operator | tests |", "|---|---|"]
    return "\n".join([*head, *rows, "", ""])


def _passing(tests: dict[str, str]) -> str:
    names = ", ".join(n.removeprefix("test_") for n, s in sorted(tests.items()) if s == "pass")
    return f"## Passing tests\n{names}.\n"
