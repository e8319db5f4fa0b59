"""Survey design of a sample, and the design-based covariance of totals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError

LONELY = ("fail", "certainty", "adjust")
SMALLEST = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)  # smaller sums of squares have lost digits
CLOSE = 0.01  # relative tolerance for the sum of the weights


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Survey design of n records.

    Attributes
    ----------
    weights : numpy.ndarray of float, shape (n,)
        Survey weights > 0; 0 outside the domain of estimation.
    stratum, cluster : numpy.ndarray of int, shape (n,)
        Stratum number, and number of the primary sampling unit (unique across strata).
    units : numpy.ndarray of int, shape (strata,)
        Number of primary sampling units in the sample.
    population : numpy.ndarray of float, shape (strata,)
        Number of primary sampling units in the population; infinite without a finite population correction.
    lonely : str
        The treatment of a stratum with one unit; see `SurveyDesign`.
    counted : bool
        Whether `population` counts records, so that the weights of a stratum should sum to it.
    """

    weights: FloatArray
    stratum: IntArray
    cluster: IntArray
    units: IntArray
    population: FloatArray
    lonely: str
    counted: bool

    @property
    def n(self) -> int:
        """Number of records."""
        return self.weights.size

    @property
    def df(self) -> int:
        """Degrees of freedom: primary sampling units minus strata within the domain."""
        inside = self.inside
        return int(np.unique(self.cluster[inside]).size - np.unique(self.stratum[inside]).size)

    @property
    def inside(self) -> BoolArray:
        """Mask of the records in the domain, shape (n,)."""
        return np.asarray(self.weights > 0, dtype=bool)

    def domain(self, there: BoolArray) -> Sampled:
        """Return the design restricted to a domain.

        Weights outside the domain are set to 0; the numbers of strata and units do not change.
        """
        return self if there.all() else replace(self, weights=_checks.read_only(np.where(there, self.weights, 0.0)))

    @property
    def normalised(self) -> FloatArray:
        """Weights normalized to sum to n."""
        return np.asarray(self.weights * (self.n / self.weights.sum()), dtype=np.float64)

    def check_totals(self) -> None:
        """Raise if the weights of a stratum do not sum to the population in its fpc."""
        if not self.counted:
            return
        sums = np.bincount(self.stratum, self.weights)
        off = np.abs(sums - self.population) > CLOSE * self.population
        if off.any():
            raise InputError(
                f"weights: do not add up to the population that fpc states (to 1%) in {_checks.first_of(off, 'strata')}; "
                "rescale the weights, or omit weights or fpc"
            )

    def check_lonely(self) -> None:
        """Raise if a stratum has one unit and the design does not state its treatment."""
        alone = (self.units == 1) & (self.population > 1)
        if self.lonely == "fail" and alone.any():
            raise InputError(
                f"strata: {_checks.first_of(alone, 'strata')}, have one primary sampling unit, so the variance cannot "
                "be estimated; merge strata, or use SurveyDesign with lonely='certainty' or lonely='adjust'"
            )

    def covariance(self, scores: FloatArray) -> FloatArray:
        """Return the design-based covariance of totals over the sample.

        Let z_hc be the total of primary sampling unit c of stratum h, z_h the mean of these totals, and n_h of N_h the
        number of units in the sample. The covariance is
        ``sum_h (1 - n_h/N_h) n_h/(n_h - 1) sum_c (z_hc - z_h)(z_hc - z_h)'``.

        Parameters
        ----------
        scores : ndarray of shape (n, p)
            The summands, including weights.

        Returns
        -------
        ndarray of shape (p, p), float64
            The covariance; infinite where squares overflow, NaN where they underflow.

        Raises
        ------
        InputError
            If a stratum has one unit and the design does not state its treatment.
        """
        self.check_lonely()
        order, place = np.unique(self.cluster, return_inverse=True)
        totals = np.zeros((order.size, scores.shape[1]))
        np.add.at(totals, place, scores)
        of = np.empty(order.size, dtype=np.int64)
        of[place] = self.stratum
        mean = np.zeros((self.units.size, scores.shape[1]))
        np.add.at(mean, of, totals)
        mean /= self.units[:, None]
        if self.lonely == "adjust":
            mean[self.units == 1] = 0.0
        factor = (1 - self.units / self.population) * self.units / np.maximum(self.units - 1, 1)
        with np.errstate(over="ignore", invalid="ignore"):  # squares can overflow to infinity
            centred = totals - mean[of]
            scaled = centred * factor[of, None]
            found = np.asarray(scaled.T @ centred, dtype=np.float64)
        lost = (np.diag(found) < SMALLEST) & (scaled != 0).any(axis=0)
        found[lost] = found[:, lost] = np.nan
        return found
