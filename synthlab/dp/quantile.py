"""Quantiles and the median, by the exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, RngLike
from synthlab.dp._query import begin, charge, records
from synthlab.dp._records import check_column, numbers_of, records_of
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.result import PrivateChoiceResult
from synthlab.dp.sensitivity import check_bounds
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChoiceProbabilities(Result):
    """The candidates of the exponential mechanism and their probabilities: computed from the data, CONFIDENTIAL.

    For teaching and for checks; it must not leave the agency. `private_quantile` draws from it once.

    Attributes
    ----------
    query : str
        What is asked.
    lower, upper : numpy.ndarray of shape (k,)
        Ends of the intervals of candidates; equal where candidates are single values.
    utility : numpy.ndarray of float, shape (k,)
        How good a candidate is for these data, 0 the best for a quantile.
    probability : numpy.ndarray of float, shape (k,)
    mechanism : ExponentialMechanism
    """

    _figure: ClassVar[str] = "dp.plot_choice"

    query: str
    lower: Any
    upper: Any
    utility: FloatArray
    probability: FloatArray
    mechanism: ExponentialMechanism

    @property
    def title(self) -> str:
        """The query and its mechanism."""
        return f"{self.query}: {self.probability.size:,} candidates (confidential). {self.mechanism}."

    def to_frame(self) -> pd.DataFrame:
        """Return one row a candidate."""
        columns = {"lower": self.lower, "upper": self.upper, "utility": self.utility, "probability": self.probability}
        return pd.DataFrame(columns)

    def summary(self) -> pd.DataFrame:
        """Return the ten likeliest candidates."""
        return self.to_frame().nlargest(10, "probability")

    def probability_within(self, low: float, high: float) -> float:
        """Return the probability that the choice lies in [low, high]; for candidates that are numbers."""
        low, high = _checks.check_number(low, "low"), _checks.check_number(high, "high")
        width = np.where(self.upper > self.lower, self.upper - self.lower, 1.0)
        inside = np.minimum(self.upper, high) - np.maximum(self.lower, low)
        single = (self.upper == self.lower) & (inside >= 0)
        return float((self.probability * np.where(single, 1.0, np.maximum(inside, 0.0) / width)).sum())


def quantile_probabilities(
    confidential: Any,
    q: float = 0.5,
    *,
    low: float,
    high: float,
    epsilon: float,
    step: float | None = None,
    missing: float | None = None,
    adjacency: Adjacency = "add-remove",
) -> ChoiceProbabilities:
    """Return how probable each value is as the private quantile; CONFIDENTIAL, for teaching and checks.

    This looks at the data without noise and charges nothing: it is not private, and must not leave the agency.
    The utility of a value x is minus the number of records by which x misses the rank ``q n`` (Smith 2011): a number
    of records moves by at most 1 when one person changes, however large that person's income is.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable, numbers; values outside [low, high], infinite ones too, are moved to the nearer bound.
    q : float in (0, 1)
        0.5 the median.
    low, high : float
        Declared bounds of the answer.
    epsilon : float > 0
    step : float > 0, optional
        Candidates are low, low + step, ... up to high; by default every real number between the bounds. Give a step
        where many records share one value: an interval of width 0 is never chosen.
    missing : float, optional
        The number that a missing value, or one that is no number, stands for. By default (None) it is left out.
    adjacency : {"add-remove", "replace"}
        The sensitivity of the utility is max(q, 1 - q) under add-remove, 1 under replace.

    Returns
    -------
    ChoiceProbabilities

    Raises
    ------
    InputError
        If an argument is out of its range; never because of a record.

    Notes
    -----
    The sensitivity holds whatever the values are. The utility of x is minus the larger of (records below x) - q n and
    q n - (records up to x), or 0. One record more moves q n by q and each number of records by 0 or 1, so each difference
    by at most max(q, 1 - q); one that is left out moves nothing. One replaced leaves q n as it is and moves each number
    by at most 1, or, where it was or will be left out, is one record more or less.

    Examples
    --------
    >>> from synthlab import dp
    >>> found = dp.quantile_probabilities([1, 2, 3], low=0, high=10, epsilon=1.0, step=1)
    >>> int(found.lower[found.probability.argmax()])
    2
    """
    check_column(confidential)
    asked = _declared(q, low, high, epsilon, step, missing, adjacency)
    return _probabilities(records_of(confidential), asked)


@dataclass(frozen=True, slots=True)
class _Declared:
    """The arguments of a query, checked without reading the data."""

    q: float
    low: float
    high: float
    grid: FloatArray | None
    missing: float | None
    mechanism: ExponentialMechanism

    @property
    def name(self) -> str:
        return f"quantile {self.q:g}"


def _declared(
    q: object, low: object, high: object, epsilon: float, step: object, missing: object, adjacency: object
) -> _Declared:
    rank = _checks.check_number(q, "q", low=0.0, high=1.0, open_low=True, open_high=True)
    lower, upper = check_bounds(low, high)
    grid = None if step is None else _grid(lower, upper, step)
    filled = None if missing is None else _checks.check_number(missing, "missing")
    sensitivity = max(rank, 1.0 - rank) if check_adjacency(adjacency) == "add-remove" else 1.0
    return _Declared(rank, lower, upper, grid, filled, ExponentialMechanism(epsilon, sensitivity))


def _probabilities(records: Any, asked: _Declared) -> ChoiceProbabilities:
    numbers = numbers_of(records)
    absent = np.isnan(numbers)
    numbers = numbers[~absent] if asked.missing is None else np.where(absent, asked.missing, numbers)
    values = np.sort(np.clip(numbers, asked.low, asked.high))
    target = asked.q * values.size
    if asked.grid is None:
        ends = np.concatenate([[asked.low], values, [asked.high]])
        left, right = ends[:-1], ends[1:]
        utility = -np.abs(np.arange(values.size + 1) - target)
        probability = asked.mechanism.probabilities(utility, right - left)
    else:
        left = right = asked.grid
        below, up_to = (values.searchsorted(left, side=side) for side in ("left", "right"))
        utility = -np.maximum(np.maximum(below - target, target - up_to), 0.0)
        probability = asked.mechanism.probabilities(utility)
    left, right = _checks.read_only(left.copy()), _checks.read_only(right.copy())
    utility, probability = _checks.read_only(utility), _checks.read_only(probability)
    return ChoiceProbabilities(asked.name, left, right, utility, probability, asked.mechanism)


def private_quantile(
    confidential: Any,
    q: float = 0.5,
    *,
    low: float,
    high: float,
    epsilon: float,
    step: float | None = None,
    missing: float | None = None,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str | None = None,
    rng: RngLike = None,
) -> PrivateChoiceResult:
    """Choose a quantile by the exponential mechanism; with q = 0.5 the median.

    Parameters
    ----------
    confidential, q, low, high, epsilon, step, missing, adjacency
        As `quantile_probabilities`.
    budget : Budget, optional
        The account to charge, before the records are looked at.
    query : str, optional
        What is asked, for the account.
    rng : int, Generator or None
        Seed or generator, for teaching. A release leaves it out: whoever finds the seed knows more than was promised.

    Returns
    -------
    PrivateChoiceResult

    Raises
    ------
    InputError
        If an argument is out of its range; never because of a record.
    BudgetExceededError
        If the budget has less than epsilon left.

    Examples
    --------
    >>> from synthlab import dp
    >>> incomes = list(range(1000, 101_000, 1000))
    >>> dp.private_quantile(incomes, low=0, high=1e6, step=1000, epsilon=1.0, rng=1).value
    51000.0
    """
    check_column(confidential)
    asked = _declared(q, low, high, epsilon, step, missing, adjacency)
    name = asked.name if query is None else query
    generator = begin(0.5, rng)
    charge(budget, asked.mechanism.epsilon, name, adjacency=adjacency, sources=[generator])
    found = _probabilities(records(confidential, budget), asked)
    place = generator.choice(found.probability.size, p=found.probability)
    value = float(generator.uniform(found.lower[place], found.upper[place]))
    return PrivateChoiceResult(name, value, asked.mechanism.epsilon, adjacency, asked.mechanism)


def _grid(low: float, high: float, step: object) -> FloatArray:
    width = _checks.check_number(step, "step", low=0.0, high=high - low, open_low=True)
    cells = (high - low) / width
    if cells > 1e6:
        raise InputError(f"step={step!r}: makes {cells:,.0f} candidates between low and high; at most a million")
    return np.asarray(low + width * np.arange(int(np.floor(cells + 1e-9)) + 1), dtype=np.float64)
