"""Combining the fits of one model to m datasets by the rules of partial synthesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._posterior import Posterior

REAL, POSITIVE, SHARE = "real", "positive", "share"


def pool_posteriors(
    posteriors: Sequence[Posterior], scales: Mapping[str, str], draws: int | None, rng: np.random.Generator
) -> Posterior:
    r"""Combine the posteriors of m fits: their mean, or draws from N(mean, T).

    Equations: Reiter & Mitra (3), (4), (5), (6)

    Let :math:`\beta^{(l)}, \Sigma^{(l)}` be the mean and covariance of posterior l, and B the covariance of the means.
    Then :math:`T = \bar\Sigma + B / m` (Reiter and Mitra 2009, equations 3 to 6). No p x p matrix is formed. A draw is
    the mean of the means, plus the deviation of a draw of one posterior from the mean of that posterior (covariance
    :math:`\bar\Sigma`), plus :math:`\sum_l \epsilon_l (\beta^{(l)} - \bar\beta) / \sqrt{m (m - 1)}` with standard
    normal :math:`\epsilon_l` (covariance B / m; omitted if m = 1).

    Parameters
    ----------
    posteriors : sequence of Posterior
        Posteriors of the same parameters.
    scales : mapping of str to {"real", "positive", "share"}
        The parameters and the scale on which each is averaged: untransformed or log.
    draws : int or None
        Number of draws; None for only the mean.
    rng : numpy.random.Generator
    """
    flat = [free_draws(p, scales) for p in posteriors]
    if len({f.shape[1] for f in flat}) > 1:
        raise InputError(
            "models: the fits to the synthetic datasets have different coefficients, so they cannot be combined; check "
            "whether a category is absent from some datasets"
        )
    means = np.stack([f.mean(axis=0) for f in flat])
    center, m = means.mean(axis=0), len(means)
    if draws is None:
        pooled = center[None, :]
    else:
        pooled = np.empty((draws, center.size))
        spread = (means - center) / np.sqrt(m * (m - 1)) if m > 1 else np.zeros_like(means)
        for s in range(draws):
            chosen = int(rng.integers(m))
            pooled[s] = center + flat[chosen][rng.integers(len(flat[chosen]))] - means[chosen]
            pooled[s] += rng.standard_normal(m) @ spread
    return of_free_draws(pooled, posteriors[0], scales)


def free_draws(posterior: Posterior, scales: Mapping[str, str]) -> FloatArray:
    """Return the draws of the parameters on unbounded scales, shape (draws, p)."""
    return np.hstack([_rows(posterior[name], scale) for name, scale in scales.items()])


def _rows(values: FloatArray, scale: str) -> FloatArray:
    rows = values.reshape(len(values), -1)
    return np.log(rows) if scale == POSITIVE else rows


def of_free_draws(pooled: FloatArray, like: Posterior, scales: Mapping[str, str]) -> Posterior:
    """Return the posterior with the given `free_draws`, as one chain."""
    values, start = {}, 0
    for name, scale in scales.items():
        shape = like[name].shape[1:]
        size = int(np.prod(shape))
        part = pooled[:, start : start + size]
        values[name] = (np.exp(part) if scale == POSITIVE else part).reshape(1, len(pooled), *shape)
        start += size
    return Posterior(values, {k: v for k, v in like.labels.items() if k in values}, method="exact")


class FitsInTurn:
    """Fits of a model without coefficients to average, used in turn.

    Draw s uses fit s modulo m, so each of the m synthetic datasets is an equally likely source of the model.

    Parameters
    ----------
    fits : sequence of Fitted
    draws : sequence of sequences of int
        The posterior draws to use of each fit.
    """

    def __init__(self, fits: Sequence[Any], draws: Sequence[Sequence[int]]) -> None:
        self._fits, self._draws = tuple(fits), tuple(tuple(d) for d in draws)

    @property
    def synthesized(self) -> tuple[str, ...]:
        """Variables that get synthetic values."""
        return tuple(self._fits[0].synthesized)

    @property
    def n_draws(self) -> int:
        """Number of distinct draws."""
        return len(self._fits) * max(map(len, self._draws))

    @property
    def records_independent(self) -> bool:
        """True if a draw uses neither other records nor the record's confidential values."""
        return all(fit.records_independent for fit in self._fits)

    @property
    def uses_own_values(self) -> bool:
        """True if a fit draws a record with the help of its confidential values."""
        return any(fit.uses_own_values for fit in self._fits)

    @property
    def has_probabilities(self) -> bool:
        """True if `probability_of` has a closed form; only with a single fit."""
        return len(self._fits) == 1 and bool(self._fits[0].has_probabilities)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`."""
        turn, number = divmod(draw, len(self._fits))
        chosen = self._draws[number]
        return dict(self._fits[number].draw(frame, chosen[turn % len(chosen)], rng))

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probability that record i gets the values of row g, shape (n, g)."""
        if not self.has_probabilities:
            raise InputError(
                f"models: several fits of {self.synthesized} are used in turn, so the probability is not defined; "
                "use a single fit"
            )
        chosen = self._draws[0]
        return np.asarray(self._fits[0].probability_of(frame, values, chosen[draw % len(chosen)]), dtype=np.float64)


__all__ = ["POSITIVE", "REAL", "SHARE", "FitsInTurn", "pool_posteriors"]
