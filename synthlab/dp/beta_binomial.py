"""Differential privacy of the beta-binomial synthesizer (McClure and Reiter 2012).

Of n records of a yes-or-no variable, x are "yes". theta is drawn from Beta(x + a, n - x + b), and M synthetic records
are drawn from theta. This is a Dirichlet-multinomial table with two cells, which `private_table` draws for one variable
with two levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from synthlab import _checks
from synthlab.dp.minimum_prior import LARGEST, dirichlet_epsilon
from synthlab.exceptions import InputError

MOST_TERMS = 20_000_000


def beta_binomial_epsilon(prior: tuple[float, float], n_synthetic: int) -> float:
    """Return the privacy loss of one synthetic yes-or-no variable, log(1 + M / min(a, b)).

    Parameters
    ----------
    prior : (float, float)
        Parameters a and b of the Beta prior, > 0.
    n_synthetic : int from 1 to 10**15
        Public number M of synthetic records.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        An argument is out of range.

    Notes
    -----
    For every n, the bound is attained if the number of "yes" changes between 0 and 1 and all synthetic records are
    "yes", or the same with "no".

    References
    ----------
    McClure, D. and Reiter, J. P. (2012). Differential privacy and statistical disclosure risk measures: an
    investigation with binary synthetic data. Transactions on Data Privacy 5, 535-552. The paper uses simulation; the
    formula is derived here from `dirichlet_epsilon`.

    Examples
    --------
    >>> from synthlab import dp
    >>> round(dp.beta_binomial_epsilon((1, 1), n_synthetic=100), 3)
    4.615
    """
    return dirichlet_epsilon(min(_prior(prior)), n_synthetic)


def beta_binomial_delta(epsilon: float, *, n: int, n_synthetic: int, prior: tuple[float, float] = (1.0, 1.0)) -> float:
    """Return the exact delta of a synthetic yes-or-no variable for a given epsilon.

    Parameters
    ----------
    epsilon : float
        Epsilon, at least 0.
    n : int
        Public number of confidential records (adjacency "replace").
    n_synthetic : int
        Public number M of synthetic records.
    prior : (float, float), default (1, 1)
        Parameters a and b of the Beta prior, > 0.

    Returns
    -------
    float in [0, 1]
        Largest delta over all datasets of n records. It is 0 if epsilon is at least `beta_binomial_epsilon`.

    Raises
    ------
    InputError
        An argument is out of range, or n times M exceeds 20 million.

    References
    ----------
    McClure, D. and Reiter, J. P. (2012). Differential privacy and statistical disclosure risk measures: an
    investigation with binary synthetic data. Transactions on Data Privacy 5, 535-552.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.beta_binomial_delta(2.0, n=100, n_synthetic=100) < 0.02
    True
    """
    loss = _checks.check_number(epsilon, "epsilon", low=0.0)
    records = _checks.check_count(n, "n")
    size = _checks.check_count(n_synthetic, "n_synthetic", maximum=LARGEST)
    if records * size > MOST_TERMS:
        raise InputError(
            f"n, n_synthetic: require {records * size:,} terms, more than {MOST_TERMS:,}; use smaller values"
        )
    a, b = _prior(prior)
    if loss >= dirichlet_epsilon(min(a, b), size):
        return 0.0
    z, worst = np.arange(size + 1), 0.0
    before = stats.betabinom.logpmf(z, size, a, records + b)
    for yes in range(1, records + 1):
        after = stats.betabinom.logpmf(z, size, yes + a, records - yes + b)
        for p, q in ((before, after), (after, before)):
            worst = max(worst, float((np.exp(p) * -np.expm1(np.minimum(loss + q - p, 0.0))).sum()))
        before = after
    return min(worst, 1.0)


def _prior(prior: Any) -> list[float]:
    values = _checks.check_numbers(prior, "prior", low=0.0, high=1e12, open_low=True)
    if len(values) != 2:
        raise InputError(f"prior: must be two numbers > 0, got {len(values)}")
    return values
