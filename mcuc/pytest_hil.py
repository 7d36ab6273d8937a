"""pytest plug-in: with `--hil` every `hil.toml` that is collected is a file of tests, one per case.

pytest --hil lab/hil.toml
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mcuc.lab.description import Case
    from mcuc.lab.hil import Result

FILE = "hil.toml"


class NotPassed(Exception):
    """A case that did not pass."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.case)
        self.result = result


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("mcuc").addoption(
        "--hil", action="store_true", help=f"run the cases of {FILE} files on their boards (mcuc)"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.name == FILE and parent.config.getoption("--hil"):
        collected: pytest.Collector = HilFile.from_parent(parent, path=file_path)
        return collected
    return None


class HilFile(pytest.File):
    """A lab's description."""

    def collect(self) -> Iterator[pytest.Item]:
        from mcuc.errors import McucError
        from mcuc.lab.description import load_lab
        from mcuc.lab.hil import load_baseline

        try:
            lab = load_lab(self.path)
            self.baseline = load_baseline(lab.baseline)
        except McucError as error:
            raise self.CollectError(error.render()) from error
        for case in lab.cases:
            yield HilItem.from_parent(self, name=case.name, case=case)


class HilItem(pytest.Item):
    """One model on one board."""

    def __init__(self, *, case: Case, **more: Any) -> None:
        super().__init__(**more)
        self.case = case

    def runtest(self) -> None:
        from mcuc.lab.hil import run_case

        assert isinstance(self.parent, HilFile)
        result = run_case(self.case, self.parent.baseline)
        for key, value in result.figures.items():
            self.user_properties.append((key, value))
        if result.status != "passed":
            raise NotPassed(result)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str | Any:
        if isinstance(excinfo.value, NotPassed):
            result = excinfo.value.result
            return "\n".join([f"{result.case}: {result.status}", *result.problems])
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name
