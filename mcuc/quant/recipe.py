"""What calibration decided: all that turns a float graph into the same integer graph again.

A recipe is small and is stored beside the generated C, so that neither samples nor ONNX Runtime are
needed to compile the model once more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mcuc.errors import ModelError
from mcuc.ir.graph import Graph
from mcuc.quant.qparams import Range

FORMAT = 1
Json = dict[str, Any]


@dataclass(frozen=True)
class Recipe:
    """Decisions by value id and node index of the float graph that was calibrated.

    Attributes:
        precision: "int8" or "int16" of the activations.
        wide: Values that have int16 in a recipe of int8; what computes or reads them does, too.
        ranges: Of each float value that a run computes, and of the inputs.
        floats: Nodes that stay float32.
        corrections: By node with weights, what is added to the bias of each output channel.
        equalization: Factors of `equalize`, by the first node of each pair.
        samples: How many there were.
        method: How the ranges follow from them.
        graph: Fingerprint of the float graph: for another one the recipe says nothing.
    """

    precision: str
    ranges: Mapping[int, Range]
    floats: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()
    corrections: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    equalization: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    samples: int = 0
    method: str = "minmax"
    graph: str = ""

    def as_json(self) -> Json:
        """As stored; `from_json` reads it."""
        return {
            "format": FORMAT,
            "precision": self.precision,
            "samples": self.samples,
            "method": self.method,
            "graph": self.graph,
            "floats": sorted(self.floats),
            "wide": sorted(self.wide),
            "ranges": {str(v): [r.low, r.high] for v, r in sorted(self.ranges.items())},
            "corrections": _lists(self.corrections),
            "equalization": _lists(self.equalization),
        }

    @classmethod
    def from_json(cls, document: Json) -> Recipe:
        try:
            if document["format"] != FORMAT:
                raise ValueError(f"format {document['format']}")
            return cls(
                precision=str(document["precision"]),
                ranges={
                    int(v): Range(float(low), float(high))
                    for v, (low, high) in document["ranges"].items()
                },
                floats=frozenset(int(i) for i in document["floats"]),
                wide=frozenset(int(v) for v in document["wide"]),
                corrections=_tuples(document["corrections"]),
                equalization=_tuples(document["equalization"]),
                samples=int(document["samples"]),
                method=str(document["method"]),
                graph=str(document["graph"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                "E108",
                "the stored quantization cannot be read",
                why=repr(error),
                help="compile the model again with --calibration",
            ) from error


def fingerprint(graph: Graph) -> str:
    """Of the nodes, values and constants of a graph."""
    digest = hashlib.sha256()
    for node in graph.nodes:
        digest.update(f"{node.op} {node.inputs} {node.outputs} {node.attrs}\n".encode())
    for v, value in sorted(graph.values.items()):
        digest.update(f"{v} {value.type}\n".encode())
        if value.const is not None:
            digest.update(np.ascontiguousarray(value.const).tobytes())
    return digest.hexdigest()[:32]


def _lists(found: Mapping[int, tuple[float, ...]]) -> dict[str, list[float]]:
    return {str(i): list(numbers) for i, numbers in sorted(found.items())}


def _tuples(stored: Json) -> dict[int, tuple[float, ...]]:
    return {int(i): tuple(float(n) for n in numbers) for i, numbers in stored.items()}
