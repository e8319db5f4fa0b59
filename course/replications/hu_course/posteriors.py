"""The four Bayesian regressions of lectures 4 and 5: posterior intervals, and log posteriors of the printed draws.

The slides fit the models with the R package brms and print the first three draws with their log posterior density
``lp__``. The synthesizers of this package have other weak priors, so that their draws are compared by intervals. The log
posterior of a printed draw has no randomness: it is the log-likelihood of this package plus the log prior of brms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from replications.hu_course.printed import parameters_of
from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab.synthesizers import LogisticRegression, MultinomialRegression, NormalRegression, PoissonRegression
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers.regression import FittedRegression, Regression

DEGREES, SCALE = 3, 2.5  # Student's t of the default priors of brms
COUNT_LOCATION = -2.3  # log(0.1), rounded as brms does: the median of KidsCount is 0
RACES = range(2, 7)


@dataclass(frozen=True, slots=True)
class Model:
    """One regression of the slides.

    Attributes
    ----------
    synthesizer : Regression
        The synthesizer of this package.
    parameters : tuple of str
        Names of the parameters, in the order of the slide.
    location : float
        Location of the prior of the intercepts for centered predictors.
    constants : callable
        Returns the log-likelihood of brms minus the log-likelihood of this package, given the data.
    """

    synthesizer: Regression[Any]
    parameters: tuple[str, ...]
    location: float
    constants: Callable[[pd.DataFrame], float] = lambda frame: 0.0


MODELS: Mapping[str, Model] = {
    # The density of brms refers to log(Expenditure), the density of this package to Expenditure.
    "normal": Model(
        NormalRegression("Expenditure ~ log(Income)", transform="log"),
        ("intercept", "slope", "sigma"),
        8.9,
        lambda frame: float(np.log(frame["Expenditure"]).sum()),
    ),
    "logistic": Model(LogisticRegression("UrbanRural ~ log(Expenditure)"), ("intercept", "slope"), 0.0),
    "multinomial": Model(
        MultinomialRegression("Race ~ log(Income)", prior_scale=10.0),
        (*(f"intercept_{race}" for race in RACES), *(f"slope_{race}" for race in RACES)),
        1.0,
    ),
    "poisson": Model(
        PoissonRegression("KidsCount ~ log(Income) + log(Expenditure)"),
        ("intercept", "slope_income", "slope_expenditure"),
        COUNT_LOCATION,
    ),
}


def fit(name: str, frame: pd.DataFrame, rng: int, **sampler: Any) -> FittedRegression:
    """Fit one of `MODELS` to the consumer units."""
    fitted: FittedRegression = MODELS[name].synthesizer.fit(frame, rng=_rng.spawn(rng, 1)[0], **sampler)
    return fitted


def draws_of(name: str, fitted: FittedRegression) -> pd.DataFrame:
    """Return the posterior draws with the parameters of the slides, one column per parameter."""
    posterior: Any = fitted.posterior  # a regression has draws
    intercept, slopes = posterior["intercept"], posterior["slopes"]
    if name == "multinomial":  # relative to the first race, as on the slides
        intercept, slopes = (part[:, 1:] - part[:, :1] for part in (intercept, slopes[:, :, 0]))
    columns = [intercept, slopes, *([posterior["sigma"]] if name == "normal" else [])]
    return pd.DataFrame(np.column_stack(columns), columns=list(MODELS[name].parameters))


def with_draws(name: str, fitted: FittedRegression, draws: pd.DataFrame) -> FittedRegression:
    """Return a fit with given draws in place of its own; the columns are those of `draws_of`."""
    values = draws.to_numpy(dtype=np.float64)
    given: dict[str, FloatArray] = {}
    if name == "multinomial":
        zero = np.zeros((len(values), 1))
        given["intercept"] = np.hstack([zero, values[:, :5]])[None]
        given["slopes"] = np.hstack([zero, values[:, 5:]])[None, :, :, None]
    else:
        slopes = [p for p in MODELS[name].parameters if p.startswith("slope")]
        given["intercept"], given["slopes"] = values[None, :, 0], values[None, :, 1 : 1 + len(slopes)]
        if name == "normal":
            given["sigma"] = values[None, :, -1]
    return replace(fitted, posterior=Posterior(given, method="exact"))


def log_posterior(name: str, fitted: FittedRegression, draws: pd.DataFrame) -> FloatArray:
    """Return ``lp__`` of brms for given draws, shape (draws,)."""
    model, frame = MODELS[name], fitted.confidential
    total = with_draws(name, fitted, draws).log_likelihood().sum(axis=1) + model.constants(frame)
    center = fitted.design.matrix.mean(axis=0)
    for intercept, slopes in _coefficients(name, draws):
        total += _log_t(intercept + slopes @ center, model.location)
    if name == "normal":  # half of Student's t, and the Jacobian of log(sigma)
        sigma = draws["sigma"].to_numpy()
        total += _log_t(sigma, 0.0) + np.log(2) + np.log(sigma)
    return np.asarray(total)


def _coefficients(name: str, draws: pd.DataFrame) -> list[tuple[FloatArray, FloatArray]]:
    """Return the intercept and the slopes of every linear predictor."""
    if name == "multinomial":
        return [(draws[f"intercept_{race}"].to_numpy(), draws[[f"slope_{race}"]].to_numpy()) for race in RACES]
    slopes = [c for c in draws if str(c).startswith("slope")]
    return [(draws["intercept"].to_numpy(), draws[slopes].to_numpy())]


def _log_t(values: FloatArray, location: float) -> FloatArray:
    return np.asarray(stats.t.logpdf((values - location) / SCALE, DEGREES) - np.log(SCALE))


def numbers(name: str, frame: pd.DataFrame, rng: int, **sampler: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the computed counterparts of the printed draws of a model, and its posterior draws."""
    fitted = fit(name, frame, rng, **sampler)
    draws, printed = draws_of(name, fitted), parameters_of(name, MODELS[name].parameters)
    rows = []
    for number, density in enumerate(log_posterior(name, fitted, printed), 1):
        for parameter in MODELS[name].parameters:
            low, high = np.quantile(draws[parameter], (0.025, 0.975))
            rows.append((f"{name}_{number}_{parameter}", draws[parameter].mean(), low, high, len(draws)))
        rows.append((f"{name}_{number}_lp", density, density, density, 1))
    return pd.DataFrame(rows, columns=["key", "ours", "low", "high", "repetitions"]), draws
