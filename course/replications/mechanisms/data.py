"""The files of a repetition, and how far a release is from its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from replications.ce2017 import BOUNDS
from synthlab import datasets
from synthlab._typing import FloatArray, IntArray

CASES = ("yes or no", "table", "income")
BINS = 24
TENS = 10_000.0  # dollars, the unit of income in asinh
UNITS = {"value": (2.0, 1.0)}  # of asinh, declared as if before the data were seen
MEASURES = ("distance", "pMSE", "U_m", "mean", "median", "90 % quantile", "most frequent cell")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A file.

    Attributes
    ----------
    name : str
        One of `CASES`.
    variables : tuple of str
        Of the file; yes-or-no variables, or one measured variable, ``value``.
    frame : pandas.DataFrame
        One row per record.
    n_cells : int
        Number of declared cells.
    """

    name: str
    variables: tuple[str, ...]
    frame: pd.DataFrame
    n_cells: int

    @property
    def measured(self) -> bool:
        """True where the file holds a measured variable, in declared bins."""
        return self.name == "income"

    def cells(self, frame: pd.DataFrame) -> IntArray:
        """Return the cell of each record: the last variable runs fastest, bins go up."""
        if self.measured:
            found = np.searchsorted(edges()[1:-1], frame["value"].to_numpy(dtype=np.float64), side="right")
        else:
            codes = [frame[name].to_numpy(dtype=np.int64) for name in self.variables]
            found = np.ravel_multi_index(codes, (2,) * len(codes))
        return np.asarray(found, dtype=np.int64)

    def counts(self, frame: pd.DataFrame) -> FloatArray:
        """Return the number of records in each cell."""
        return np.bincount(self.cells(frame), minlength=self.n_cells).astype(np.float64)

    def spread(self, counts: FloatArray, rng: np.random.Generator) -> FloatArray | None:
        """Return as many dollars as the file has records, uniform within the bins; None where nothing is measured."""
        if not self.measured:
            return None
        drawn = rng.choice(self.n_cells, len(self.frame), p=shares(counts))
        ends = edges()
        return dollars(rng.uniform(ends[drawn], ends[drawn + 1]))


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A release: counts of the cells, and the values where something is measured, in dollars."""

    counts: FloatArray
    values: FloatArray | None = None


def case(name: str, records: int, rng: np.random.Generator) -> Case:
    """Return the file of a repetition: drawn anew."""
    source = datasets.load("ce2017", version="simulated") if name == "income" else datasets.load("affairs")
    rows = np.sort(rng.choice(len(source.frame), records, replace=False))
    frame = source.frame.iloc[rows].reset_index(drop=True)
    if name == "income":
        value = np.arcsinh(frame["income"].to_numpy(dtype=np.float64) / TENS)
        return Case(name, ("value",), pd.DataFrame({"value": value}), BINS)
    said = {"affair": frame["affairs"] > 0, "religious": frame["religious"] >= 3, "children": frame["children"] > 0}
    variables = ("affair",) if name == "yes or no" else tuple(said)
    return Case(name, variables, pd.DataFrame({v: said[v] for v in variables}), 2 ** len(variables))


def limits() -> tuple[float, float]:
    """Return the declared bounds of income, as it is modelled."""
    low, high = np.arcsinh(np.array(BOUNDS) / TENS)
    return float(low), float(high)


def edges() -> FloatArray:
    """Return the ends of the declared bins, as income is modelled."""
    return np.linspace(*limits(), BINS + 1)


def dollars(values: FloatArray) -> FloatArray:
    """Return income in dollars."""
    return np.asarray(TENS * np.sinh(values), dtype=np.float64)


def shares(counts: FloatArray) -> FloatArray:
    """Return the shares of cells, none below 0; all equal where nothing is left."""
    kept = np.maximum(counts, 0.0)
    total = kept.sum()
    return np.full(kept.size, 1.0 / kept.size) if total <= 0 else np.asarray(kept / total)


def measure(one: Case, releases: Sequence[Made]) -> dict[str, float]:
    """Return how far one release is from the file, on average over several: each of `MEASURES`, NaN where it does not apply.

    ``distance`` is the total variation distance of the cells; ``pMSE`` has the cells as leaves of its classifier; mean, median
    and quantile are root mean squared errors over the true value, of yes-or-no variables the share of the first; ``most
    frequent cell`` is the share of releases that miss it.
    """
    truth = one.counts(one.frame)
    made = np.array([shares(release.counts) for release in releases])
    file = shares(truth)
    found = {
        "distance": float(0.5 * np.abs(made - file).sum(axis=1).mean()),
        "pMSE": float(np.mean([_pmse(file, row) for row in made])),
        "most frequent cell": float(np.mean(made.argmax(axis=1) != file.argmax())),
    }
    if not one.measured:
        half = one.n_cells // 2
        return {
            **dict.fromkeys(MEASURES, np.nan),
            **found,
            "mean": _error(made[:, half:].sum(axis=1), file[half:].sum()),
        }
    values = [release.values for release in releases if release.values is not None]
    income = dollars(one.frame["value"].to_numpy(dtype=np.float64))
    return {**found, **errors(income, values), "U_m": float(np.mean([_largest_gap(income, v) for v in values]))}


def errors(income: FloatArray, values: Sequence[FloatArray]) -> dict[str, float]:
    """Return the relative errors of mean, median and 90 % quantile of one release."""
    return {
        "mean": _error(np.array([v.mean() for v in values]), income.mean()),
        "median": _error(np.array([np.median(v) for v in values]), float(np.median(income))),
        "90 % quantile": _error(np.array([np.quantile(v, 0.9) for v in values]), float(np.quantile(income, 0.9))),
    }


def _error(made: FloatArray, truth: float) -> float:
    return float(np.sqrt(np.mean(np.square(made - truth))) / abs(truth))


def _pmse(file: FloatArray, made: FloatArray) -> float:
    """Return the pMSE of two files of the same size with the cells as leaves."""
    both = file + made
    seen = both > 0
    return float((0.5 * both[seen] * np.square(made[seen] / both[seen] - 0.5)).sum())


def _largest_gap(first: FloatArray, second: FloatArray) -> float:
    from scipy import stats

    return float(stats.ks_2samp(first, second, method="asymp").statistic)
