"""Readers of model files. Each gives a `Graph`, or all problems of the file at once."""
