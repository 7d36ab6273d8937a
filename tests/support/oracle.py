"""The TFLite reference interpreter for tests; the implementation is mcuc's own."""

from mcuc.device.tflite_oracle import OracleError, run_tflite, run_tflite_tensors
from mcuc.numerics.agreement import agree

__all__ = ["OracleError", "agree", "run_tflite", "run_tflite_tensors"]
