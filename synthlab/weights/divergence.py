r"""The move of the posterior when a record leaves: theorem 1 of Savitsky, Williams and Hu, computed from draws.

With :math:`\ell_i` what record i adds to the log of the posterior, the posterior without it is the one with it times
:math:`\exp(-\ell_i) / E[\exp(-\ell_i)]`. So draws of the one say how far the other is, record by record, without a refit.
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

FEW = 100  # draws that count


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DivergenceResult(Result):
    """The distances between a posterior and those without one of the records, in nats.

    Attributes
    ----------
    forward, reverse : numpy.ndarray of float, shape (n,)
        Kullback-Leibler divergence of the posterior with record i from the one without, and of that without from that with.
    log_ratio : numpy.ndarray of float, shape (n,)
        The largest absolute log ratio of the two densities at a draw: the privacy loss of leaving record i out, seen here.
    effective : numpy.ndarray of float, shape (n,)
        The number of draws that count for the posterior without record i.
    bound : float
        2 Delta: none of the distances is larger.
    """

    forward: FloatArray
    reverse: FloatArray
    log_ratio: FloatArray
    effective: FloatArray
    bound: float

    _figure: ClassVar[str] = "lipschitz.plot_divergence"

    @property
    def largest(self) -> float:
        """The largest of both divergences over the records."""
        return float(max(self.forward.max(), self.reverse.max()))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a record."""
        columns = {
            "forward": self.forward,
            "reverse": self.reverse,
            "log_ratio": self.log_ratio,
            "effective": self.effective,
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(self.forward.size, name="record"))

    def summary(self) -> pd.DataFrame:
        """Return one row a quantity."""
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
        """The largest distance beside its bound."""
        return (
            f"Leaving one of {self.forward.size:,} records out moves the posterior by a divergence of {self.largest:.4g} nats at "
            f"most, and its log density by {self.log_ratio.max():.4g} at a draw; the bound of both is 2 Delta = {self.bound:.4g}. "
            "The weights are held as they are: where they come from the file, they change as well when a record leaves."
        )


def leave_one_out_divergence(contributions: npt.ArrayLike, *, n: int) -> DivergenceResult:
    r"""Return how far the posterior moves when each of the records is left out.

    With expectations over the draws,

    .. math:: KL(p \| p_{-i}) = E[\ell_i] + \log E[e^{-\ell_i}], \qquad
        KL(p_{-i} \| p) = -\frac{E[\ell_i e^{-\ell_i}]}{E[e^{-\ell_i}]} - \log E[e^{-\ell_i}],

    and both are at most :math:`2 \Delta = 2 \max |\ell_i|` (theorem 1), as is
    :math:`|\ell_i(\theta) + \log E[e^{-\ell_i}]|`, the log ratio of the densities (theorem 2).

    Parameters
    ----------
    contributions : array_like of shape (draws, n)
        What each record adds under each draw a release may use: ``fitted.pseudo_log_likelihood()``.
    n : int
        Number of records, ``len(confidential)``: it says which axis is that of the records.

    Returns
    -------
    DivergenceResult

    Raises
    ------
    InputError
        If the shape is another, or a value is not finite.

    Warns
    -----
    LowEffectiveSampleSizeWarning
        If fewer than 100 draws count for the posterior without some record: its distances are then too small.

    Notes
    -----
    The neighbours are leave-one-out, the data these: the numbers are no bound for other data. An unweighted posterior of a
    model that fits moves little, since :math:`\ell_i` varies little over its draws, however large it is: a constant cancels,
    and the bound 2 Delta does not see that.

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
        raise InputError("contributions: must be finite; a record that is impossible under a draw has no bound")
    lowest = values.min(axis=0)
    without = np.exp(lowest - values)
    mean = without.mean(axis=0)
    log_mean = np.log(mean) - lowest
    share = without / without.sum(axis=0)
    ratio = values + log_mean
    effective = 1.0 / np.square(share).sum(axis=0)
    if effective.min() < FEW:
        warn(
            f"effective: {int((effective < FEW).sum()):,} of {n:,} records have fewer than {FEW} draws that count for the posterior "
            "without them, and distances that are too small; take more draws",
            LowEffectiveSampleSizeWarning,
            stacklevel=2,
        )
    return DivergenceResult(
        forward=_checks.read_only(np.maximum(ratio.mean(axis=0), 0.0)),
        reverse=_checks.read_only(np.maximum(-(share * ratio).sum(axis=0), 0.0)),
        log_ratio=_checks.read_only(np.abs(ratio).max(axis=0)),
        effective=_checks.read_only(effective),
        bound=2.0 * float(np.abs(values).max()),
    )
