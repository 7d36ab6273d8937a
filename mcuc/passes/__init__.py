"""Passes: pure functions from a graph to a graph. `mcuc.build.pipeline` lists them in order."""
