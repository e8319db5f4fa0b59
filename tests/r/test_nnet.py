"""R's nnet::multinom through the bridge, beside what it is recorded to say."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab.r import reference
from synthlab.r.nnet import multinom, vcov
from synthlab.r.session import probe


@pytest.mark.r
def test_the_bridge_fits_as_the_script_does():
    if not probe().has("nnet"):
        pytest.skip(probe().problem or "the R package nnet is not installed")
    i = np.arange(200)
    x = np.column_stack([np.ones(200), i % 7 - 3, i * i % 11 - 5, i >= 190]).astype(float)
    y = np.eye(4)[np.where(i >= 190, 3, i % 3)]
    said = reference("multinom", live=False)
    fit = multinom(x, y, 20)
    assert fit.stopped
    assert fit.coefficients.shape == (4, 4)
    assert (fit.coefficients[0] == 0).all()
    np.testing.assert_allclose(fit.coefficients[1:].ravel(), said.value(what="coefficient", case=20), rtol=1e-9)
    np.testing.assert_allclose(fit.value, said.value(what="value", case=20))
    np.testing.assert_allclose(vcov(x, y, 20).ravel(), said.value(what="vcov", case=20), rtol=1e-6, atol=1e-9)
    assert not multinom(x[:190], y[:190, :3], 500).stopped
