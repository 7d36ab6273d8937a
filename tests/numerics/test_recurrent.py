"""RNN, GRU and LSTM of float32, which TFLite has no operators for, in doubles by their formulas."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from mcuc.ops.recurrent import Attrs
from tests.support.case_model import reference
from tests.vectors.recurrent import cases

Doubles = npt.NDArray[np.float64]


def logistic(x: Doubles) -> Doubles:
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_results_are_near_those_of_doubles(case) -> None:
    attrs = case.attrs
    assert isinstance(attrs, Attrs)
    feed = case.inputs(1)[0]
    x, state = (a.astype(np.float64) for a in feed)
    w, r, b, p = (None if o is None else o.data.astype(np.float64) for o in case.operands[2:6])
    hybrid = len(case.operands) > 6
    if hybrid:
        scales = case.operands[6].data.astype(np.float64)[..., np.newaxis]
        w, r = w * scales[0], r * scales[1]
    gates, units, _ = w.shape
    b = np.zeros((2, gates, units)) if b is None else b
    p = np.zeros((3, units)) if p is None else p
    h, c = state[0], state[-1]

    def bounded(v: Doubles) -> Doubles:
        return np.clip(v, -attrs.clip, attrs.clip) if attrs.clip else v

    wanted = np.zeros(case.graph().type(case.graph().outputs[0]).shape)
    order = range(len(x))
    for t in order[::-1] if attrs.reverse else order:
        fx = np.einsum("bd,gnd->gbn", x[t], w) + b[0][:, np.newaxis]
        fh = np.einsum("bm,gnm->gbn", h, r) + b[1][:, np.newaxis]
        if attrs.cell == "rnn":
            h = np.tanh(bounded((fx + fh)[0]))
        elif attrs.cell == "gru":
            z, u = logistic(bounded((fx + fh)[:2]))
            rest = u * fh[2] if attrs.linear_before_reset else (u * h) @ r[2].T + b[1, 2]
            h = (1 - z) * np.tanh(bounded(fx[2] + rest)) + z * h
        else:
            i, o, f, n = fx + fh
            c = logistic(bounded(f + p[2] * c)) * c + (
                logistic(bounded(i + p[0] * c)) * np.tanh(bounded(n))
            )
            c = np.clip(c, -attrs.cell_clip, attrs.cell_clip) if attrs.cell_clip else c
            h = logistic(bounded(o + p[1] * c)) * np.tanh(c)
        wanted[t] = h
    if attrs.cell == "lstm":
        wanted[-1] = c
    # int8 weights: steps of 1/127 of the largest x and h, which a cell never makes greater
    tolerance = 0.05 if hybrid else 1e-5
    np.testing.assert_allclose(reference(case, feed)[0], wanted, rtol=2e-5, atol=tolerance)
