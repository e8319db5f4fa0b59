"""Match risk of an intruder who chooses which synthesized variables to use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import Intervals
from synthlab.matching.match_inputs import Prepared, exact_floats, prepare
from synthlab.risk.identification.identification_risk import IdentificationRiskResult, identification_risk

PERMUTED = 20  # number of releases with permuted synthesized values
TARGETS = 1000  # maximum number of targets in the search
PAIRS = 400_000  # maximum number of pairs of a target and a released record in the search
MOST = 6  # maximum number of variables that the search adds one by one
SEED = 1  # seed of the sample of targets and of the permutations


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChosenVariablesResult(Result):
    """Expected match risk for the best set of synthesized variables (an upper bound).

    Attributes
    ----------
    variables : tuple of str
        The synthesized variables that the intruder uses; empty if the known variables alone are best.
    expected_match_risk : numpy.ndarray of float, shape (m,)
        The expected match risk with these variables, over all targets.
    searched : float
        The largest expected match risk per target that the search found, mean over the datasets. It is computed for the
        sampled targets.
    permuted : numpy.ndarray of float, shape (20,)
        `searched` for 20 releases whose synthesized columns are permuted together within the cells of the known variables.
    n_targets, looked_up : int
        Number of targets, and number of targets sampled for the search (with seed 1).
    """

    _table: ClassVar[str] = "summary"

    variables: tuple[str, ...]
    expected_match_risk: FloatArray
    searched: float
    permuted: FloatArray
    n_targets: int
    looked_up: int

    @property
    def adds_to_risk(self) -> bool:
        """Whether the risk exceeds the risk of each of the 20 permuted releases."""
        return bool(self.searched > self.permuted.max(initial=0.0))

    @property
    def permuted_range(self) -> tuple[float, float]:
        """Range of the expected match risks of the permuted releases, for all targets."""
        low, high = float(self.permuted.min()), float(self.permuted.max())
        return low * self.n_targets, high * self.n_targets

    @property
    def title(self) -> str:
        """Sentence that states the risk, the variables and the permuted range."""
        low, high = self.permuted_range
        using = ", ".join(self.variables) or "no synthesized variable"
        return (
            f"Upper bound: an intruder who chooses {using} with knowledge of the truth identifies "
            f"{self.expected_match_risk.mean():,.1f} of {self.n_targets:,} people; in 20 releases with permuted synthetic "
            f"values the same search gives {low:,.1f} to {high:,.1f}."
        )

    def summary(self) -> pd.DataFrame:
        """Return one row: mean and maximum over the datasets, and the permuted range."""
        low, high = self.permuted_range
        row = {
            "variables": ", ".join(self.variables),
            "mean": float(self.expected_match_risk.mean()),
            "maximum": float(self.expected_match_risk.max()),
            "permuted_low": low,
            "permuted_high": high,
        }
        return pd.DataFrame([row])


@explains_arguments
def chosen_variables_risk(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder
) -> ChosenVariablesResult:
    """Return the match risk of an intruder who chooses the synthesized variables to use.

    An intruder who requires agreement on all synthesized variables is misled if one variable was replaced by noise.
    This function searches for the set of synthesized variables with the largest expected match risk. It tries no variable,
    each single variable, all variables, and sets that grow from the best single variable. The choice uses the true
    identities, so that the result is an upper bound for an intruder who must choose without them.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of n records; row i belongs to record i.
    intruder : Intruder
        As in `identification_risk`; the search chooses from ``intruder.synthesized``.

    Returns
    -------
    ChosenVariablesResult

    Raises
    ------
    InputError, RowAlignmentError
        As in `identification_risk`.

    Notes
    -----
    The search uses at most 1,000 targets and at most 400,000 pairs of a target and a released record with the same known
    values. Within the search, the norm is the box norm. The result for the chosen set uses all targets and the norm of the
    intruder.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people = pd.DataFrame({"region": list("NS") * 50, "age": rng.integers(20, 60, 100), "vote": rng.integers(0, 2, 100)})
    >>> release = people.assign(vote=rng.permutation(people["vote"]))  # age has its confidential values
    >>> intruder = sl.Intruder(known=["region"], synthesized=["age", "vote"])
    >>> sl.chosen_variables_risk(people, release, intruder).variables
    ('age',)
    """
    check_intruder(intruder, "identification_risk", ("boundary", "missing", "convention", "targets"))
    return choose_variables(confidential, synthetic, intruder, identification_risk(confidential, synthetic, intruder))


def choose_variables(
    confidential: FrameLike, synthetic: FrameOrFrames, intruder: Intruder, found: IdentificationRiskResult
) -> ChosenVariablesResult:
    """Return the result of `chosen_variables_risk`; `found` is the match risk with all synthesized variables."""
    prepared = prepare(confidential, synthetic, intruder, warned=True)
    search = _Search.of(prepared)
    names = prepared.intruder.synthesized
    every = tuple(range(len(names)))
    best = search.best(every)
    observed = best[0]
    risks = {tuple(names): found.expected_match_risk, (): found.known_only}
    chosen = tuple(names[column] for column in observed[1])
    if chosen not in risks:
        count, own = replace(prepared, intruder=_using(prepared.intruder, chosen)).match()[1]
        risks[chosen] = (own / np.maximum(count, 1)).sum(axis=0)
    variables = max(risks, key=lambda one: float(risks[one].mean()))
    return ChosenVariablesResult(
        variables,
        risks[variables],
        observed[0],
        _checks.read_only(np.array([value for value, _ in best[1:]])),
        int(prepared.targets.size),
        search.looked_up,
    )


def _using(intruder: Intruder, names: Sequence[str]) -> Intruder:
    """Return the intruder with a subset of the synthesized variables."""
    radii = {name: value for name, value in intruder.radii.items() if name in intruder.known or name in names}
    return replace(intruder, synthesized=list(names), radius=radii or None)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Pairs of a sampled target and a released record with its known values, in one dataset."""

    agree: list[BoolArray]  # one array of shape (pairs,) per synthesized variable
    offsets: IntArray  # (targets with a pair,), first pair of each target
    own: IntArray  # (1 + PERMUTED, targets with a pair), pair of the own record; -1 if its known values differ

    def found(self, columns: Sequence[int]) -> FloatArray:
        """Return the expected number of identified targets, in the release and in each permuted one."""
        if not self.offsets.size:
            return np.zeros(len(self.own))
        fits = np.ones(self.agree[0].size if self.agree else 0, dtype=bool)
        for column in columns:
            fits = fits & self.agree[column]
        counts = np.maximum(np.add.reduceat(fits.astype(np.int64), self.offsets), 1)
        found: FloatArray = np.where(self.own >= 0, fits[np.maximum(self.own, 0)] / counts, 0.0).sum(axis=1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The search on a sample of targets."""

    parts: list[_Part]
    looked_up: int

    @classmethod
    def of(cls, prepared: Prepared) -> _Search:
        """Sample targets, and compare each with the released records that have its known values."""
        rng = np.random.default_rng(SEED)
        asked, names = prepared.intruder, prepared.intruder.synthesized
        known = [c for c in asked.known if c not in asked.radii]
        codes, _, *others = prepared._codes(known)
        order = rng.permutation(prepared.targets.size)[:TARGETS]
        counts = np.zeros(order.size, dtype=np.int64)
        for other in others:
            values, frequency = np.unique(other, return_counts=True)
            place = np.minimum(np.searchsorted(values, codes[prepared.targets[order]]), values.size - 1)
            there = values[place] == codes[prepared.targets[order]]
            counts += np.where(there, frequency[place], 0)
        fits = int(np.searchsorted(np.cumsum(counts), PAIRS, side="right"))
        order = np.sort(order[: max(1, fits)])
        rows = prepared.targets[order]
        columns = list(asked.radii)
        intervals = prepared.intervals(columns).take(order) if columns else None
        centre = exact_floats(prepared.confidential, columns)[rows]
        by_value = {c: prepared._codes([c]) for c in names if c not in asked.radii}
        parts = []
        for number, (frame, other) in enumerate(zip(prepared.frames, others, strict=True)):
            by_code = np.argsort(other, kind="stable")
            start = np.searchsorted(other[by_code], codes[rows], side="left")
            stop = np.searchsorted(other[by_code], codes[rows], side="right")
            length = stop - start
            target = np.repeat(np.arange(rows.size), length)
            first = np.cumsum(length) - length
            record = by_code[np.arange(target.size) - np.repeat(first - start, length)]
            agree: dict[str, BoolArray] = {}
            always = np.ones(target.size, dtype=bool)
            numbers = exact_floats(frame, columns)
            for column, name in enumerate(columns):
                ends = cast("Intervals", intervals)
                inside = _inside(numbers[record, column], target, ends, column, centre[:, column], asked.missing)
                if name in asked.known:
                    always &= inside
                else:
                    agree[name] = inside
            for name, (here, _, *there) in by_value.items():
                agree[name] = here[rows][target] == there[number][record]
            rank = np.empty(other.size, dtype=np.int64)
            rank[by_code] = np.arange(other.size)
            own = np.full((1 + PERMUTED, rows.size), -1)
            same = other[rows] == codes[rows]
            own[0, same] = (first + rank[rows] - start)[same]
            for draw in range(1, 1 + PERMUTED):
                moved = by_code[_within(other[by_code], rng)]  # record whose values replace the values of each record
                taken = np.empty(other.size, dtype=np.int64)
                taken[by_code] = moved
                own[draw, same] = (first + rank[taken[rows]] - start)[same]
            present = length > 0
            parts.append(_Part([agree[name] & always for name in names], first[present], own[:, present]))
        return cls(parts, rows.size)

    def best(self, every: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        """Return the largest share of identified targets and its set of variables, per release."""
        seen: dict[tuple[int, ...], FloatArray] = {}

        def found(columns: tuple[int, ...]) -> FloatArray:
            key = tuple(sorted(columns))
            if key not in seen:
                seen[key] = sum((part.found(key) for part in self.parts), np.zeros(1 + PERMUTED)) / (
                    len(self.parts) * self.looked_up
                )
            return seen[key]

        results = []
        for draw in range(1 + PERMUTED):
            tried = [(float(found(one)[draw]), one) for one in [(), every, *((column,) for column in every)]]
            value, columns = max(tried[2:])
            for _ in range(MOST):
                longer = [(float(found((*columns, c))[draw]), (*columns, c)) for c in every if c not in columns]
                if not longer or max(longer)[0] <= value:
                    break
                value, columns = max(longer)
                tried.append((value, columns))
            value, columns = max(tried, key=lambda one: one[0])
            results.append((value, tuple(sorted(columns))))
        return results


def _inside(
    values: FloatArray, target: IntArray, intervals: Intervals, place: int, centre: FloatArray, missing: str
) -> BoolArray:
    """Return whether the released number of each pair lies in the interval of the target."""
    lower, upper = intervals.lower[target, place], intervals.upper[target, place]
    inside = (values >= lower) & (values <= upper) if intervals.closed else (values > lower) & (values < upper)
    if missing == "category":
        inside |= np.isnan(values) & np.isnan(centre[target])
    return np.asarray(inside)


def _within(codes: IntArray, rng: np.random.Generator) -> IntArray:
    """Return a random permutation of positions within each run of equal codes."""
    return np.lexsort((rng.random(codes.size), codes))
