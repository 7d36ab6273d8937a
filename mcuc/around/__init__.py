"""What stands around a model: what makes its input, and what reads its output."""
