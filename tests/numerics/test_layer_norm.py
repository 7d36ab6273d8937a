"""Layer normalization, which TFLite has no operator for, against the same in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.ops.layer_norm import Attrs
from tests.support.case_model import reference
from tests.vectors.layer_norm import cases


@pytest.mark.parametrize("name", [case.name for case in cases()])
def test_results_are_near_those_of_doubles(name: str) -> None:
    """Within 1e-5 on float32; integers are the nearest ones, but for ties."""
    (case,) = (case for case in cases() if case.name == name)
    assert isinstance(case.attrs, Attrs)
    feed = case.inputs(1)[0]
    x = feed[0].astype(np.float64)
    own, result = case.operands[0].type.quant, case.outputs[0].quant
    if own is not None:
        x = (x - own.zero_point) * own.scale
    scale, bias = (
        default if operand is None else np.asarray(operand.data, np.float64)
        for operand, default in zip(case.operands[1:], (1.0, 0.0), strict=True)
    )
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    wanted = centered / np.sqrt(variance + case.attrs.epsilon) * scale + bias
    if result is not None:
        info = np.iinfo(case.outputs[0].dtype.numpy)
        steps = np.clip(wanted / result.scale + result.zero_point, info.min, info.max)
        assert np.abs(reference(case, feed)[0] - steps).max() <= 0.5 + 1e-3
        return
    np.testing.assert_allclose(reference(case, feed)[0], wanted, rtol=1e-5, atol=1e-5)
