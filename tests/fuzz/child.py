"""Loads damaged copies of a model under limits; prints one line for each that misbehaves.

Usage: python -m tests.fuzz.child MODEL FIRST_SEED NUMBER
"""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from pathlib import Path

from mcuc.errors import InternalError, McucError, flatten
from mcuc.frontends.tflite import load_tflite
from tests.support.mutate import KINDS, mutate

SECONDS = 2
ADDRESS_SPACE = 1 << 30


class TooSlowError(BaseException):
    """Not an Exception: nothing in the loader may swallow it."""


def _alarm(signum: int, frame: object) -> None:
    raise TooSlowError


def _load(data: bytes) -> str:
    """What is wrong with how a file was loaded or refused, or ""."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        load_tflite(Path("damaged.tflite"), data)
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


def main() -> None:
    model, first, number = Path(sys.argv[1]).read_bytes(), int(sys.argv[2]), int(sys.argv[3])
    load_tflite(Path(sys.argv[1]))  # imports are done before the limits apply
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    signal.signal(signal.SIGALRM, _alarm)
    started = time.monotonic()
    for seed in range(first, first + number):
        problem = _load(mutate(model, seed))
        if problem:
            print(f"seed {seed} ({KINDS[seed % len(KINDS)].__name__}): {problem}", flush=True)
    print(f"done {number} in {time.monotonic() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
