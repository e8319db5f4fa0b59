"""Wasserstein barycenter of m univariate distributions: the average of their quantile functions.

Pooling the m datasets gives a mixture of their distributions, which is wider than the average distribution. The
quantiles of the barycenter are the averages of the quantiles of the datasets.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.utility._frames import NOWHERE, check_usable, labelled, prepare, values_there

SHOWN = (0.025, 0.25, 0.5, 0.75, 0.975)  # without 0 and 1, because a minimum or maximum is the value of one person

MAX_POINTS = 10_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BarycenterResult(Result):
    """Quantile functions of the confidential data, of m synthetic datasets, and of their barycenter.

    Attributes
    ----------
    probabilities : numpy.ndarray of float, shape (g,)
        Probabilities at which the quantile functions are evaluated, increasing from 0 to 1.
    confidential, barycenter : numpy.ndarray of float, shape (g,)
        Quantiles, in the unit of the variable.
    synthetic : numpy.ndarray of float, shape (m, g)
        Quantiles of each dataset; the barycenter is their mean.
    distance : float
        Wasserstein distance of order 2 between the confidential data and the barycenter, in the unit of the variable.
        It is computed from the empirical distributions and does not depend on `probabilities`.
    dataset_distance : numpy.ndarray of float, shape (m,)
        Wasserstein distance of order 2 between the confidential data and each synthetic dataset.
    variable : str
        Name of the variable.
    """

    _figure: ClassVar[str] = "distances.plot_barycenter"

    probabilities: FloatArray
    confidential: FloatArray
    synthetic: FloatArray
    barycenter: FloatArray
    distance: float
    dataset_distance: FloatArray
    variable: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return len(self.synthetic)

    def to_frame(self) -> pd.DataFrame:
        """Return the quantiles of confidential data, barycenter and datasets, one row per probability."""
        index = pd.Index(self.probabilities, name="probability")
        datasets = pd.DataFrame(self.synthetic.T, index=index, columns=[f"dataset {j}" for j in range(1, self.m + 1)])
        ends = pd.DataFrame({"confidential": self.confidential, "barycenter": self.barycenter}, index=index)
        return pd.concat([ends, datasets], axis=1)

    def summary(self) -> pd.DataFrame:
        """Return selected quantiles of the confidential data and of the barycenter."""
        rows = {p: [np.interp(p, self.probabilities, q) for q in (self.confidential, self.barycenter)] for p in SHOWN}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["confidential", "barycenter"])
        return table.rename_axis("probability")

    @property
    def title(self) -> str:
        """Description of the distributions compared."""
        return (
            f"Barycenter of {self.variable} over m = {self.m} datasets (averaged quantile functions); Wasserstein-2 "
            f"distance to the confidential distribution {self.distance:.4g}."
        )


@explains_arguments
def barycenter(
    confidential: Any,
    synthetic: Any,
    *,
    variable: str | None = None,
    probabilities: int | npt.ArrayLike = 201,
    missing: str = "raise",
) -> BarycenterResult:
    """Average the quantile functions of m synthetic distributions.

    The Wasserstein-2 barycenter of univariate distributions with quantile functions Q_1..Q_m has the quantile function
    ``Q(p) = mean over l of Q_l(p)``. Savitsky, Williams and Hu use it to combine a resampled statistic over the
    datasets.

    Parameters
    ----------
    confidential : pandas.DataFrame, or array_like of shape (n,)
        The confidential data, or values such as resampled statistics.
    synthetic : DataFrame, sequence of DataFrames, Release; or sequence of m arrays, or array of shape (m, S)
        The m synthetic datasets, or m samples of values, of any sizes.
    variable : str, optional
        Name of the numeric variable. Required for data frames; omit it for arrays of values.
    probabilities : int or array_like
        Number of equally spaced probabilities from 0 to 1, or the probabilities, increasing from 0 to 1.
    missing : {"raise", "never"}
        Treatment of missing values: "raise" raises an error, and "never" leaves them out. "category" is not supported,
        because a missing value is not a number.

    Returns
    -------
    BarycenterResult

    Raises
    ------
    InputError
        The variable is absent, non-numeric or infinite; there are no values; or `probabilities` do not increase from 0
        to 1.
    MissingValueError
        The variable has missing values, and ``missing="raise"``.

    Notes
    -----
    Quantiles at `probabilities` are linear between order statistics (R's ``quantile(type = 7)``). Distances are exact
    for the empirical distributions: the quantile functions are step functions (type 1), and the squared differences are
    integrated exactly over their steps. If all samples have size n, the squared distance is the mean of n squared
    differences between order statistics. In skewed data, the difference between two maxima is large and has weight 1/n.

    Examples
    --------
    >>> from synthlab.utility import barycenter
    >>> result = barycenter([1.0, 2.0, 3.0], [[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]], probabilities=3)
    >>> result.barycenter.tolist(), result.distance
    ([2.0, 3.0, 4.0], 1.0)
    """
    _checks.check_meaning(missing, "barycenter", {"category": NOWHERE})
    grid = _grid(probabilities)
    if variable is None:
        ours, theirs = _values(confidential, "confidential"), _samples(synthetic)
    else:
        frame, release, _ = prepare(confidential, synthetic, [_checks.check_name(variable, "variable")])
        for where, each in labelled(frame, release):
            _checks.check_numeric_column(each, variable, where=where, why="quantiles require numbers")
        check_usable(frame, release, [variable], 'use missing="never" to leave them out', missing)
        ours, *theirs = [values_there(each, variable, where) for where, each in labelled(frame, release)]
    quantiles = np.array([np.quantile(values, grid) for values in theirs])
    distance, dataset_distance = _distances(ours, theirs)
    return BarycenterResult(
        probabilities=_checks.read_only(grid),
        confidential=_checks.read_only(np.quantile(ours, grid)),
        synthetic=_checks.read_only(quantiles),
        barycenter=_checks.read_only(quantiles.mean(axis=0)),
        distance=distance,
        dataset_distance=_checks.read_only(dataset_distance),
        variable="the values" if variable is None else variable,
    )


def _distances(ours: FloatArray, theirs: Sequence[FloatArray]) -> tuple[float, FloatArray]:
    """Return the distances of the barycenter and of each sample to the confidential data."""
    samples = [np.sort(values) for values in (ours, *theirs)]
    # Division rounds correctly, so equal fractions are equal floats, and no step has a width of 1e-17.
    ends = np.unique(np.concatenate([np.arange(n + 1) / n for n in {values.size for values in samples}]))
    width, middle = np.diff(ends), (ends[1:] + ends[:-1]) / 2
    total = np.zeros(middle.size)
    base = _steps(samples[0], middle)
    apart = np.empty(len(theirs))
    for number, values in enumerate(samples[1:]):
        gap = _steps(values, middle) - base
        apart[number] = np.sqrt(width @ gap**2)
        total += gap
    return float(np.sqrt(width @ (total / len(theirs)) ** 2)), apart


def _steps(ordered: FloatArray, probabilities: FloatArray) -> FloatArray:
    return ordered[np.minimum((probabilities * ordered.size).astype(np.intp), ordered.size - 1)]


def _grid(probabilities: int | npt.ArrayLike) -> FloatArray:
    if isinstance(probabilities, numbers.Number) or probabilities is None:
        return np.linspace(0.0, 1.0, _checks.check_count(probabilities, "probabilities", 2, MAX_POINTS))
    allowed = "an int >= 2, or numbers that increase from 0 to 1"
    grid = _checks.check_array(probabilities, "probabilities", allowed).copy()
    if grid.ndim != 1 or grid.size < 2 or grid[0] != 0 or grid[-1] != 1 or not (np.diff(grid) > 0).all():
        raise InputError(f"probabilities: must be {allowed}, got {_checks.described(probabilities)}")
    return grid


def _samples(synthetic: Any) -> list[FloatArray]:
    several = isinstance(synthetic, Sequence | np.ndarray) and _checks.dimensions(synthetic) > 0 and len(synthetic) > 0
    if not several or any(_checks.dimensions(sample) == 0 or isinstance(sample, pd.DataFrame) for sample in synthetic):
        raise InputError("synthetic: must be a sequence of m >= 1 samples of numbers, or data with variable='...'")
    return [_values(sample, f"synthetic sample {number}") for number, sample in enumerate(synthetic, start=1)]


def _values(values: Any, name: str) -> FloatArray:
    if isinstance(values, pd.DataFrame):
        raise InputError(f"{name}: is a DataFrame; name the variable with variable='...'")
    array = _checks.check_array(values, name, "numbers, or data with variable='...'").copy()
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise InputError(f"{name}: must be a non-empty list of finite numbers")
    return array
