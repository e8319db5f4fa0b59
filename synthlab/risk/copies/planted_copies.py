"""Planted copies: how many copies of people in a release would be reported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, RngLike
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release
from synthlab.risk.copies._surprise import FEW_VALUES, best_scores, places
from synthlab.risk.copies.copied_people import copied_people
from synthlab.risk.copies.near_copies import CANDIDATES, PEOPLE, NearCopiesResult, graded, judge, near_copies

SHARES = (0.01, 0.05)  # planted shares of the file, next to PEOPLE people
NOISE = 0.03  # relative standard deviation
ALIKE = 2  # columns that may differ from a copy that is counted
KINDS = ("whole", "noise")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlantedCopiesResult(Result):
    """Which copies of people would be reported if they were in the release.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per kind of copies ("whole", or with 3% "noise") and number of people. Columns: `copied`, the level that
        `copied_people` would report, and `near`, the level of `near_copies`: "STOP", "CHECK" or None; `found`, whether one of
        them is reported. A kind of copies that is found for a number of people is not tried for larger numbers.
    n : int
        Confidential people, or units.
    what : str
        What is copied: "people" or "units".
    """

    table: pd.DataFrame
    n: int
    what: str = "people"

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table

    def found_from(self, kind: str) -> float:
        """Return the smallest number of people whose copies are found; infinity if none was found.

        Parameters
        ----------
        kind : {"whole", "noise"}
            Copies without or with noise.
        """
        _checks.check_choice(kind, "kind", KINDS)
        found = [place[1] for place in self.table.index[self.table["found"].astype(bool)] if place[0] == kind]
        return float(min(found, default=math.inf))

    @property
    def title(self) -> str:
        """Sentence that states which copies would have been found."""
        if self.table.empty:
            return (
                f"Copies of {self.what} cannot be found in this release, because {self.n:,} {self.what} or their released records are fewer "
                f"than {PEOPLE}."
            )
        whole, noise = (self.found_from(kind) for kind in KINDS)
        most = max(people for _, people in self.table.index)
        if math.isinf(whole):
            first = f"Copies of up to {most:,} {self.what} would not have been found"
            return f"{first}, neither whole nor with 3% noise." if math.isinf(noise) else f"{first}."
        first = f"Copies of {whole:,.0f} or more {self.what} would have been found"
        if noise <= whole:
            return f"{first}, also with 3% noise."
        return (
            f"{first}; copies with 3% noise only from {noise:,.0f}."
            if math.isfinite(noise)
            else f"{first}; copies of up to {most:,} {self.what} with 3% noise would not."
        )


@explains_arguments
def planted_copies(
    confidential: FrameLike,
    release: FrameOrFrames,
    *,
    variables: ColumnNames | None = None,
    partial: bool = False,
    categorical: ColumnNames = (),
    sample: int = 1500,
    rng: RngLike = 1,
) -> PlantedCopiesResult:
    """State which copies of people would have been found in a release.

    The records of 10 people, and of 1% and 5% of the people, replace released records of the first dataset, once unchanged and
    once with 3% noise, and `copied_people` and `near_copies` are applied again. A small file, or a file with few variables,
    can contain copies that no measure finds.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected; at least 20 rows.
    release : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets of at least 20 rows, in any order.
    variables : sequence of str, optional
        The compared variables. Default: all columns that both files have.
    partial : bool, default False
        Whether the release is partially synthetic, so that `variables` are the synthesized variables.
    categorical : sequence of str
        Categorical variables that are stored as numbers. Default: none.
    sample : int, default 1500
        As in `near_copies`.
    rng : int, numpy.random.Generator or None, default 1
        Seed of the people, of the noise and of the samples.

    Returns
    -------
    PlantedCopiesResult

    Raises
    ------
    InputError
        As in `near_copies`.
    DtypeMismatchError
        A column has another type in the release.

    Notes
    -----
    The answer refers to one random set of people. It is meaningful if nothing is found without planted copies. Numbers are
    multiplied by normal variables with mean 1 and standard deviation 0.03, and whole numbers are rounded again; dates are
    moved by 3% of their standard deviation. Planted copies do not change the distributions with which `near_copies` computes
    its scores, and do not become twins of released records.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people, others = (pd.DataFrame(rng.normal(100, 9, size=(900, 4)).round(1), columns=list("abcd")) for _ in range(2))
    >>> print(sl.planted_copies(people, others).title)
    Copies of 10 or more people would have been found; copies of up to 45 people with 3% noise would not.
    """
    frame = _checks.check_frame(confidential, "confidential")
    made = as_release(release, name="release", like=frame)
    near = near_copies(
        frame, made, variables=variables, partial=partial, categorical=categorical, sample=sample, rng=rng
    )
    return planted(frame, made[0], near, categorical, rng)


def planted(
    frame: pd.DataFrame,
    dataset: pd.DataFrame,
    near: NearCopiesResult,
    categorical: ColumnNames,
    rng: RngLike,
    what: str = "people",
) -> PlantedCopiesResult:
    """Return the result for the first dataset, with the scores of `near_copies`."""
    names = list(near.variables)
    categories = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    files = _checks.with_plain_numbers([frame, dataset], names)
    own, released = _checks.with_dates(files, names, categories)
    n, size = len(own), len(released)
    numbers = sorted({PEOPLE, *(math.ceil(share * n) for share in SHARES)})
    numbers = [number for number in numbers if PEOPLE <= number <= min(n, size)]
    draw = _rng.as_generator(rng)
    rows: dict[tuple[str, int], tuple[str | None, str | None, bool]] = {}
    if numbers:
        people = draw.permutation(n)[: numbers[-1]]
        replaced = draw.permutation(size)[: numbers[-1]]
        chosen = own[names].iloc[people].reset_index(drop=True)
        for kind in KINDS:
            copies = chosen if kind == "whole" else _with_noise(chosen, own, categories, draw)
            evidence = _near(own, released, copies, near, numbers, categories)
            alike = _differing(chosen, copies, names) <= ALIKE
            for number, (beyond, z) in zip(numbers, evidence, strict=True):
                level = graded(beyond, z, near.partial)
                whole = None
                if level is None and alike[:number].sum() >= PEOPLE:
                    mixed = released[names].drop(index=released.index[replaced[:number]])
                    mixed = pd.concat([mixed, copies[:number]], ignore_index=True)
                    found = copied_people(own, mixed, variables=names, partial=near.partial, categorical=categories)
                    whole = found.level
                rows[kind, number] = whole, level, whole is not None or level is not None
                if rows[kind, number][2]:
                    break
    index = pd.MultiIndex.from_tuples(rows, names=["kind", "people"]) if rows else None
    return PlantedCopiesResult(
        pd.DataFrame(list(rows.values()), index=index, columns=["copied", "near", "found"]), near.n, what
    )


def _with_noise(
    chosen: pd.DataFrame, frame: pd.DataFrame, categories: Sequence[str], rng: np.random.Generator
) -> pd.DataFrame:
    """Return records whose numbers and dates have noise."""
    changed: dict[str, pd.Series] = {}
    for name in map(str, chosen.columns):
        if name in categories or not _checks.is_measured(frame[name]) or frame[name].nunique() <= FEW_VALUES:
            continue
        error = NOISE * rng.normal(size=len(chosen))
        if pd.api.types.is_numeric_dtype(frame[name]):
            values = _checks.measurements(chosen[name])
            own = _checks.measurements(frame[name])
            noisy = values * (1 + error)
            whole = bool((np.isnan(own) | (own == np.rint(own))).all())
            changed[name] = pd.Series(np.rint(noisy) if whole else noisy, index=chosen.index)
        else:
            days = _checks.measurements(frame[name])
            moved = np.rint(error * np.nanstd(days)).astype("timedelta64[D]")
            changed[name] = chosen[name] + moved
    return chosen.assign(**changed)


def _differing(chosen: pd.DataFrame, copies: pd.DataFrame, names: Sequence[str]) -> FloatArray:
    """Return the number of columns in which each copy differs from its person."""
    differ = np.zeros(len(chosen))
    for name in names:
        first, second = block_codes([chosen, copies], [name], "category")
        differ += first != second
    return differ


def _near(
    own: pd.DataFrame,
    released: pd.DataFrame,
    copies: pd.DataFrame,
    near: NearCopiesResult,
    numbers: Sequence[int],
    categories: Sequence[str],
) -> list[tuple[float, float]]:
    """Return the people beyond chance, and the largest z, for the first copies of each number."""
    first = near._first
    every = np.arange(len(copies))
    answer = [(0.0, 0.0)] * len(numbers)
    placed = places([own, released, copies], [first.queries, every[:0], every], [0, 1, 1], near.variables, categories)
    # Only a share of the released records of a large file are compared.
    compared = min(1.0, CANDIDATES / len(released))
    for scale, (columns, (asked, _, planted_places)) in placed.items():
        scores = first.compared[scale]
        chunks = scores.released.shape[1]
        order = np.argsort(every % chunks, kind="stable")
        last = np.array(
            [
                [np.count_nonzero(every[: round(number * compared)] % chunks == q) for number in numbers]
                for q in range(chunks)
            ]
        )
        starts = np.concatenate([[0], np.cumsum(np.bincount(every % chunks, minlength=chunks))[:-1]])
        begins = (starts[:, None] + np.hstack([np.zeros((chunks, 1), dtype=np.int64), last[:, :-1]])).ravel()
        ends = (starts[:, None] + last).ravel()
        found, _ = best_scores(columns, asked, planted_places.take(order), (begins, ends))
        found = found.reshape(len(first.queries), chunks, len(numbers), 2)
        merged = scores.released
        for place in range(len(numbers)):
            merged = np.sort(np.concatenate([merged, found[:, :, place]], axis=2), axis=2)[:, :, :-3:-1]
            row = judge([replace(scores, released=merged)])
            evidence = max(0.0, row.difference) * near.n, row.z
            if _rank(evidence, near.partial) > _rank(answer[place], near.partial):
                answer[place] = evidence
    return answer


def _rank(evidence: tuple[float, float], partial: bool) -> tuple[int, float]:
    return [None, "CHECK", "STOP"].index(graded(*evidence, partial)), evidence[1]
