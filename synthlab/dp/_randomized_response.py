"""Randomized response: every answer is kept or randomly replaced (Warner 1965)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, nextafter
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray
from synthlab.dp._opendp import library
from synthlab.dp._query import charge, records
from synthlab.dp._records import cell_for_others, check_column, declared, places_of
from synthlab.dp.budget import Budget
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RandomizedResponse(Result):
    """Randomized answers, and estimates of the shares of the true answers.

    Attributes
    ----------
    categories : tuple
        The k possible answers.
    codes : numpy.ndarray of int, shape (n,)
        Position of each released answer in `categories`, in the order of the records.
    kept : float
        Probability that the true answer is released. Each other answer has the probability (1 - kept) / (k - 1).
    epsilon : float
        Privacy loss of one person's answer.
    """

    _table: ClassVar[str] = "to_frame"

    categories: tuple[Any, ...]
    codes: IntArray
    kept: float
    epsilon: float

    @property
    def adjacency(self) -> str:
        """Definition of neighbors: always "replace", because the participants are public."""
        return "replace"

    @property
    def answers(self) -> list[Any]:
        """Released answers, one per record."""
        return [self.categories[code] for code in self.codes]

    @property
    def title(self) -> str:
        """Description of the probability of a true answer and of the privacy loss."""
        return (
            f"{self.codes.size:,} answers, each the true one with probability {self.kept:.4g}: epsilon {self.epsilon:.4g} for "
            "one person's answer"
        )

    def _shares(self) -> tuple[FloatArray, FloatArray]:
        k, n = len(self.categories), self.codes.size
        found = np.bincount(self.codes, minlength=k) / n if n else np.full(k, np.nan)
        lie = (1.0 - self.kept) / (k - 1)
        gain = self.kept - lie
        return (found - lie) / gain, np.sqrt(found * (1.0 - found) / max(n, 1)) / gain

    def to_frame(self) -> pd.DataFrame:
        """Return the estimated share and its standard error, one row per category.

        The estimates are unbiased. They can be outside [0, 1], because clipping would make them biased.
        """
        share, error = self._shares()
        index = pd.Index(list(self.categories), name="category", tupleize_cols=False)
        return pd.DataFrame({"share": share, "std_error": error}, index=index)


def randomized_response(
    confidential: Any,
    *,
    categories: Sequence[Any],
    epsilon: float,
    other: Any = None,
    budget: Budget | None = None,
    query: str = "randomised response",
) -> RandomizedResponse:
    """Randomize every answer, so that a released answer reveals little about its person.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable; n is public.
    categories : sequence
        Declared values of the variable: at least two, including `other`.
    epsilon : float > 0
        Privacy loss of one person's answer.
    other : object, optional
        Name of an additional category for missing values and values that are not declared. By default, such a value is
        replaced by any of the categories with equal probability.
    budget, query
        As in `private_count`. The adjacency of the budget must be "replace".

    Returns
    -------
    RandomizedResponse

    Raises
    ------
    InputError
        There are fewer than two categories, a category is repeated, or epsilon is out of range. The error never depends
        on a record.
    BudgetExceededError
        The budget has less than epsilon left.
    ExtraUnavailableError
        OpenDP is not installed.

    Notes
    -----
    The true answer is released with probability ``exp(epsilon) / (exp(epsilon) + k - 1)``. OpenDP draws the answers
    from the system's source of randomness, without a seed.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. Journal of the
    American Statistical Association 60, 63-69.

    Examples
    --------
    >>> from synthlab import dp
    >>> asked = ["yes"] * 300 + ["no"] * 700
    >>> told = dp.randomized_response(asked, categories=["yes", "no"], epsilon=1.0)
    >>> round(told.kept, 3)
    0.731
    """
    check_column(confidential)
    names = declared(categories, "categories")
    cell_for_others(other, names)
    cells = names if other is None else (*names, other)
    if len(cells) < 2:
        raise InputError("categories: must contain at least two categories, including other")
    loss = _checks.check_number(epsilon, "epsilon", low=0.0, open_low=True)
    kept = 1.0 / (1.0 + (len(cells) - 1) * exp(-loss))
    if not 1.0 / len(cells) < kept < 1.0 - 1e-12:
        raise InputError(
            f"epsilon={epsilon!r}: is so small that answers are random, or so large that answers are true; use another value"
        )
    opendp = library("randomized_response")
    mechanism = opendp.m.make_randomized_response(list(range(len(cells))), prob=kept)
    while mechanism.map(1) > loss:  # the loss is rounded up and can be one float above
        kept = nextafter(kept, 0.0)
        mechanism = opendp.m.make_randomized_response(list(range(len(cells))), prob=kept)
    charge(budget, loss, query, adjacency="replace")
    places = places_of(records(confidential, budget), names)
    if other is not None:
        places = np.where(places < 0, len(names), places)
    codes = np.array([mechanism(int(place)) for place in places], dtype=np.int64)
    return RandomizedResponse(cells, _checks.read_only(codes), kept, loss)
