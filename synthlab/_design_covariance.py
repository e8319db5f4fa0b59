"""A survey design read from the records of a file, and the design-based covariance of totals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError

LONELY = ("fail", "certainty", "adjust")
SMALLEST = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)  # a sum of squares below it has lost digits
CLOSE = 0.01  # relative distance within which weights add up to the population


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """The design of n records.

    Attributes
    ----------
    weights : numpy.ndarray of float, shape (n,)
        Survey weights > 0; 0 outside the domain that is estimated.
    stratum, cluster : numpy.ndarray of int, shape (n,)
        Number of the stratum, and of the primary sampling unit among all strata.
    units : numpy.ndarray of int, shape (strata,)
        Primary sampling units in the sample.
    population : numpy.ndarray of float, shape (strata,)
        Primary sampling units in the population; infinite where no finite population correction is known.
    lonely : str
        The rule for a stratum with one unit, see `SurveyDesign`.
    counted : bool
        Whether `population` counts records, so that the weights of a stratum should add up to it.
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
        """Degrees of freedom: primary sampling units minus strata, of those with records in the domain."""
        inside = self.inside
        return int(np.unique(self.cluster[inside]).size - np.unique(self.stratum[inside]).size)

    @property
    def inside(self) -> BoolArray:
        """Return the records in the domain, shape (n,)."""
        return np.asarray(self.weights > 0, dtype=bool)

    def domain(self, there: BoolArray) -> Sampled:
        """Return the design with weight 0 outside a domain: strata and units stay as many as were drawn."""
        return self if there.all() else replace(self, weights=_checks.read_only(np.where(there, self.weights, 0.0)))

    @property
    def normalised(self) -> FloatArray:
        """The weights times a constant, so that they add up to n."""
        return np.asarray(self.weights * (self.n / self.weights.sum()), dtype=np.float64)

    def check_totals(self) -> None:
        """Raise where the weights of a stratum do not add up to the population that its fpc states."""
        if not self.counted:
            return
        sums = np.bincount(self.stratum, self.weights)
        off = np.abs(sums - self.population) > CLOSE * self.population
        if off.any():
            raise InputError(
                f"weights: do not add up to the population that fpc states (to 1 %) in {_checks.first_of(off, 'strata')}; "
                "multiply them so that they do, or leave out one of the two"
            )

    def check_lonely(self) -> None:
        """Raise where the variance of a stratum with one unit is asked for and the design says to fail."""
        alone = (self.units == 1) & (self.population > 1)
        if self.lonely == "fail" and alone.any():
            raise InputError(
                f"strata: {_checks.first_of(alone, 'strata')}, have one primary sampling unit, whose variance cannot be "
                "estimated; join strata, or choose lonely='certainty' or lonely='adjust' of the SurveyDesign"
            )

    def covariance(self, scores: FloatArray) -> FloatArray:
        """Return the design-based covariance of totals over the sample.

        The total of a primary sampling unit c of stratum h is z_hc, with n_h of N_h units in the sample:
        ``sum_h (1 - n_h/N_h) n_h/(n_h - 1) sum_c (z_hc - z_h)(z_hc - z_h)'``, z_h their mean.

        Parameters
        ----------
        scores : ndarray of shape (n, p)
            What is summed, weights included.

        Returns
        -------
        ndarray of shape (p, p), float64
            Infinite where squares are beyond the largest float, NaN where they are below the smallest.

        Raises
        ------
        InputError
            A stratum has one unit, and the design says to fail.
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
        with np.errstate(over="ignore", invalid="ignore"):  # squares beyond the largest float are infinite
            centred = totals - mean[of]
            scaled = centred * factor[of, None]
            found = np.asarray(scaled.T @ centred, dtype=np.float64)
        lost = (np.diag(found) < SMALLEST) & (scaled != 0).any(axis=0)
        found[lost] = found[:, lost] = np.nan
        return found
