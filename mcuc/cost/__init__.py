"""Predicted instructions, fitted to measurements."""
