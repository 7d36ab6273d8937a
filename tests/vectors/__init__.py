"""Cases of each op, a module with its name: `cases()` (C and reference), `tflite(case)` (oracle).

tests/kernels/test_kernels.py puts the cases to every kernel, test_reference.py to the interpreter.
"""
