"""Tests of the fixed-point primitives and of the operators' integer rules."""
