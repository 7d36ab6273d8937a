"""Results of `mcuc hil` as JUnit XML, which CI systems show."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mcuc.report.document import Json
from mcuc.report.text import clean


def junit_xml(results: Sequence[Json]) -> str:
    """One suite per board, one case per model; figures are properties.

    Args:
        results: As `mcuc hil --json` has them.
    """
    root = ElementTree.Element("testsuites", _counts(results))
    for board in dict.fromkeys(result["board"] for result in results):
        mine = [result for result in results if result["board"] == board]
        suite = ElementTree.SubElement(root, "testsuite", {"name": clean(board), **_counts(mine)})
        for result in mine:
            _case(suite, result)
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(results: Sequence[Json]) -> dict[str, str]:
    failed = sum(result["status"] in ("mismatch", "regressed") for result in results)
    return {
        "tests": str(len(results)),
        "failures": str(failed),
        "errors": str(sum(result["status"] == "error" for result in results)),
        "time": f"{sum(result['seconds'] for result in results):.3f}",
    }


def _case(suite: ElementTree.Element, result: Json) -> None:
    names = {"classname": clean(result["board"]), "name": clean(result["model"])}
    case = ElementTree.SubElement(suite, "testcase", {**names, "time": f"{result['seconds']:.3f}"})
    if result["figures"]:
        properties = ElementTree.SubElement(case, "properties")
        for key, value in result["figures"].items():
            ElementTree.SubElement(properties, "property", {"name": key, "value": clean(value)})
    if result["status"] != "passed":
        kind = "error" if result["status"] == "error" else "failure"
        code = result["errors"][0]["code"] if result["errors"] else result["status"]
        text = clean("\n".join(result["problems"]))
        entry = ElementTree.SubElement(
            case, kind, {"type": code, "message": text.partition("\n")[0]}
        )
        entry.text = text
