"""Bias correction: what rounding of the weights adds to the mean of a channel is taken off.

    b'[o] = b[o] + sum (w[o] - DQ(Q(w[o]))) E[x]

with the mean of the input over the samples (Nagel et al., 2019). Padding is counted as if it were
the map's mean: at borders the correction is as good as none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Graph, Node
from mcuc.quant.insert_qdq import Inserted
from mcuc.quant.qparams import along
from mcuc.quant.rules import rule_of

Doubles = npt.NDArray[np.float64]


def corrections(
    graph: Graph, inserted: Inserted, means: Mapping[int, Doubles]
) -> dict[int, tuple[float, ...]]:
    """What to add to the bias of each quantized node with weights, by node index.

    Args:
        graph: Float.
        inserted: The same graph with pairs.
        means: Mean of each element of the nodes' inputs.
    """
    producers = inserted.graph.producers()
    found = {}
    for index, node in enumerate(graph.nodes):
        rule = rule_of(node)
        if rule is None or rule.kind != "weights" or node.op == "transpose_conv":
            continue
        w, x = node.inputs[1], node.inputs[0]
        paired = inserted.graph.nodes[producers[node.outputs[0]]].inputs[1]
        if w is None or x is None or x not in means or paired is None or paired == w:
            continue
        weights = graph.values[w].const
        assert weights is not None
        lost = weights.astype(np.float64) - _dequantized(inserted.graph, producers, paired)
        found[index] = tuple(float(np.float32(c)) for c in _expected(node, lost, means[x]))
    return found


def _dequantized(graph: Graph, producers: Mapping[int, int], paired: int) -> Doubles:
    (source,) = graph.nodes[producers[paired]].inputs
    value = graph.values[source or 0]
    quant = value.type.quant
    assert value.const is not None and quant is not None
    scales = along(np.asarray(quant.scales), quant.axis or 0, value.const.ndim)
    result: Doubles = value.const.astype(np.float64) * scales
    return result


def _expected(node: Node, lost: Doubles, mean: Doubles) -> Doubles:
    """The product of lost weights and mean input, for each output channel."""
    if node.op == "fully_connected":
        inputs = mean.reshape(-1, lost.shape[1]).mean(axis=0)
        return np.asarray(lost @ inputs)
    channels = mean.reshape(-1, mean.shape[-1]).mean(axis=0)
    if node.op == "depthwise_conv2d":
        multiplier = lost.shape[3] // len(channels)
        return np.asarray(lost.sum(axis=(0, 1, 2)) * np.repeat(channels, multiplier))
    groups = len(channels) // lost.shape[3]
    own = np.repeat(channels.reshape(groups, -1), len(lost) // groups, axis=0)
    return np.asarray((lost.sum(axis=(1, 2)) * own).sum(axis=1))
