r"""Divergence of the posteriors with and without a record, computed from draws.

Theorem 1 of Savitsky, Williams and Hu. Let :math:`\ell_i` be the contribution of record i to the log posterior. The posterior
without the record is the posterior with the record times :math:`\exp(-\ell_i) / E[\exp(-\ell_i)]`. The divergence can
therefore be estimated from draws of one posterior, without a refit for each record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, LowEffectiveSampleSizeWarning

FEW = 100  # minimum effective number of draws


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DivergenceResult(Result):
    """Distances between the posteriors with and without each record, in nats.

    Attributes
    ----------
    forward, reverse : numpy.ndarray of float, shape (n,)
        Kullback-Leibler divergence of the posterior with record i from the posterior without it (forward), and in the other
        direction (reverse).
    log_ratio : numpy.ndarray of float, shape (n,)
        Largest absolute log ratio of the two densities over the draws: the observed privacy loss of removing record i.
    effective : numpy.ndarray of float, shape (n,)
        Effective number of draws for the posterior without record i.
    bound : float
        2 Delta, an upper bound of all distances.
    """

    forward: FloatArray
    reverse: FloatArray
    log_ratio: FloatArray
    effective: FloatArray
    bound: float

    _figure: ClassVar[str] = "lipschitz.plot_divergence"
    _per_record: ClassVar[tuple[str, ...]] = ("forward", "reverse", "log_ratio", "effective")

    @property
    def largest(self) -> float:
        """Largest divergence over the records, in both directions."""
        return float(max(self.forward.max(), self.reverse.max()))

    def summary(self) -> pd.DataFrame:
        """Return one row per quantity."""
        rows = {
            "largest divergence": self.largest,
            "median divergence": float(np.median(np.maximum(self.forward, self.reverse))),
            "largest log ratio": float(self.log_ratio.max()),
            "bound": self.bound,
            "fewest draws that count": float(self.effective.min()),
        }
        return pd.DataFrame({"value": rows}).rename_axis("quantity")

    @property
    def title(self) -> str:
        """Sentences that state the largest distances and their bound."""
        return (
            f"Leaving one of {self.forward.size:,} records out moves the posterior by a divergence of {self.largest:.4g} nats at "
            f"most, and its log density by {self.log_ratio.max():.4g} at a draw; the bound of both is 2 Delta = {self.bound:.4g}. "
            "The weights are fixed here; weights computed from the file also change when a record is removed."
        )


def leave_one_out_divergence(contributions: npt.ArrayLike, *, n: int) -> DivergenceResult:
    r"""Return the divergences of the posteriors with and without each record.

    Equations: Savitsky, Williams & Hu (theorem 1), (theorem 2)

    With expectations over the draws,

    .. math:: KL(p \| p_{-i}) = E[\ell_i] + \log E[e^{-\ell_i}], \qquad
        KL(p_{-i} \| p) = -\frac{E[\ell_i e^{-\ell_i}]}{E[e^{-\ell_i}]} - \log E[e^{-\ell_i}],

    Both are at most :math:`2 \Delta = 2 \max |\ell_i|` (theorem 1). The absolute log ratio of the densities,
    :math:`|\ell_i(\theta) + \log E[e^{-\ell_i}]|`, has the same bound (theorem 2).

    Parameters
    ----------
    contributions : array_like of shape (draws, n)
        Contribution of each record to the log posterior under each kept draw: ``fitted.pseudo_log_likelihood()``.
    n : int
        Number of records, ``len(confidential)``, which identifies the axis of the records.

    Returns
    -------
    DivergenceResult

    Raises
    ------
    InputError
        If the shape is wrong, or a value is not finite.

    Warns
    -----
    LowEffectiveSampleSizeWarning
        If the effective number of draws for the posterior without a record is below 100. Its distances are then too small.

    Notes
    -----
    The distances refer to leave-one-out neighbors of these data and are not bounds for other data. The distances can be much
    smaller than the bound 2 Delta: if the model fits well, :math:`\ell_i` varies little over the draws, and a constant
    :math:`\ell_i` cancels in the distances but not in the bound.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. Bayesian pseudo posterior mechanism under differential privacy, theorems 1
    and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.weights import leave_one_out_divergence
    >>> p = np.random.default_rng(1).beta(4, 18, size=4000)  # a rate: three of twenty said yes, flat prior
    >>> found = leave_one_out_divergence(np.log(np.column_stack([p, 1 - p])), n=2)  # one who did, one who did not
    >>> found.forward.round(2).tolist(), bool(found.largest < found.log_ratio.max() < found.bound)
    ([0.13, 0.01], True)
    """
    values = _checks.check_array(contributions, "contributions", "a matrix of numbers")
    n = _checks.check_count(n, "n")
    if values.ndim != 2 or values.shape[1] != n or not values.shape[0]:
        raise InputError(f"contributions: must have shape (draws, n={n}), at least one draw, got {values.shape}")
    if not np.isfinite(values).all():
        raise InputError("contributions: must be finite; use a model under which every record is possible")
    lowest = values.min(axis=0)
    without = np.exp(lowest - values)
    mean = without.mean(axis=0)
    log_mean = np.log(mean) - lowest
    share = without / without.sum(axis=0)
    ratio = values + log_mean
    effective = 1.0 / np.square(share).sum(axis=0)
    if effective.min() < FEW:
        warn(
            f"effective: {int((effective < FEW).sum()):,} of {n:,} records have fewer than {FEW} effective draws for the posterior "
            "without them, so their distances are too small; use more draws",
            LowEffectiveSampleSizeWarning,
        )
    return DivergenceResult(
        forward=_checks.read_only(np.maximum(ratio.mean(axis=0), 0.0)),
        reverse=_checks.read_only(np.maximum(-(share * ratio).sum(axis=0), 0.0)),
        log_ratio=_checks.read_only(np.abs(ratio).max(axis=0)),
        effective=_checks.read_only(effective),
        bound=2.0 * float(np.abs(values).max()),
    )
