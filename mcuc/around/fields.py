"""Specifications of `--preprocess` and `--postprocess`: text or TOML -> fields -> checked values.

A specification is a table with a `kind` and its keys: a TOML file, or on the command line
`KIND:key=value,key=value`, where a list is `1/2/3`. `read_text` and `read_file` make the same plain
dict of both, which options and reports record.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcuc.errors import McucError, ModelError

Spec = Mapping[str, Any]


def read_spec(text: str) -> dict[str, Any]:
    """A specification from the command line: a `.toml` file or the text itself.

    Raises:
        ModelError: E130 when it is not of the form.
    """
    return _read_file(Path(text)) if text.endswith(".toml") else read_text(text)


def read_text(text: str) -> dict[str, Any]:
    """`KIND:key=value,...` as a dict; values that look like numbers are numbers.

    Raises:
        ModelError: E130.
    """
    kind, _, rest = text.partition(":")
    result: dict[str, Any] = {"kind": kind.strip()}
    for part in filter(None, (p.strip() for p in rest.split(","))):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key or key in result:
            why = f"{part!r} gives a key twice" if equals and key else f"{part!r} is no key=value"
            raise ModelError(
                "E130",
                f"cannot read the specification {text!r}",
                why=why,
                help="write KIND:key=value,key=value with lists as 1/2/3, or name a .toml file",
            )
        values = [_value(v.strip()) for v in value.split("/")]
        result[key] = values if len(values) > 1 else values[0]
    return result


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError("E108", f"cannot read {path}", why=str(error)) from error
    except tomllib.TOMLDecodeError as error:
        raise ModelError("E130", f"{path} is no TOML file", why=str(error)) from error


class Fields:
    """A specification being read: notes every problem and goes on with a harmless value."""

    def __init__(self, spec: Spec, option: str) -> None:
        self._left = {k: v for k, v in spec.items() if k != "kind"}
        self.option = option
        self.kind = spec.get("kind", "")
        self.problems: list[McucError] = []

    def problem(self, text: str, help: str = "", code: str = "E130") -> None:
        """Notes that something is wrong."""
        self.problems.append(
            ModelError(
                code, f"--{self.option} {self.kind}: {text}", help=help or "see docs/around.md"
            )
        )

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        """One of some words."""
        value = self._left.pop(key, default)
        if value in choices:
            return str(value)
        said = "is missing" if value is None else f"{value!r} is none of the known"
        self.problem(f"{key} {said}: {', '.join(choices)}")
        return choices[0]

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        """A finite number in [low, high]."""
        value = self._left.pop(key, default)
        if not _is_number(value) or not low <= value <= high:
            said = "is missing" if value is None else f"{value!r} is no number in"
            self.problem(f"{key} {said} {low:g}..{high:g}")
            return low
        return float(value)

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """An integer in [low, high]."""
        value = self._left.pop(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            said = "is missing" if value is None else f"{value!r} is no integer in"
            self.problem(f"{key} {said} {low}..{high}")
            return low
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self._left.pop(key, default)
        if not isinstance(value, bool):
            self.problem(f"{key} {value!r} is neither true nor false")
            return default
        return value

    def numbers(
        self, key: str, counts: Sequence[int] = (), default: Sequence[float] | None = None
    ) -> tuple[float, ...] | None:
        """A list of finite numbers, of one of the lengths; a lone number is a list of one."""
        value = self._left.pop(key, default)
        if value is None:
            return None
        values = list(value) if isinstance(value, list | tuple) else [value]
        if not all(map(_is_number, values)) or (counts and len(values) not in counts):
            wanted = " or ".join(map(str, counts)) or "some"
            self.problem(f"{key} wants {wanted} numbers, not {value!r}")
            return None
        return tuple(map(float, values))

    def defaults(self, values: Mapping[str, Any]) -> None:
        """Values of keys that are not given."""
        self._left = {**values, **self._left}

    def has(self, key: str) -> bool:
        """Whether a key is given and not yet read."""
        return key in self._left

    def take(self, key: str) -> Any:
        """A value of any kind, None if it is not there."""
        return self._left.pop(key, None)

    def done(self) -> None:
        """Notes the keys that nobody read."""
        for key in self._left:
            self.problem(f"{key} is no key of it")


def _is_number(value: Any) -> bool:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return bool(good and abs(value) < 1e30)
