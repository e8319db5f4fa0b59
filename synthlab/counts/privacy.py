"""Differential privacy of count synthesis: epsilon and delta from exact probabilities."""

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
    "replace": "tables with the same total in which one record moves to a different cell",
}
_GROUNDS = {
    "range": "every count up to the largest was checked",
    "proved": "no count above 1 gives a larger delta than 1",
    "limit": "delta converges to 1 as counts increase",
    "searched": "a grid of counts up to {reach:,} was checked; nothing is proved for other counts",
}
_SEARCH = {"add-remove": (50, 60, 100_000), "replace": (15, 25, 20_000)}  # small counts, grid points, largest sums
_FARTHEST = 2.0**40
_LARGEST_LOSS = 1e300
_HALVINGS = 60


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountPrivacy(Result):
    """Epsilon and delta of one synthetic table.

    Parameters
    ----------
    label : str
        Name and parameters of the family.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring tables.
    rules : dict
        Treatment of zeros: ``pseudocount``, ``smoothing``, ``zeros_to_ones``.
    largest : int or None
        Largest count that a cell can have; None for any count.
    ground : {"range", "proved", "limit", "searched"}
        Evidence for the worst count: all counts checked, proof, limit, or search over a grid.
    reach : int
        Largest count that was checked.
    epsilon, delta : array of float, shape (n,)
        Pairs of privacy parameters. epsilon is inf if no finite epsilon has this delta.
    probabilistic : array of float, shape (n,)
        Largest probability that the privacy loss exceeds epsilon: the delta of probabilistic differential privacy,
        which is at least `delta`.
    worst : tuple of str
        Change of the counts for which delta is largest.
    floor : float
        Lower bound of delta for all epsilon: the probability of synthetic counts that are impossible under a
        neighboring table.
    zeros : (float, float)
        Shares of the empty cells and of the cells of size 1 whose synthetic count cannot result from `zeros_to_ones`
        alone: at least 1 or, if `zeros_to_ones` is used, at least 2.
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
        """Description of the mechanism, the neighboring tables and the evidence."""
        counts = "any counts" if self.largest is None else f"counts up to {self.largest:,}"
        zeros = ", ".join(f"{name} {value:g}" for name, value in self.rules.items() if not isinstance(value, str))
        return (
            f"privacy of one table under {self.label} ({zeros}), {counts}, for {_WORDS[self.adjacency]}: "
            f"{_GROUNDS[self.ground].format(reach=self.reach)}"
        )

    @property
    def cannot(self) -> tuple[str, ...]:
        """Limitations of the guarantee, one sentence each; empty if there are none."""
        said = []
        if self.ground == "limit":
            said.append(
                "with nu < 0 the noise becomes smaller than one count as counts increase: large neighboring counts can be "
                "distinguished almost surely, and no delta below 1 holds for all counts; give the largest count"
            )
        if self.ground != "limit" and self.floor > 0:
            said.append(
                f"delta is at least {self.floor:.4g} for every epsilon: with this probability, a synthetic count is "
                "impossible under a neighboring table (where an empty cell stays empty)"
            )
        elif self.ground != "limit" and self.zeros[0] < 0.01 * self.zeros[1]:
            said.append(
                f"the pseudocount has almost no effect: delta is at least {self.zeros[1]:.4g} - exp(epsilon) * "
                f"{self.zeros[0]:.2g}, because of the change 1 -> 0"
            )
        if not np.isfinite(self.epsilon).all():
            said.append("no finite epsilon has a delta this small")
        if self.ground == "searched":
            said.append(f"nothing is proved for counts above {self.reach:,}")
        return tuple(said)

    def to_frame(self) -> pd.DataFrame:
        """Return delta, probabilistic delta and the worst change, one row per epsilon."""
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
    """Return the exact delta, for given epsilon, of one synthesis of a saturated table.

    Parameters
    ----------
    family : CountFamily
        Distribution of the counts, without means; each parameter must be one number.
    epsilon : float or array_like
        Epsilon, at least 0. At 0, delta is the total variation distance.
    largest : int, optional
        Public bound on the counts of all possible tables. By default, counts are unbounded.
    pseudocount : float, default 0.01
        Mean of the empty cells, as in `synthesize_table`.
    smoothing : {"empty", "every"}
        Cells that get the pseudocount: the empty cells, as in `synthesize_table`, or every cell. With "every", the mean
        of a cell is its count plus the pseudocount, as in the paper on the Poisson mechanism.
    zeros_to_ones : float, default 0
        Share of the empty cells that are changed to ones, as in `synthesize_table`.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring tables: one cell changes by one record, or one record moves to a different cell.

    Returns
    -------
    CountPrivacy
        Largest delta over the counts and both directions, and the limitations of the guarantee.

    Raises
    ------
    InputError
        An argument is out of range, or the sums up to `largest` are too long.

    Notes
    -----
    ``delta(epsilon) = max sum_y max(0, P(y) - exp(epsilon) Q(y))`` over the distributions P, Q under neighboring
    tables. The cells are independent, so only cells that change contribute; with "replace", two cells change and the
    sum is over pairs of counts. The sums omit a mass of 1e-24 in each tail. This mass is added to delta, so delta is an
    upper bound. The parameters of the family and the structural zeros must be public, not chosen from the table.

    For the Poisson and the negative binomial families, the two changes at counts 0 and 1 cover all counts. Adding an
    independent Poisson count of mean c to the counts of both tables changes the means (j, j + 1) to (j + c, j + 1 + c),
    and this post-processing cannot increase delta. For the negative binomial of size 1 / sigma, a birth process with
    immigration, followed by thinning, has the same effect. For the gamma family, no such result is known: with nu < 0,
    delta converges to 1; with nu >= 0, as for the other families, small counts and a grid of larger counts are checked.

    Publishing m tables of the same records has a larger privacy loss than one table; see `synthlab.dp.compose`.

    References
    ----------
    Jackson, J., Mitra, R., Francis, B. and Dove, I. (2024). Obtaining (epsilon, delta)-differential privacy guarantees
    when using a Poisson mechanism to synthesize contingency tables. arXiv:2407.00417. Their delta is `probabilistic`
    with ``smoothing="every"``. The exact delta and the results for the negative binomial and the gamma family are
    derived here.

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
    """Return the smallest epsilon, for given delta, of one synthesis of a saturated table.

    Parameters
    ----------
    family, largest, pseudocount, smoothing, zeros_to_ones, adjacency
        As in `count_delta`.
    delta : float
        Delta, in [1e-15, 1).

    Returns
    -------
    CountPrivacy
        Smallest epsilon; infinite if no finite epsilon has this delta.

    Raises
    ------
    InputError
        An argument is out of range, or the sums up to `largest` are too long.

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
    """Family, treatment of zeros, and changes of counts that determine delta.

    Raises
    ------
    InputError
        A parameter of the family is an array, or an argument is not allowed by `count_delta`.
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
            raise InputError(f"family: each parameter of {family.label} must be one number")
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
        """Return the kind of evidence, and the counts f whose change to f + 1 must be checked."""
        family = self.family
        if isinstance(family, Poisson | NBI):
            return "proved", np.arange(2 if self.largest is None else min(self.largest, 2))
        if self.largest is not None:
            if self.largest > MOST_TERMS:
                raise InputError(
                    f"largest={self.largest:,}: requires sums of more than {MOST_TERMS:,} terms; give a smaller value"
                )
            return "range", np.arange(self.largest)
        if isinstance(family, GAF) and float(family.nu) < 0:
            return "limit", np.arange(2)
        return "searched", _grid(family, self.rules, *_SEARCH[self.adjacency])

    def _check_pairs(self, changes: Changes) -> None:
        meetings = changes.counts.size * changes.loss.size
        if meetings > MOST_MEETINGS:
            raise InputError(
                f"largest: under {self.family.label} and adjacency='replace' the changes up to {self.reach:,} require "
                f"{meetings:,} sums, more than {MOST_MEETINGS:,}; give a smaller value"
            )

    def worst(self, epsilon: float, *, probabilistic: bool = False) -> tuple[float, str]:
        """Return the largest delta over the changes, and the change that gives it."""
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
        """Return the smallest epsilon with this delta; infinite if there is none."""
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
        """Return delta at every epsilon, with the worst change and the lower bound of delta."""
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
        """Return the probabilities, from counts 0 and 1, of a synthetic count above `zeros_to_ones` alone."""
        share = self.rules.zeros_to_ones
        seen = 1 if share > 0 else 0
        empty, single = self.rules.means(np.arange(2.0))
        from_empty = (1.0 - share) * float(self.family.at(empty).sf(seen)) if empty or self.family.takes_zero else 0.0
        return from_empty, float(self.family.at(single).sf(seen))


def _smallest(delta_of: Callable[[float], float], delta: float, epsilon: float) -> float:
    """Return the smallest epsilon, at least the given one, with this delta (rounded up)."""
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
    """Return small counts and a grid of larger counts for which the sums are short enough."""
    larger = np.unique(np.geomspace(first, _FARTHEST, points).astype(np.int64))
    counts = np.concatenate([np.arange(first), larger])
    means = family.at(np.maximum(rules.means(counts.astype(np.float64)), 1.0))
    with np.errstate(over="ignore"):
        terms = np.cumsum(25.0 * np.sqrt(np.broadcast_to(means.nominal_var, counts.shape)) + 60.0)
    return counts[: max(2, int(np.searchsorted(terms, most)))]
