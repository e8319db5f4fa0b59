"""Merge values of fewer than 10 people before the numbers of a publication are computed.

An exact number of a report, together with the released files, can reveal how many people have a value. Rounding is not
sufficient because several rounded numbers narrow the count down. A number that is computed from merged values does not
depend on how many of the merged people have which of these values. It still depends on the size of the merged group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import SMALLEST_GROUP
from synthlab._typing import FloatArray
from synthlab._warnings import collected
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measures import MEASURES

if TYPE_CHECKING:
    from synthlab._result import Result
    from synthlab.report.evaluation_data import EvaluationData

OTHERS = "(all others)"  # name of merged levels, as in the figures
FEW = f"It could not be computed after values of fewer than {SMALLEST_GROUP} people were merged."


def check_enough_people(result: EvaluationData) -> None:
    """Raise an error if a number for publication would describe fewer than 10 people."""
    for one in result.intruders.values():
        for number, what in (
            (one.n, "the confidential data have {} records"),
            (one.question.targets.size, "the intruder looks for {} people"),
        ):
            if number < SMALLEST_GROUP:
                raise InputError(
                    f"publish=True: {what.format(f'fewer than {SMALLEST_GROUP}')}, so every number would describe single people; "
                    "do not publish a report on them"
                )


def for_publication(result: EvaluationData) -> EvaluationData:
    """Return the evaluation of the same files after values of fewer than 10 people were merged.

    The roles and relations of the columns are computed from the unmerged files.
    """
    found = [_published(one) for one in (result, *cast("tuple[EvaluationData, ...]", result.others))]
    return replace(found[0], others=tuple(found[1:]))


def _published(result: EvaluationData) -> EvaluationData:
    question = result.question.once(_merged)
    results: dict[str, Result] = {}
    lost: dict[str, tuple[str, ...]] = {}
    for name, computed in result.results.items():
        again = _computed(name, computed, result.question, question)
        if again is None:
            lost[name] = (FEW,)
        else:
            results[name] = again
    return replace(result, question=question, results=results, not_measured={**result.not_measured, **lost})


def _computed(name: str, computed: Result, original: Question, question: Question) -> Result | None:
    """Return the result of a measure for the merged files, or None; it is computed only once."""
    measure = MEASURES[name]
    same = question.confidential is original.confidential
    if measure.of_columns or (same and not measure.groups):
        return computed
    if name not in question._known:
        try:
            with collected():  # the warnings of the evaluation are shown
                question._known[name] = measure.compute(question) if measure.applies(question) is None else None
        except Exception:  # noqa: BLE001 - as in `evaluate`, the other measures are still published
            question._known[name] = None
    found: Result | None = question._known[name]
    return found


def _merged(question: Question) -> Question:
    """Return the inputs for publication, with merged values in all files."""
    frame, release, roles = question.confidential, question.release, question.columns
    new: dict[str, list[pd.Series]] = {}
    files = [frame, *release.frames, *([] if question.control is None else [question.control])]
    for column in roles.comparable:
        series = [one[column] for one in files if column in one.columns]
        if (found := merge_small_groups(series)) is not None:
            new[column] = found
    if not new:
        return replace(question, publish=True, _known=dict(question._known))
    merged = [
        one.assign(**{c: found[place] for c, found in new.items() if c in one.columns})
        for place, one in enumerate(files)
    ]
    datasets = merged[1 : 1 + release.m]
    constant = {c for c in new if pd.concat([one[c] for one in merged]).nunique(dropna=False) < 2}
    return replace(
        question,
        publish=True,
        confidential=merged[0],
        release=Release(datasets, release.synthesized, release.provenance, rows=release.rows),
        control=None if question.control is None else merged[-1],
        variables=[c for c in question.variables if c not in constant],
        _known={},
    )


def merge_small_groups(columns: Sequence[pd.Series]) -> list[pd.Series] | None:
    """Merge the values of one column that fewer than 10 people have.

    A number is replaced by the nearest number that at least 10 people have. Integers between two of these, or beyond
    them, form groups of adjacent integers if at least 10 people have them; numbers of a continuous variable are kept
    there. Other values become one group. A group of 1 to 9 people also gets the smallest other group.

    Parameters
    ----------
    columns : sequence of pandas.Series
        The column in the confidential data, and in the other files.

    Returns
    -------
    list of pandas.Series or None
        The columns with merged values; None if no value is merged.

    Examples
    --------
    >>> own, released = pd.Series([0] * 40 + [1] * 3), pd.Series([0] * 38 + [1] * 5)
    >>> [int(one.sum()) for one in merge_small_groups([own, released])]
    [0, 0]
    """
    own = columns[0]
    counts = own.value_counts(dropna=False)
    if len(own) < SMALLEST_GROUP or not (counts < SMALLEST_GROUP).any():
        return None
    numbers = not isinstance(own.dtype, pd.CategoricalDtype) and not pd.api.types.is_bool_dtype(own.dtype)
    if numbers and all(_checks.is_measured(one) or _checks.is_date(one) for one in columns):
        return _merge_numbers(columns)
    return _merge_levels(columns, counts)


def _merge_levels(columns: Sequence[pd.Series], counts: pd.Series) -> list[pd.Series] | None:
    """Replace rare levels, and the rarest other level if the group is small, by one level."""
    frequent = counts[counts >= SMALLEST_GROUP]
    if frequent.empty:
        return None
    kept = list(frequent.index)
    if counts.sum() - frequent.sum() < SMALLEST_GROUP:
        kept = kept[:-1]
    there = {str(level) for level in kept if not pd.isna(level)}
    missing = any(pd.isna(level) for level in kept)
    merged = []
    for one in columns:
        texts = one.astype(object).map(lambda value: None if pd.isna(value) else str(value))
        gone = texts.isna()
        other = ~gone & ~texts.isin(there)
        merged.append(texts.mask(other if missing else other | gone, OTHERS))
    return merged


def _merge_numbers(columns: Sequence[pd.Series]) -> list[pd.Series] | None:
    """Replace rare numbers by the nearest frequent one, or by that of a group of adjacent numbers."""
    values, own_type = [_checks.measurements(one) for one in columns], columns[0]
    own = values[0][~np.isnan(values[0])]
    if not own.size:
        return None
    distinct, counts = np.unique(own, return_counts=True)
    continuous = _checks.looks_continuous(columns[0])
    frequent = np.flatnonzero(counts >= SMALLEST_GROUP)
    edges = [-1, *frequent.tolist(), distinct.size]
    # Each number becomes the representative of its group; a group begins at its smallest number.
    target = distinct.copy()
    free: list[tuple[float, float]] = []  # intervals whose numbers are kept
    for left, right in pairwise(edges):
        inside = np.arange(left + 1, right)
        people = int(counts[inside].sum())
        if people >= SMALLEST_GROUP and continuous:
            low = distinct[left] if left >= 0 else -np.inf
            free.append((low, distinct[right] if right < distinct.size else np.inf))
        elif people >= SMALLEST_GROUP:
            target[inside] = _adjacent(distinct[inside], counts[inside])
        elif frequent.size:
            target[inside] = _nearest(distinct[inside], distinct[frequent])
        else:
            free.append((-np.inf, np.inf))
    absent = columns[0].isna().sum()
    lost = 0 < absent < SMALLEST_GROUP
    # The median of the release does not depend on the confidential data.
    released = np.concatenate([*values[1:], own[:0]])
    released = released[~np.isnan(released)]
    fill = float(np.quantile(released if released.size else own, 0.5, method="inverted_cdf"))
    merged, changed = [], False
    for one, numbers in zip(columns, values, strict=True):
        new = np.where(np.isnan(numbers) & lost, fill, numbers)
        there = ~np.isnan(new)
        keep = np.zeros(new.size, dtype=bool)
        for low, high in free:
            keep |= (new > low) & (new < high)
        new[there & ~keep] = _nearest(new[there & ~keep], distinct, target) if distinct.size else new[there & ~keep]
        same = np.array_equal(new, numbers, equal_nan=True)
        changed |= not same
        merged.append(pd.Series(new, index=one.index, name=one.name))
    if not changed:
        return None
    return [_like(own_type, one) for one in merged]


def _like(column: pd.Series, numbers: pd.Series) -> pd.Series:
    """Return numbers as dates or durations if the column has such values; their unit is a day."""
    if not _checks.is_date(column):
        return numbers
    spans = pd.Series(pd.to_timedelta(numbers, unit="D"))
    return spans if pd.api.types.is_timedelta64_dtype(column.dtype) else pd.Timestamp(0) + spans


def _nearest(values: FloatArray, places: FloatArray, targets: FloatArray | None = None) -> FloatArray:
    """Return the nearest of the sorted `places`, the lower one of two, or its target."""
    after = np.clip(np.searchsorted(places, values), 1, max(places.size - 1, 1))
    after = np.minimum(after, places.size - 1)
    before = np.maximum(after - 1, 0)
    place = np.where(values - places[before] <= places[after] - values, before, after)
    return np.asarray((places if targets is None else targets)[place])


def _adjacent(values: FloatArray, counts: Any) -> FloatArray:
    """Return the smallest number of each group of adjacent numbers that at least 10 people have."""
    starts, people = [0], 0
    for place, number in enumerate(counts.tolist()):
        if people >= SMALLEST_GROUP and int(counts[place:].sum()) >= SMALLEST_GROUP:
            starts.append(place)
            people = 0
        people += number
    return np.asarray(values[np.repeat(starts, np.diff([*starts, values.size]))])
