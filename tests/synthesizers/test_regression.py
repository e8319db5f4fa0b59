"""The base of the regressions: another one is a likelihood, a link and a draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.synthesizers._design import numeric_response
from synthlab.synthesizers.regression import Data, FittedRegression, Likelihood, LogConcave, Regression


@dataclass(frozen=True)
class ExponentialRegression(LogConcave["FittedExponential"]):
    """A duration, exponential with mean exp(a + x b)."""

    _kind = "exponential regression of a test"
    _data = ("records", "total")

    def _fit(self, data: Data, options: Any, rng: Any) -> FittedExponential:
        y = numeric_response(data.frame, data.response)
        posterior = self._sample(data, (data.record_weights, data.record_weights * y), options, rng)
        return FittedExponential(self, *data.fitted_with(posterior))

    def _likelihood(self, *sums: Any) -> Likelihood:
        records, total = sums

        def at(eta: Any) -> Any:
            share = total * np.exp(-eta)
            return float(-(records @ eta) - share.sum()), share - records, share

        return Likelihood(at, {"records": records, "total": total})

    @staticmethod
    def _term(math: Any, eta: Any, *data: Any) -> Any:
        records, total = data
        return -records * eta - total * math.exp(-eta)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedExponential(FittedRegression):
    def _values(self, eta: Any, draw: int, rng: np.random.Generator) -> Any:
        return rng.exponential(np.exp(eta))

    def log_likelihood(self) -> Any:
        eta = self._predictors()
        return -eta - self._response() * np.exp(-eta)


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 80) * 2.0 - 1.0
    x[:2] = -1.0, 1.0
    return pd.DataFrame({"x": x, "wait": rng.exponential(np.exp(0.5 + 0.3 * x)).round(2)})


@pytest.fixture(scope="module")
def fitted(survey: pd.DataFrame) -> FittedExponential:
    return ExponentialRegression("wait ~ x").fit(survey, rng=1)


def test_its_posterior_is_the_one_by_quadrature(survey, fitted):
    scale = survey["x"].std(ddof=0)
    x, y = ((survey["x"] - survey["x"].mean()) / scale).to_numpy(), survey["wait"].to_numpy()
    a, b = np.meshgrid(np.linspace(-1, 2, 301), np.linspace(-1.5, 1.5, 301))
    eta = a[..., None] + b[..., None] * x
    log = np.sum(-eta - y * np.exp(-eta), axis=-1) - 0.5 * (a / 5.0) ** 2 - 0.5 * (b / 2.5) ** 2
    share = np.exp(log - log.max())
    share /= share.sum()
    mean = (share * b).sum()
    sd = np.sqrt((share * (b - mean) ** 2).sum())
    found = fitted.posterior["slopes"][:, 0] * scale
    assert abs(found.mean() - mean) < 5 * sd / np.sqrt(500)
    np.testing.assert_allclose(found.std(), sd, rtol=0.15)


def test_it_can_do_what_every_fit_can(survey, fitted):
    release = fitted.generate(m=5, rng=2)
    pd.testing.assert_frame_equal(release[0], fitted.generate(m=2, rng=2)[0])
    assert (release[0]["wait"] > 0).all()
    np.testing.assert_array_equal(fitted.log_density(survey), fitted.log_likelihood())
    assert fitted.keep_draws([3, 4]).n_draws == 2
    assert fitted.pooled([fitted], draws=3, rng=1).draw(survey.head(7), 2, np.random.default_rng(1))["wait"].size == 7
    assert fitted.diagnostics().ok
    assert not fitted.has_probabilities


def test_weight_two_is_a_record_that_stands_twice(survey):
    weights = np.where(survey["x"] > 0, 2.0, 0.0)
    twice = pd.concat([survey, survey[survey["x"] > 0]], ignore_index=True)
    model = ExponentialRegression("wait ~ x")
    one = model.fit(survey, weights=weights + 1.0, rng=3)
    other = model.fit(pd.concat([twice, survey[survey["x"] > 0]], ignore_index=True), rng=3)
    np.testing.assert_allclose(one.posterior["slopes"], other.posterior["slopes"], rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        *(sl.LogisticRegression, sl.PoissonRegression, sl.NegativeBinomial, sl.NormalRegression),
        *(sl.MultinomialRegression, sl.OrderedLogisticRegression, sl.FiniteMixture),
    ],
)
def test_fit_is_said_once(model):
    assert issubclass(model, Regression)
    assert model.fit is Regression.fit
