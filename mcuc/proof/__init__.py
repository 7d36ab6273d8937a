"""Proof that a compiled model is right: the places where it runs, compared."""
