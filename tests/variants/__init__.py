"""Variants of every builtin operator: broadcasts, axes, masks, paddings, flags.

A module holds `VARIANTS`: by operator what it may look like, for an element type. Which types an
operator has is read from docs/tflite_types.md. tests/e2e/test_variants.py puts all of them, as one
file per module, to the interpreter, to the references and to the compiled C.
"""
