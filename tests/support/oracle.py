"""The TFLite reference interpreter for tests; the implementation is mcuc's own."""

from mcuc.device.tflite_oracle import OracleError, run_tflite, run_tflite_tensors

__all__ = ["OracleError", "run_tflite", "run_tflite_tensors"]
