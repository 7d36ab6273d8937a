"""Reads a TOML table field by field and collects every problem on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Table:
    """A TOML table being read: notes every problem and goes on with a harmless value."""

    def __init__(self, raw: Mapping[str, Any], path: str, problems: list[str]) -> None:
        self.raw = dict(raw)
        self.path = path
        self.problems = problems

    def problem(self, key: str, text: str) -> None:
        self.problems.append(f"{self.path}{key}: {text}")

    def _take(self, key: str, kind: type, default: Any) -> Any:
        value = self.raw.pop(key, None)
        if value is None:
            if default is None:
                self.problem(key, "is missing")
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.problem(key, f"must be a {kind.__name__}, is {type(value).__name__}")
            return default
        return value

    def text(self, key: str, choices: Sequence[str] = (), default: str | None = None) -> str:
        given = self._take(key, str, default)
        if given == "" and default is None:
            self.problem(key, "is empty")
        value = str(given or "")
        if value and choices and value not in choices:
            self.problem(key, f"{value!r} is none of {', '.join(choices)}")
        return value

    def number(self, key: str, low: int, high: int, default: int | None = None) -> int:
        value = self._take(key, int, default)
        if value is None:
            return low
        if not low <= value <= high:
            self.problem(key, f"{value} is not in {low}..{high}")
            return low
        return int(value)

    def flag(self, key: str) -> bool:
        return bool(self._take(key, bool, False))

    def texts(
        self, key: str, choices: Sequence[str] = (), optional: bool = False
    ) -> tuple[str, ...]:
        values = self._take(key, list, [] if optional else None) or []
        for value in values:
            if not isinstance(value, str) or (choices and value not in choices):
                self.problem(key, f"{value!r} is not allowed here")
        return tuple(str(v) for v in values)

    def items(self, key: str) -> list[Any]:
        """An optional list of anything."""
        values = self._take(key, list, [])
        return list(values or [])

    def table(self, key: str, optional: bool = False) -> Table:
        raw = self._take(key, dict, {} if optional else None)
        return Table(raw or {}, f"{self.path}{key}.", self.problems if raw else [])

    def tables(self, key: str) -> list[Table]:
        values = self._take(key, list, None) or []
        return [
            Table(v if isinstance(v, dict) else {}, f"{self.path}{key}[{i}].", self.problems)
            for i, v in enumerate(values)
        ]

    def done(self) -> None:
        for key in self.raw:
            self.problem(key, "is unknown")
