"""Private quantiles, chosen by the exponential mechanism."""

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
    """CONFIDENTIAL candidates of the exponential mechanism and their probabilities.

    The probabilities are computed from the data without noise. They are for teaching and checks and must not be
    released. `private_quantile` draws one candidate.

    Attributes
    ----------
    query : str
        Description of the query.
    lower, upper : numpy.ndarray of shape (k,)
        Ends of the intervals of candidates; equal if candidates are single values.
    utility : numpy.ndarray of float, shape (k,)
        Utility of each candidate for these data. For a quantile, the largest possible value is 0.
    probability : numpy.ndarray of float, shape (k,)
        Probability of each candidate.
    mechanism : ExponentialMechanism
        Mechanism that determines the probabilities.
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
        """Description of the query and its mechanism."""
        return f"{self.query}: {self.probability.size:,} candidates (confidential). {self.mechanism}."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per candidate."""
        columns = {"lower": self.lower, "upper": self.upper, "utility": self.utility, "probability": self.probability}
        return pd.DataFrame(columns)

    def summary(self) -> pd.DataFrame:
        """Return the ten most probable candidates."""
        return self.to_frame().nlargest(10, "probability")

    def probability_within(self, low: float, high: float) -> float:
        """Return the probability that the choice is in [low, high], for numeric candidates."""
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
    """Return the CONFIDENTIAL probabilities of the candidates of a private quantile.

    This function is for teaching and checks. It uses the data without noise, charges no budget, and is not private; its
    result must not be released. The utility of a value x is minus the difference, in records, between its rank and
    ``q n`` (Smith 2011). A change of one person changes the number of records below x by at most 1, for any value of
    the variable.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        A numeric variable. Values outside [low, high], including infinite values, are clipped to the nearer bound.
    q : float in (0, 1)
        Probability of the quantile; 0.5 (default) gives the median.
    low, high : float
        Declared bounds of the answer.
    epsilon : float > 0
        Privacy loss of the choice.
    step : float > 0, optional
        Distance of the candidates low, low + step, ... up to high. By default, every real number between the bounds is
        a candidate. Give a step if many records share one value, because an interval of width 0 is never chosen.
    missing : float, optional
        Replacement for missing and non-numeric values. By default, these values are left out.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. The sensitivity of the utility is max(q, 1 - q) under add-remove, and 1
        under replace.

    Returns
    -------
    ChoiceProbabilities

    Raises
    ------
    InputError
        An argument is out of range. The error never depends on a record.

    Notes
    -----
    The sensitivity holds for all values. The utility of x is minus the largest of (records below x) - q n, q n -
    (records up to x), and 0. One more record changes q n by q and each number of records by 0 or 1, so each difference
    changes by at most max(q, 1 - q). A record that is left out changes nothing. Replacing a record does not change q n
    and changes each number of records by at most 1; if the old or the new value is left out, the replacement is the
    same as adding or removing a record.

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
    """Arguments of a query, checked without reading the data."""

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
        As in `quantile_probabilities`.
    budget : Budget, optional
        Account to charge before the records are read.
    query : str, optional
        Description of the query for the account.
    rng : int, Generator or None
        Seed or generator, for teaching. Omit it for a release, because the guarantee does not hold for anyone who finds
        the seed.

    Returns
    -------
    PrivateChoiceResult

    Raises
    ------
    InputError
        An argument is out of range. The error never depends on a record.
    BudgetExceededError
        The budget has less than epsilon left.

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
        raise InputError(
            f"step={step!r}: gives {cells:,.0f} candidates between low and high, more than a million; use a larger step"
        )
    return np.asarray(low + width * np.arange(int(np.floor(cells + 1e-9)) + 1), dtype=np.float64)
