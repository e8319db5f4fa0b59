"""Smallest prior of a Dirichlet-multinomial table that guarantees epsilon.

The result is due to Machanavajjhala, Kifer, Abowd, Gehrke and Vilhuber (2008) and Abowd and Vilhuber (2008). K declared
cells have the confidential counts n_1..n_K. Every cell gets a pseudocount a, ``theta ~ Dirichlet(n_k + a)``, and M
synthetic records are drawn from theta. If one person moves from cell i to cell j, the probability of synthetic counts z
changes by the factor

    (z_i + n_i + a - 1) / (n_i + a - 1)  *  (n_j + a) / (z_j + n_j + a),

which is largest if the person is the only one in cell i (n_i = 1) and all M synthetic records are in this cell:
``(M + a) / a``. The privacy loss of one table is therefore exactly ``epsilon = log(1 + M / a)``, and a guarantee of
epsilon requires

    a >= M / (exp(epsilon) - 1)        in every cell, including empty cells.

If a record is added or removed, the largest factor is never larger, and equal in the limit of large n. The formula is
therefore valid for both adjacencies, provided that M is public and, under add-remove, is not the confidential n.
"""

from __future__ import annotations

from math import expm1, log1p

from synthlab import _checks

LARGEST = 10**15


def minimum_pseudocount(epsilon: float, n_synthetic: int) -> float:
    """Return the smallest pseudocount per cell that guarantees epsilon, M / (exp(epsilon) - 1).

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one table.
    n_synthetic : int from 1 to 10**15
        Public number M of synthetic records drawn from one theta, never taken from the data.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        An argument is out of range.

    References
    ----------
    Machanavajjhala, A., Kifer, D., Abowd, J., Gehrke, J. and Vilhuber, L. (2008). Privacy: theory meets practice on the
    map. IEEE 24th International Conference on Data Engineering, 277-286.
    Abowd, J. M. and Vilhuber, L. (2008). How protective are synthetic data? Privacy in Statistical Databases, 239-246.

    Examples
    --------
    >>> from math import log
    >>> from synthlab import dp
    >>> round(dp.minimum_pseudocount(log(11), n_synthetic=100), 6)
    10.0
    """
    size = _checks.check_count(n_synthetic, "n_synthetic", maximum=LARGEST)
    loss = _checks.check_number(epsilon, "epsilon", low=0.0, high=700.0, open_low=True)
    return size / expm1(loss)


def dirichlet_epsilon(pseudocount: float, n_synthetic: int) -> float:
    """Return the privacy loss of one Dirichlet-multinomial table, log(1 + M / a).

    Parameters
    ----------
    pseudocount : float > 0
        Smallest pseudocount a of any cell.
    n_synthetic : int from 1 to 10**15
        Public number M of synthetic records drawn from one theta, never taken from the data.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        An argument is out of range.

    References
    ----------
    Machanavajjhala, A., Kifer, D., Abowd, J., Gehrke, J. and Vilhuber, L. (2008). Privacy: theory meets practice on the
    map. IEEE 24th International Conference on Data Engineering, 277-286.
    Abowd, J. M. and Vilhuber, L. (2008). How protective are synthetic data? Privacy in Statistical Databases, 239-246.

    Examples
    --------
    >>> from synthlab import dp
    >>> round(dp.dirichlet_epsilon(1.0, n_synthetic=5571), 2)
    8.63
    """
    size = _checks.check_count(n_synthetic, "n_synthetic", maximum=LARGEST)
    return log1p(size / _checks.check_number(pseudocount, "pseudocount", low=0.0, open_low=True))
