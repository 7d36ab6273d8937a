"""Weighted sums of rows and columns, which TFLite has no operator for, as products of matrices."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.ops.resample import Attrs, cubic, linear
from tests.support.case_model import reference
from tests.vectors.resample import cases, centers, matrix


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_results_are_near_a_product_of_matrices(case) -> None:
    assert isinstance(case.attrs, Attrs)
    feed = case.inputs(1)[0]
    _, height, width, _ = feed[0].shape
    down, across = matrix(case.attrs.rows, height), matrix(case.attrs.columns, width)
    wanted = np.einsum("ih,jw,nhwc->nijc", down, across, feed[0].astype(np.float64))
    np.testing.assert_allclose(reference(case, feed)[0], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("size", "out"), [(4, 9), (7, 3), (5, 5)])
def test_interpolations_keep_what_they_must(size: int, out: int) -> None:
    at = centers(size, out)
    line = np.arange(size, dtype=np.float64)
    inside = [k for k, x in enumerate(at) if 1 <= x <= size - 2]
    for taps in (linear(at, size), cubic(at, size), cubic(at, size, -0.5)):
        lists = matrix(taps, size)
        np.testing.assert_allclose(lists.sum(axis=1), 1, atol=1e-6)
        if taps != cubic(at, size):  # a = -0.75 does not keep straight lines
            np.testing.assert_allclose((lists @ line)[inside], np.asarray(at)[inside], atol=1e-6)
    square = np.asarray(at)[inside] ** 2  # Keys' kernel with a = -0.5 keeps parabolas
    found = (matrix(cubic(at, size, -0.5), size) @ line**2)[inside]
    np.testing.assert_allclose(found, square, atol=1e-5)
