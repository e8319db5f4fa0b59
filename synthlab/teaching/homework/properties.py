"""Properties of answers with many correct forms, computed from the data.

A property takes the answer and its settings. It returns None if the answer is correct, a hint, or a share of the points with
a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from synthlab._checks import missing_mask
from synthlab._typing import BoolArray
from synthlab._warnings import quiet
from synthlab.exceptions import SynthlabError
from synthlab.intruder import Intruder
from synthlab.release import Release, as_release
from synthlab.risk import identification_risk
from synthlab.teaching.homework.check_disclosure import guarded_secret
from synthlab.teaching.homework.check_recoding import recoding_problem
from synthlab.teaching.homework.check_weights import balanced_weights, count_mechanism, protected_tables
from synthlab.teaching.homework.class_seeds import class_sample

Property = Callable[[Any, Mapping[str, Any]], str | tuple[float, str] | None]


def protected_release(answer: Any, settings: Mapping[str, Any]) -> str | tuple[float, str] | None:
    """Check a student's release: synthesized variables, risk and kept statistics.

    Settings: ``dataset``, ``n`` and ``class`` say which rows are confidential (`class_sample`); ``known``,
    ``synthesized`` and, for amounts, ``radius`` are the intruder's; ``m`` is the number of datasets. What is asked for,
    each only where it is set:

    - ``most_as_is``: as many records that are alone in the confidential data may have their true values in every dataset;
    - ``most_risk``: the largest expected match risk, averaged over the datasets;
    - ``most_record_risk``: the largest match probability of a record, averaged over the datasets;
    - ``keeps``: a list of mappings with ``group``, ``outcome`` and ``most_error``: the mean of the outcome in every group,
      averaged over the datasets, may be off by that much.

    A release that exposes unchanged records earns nothing; neither does a release that only protects or only keeps, nor one with
    two equal datasets or from which the synthesized variables can be learned (`recoding_problem`).
    Otherwise, the share of the points is the share of the requirements that it meets.
    """
    frame = class_sample(settings["dataset"], settings["n"], settings["class"])
    try:
        release = as_release(answer)
    except SynthlabError as error:
        return f"it is not a release: {error}"
    if release.m != settings["m"]:
        return f"it has {release.m} dataset{'s' if release.m > 1 else ''}, but {settings['m']} are required."
    who = Intruder(
        known=list(settings["known"]), synthesized=list(settings["synthesized"]), radius=settings.get("radius")
    )
    means = [column for one in settings.get("keeps", ()) for column in (one["group"], one["outcome"])]
    problem = (
        _columns_problem(frame, release, who.synthesized)
        or _type_problem(frame, release, means)
        or _as_is_problem(frame, release, who, settings)
    )
    if problem:
        return problem
    try:
        if problem := recoding_problem(frame, release.frames, who.synthesized, radius=settings.get("radius")):
            return problem
        protects = _risk_problems(frame, release, who, settings)
    except SynthlabError as error:
        return f"its risk cannot be measured: {error}"
    keeps = [_mean_problem(frame, release, **one) for one in settings.get("keeps", ())]
    return _judgement(protects, keeps)


def _judgement(protects: Sequence[str | None], keeps: Sequence[str | None]) -> str | tuple[float, str] | None:
    """Return the first problem, with a share of the points if both sides earn some."""
    asked = [*protects, *keeps]
    problems = [one for one in asked if one]
    if not problems:
        return None
    one_sided = any(side and all(side) for side in (protects, keeps))
    return problems[0] if one_sided else (1 - len(problems) / len(asked), problems[0])


def _as_is_problem(frame: pd.DataFrame, release: Release, who: Intruder, settings: Mapping[str, Any]) -> str | None:
    """Return a hint if too many unique records keep their values in every dataset."""
    if "most_as_is" not in settings:
        return None
    alone = ~frame.duplicated([*who.known, *who.synthesized], keep=False).to_numpy()
    as_is = np.logical_and.reduce([_same(one[c], frame[c]) for one in release for c in who.synthesized])
    exposed = int((alone & as_is).sum())
    if exposed <= settings["most_as_is"]:
        return None
    return (
        f"{exposed:,} of the records that are unique in the confidential data are released with their true values in all "
        f"{release.m} datasets{_at_most(settings['most_as_is'])}. An intruder who finds the same row {release.m} times will believe it."
    )


def _risk_problems(
    frame: pd.DataFrame, release: Release, who: Intruder, settings: Mapping[str, Any]
) -> list[str | None]:
    """Compare mean and largest risk with their limits; ignore useless attacks."""
    asked = [name for name in ("most_risk", "most_record_risk") if name in settings]
    if not asked:
        return []
    with quiet():
        risks = identification_risk(frame, release, who).record_match_risk.mean(axis=1)
    problems: list[str | None] = []
    for name in asked:
        most = settings[name]
        too_exposed = int((risks > most + 1e-9).sum())
        if name == "most_risk" and risks.sum() > most + 1e-9:
            problems.append(
                f"its expected match risk is {risks.sum():,.4g}{_at_most(most)}. Which rows still contain the true values? A "
                "smaller model reproduces fewer of them."
            )
        elif name == "most_record_risk" and too_exposed:
            problems.append(
                f"the mean hides the exposed people: {too_exposed:,} of {len(risks):,} people are found with a probability of "
                f"more than {most:g}, averaged over the {release.m} datasets, the worst (row {int(risks.argmax())}) with "
                f"{risks.max():.2g}. Which people share their unchanged values with few others?"
            )
        else:
            problems.append(None)
    return problems


def _at_most(allowed: float) -> str:
    return f", and at most {allowed:,} is allowed" if allowed else ", and none may be"


def _mean_problem(frame: pd.DataFrame, release: Release, group: str, outcome: str, most_error: float) -> str | None:
    truth = frame.groupby(group, observed=True)[outcome].mean()
    made = sum(one.groupby(group, observed=True)[outcome].mean() for one in release) / release.m
    off = float((made - truth).abs().max())
    if off <= most_error:
        return None
    return (
        f"the mean of {outcome!r} in some group of {group!r} is off by {off:.2f}, but at most {most_error} is allowed. Is "
        f"{group!r} in your model, and is the noise of the model small?"
    )


def _columns_problem(frame: pd.DataFrame, release: Release, synthesized: Sequence[str]) -> str | None:
    if release.n != len(frame) or list(release[0].columns) != list(frame.columns):
        return (
            f"every dataset must have the {len(frame):,} rows and the columns of the confidential data, in their order."
        )
    for number, one in enumerate(release, start=1):
        kept = [c for c in frame.columns if c not in synthesized and not _same(one[c], frame[c]).all()]
        if kept:
            return f"dataset {number} changes {kept[0]!r}, which must not be synthesized."
        same = [c for c in synthesized if _same(one[c], frame[c]).all()]
        if same:
            return f"dataset {number} releases {same[0]!r} unchanged; it must be synthesized."
    return None


def _same(one: pd.Series, other: pd.Series) -> BoolArray:
    """Return the rows in which two columns are equal; missing equals missing."""
    gone, there = missing_mask(one), ~missing_mask(other)
    same = gone & ~there
    both = ~gone & there
    same[both] = one.to_numpy(dtype=object)[both] == other.to_numpy(dtype=object)[both]
    return same


def _type_problem(frame: pd.DataFrame, release: Release, columns: Sequence[str]) -> str | None:
    """Return a hint if a numeric column is no longer numeric, such as a categorical."""
    for number, one in enumerate(release, start=1):
        for column in columns:
            if is_numeric_dtype(frame[column].dtype) and not is_numeric_dtype(one[column].dtype):
                return (
                    f"dataset {number} contains {column!r} as {one[column].dtype}, but the confidential data contain numbers: "
                    f"convert it with .astype({{{column!r}: {str(frame[column].dtype)!r}}})."
                )
    return None


PROPERTIES: dict[str, Property] = {
    "balanced_weights": balanced_weights,
    "count_mechanism": count_mechanism,
    "guarded_secret": guarded_secret,
    "protected_release": protected_release,
    "protected_tables": protected_tables,
}
