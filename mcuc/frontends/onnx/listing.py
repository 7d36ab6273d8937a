"""The nodes of an `.onnx` file, supported or not."""

from __future__ import annotations

from pathlib import Path

from mcuc.frontends.onnx.proto import loc_of, parse


def operators(path: Path, data: bytes) -> list[tuple[int, str, str]]:
    """Index, operator and name of every node, local functions inlined.

    Raises:
        ModelError: E101, E106.
    """
    found = []
    for index, node in enumerate(parse(path, data).graph.node):
        loc = loc_of(str(path), index, node)
        found.append((index, loc.op, loc.tensor))
    return found
