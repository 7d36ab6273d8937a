"""Where tests find models: the example in the repository, and real ones below MCUC_DATA."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"


def data_folder() -> Path:
    """The folder of real models and their stored outputs; it need not exist."""
    return Path(os.environ.get("MCUC_DATA", ROOT.parent / "shared" / "data"))


def real_models(pattern: str) -> list[Path]:
    """Files below the folder of models, for example "repo/*.tflite"."""
    return sorted((data_folder() / "models").glob(pattern))
