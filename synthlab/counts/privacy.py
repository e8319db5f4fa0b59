"""The promise of a synthesis of counts: epsilon and delta by its exact probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray
from synthlab.counts._family import CountFamily
from synthlab.counts._privacy_loss import MOST_MEETINGS, MOST_TERMS, Changes, Pairs, Rules, changes_of, one_cell
from synthlab.counts._pseudocounts import check_pseudocount
from synthlab.counts.gamma_family import GAF
from synthlab.counts.negative_binomial import NBI
from synthlab.counts.poisson import Poisson
from synthlab.exceptions import InputError

SMALLEST_DELTA = 1e-15
_WORDS = {
    "add-remove": "tables that differ by one record more or less",
    "replace": "tables of one total in which one record has another cell",
}
_GROUNDS = {
    "range": "every count up to the largest was summed",
    "proved": "no count above 1 is worse than 1",
    "limit": "delta goes to 1 as counts grow",
    "searched": "counts up to {reach:,} were tried, not all of them; no proof for larger ones",
}
_SEARCH = {"add-remove": (50, 60, 100_000), "replace": (15, 25, 20_000)}  # first counts, points beyond, terms
_FARTHEST = 2.0**40
_LARGEST_LOSS = 1e300
_HALVINGS = 60


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountPrivacy(Result):
    """Epsilon and delta of one synthetic table.

    Parameters
    ----------
    label : str
        The family.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.
    rules : dict
        The treatment of zeros: ``pseudocount``, ``smoothing``, ``zeros_to_ones``.
    largest : int or None
        The largest count a cell may have; None: any count.
    ground : {"range", "proved", "limit", "searched"}
        How the worst count is known.
    reach : int
        The largest count that was looked at.
    epsilon, delta : array of float, shape (n,)
        Pairs that hold together; epsilon is inf where no finite one has this delta.
    probabilistic : array of float, shape (n,)
        The largest probability that the loss passes epsilon: the delta of probabilistic differential privacy, never below
        `delta`.
    worst : tuple of str
        The change of the counts for which delta is largest.
    floor : float
        What delta never falls below, however large epsilon is: the probability of synthetic counts that a neighbour
        cannot give.
    zeros : (float, float)
        The shares of the empty cells, and of the cells of size 1, whose synthetic count is one that `zeros_to_ones` alone
        does not give: 1 or more, or 2 or more where it is in use.
    """

    label: str
    adjacency: str
    rules: dict[str, Any]
    largest: int | None
    ground: str
    reach: int
    epsilon: FloatArray
    delta: FloatArray
    probabilistic: FloatArray
    worst: tuple[str, ...]
    floor: float
    zeros: tuple[float, float]

    _figure: ClassVar[str] = "count_privacy.plot_count_privacy"
    _table: ClassVar[str] = "to_frame"

    @property
    def title(self) -> str:
        """The promise, for whom, and on what ground."""
        counts = "any counts" if self.largest is None else f"counts up to {self.largest:,}"
        zeros = ", ".join(f"{name} {value:g}" for name, value in self.rules.items() if not isinstance(value, str))
        return (
            f"privacy of one table under {self.label} ({zeros}), {counts}, for {_WORDS[self.adjacency]}: "
            f"{_GROUNDS[self.ground].format(reach=self.reach)}"
        )

    @property
    def cannot(self) -> tuple[str, ...]:
        """Sentences on what is not promised; empty where nothing stands against it."""
        said = []
        if self.ground == "limit":
            said.append(
                "with nu < 0 the noise falls below one count as counts grow: a large count is told from the next almost "
                "surely, and no delta below 1 holds for all counts; state the largest count"
            )
        if self.ground != "limit" and self.floor > 0:
            said.append(
                f"delta is at least {self.floor:.4g} whatever epsilon is: so likely is a synthetic count that a neighbour "
                "cannot give (an empty cell that stays empty)"
            )
        elif self.ground != "limit" and self.zeros[0] < 0.01 * self.zeros[1]:
            said.append(
                f"the pseudocount hides next to nothing: delta is at least {self.zeros[1]:.4g} - exp(epsilon) * "
                f"{self.zeros[0]:.2g}, from the change 1 -> 0 alone"
            )
        if not np.isfinite(self.epsilon).all():
            said.append("no finite epsilon has a delta this small")
        if self.ground == "searched":
            said.append(f"nothing is proved for counts above {self.reach:,}")
        return tuple(said)

    def to_frame(self) -> pd.DataFrame:
        """Return one row an epsilon: delta, the probability that the loss passes epsilon, and the worst change."""
        names = ("epsilon", "delta", "probabilistic", "worst")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def count_delta(
    family: CountFamily,
    epsilon: Any,
    *,
    largest: int | None = None,
    pseudocount: float = 0.01,
    smoothing: Literal["empty", "every"] = "empty",
    zeros_to_ones: float = 0.0,
    adjacency: Literal["add-remove", "replace"] = "add-remove",
) -> CountPrivacy:
    """Return the delta that holds with epsilon when a saturated table is synthesized once, by exact probabilities.

    Parameters
    ----------
    family : CountFamily
        The distribution, its means left out; one number a parameter.
    epsilon : float or array_like
        At least 0; at 0 delta is the total variation distance.
    largest : int, optional
        The largest count a cell of any table may have, public. None: any count.
    pseudocount : float, default 0.01
        Mean of the empty cells, as in `synthesize_table`.
    smoothing : {"empty", "every"}
        Which cells get the pseudocount: the empty ones, as in `synthesize_table`, or every cell, whose mean is then its
        count plus the pseudocount, as in the paper on the Poisson.
    zeros_to_ones : float, default 0
        Share of the empty cells turned into ones, as in `synthesize_table`.
    adjacency : {"add-remove", "replace"}
        One cell changes by one; or one cell loses a record and another gains it.

    Returns
    -------
    CountPrivacy
        delta, the worst over the counts and both directions, and what cannot be promised.

    Raises
    ------
    InputError
        If an argument is out of its range, or the sums up to `largest` are too long.

    Notes
    -----
    ``delta(epsilon) = max sum_y max(0, P(y) - exp(epsilon) Q(y))`` over neighbours P, Q. The cells are independent, so those
    that do not change do not count; under replace two change, and the sum runs over pairs. Sums stop where 1e-24 of the
    mass is left at either end; that mass is added to delta, so that delta errs upwards. The parameters of the family must
    be public, not tuned to the table; structural zeros too.

    For the Poisson and the negative binomial all counts are covered by the two changes at 0 and 1. Adding a Poisson of
    mean c to the counts of both neighbours leads from the means (j, j + 1) to (j + c, j + 1 + c), and what is done to
    both cannot raise delta. For the negative binomial of size 1 / sigma a birth process with immigration, followed by
    thinning, does the same. For the gamma family nothing of the kind is known: with nu < 0 delta goes to 1; with nu >= 0
    small counts and a grid of larger ones are tried, as for other families.

    m tables of the same records cost more than one: `synthlab.dp.compose`.

    References
    ----------
    Jackson, J., Mitra, R., Francis, B. and Dove, I. (2024). Obtaining (epsilon, delta)-differential privacy guarantees when
    using a Poisson mechanism to synthesize contingency tables. arXiv:2407.00417. Their delta is `probabilistic`, with
    ``smoothing="every"``; the exact delta, the negative binomial and the gamma family are derived here.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> slc.count_delta(slc.Poisson(), [1, 2], pseudocount=0.5).delta.round(4).tolist()
    [0.105, 0.0256]
    >>> float(slc.count_delta(slc.GAF(sigma=2, nu=-0.5), 1).delta[0])
    1.0
    """
    epsilons = np.asarray(_checks.check_numbers(epsilon, "epsilon", low=0.0))
    if not epsilons.size:
        raise InputError("epsilon: is empty; give at least one number")
    problem = Problem(family, largest, pseudocount, smoothing, zeros_to_ones, adjacency)
    return problem.result(epsilons)


def count_epsilon(
    family: CountFamily,
    delta: float,
    *,
    largest: int | None = None,
    pseudocount: float = 0.01,
    smoothing: Literal["empty", "every"] = "empty",
    zeros_to_ones: float = 0.0,
    adjacency: Literal["add-remove", "replace"] = "add-remove",
) -> CountPrivacy:
    """Return the smallest epsilon that holds with delta when a saturated table is synthesized once.

    Parameters
    ----------
    family, largest, pseudocount, smoothing, zeros_to_ones, adjacency
        As in `count_delta`.
    delta : float
        From 1e-15 to below 1.

    Returns
    -------
    CountPrivacy
        epsilon, and infinity where no finite one has this delta.

    Raises
    ------
    InputError
        If an argument is out of its range, or the sums up to `largest` are too long.

    Notes
    -----
    See `count_delta`.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> slc.count_epsilon(slc.NBI(sigma=2), 0.01, pseudocount=1).epsilon.round(3).tolist()
    [1.784]
    >>> slc.count_epsilon(slc.NBI(sigma=2), 0.01, pseudocount=0).epsilon.tolist()
    [inf]
    """
    wanted = _checks.check_number(delta, "delta", low=SMALLEST_DELTA, high=1.0, open_high=True)
    problem = Problem(family, largest, pseudocount, smoothing, zeros_to_ones, adjacency)
    return problem.result(np.array([problem.epsilon_of(wanted)]))


class Problem:
    """A family, the treatment of zeros, and the changes that count.

    Raises
    ------
    InputError
        If the family has several numbers a parameter, or an argument is not as `count_delta` allows.
    """

    def __init__(
        self,
        family: CountFamily,
        largest: int | None,
        pseudocount: float,
        smoothing: str,
        zeros_to_ones: float,
        adjacency: str,
    ) -> None:
        pseudocount = check_pseudocount(family, pseudocount)
        if family.shape:
            raise InputError(f"family: {family.label} must have one number a parameter")
        _checks.check_choice(smoothing, "smoothing", ("empty", "every"))
        self.family, self.adjacency = family, _checks.check_choice(adjacency, "adjacency", tuple(_WORDS))
        self.largest = None if largest is None else _checks.check_count(largest, "largest", maximum=10**9)
        share = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
        self.rules = Rules(pseudocount, smoothing == "every", share)
        self.told = {"pseudocount": pseudocount, "smoothing": smoothing, "zeros_to_ones": share}
        self.ground, counts = self._counts()
        self.reach = int(counts[-1]) + 1
        self.changes: Changes | None = None
        if self.ground != "limit":
            self.changes = changes_of(family, self.rules, counts, MOST_TERMS)
            if adjacency == "replace":
                self._check_pairs(self.changes)
                self.pairs = Pairs(self.changes)

    def _counts(self) -> tuple[str, IntArray]:
        """Return how the worst count is known, and the counts f whose change to f + 1 must be looked at."""
        family = self.family
        if isinstance(family, Poisson | NBI):
            return "proved", np.arange(2 if self.largest is None else min(self.largest, 2))
        if self.largest is not None:
            if self.largest > MOST_TERMS:
                raise InputError(
                    f"largest={self.largest:,}: needs sums of more than {MOST_TERMS:,} terms; state a smaller one"
                )
            return "range", np.arange(self.largest)
        if isinstance(family, GAF) and float(family.nu) < 0:
            return "limit", np.arange(2)
        return "searched", _grid(family, self.rules, *_SEARCH[self.adjacency])

    def _check_pairs(self, changes: Changes) -> None:
        meetings = changes.counts.size * changes.loss.size
        if meetings > MOST_MEETINGS:
            raise InputError(
                f"largest: under {self.family.label} and adjacency='replace' the changes up to {self.reach:,} need "
                f"{meetings:,} sums; at most {MOST_MEETINGS:,}; state a smaller one"
            )

    def worst(self, epsilon: float, *, probabilistic: bool = False) -> tuple[float, str]:
        """Return the largest delta over the changes, and the change."""
        if self.changes is None:
            return 1.0, "large counts"
        epsilon = min(epsilon, np.finfo(float).max)
        counts = self.changes.counts
        if self.adjacency == "add-remove":
            found = one_cell(self.changes, epsilon, probabilistic=probabilistic)
            way, place = np.unravel_index(int(found.argmax()), found.shape)
            f = int(counts[place])
            return float(found[way, place]), f"{f} -> {f + 1}" if way == 0 else f"{f + 1} -> {f}"
        both = [(i, j) for i in range(counts.size) for j in range(counts.size)]
        deltas = [self.pairs.delta(i, j, epsilon, probabilistic=probabilistic) for i, j in both]
        i, j = both[int(np.argmax(deltas))]
        gain, lose = int(counts[i]), int(counts[j])
        return max(deltas), f"{gain} -> {gain + 1}, {lose + 1} -> {lose}"

    def epsilon_of(self, delta: float) -> float:
        """Return the smallest epsilon with this delta; infinite where there is none."""
        if self.changes is None:
            return np.inf
        changes, epsilon = self.changes, 0.0
        if self.adjacency == "add-remove":
            return _smallest(lambda e: float(one_cell(changes, e).max()), delta, epsilon)
        for i in range(changes.counts.size):
            for j in range(changes.counts.size):
                epsilon = _smallest(partial(self.pairs.delta, i, j), delta, epsilon)
        return epsilon

    def result(self, epsilon: FloatArray) -> CountPrivacy:
        """Return delta at every epsilon, with the worst change and what delta never falls below."""
        found = [self.worst(value) for value in epsilon]
        above = [self.worst(value, probabilistic=True)[0] for value in epsilon]
        floor = self.worst(np.inf)[0]
        return CountPrivacy(
            self.family.label,
            self.adjacency,
            self.told,
            self.largest,
            self.ground,
            self.reach,
            _checks.read_only(epsilon),
            _checks.read_only(np.array([delta for delta, _ in found])),
            _checks.read_only(np.array(above)),
            tuple(change for _, change in found),
            floor if floor > SMALLEST_DELTA else 0.0,
            self._zeros(),
        )

    def _zeros(self) -> tuple[float, float]:
        """Return how likely a synthetic count that tells one record from none is, from 0 and from 1."""
        share = self.rules.zeros_to_ones
        seen = 1 if share > 0 else 0
        empty, single = self.rules.means(np.arange(2.0))
        from_empty = (1.0 - share) * float(self.family.at(empty).sf(seen)) if empty or self.family.takes_zero else 0.0
        return from_empty, float(self.family.at(single).sf(seen))


def _smallest(delta_of: Callable[[float], float], delta: float, epsilon: float) -> float:
    """Return the smallest epsilon from the given one on with this delta, to the last digits from above."""
    if not np.isfinite(epsilon) or delta_of(epsilon) <= delta:
        return epsilon
    low, high = epsilon, max(1.0, 2.0 * epsilon)
    while delta_of(high) > delta:
        low, high = high, 2.0 * high
        if high > _LARGEST_LOSS:
            return float("inf")
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def _grid(family: CountFamily, rules: Rules, first: int, points: int, most: int) -> IntArray:
    """Return small counts and a grid of larger ones, as far as the sums are short enough."""
    larger = np.unique(np.geomspace(first, _FARTHEST, points).astype(np.int64))
    counts = np.concatenate([np.arange(first), larger])
    means = family.at(np.maximum(rules.means(counts.astype(np.float64)), 1.0))
    with np.errstate(over="ignore"):
        terms = np.cumsum(25.0 * np.sqrt(np.broadcast_to(means.nominal_var, counts.shape)) + 60.0)
    return counts[: max(2, int(np.searchsorted(terms, most)))]
