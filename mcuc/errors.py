"""The errors that users see: one class per question, one code per cause.

Every problem carries what happened, where, why, and what to do. Problems are collected: a stage
raises one `McucErrors` holding all that it found (docs/errors.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Loc:
    """Where in the user's file a thing came from.

    Attributes:
        file: Model file name as given by the user.
        op_index: Index of the operator in the file, or None.
        op: Operator name in the file's own spelling, or "".
        tensor: Tensor name in the file, or "".
    """

    file: str = ""
    op_index: int | None = None
    op: str = ""
    tensor: str = ""

    def __str__(self) -> str:
        parts = [self.file] if self.file else []
        if self.op_index is not None:
            parts.append(f"op {self.op_index}")
        if self.op:
            parts.append(self.op)
        if self.tensor:
            parts.append(f'"{self.tensor}"')
        return " ".join(parts)


class McucError(Exception):
    """One problem. Subclasses say whose problem it is and fix the exit code.

    Args:
        code: Stable code such as "E102"; `mcuc explain` prints its page.
        what: One sentence: what is wrong.
        loc: Where in the user's file.
        why: The reason or the measured facts.
        help: What to do about it.
        data: Machine-readable details for the `--json` document.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        code: str,
        what: str,
        *,
        loc: Loc | None = None,
        why: str = "",
        help: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{code}: {what}")
        self.code = code
        self.what = what
        self.loc = loc or Loc()
        self.why = why
        self.help = help
        self.data = dict(data or {})

    def render(self) -> str:
        """The error as text for a terminal or a log."""
        lines = [f"error[{self.code}]: {self.what}"]
        if str(self.loc):
            lines.append(f"  --> {self.loc}")
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The error as an entry of the `--json` errors document."""
        entry: dict[str, Any] = {
            "code": self.code,
            "op_index": self.loc.op_index,
            "op": self.loc.op,
            "tensor": self.loc.tensor,
            "what": self.what,
            "why": self.why,
            "help": self.help,
        }
        if self.data:
            entry["data"] = self.data
        return entry


class ModelError(McucError):
    """E1xx: the model file is damaged, or uses something that is not supported."""


class QuantError(McucError):
    """E2xx: quantization parameters are missing, inconsistent or out of range."""


class ScheduleError(McucError):
    """E3xx: no kernel or no schedule can execute a node as asked."""


class MemoryBudgetError(McucError):
    """E4xx: the program does not fit the memory that was given."""

    exit_code = 4


class ToolchainError(McucError):
    """E5xx: a compiler, linker or emulator is missing or failed."""

    exit_code = 5


class PortError(McucError):
    """E52x: the port to the device is missing, taken, or went away."""

    exit_code = 5


class BoardError(McucError):
    """E6xx: a board is unknown, or its description is wrong."""


class DeviceError(McucError):
    """E61x: the device under test did not answer, or faulted."""

    exit_code = 7


class DeviceTimeoutError(DeviceError):
    """E62x: the device did not finish in time."""

    exit_code = 6


class MismatchError(McucError):
    """E7xx: results differ between two places that must agree."""

    exit_code = 3


class InternalError(McucError):
    """E9xx: a bug in mcuc."""

    exit_code = 70


class McucErrors(McucError):
    """Several problems found by one stage, reported together."""

    def __init__(self, errors: Iterable[McucError]) -> None:
        self.errors: tuple[McucError, ...] = tuple(errors)
        first = self.errors[0]
        super().__init__(first.code, f"{len(self.errors)} problems", loc=first.loc)

    def render(self) -> str:
        return "\n".join(error.render() for error in self.errors)


def flatten(error: McucError) -> tuple[McucError, ...]:
    """All single problems inside an error."""
    return error.errors if isinstance(error, McucErrors) else (error,)


def raise_all(errors: list[McucError]) -> None:
    """Raises nothing, the only problem, or all problems together."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise McucErrors(errors)


def errors_document(error: McucError) -> dict[str, Any]:
    """The document printed by `--json` when a command fails."""
    return {"schema": SCHEMA_VERSION, "errors": [e.as_json() for e in flatten(error)]}


def exit_code(error: McucError) -> int:
    """The process exit code for an error."""
    return max(e.exit_code for e in flatten(error))
