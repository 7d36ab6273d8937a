"""Runs `mcuc` as its users do, in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

from mcuc.cli import cli


@dataclass(frozen=True)
class Outcome:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output, which must be one JSON document and nothing else."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The only error of an errors document."""
        document = self.document
        assert document["schema"] == 1
        (error,) = document["errors"]
        assert isinstance(error, dict)
        return error


def mcuc(*words: object) -> Outcome:
    """`mcuc WORDS`."""
    result = CliRunner().invoke(cli, [str(word) for word in words], prog_name="mcuc")
    return Outcome(result.exit_code, result.stdout, result.stderr)
