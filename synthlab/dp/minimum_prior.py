"""The smallest prior of a Dirichlet-multinomial table that guarantees epsilon.

Machanavajjhala, Kifer, Abowd, Gehrke and Vilhuber (2008); Abowd and Vilhuber (2008). K declared cells hold the
confidential counts n_1..n_K; every cell gets a pseudocount a, ``theta ~ Dirichlet(n_k + a)``, and M synthetic records
are drawn from theta. The probability of synthetic counts z changes, when one person moves from cell i to cell j, by

    (z_i + n_i + a - 1) / (n_i + a - 1)  *  (n_j + a) / (z_j + n_j + a),

which is largest for the person who was alone in cell i (n_i = 1) when all M synthetic records fall there:
``(M + a) / a``. So one table costs exactly ``epsilon = log(1 + M / a)``, and a promise of epsilon needs

    a >= M / (exp(epsilon) - 1)        in EVERY cell, also the empty ones.

With one record more or less the largest factor is the same in the limit of large n, never larger: the formula serves
both adjacencies, as long as M is public and not the confidential n under add-remove.
"""

from __future__ import annotations

from math import expm1, log1p

from synthlab import _checks

LARGEST = 10**15


def minimum_pseudocount(epsilon: float, n_synthetic: int) -> float:
    """Return the smallest pseudocount a cell must have, M / (exp(epsilon) - 1).

    Parameters
    ----------
    epsilon : float > 0
        Privacy loss of one table.
    n_synthetic : int from 1 to 10**15
        M, the number of synthetic records drawn from one theta; public, never read off the data.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        If an argument is out of its range.

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
        a, the smallest pseudocount of any cell.
    n_synthetic : int from 1 to 10**15
        M, the number of synthetic records drawn from one theta; public, never read off the data.

    Returns
    -------
    float > 0

    Raises
    ------
    InputError
        If an argument is out of its range.

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
