"""Where tests find models: the example in the repository, and real ones below MCUC_DATA."""

from __future__ import annotations

from pathlib import Path

from benchmarks.models import ROOT, data_folder

__all__ = ["DIGITS", "ROOT", "data_folder", "real_models"]

DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"


def real_models(pattern: str) -> list[Path]:
    """Files below the folder of models, for example "repo/*.tflite"."""
    return sorted((data_folder() / "models").glob(pattern))
