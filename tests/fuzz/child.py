"""Loads damaged copies of models under limits; prints one line for each that misbehaves.

Usage: python -m tests.fuzz.child FIRST_SEED NUMBER MODEL...
"""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from pathlib import Path

from mcuc.errors import InternalError, McucError, flatten
from mcuc.frontends.onnx.load import read_onnx
from mcuc.frontends.tflite import load_tflite
from tests.support.mutate import KINDS, mutate
from tests.support.mutate_onnx import ONNX_KINDS, mutate_onnx

SECONDS = 2
_READERS = {".tflite": load_tflite, ".onnx": read_onnx}
ADDRESS_SPACE = 1 << 30


class TooSlowError(BaseException):
    """Not an Exception: nothing in the loader may swallow it."""


def _alarm(signum: int, frame: object) -> None:
    raise TooSlowError


def _load(kind: str, data: bytes) -> str:
    """What is wrong with how a file was loaded or refused, or ""."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        _READERS[kind](Path(f"damaged{kind}"), data)
    except McucError as error:
        bugs = [e for e in flatten(error) if isinstance(e, InternalError)]
        return f"internal error {bugs[0]}" if bugs else ""
    except TooSlowError:
        return f"took more than {SECONDS} s, in {''.join(traceback.format_exc(limit=-3))}"
    except BaseException:
        return traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def _damaged(kind: str, data: bytes, seed: int) -> tuple[bytes, str]:
    if kind == ".onnx":
        return mutate_onnx(data, seed), ONNX_KINDS[seed % len(ONNX_KINDS)].__name__
    return mutate(data, seed), KINDS[seed % len(KINDS)].__name__


def main() -> None:
    first, number = int(sys.argv[1]), int(sys.argv[2])
    models = [(path, path.read_bytes()) for path in map(Path, sys.argv[3:])]
    for path, model in models:
        _READERS[path.suffix](path, model)  # imports are done before the limits apply
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    signal.signal(signal.SIGALRM, _alarm)
    started = time.monotonic()
    for i, (path, model) in enumerate(models):
        for seed in range(first + i, first + i + number):
            data, damage = _damaged(path.suffix, model, seed)
            problem = _load(path.suffix, data)
            if problem:
                print(f"{path.name}, seed {seed} ({damage}): {problem}", flush=True)
    print(f"done {number} in {time.monotonic() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
