r"""Weights that raise the sensitivity of every record toward the bound (Hu, Savitsky and Williams).

The most sensitive record determines the epsilon of a mechanism. The weights of the other records can be raised until their
sensitivity reaches the bound, without increasing epsilon.
"""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError


def reweighted(weights: object, sensitivity: object, *, share: float = 0.95) -> FloatArray:
    r"""Return ``clip(k alpha_i Delta / Delta_i, 0, 1)``.

    Let :math:`\Delta_i` be the weighted sensitivity of record i, and :math:`\Delta` the largest of these. The new weights raise
    the sensitivity of each record to k times the bound, or its weight to 1.

    Parameters
    ----------
    weights : array_like of shape (n,)
        alpha, in [0, 1]: the weights of a fit.
    sensitivity : array_like of shape (n,)
        Delta_i of the same fit: ``achieved_epsilon(...).sensitivity``.
    share : float in (0, 1]
        k; default 0.95. It should be below 1, because larger weights change the posterior of the refit and its bound.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        Weights in [0, 1]. A record of weight 0 keeps its weight.

    Raises
    ------
    InputError
        If an argument is out of its range, the shapes differ, all sensitivities are 0, or all new weights are 0.

    Notes
    -----
    The rule follows the abstract of the paper: "such that their individual Lipschitz bounds approach the bound for the entire
    database". The factor k keeps the bound of the refit near the old bound. Compute the epsilon of the refit with
    `achieved_epsilon`.

    Larger weights do not always increase utility. The rule raises the weights of records in the middle of the distribution. The
    weights of outlying records remain near 0, so that the tails have less relative influence than before. In `synthlab
    replicate strict`, the rule improves utility if the weights are mild (incomes at scale 1, where epsilon also decreases).
    Otherwise it reduces utility, whether the model is correct or not.

    References
    ----------
    Hu, J., Savitsky, T. D. and Williams, M. R. (2020). Re-weighting of vector-weighted mechanisms for utility maximization under
    differential privacy. arXiv:2006.01230.

    Examples
    --------
    >>> from synthlab.weights import reweighted
    >>> reweighted([0.9, 0.5, 0.0], [2.0, 4.0, 0.0], share=0.9).round(3).tolist()
    [1.0, 0.45, 0.0]
    """
    alpha = _checks.check_vector(weights, "weights")
    alpha = _checks.check_weights(alpha, alpha.size)
    reached = _checks.check_vector(sensitivity, "sensitivity")
    share = _checks.check_number(share, "share", low=0.0, high=1.0, open_low=True)
    if reached.shape != alpha.shape:
        raise InputError(f"sensitivity: must have shape {alpha.shape}, as weights, got {reached.shape}")
    if (alpha > 1).any():
        raise InputError(f"weights: must be in [0, 1]; {_checks.first_of(alpha > 1)}, are not")
    if (reached < 0).any() or not reached.any():
        raise InputError("sensitivity: must be >= 0, and above 0 for at least one record")
    lifted = np.divide(share * reached.max(), reached, out=np.ones_like(reached), where=(reached > 0) & (alpha > 0))
    with np.errstate(over="ignore"):
        found = np.clip(alpha * lifted, 0.0, 1.0)
    if not found.any():
        raise InputError(
            f"share={share!r} (`reweight` of a mechanism): is so small that all weights are 0; use a larger value"
        )
    return np.asarray(found, dtype=np.float64)
