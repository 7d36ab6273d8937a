"""TFLite files. `load_tflite` is all that the rest of the compiler calls."""

from mcuc.frontends.tflite.load import load_tflite, read_tflite

__all__ = ["load_tflite", "read_tflite"]
