r"""Weights by which every record uses what the bound of the file allows (Hu, Savitsky and Williams).

A mechanism pays for its most sensitive record. The others reach less far, and their weights can be raised until they reach
as far, at the same epsilon.
"""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError


def reweighted(weights: object, sensitivity: object, *, share: float = 0.95) -> FloatArray:
    r"""Return ``clip(k alpha_i Delta / Delta_i, 0, 1)``.

    With :math:`\Delta_i` what record i reaches under its weight, and :math:`\Delta` the largest of them, the new weights lift
    each record to k times the bound, or to the weight 1.

    Parameters
    ----------
    weights : array_like of shape (n,)
        alpha, in [0, 1]: the weights of a fit.
    sensitivity : array_like of shape (n,)
        Delta_i of the same fit: ``achieved_epsilon(...).sensitivity``.
    share : float in (0, 1]
        k. Below 1, since more weight moves the posterior of the refit, and its bound with it.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        In [0, 1]. A record of weight 0 keeps it: it reaches 0, whatever its weight.

    Raises
    ------
    InputError
        If an argument is out of its range, the shapes differ, no record reaches beyond 0, or every weight comes to 0.

    Notes
    -----
    The rule is that of the abstract, "such that their individual Lipschitz bounds approach the bound for the entire database";
    the factor k keeps the bound of the refit near the old one. What the refit costs says `achieved_epsilon`, not this function.

    More weight is not always more utility. The rule lifts the records in the middle to what the bound allows; those far out, whose
    weight is near 0, keep it, so that the tails count for less than before. In `synthlab replicate strict` it pays where the
    weights are mild (incomes at scale 1, where epsilon falls as well), and makes synthetic data worse where they are not, whether
    the model is right or wrong.

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
        raise InputError("sensitivity: must be >= 0, and above 0 for a record at least")
    lifted = np.divide(share * reached.max(), reached, out=np.ones_like(reached), where=(reached > 0) & (alpha > 0))
    with np.errstate(over="ignore"):
        found = np.clip(alpha * lifted, 0.0, 1.0)
    if not found.any():
        raise InputError(f"share={share!r}, the reweight of a mechanism: is so small that every weight comes to 0")
    return np.asarray(found, dtype=np.float64)
