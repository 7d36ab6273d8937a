"""Runs a model in another implementation, in a child process, because some models make it abort.

All input vectors of a call go through one child, in order. The child is a module of this folder run
as a script: nothing here imports the other implementation in the calling process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.errors import ToolchainError

Array = npt.NDArray[Any]

INPUTS = "inputs.npz"
OUTPUTS = "outputs.npz"
STATUS = "status.json"


class OracleError(ToolchainError):
    """E54x: the interpreter is missing, refused the model or failed."""


@dataclass(frozen=True)
class Oracle:
    """Another implementation.

    Attributes:
        name: For messages.
        script: The module that the child runs; it calls `serve`.
        model: File name of the model in the child's folder.
        package: What to install.
        codes: Of the errors: missing, refused, failed.
    """

    name: str
    script: str
    model: str
    package: str
    codes: tuple[str, str, str]

    def run(
        self,
        content: bytes,
        inputs: Sequence[Sequence[Array]],
        timeout_s: float,
        **request: Any,
    ) -> list[dict[int, Array]]:
        """Per vector: arrays by index, as the script stores them.

        Raises:
            OracleError: with the interpreter's own text.
        """
        with tempfile.TemporaryDirectory(prefix="mcuc-oracle-") as name:
            folder = Path(name)
            (folder / self.model).write_bytes(content)
            arrays = {
                f"{v}_{i}": a for v, vector in enumerate(inputs) for i, a in enumerate(vector)
            }
            np.savez(folder / INPUTS, allow_pickle=False, **arrays)
            own = {**request, "arity": [len(vector) for vector in inputs]}
            # -P: the folder of this file must not shadow the standard library in the child, which
            # still has to find this package when it is run from a source tree.
            command = [sys.executable, "-P", self.script, name, json.dumps(own)]
            try:
                child = subprocess.run(
                    command,
                    check=False,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=timeout_s,
                    env=_environment(),
                )
            except subprocess.TimeoutExpired:
                what = f"{self.name} took longer than {timeout_s} s"
                raise OracleError(self.codes[2], what) from None
            self._check(child, folder)
            records: list[dict[int, Array]] = [{} for _ in inputs]
            with np.load(folder / OUTPUTS, allow_pickle=False) as stored:
                for key in stored.files:
                    vector, index = map(int, key.split("_"))
                    records[vector][index] = stored[key]
        return records

    def _check(self, child: subprocess.CompletedProcess[str], folder: Path) -> None:
        log = "\n".join(child.stderr.strip().splitlines()[-20:])
        missing, refused, failed = self.codes
        if child.returncode < 0:
            signal_name = signal.Signals(-child.returncode).name
            raise OracleError(failed, f"{self.name} crashed ({signal_name})", why=log)
        status_file = folder / STATUS
        if child.returncode != 0 or not status_file.exists():
            what = f"the process of {self.name} failed ({child.returncode})"
            raise OracleError(failed, what, why=log)
        status = json.loads(status_file.read_text())
        if status["missing"]:
            raise OracleError(
                missing,
                f"{self.name} is not installed",
                why=status["missing"],
                help=f"install the package {self.package}",
            )
        if status["refused"]:
            what = f"{self.name} refused the model: {status['refused']}"
            raise OracleError(refused, what, why=log)


def _environment() -> dict[str, str]:
    package_root = str(Path(__file__).resolve().parents[2])
    paths = [package_root, os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }


def serve(
    invoke: Callable[[Path, dict[str, Any]], None],
    refusals: tuple[type[Exception], ...] = (ValueError, RuntimeError),
) -> None:
    """The child's side: runs all vectors, with the outcome in the folder.

    Args:
        invoke: Reads model and inputs of the folder, writes OUTPUTS there.
        refusals: What it raises for a model that it does not take.
    """
    folder, request = Path(sys.argv[1]), json.loads(sys.argv[2])
    status = {"missing": "", "refused": ""}
    try:
        invoke(folder, request)
    except ImportError as error:
        status["missing"] = str(error)
    except refusals as error:
        status["refused"] = str(error)
    (folder / STATUS).write_text(json.dumps(status))
