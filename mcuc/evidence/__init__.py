"""Safety evidence of a compiled model, and the lists that stand behind it."""
