"""Passes: pure functions from a graph to a graph. `mcuc.compiler.pipeline` lists them in order."""
