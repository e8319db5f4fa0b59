"""The beta-binomial synthesizer of a yes-or-no variable and what it promises (McClure and Reiter 2012).

n records say yes or no, x of them yes. theta is drawn from Beta(x + a, n - x + b) and M synthetic records from theta. It is
the Dirichlet-multinomial table of two cells: `private_table` with one variable of two levels draws it.
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
        a and b of the Beta prior, > 0.
    n_synthetic : int from 1 to 10**15
        M, public.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        If an argument is out of its range.

    Notes
    -----
    Attained for every n, when no or one person says yes and all synthetic records do (or the same with no).

    References
    ----------
    McClure, D. and Reiter, J. P. (2012). Differential privacy and statistical disclosure risk measures: an investigation with
    binary synthetic data. Transactions on Data Privacy 5, 535-552. Their conclusion by simulation; the formula is derived
    here from `dirichlet_epsilon`.

    Examples
    --------
    >>> from synthlab import dp
    >>> round(dp.beta_binomial_epsilon((1, 1), n_synthetic=100), 3)
    4.615
    """
    return dirichlet_epsilon(min(_prior(prior)), n_synthetic)


def beta_binomial_delta(epsilon: float, *, n: int, n_synthetic: int, prior: tuple[float, float] = (1.0, 1.0)) -> float:
    """Return the delta that holds with an epsilon below that of `beta_binomial_epsilon`, by exact probabilities.

    Parameters
    ----------
    epsilon : float
        At least 0.
    n : int
        Number of confidential records, public (neighbours replace one).
    n_synthetic : int
        M, public.
    prior : (float, float), default (1, 1)
        a and b of the Beta prior, > 0.

    Returns
    -------
    float in [0, 1]
        The largest over all files of n records: 0 from `beta_binomial_epsilon` on.

    Raises
    ------
    InputError
        If an argument is out of its range, or n times M is above 20 million.

    References
    ----------
    McClure, D. and Reiter, J. P. (2012). Differential privacy and statistical disclosure risk measures: an investigation with
    binary synthetic data. Transactions on Data Privacy 5, 535-552.

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
        raise InputError(f"n, n_synthetic: make {records * size:,} terms; at most {MOST_TERMS:,}")
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
