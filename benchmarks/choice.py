"""The arguments that the benchmarks over many models or tests share."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """What is asked for.

    Attributes:
        only: Part of the names that are run, may hold * and ?; None: all are, and stored.
        docs: The page alone is written, from the stored results.
    """

    only: str | None
    docs: bool

    def of(self, names: Iterable[str]) -> list[str]:
        """The names that are asked for."""
        return [n for n in names if self.only is None or fnmatch.fnmatch(n, f"*{self.only}*")]


def choice(description: str | None, arguments: Sequence[str] | None) -> Choice:
    """From the command line, or from given arguments."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="PATTERN", help="run some; nothing is stored")
    parser.add_argument("--docs", action="store_true", help="write the page from stored results")
    given = parser.parse_args(arguments)
    return Choice(given.only, given.docs)
