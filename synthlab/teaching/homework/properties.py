"""The properties of an answer with many right forms; computed from the data when it is checked.

A property takes the answer and its settings, and returns None when all is well, a sentence that helps, or a share of the
points with a sentence.
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
from synthlab.teaching.homework.check_weights import balanced_weights, count_mechanism, protected_tables
from synthlab.teaching.homework.class_seeds import class_sample

Property = Callable[[Any, Mapping[str, Any]], str | tuple[float, str] | None]


def protected_release(answer: Any, settings: Mapping[str, Any]) -> str | tuple[float, str] | None:
    """Look at a release of one's own: what was synthesized, how exposed it leaves people, and what it keeps.

    Settings: ``dataset``, ``n`` and ``class`` say which rows are confidential (`class_sample`); ``known``,
    ``synthesized`` and, for amounts, ``radius`` are the intruder's; ``m`` is the number of datasets. What is asked for,
    each only where it is set:

    - ``most_as_is``: as many records that are alone in the confidential data may have their true values in every dataset;
    - ``most_risk``: the largest expected match risk, averaged over the datasets;
    - ``most_record_risk``: the largest match probability of a record, averaged over the datasets;
    - ``keeps``: a list of mappings with ``group``, ``outcome`` and ``most_error``: the mean of the outcome in every group,
      averaged over the datasets, may be off by that much.

    A release that exposes records as they are earns nothing; neither does one that only protects, or only keeps.
    Otherwise the share of the points is the share of what is asked for that it fulfils.
    """
    frame = class_sample(settings["dataset"], settings["n"], settings["class"])
    try:
        release = as_release(answer)
    except SynthlabError as error:
        return f"it is not a release: {error}"
    if release.m != settings["m"]:
        return f"it has {release.m} dataset{'s' if release.m > 1 else ''}, asked for are {settings['m']}."
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
        protects = _risk_problems(frame, release, who, settings)
    except SynthlabError as error:
        return f"its risk cannot be measured: {error}"
    keeps = [_mean_problem(frame, release, **one) for one in settings.get("keeps", ())]
    return _judgement(protects, keeps)


def _judgement(protects: Sequence[str | None], keeps: Sequence[str | None]) -> str | tuple[float, str] | None:
    """Return the first problem, with the share of what is fulfilled unless one side is not fulfilled at all."""
    asked = [*protects, *keeps]
    problems = [one for one in asked if one]
    if not problems:
        return None
    one_sided = any(side and all(side) for side in (protects, keeps))
    return problems[0] if one_sided else (1 - len(problems) / len(asked), problems[0])


def _as_is_problem(frame: pd.DataFrame, release: Release, who: Intruder, settings: Mapping[str, Any]) -> str | None:
    """Say how many records that are alone in the confidential data have their true values in every dataset."""
    if "most_as_is" not in settings:
        return None
    alone = ~frame.duplicated([*who.known, *who.synthesized], keep=False).to_numpy()
    as_is = np.logical_and.reduce([_same(one[c], frame[c]) for one in release for c in who.synthesized])
    exposed = int((alone & as_is).sum())
    if exposed <= settings["most_as_is"]:
        return None
    return (
        f"{exposed:,} of the records that are unique in the confidential data are released with their true values in all "
        f"{release.m} datasets{_at_most(settings['most_as_is'])}. Whoever finds the same row {release.m} times believes it."
    )


def _risk_problems(
    frame: pd.DataFrame, release: Release, who: Intruder, settings: Mapping[str, Any]
) -> list[str | None]:
    """Hold the mean and the worst record against what is allowed; an attack no better than its baseline is no problem."""
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
                f"its expected match risk is {risks.sum():,.4g}{_at_most(most)}. Which rows are the people they were? A "
                "smaller model knows fewer of them by name."
            )
        elif name == "most_record_risk" and too_exposed:
            problems.append(
                f"the mean is kind to the crowd: {too_exposed:,} of {len(risks):,} people are found with a probability of "
                f"more than {most:g}, averaged over the {release.m} datasets, the worst (row {int(risks.argmax())}) with "
                f"{risks.max():.2g}. Who shares what is released unchanged with few others?"
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
        f"the mean of {outcome!r} in some group of {group!r} is off by {off:.2f}, and at most {most_error} is allowed. Is "
        f"{group!r} in your model, and is what the model adds to it small?"
    )


def _columns_problem(frame: pd.DataFrame, release: Release, synthesized: Sequence[str]) -> str | None:
    if release.n != len(frame) or list(release[0].columns) != list(frame.columns):
        return (
            f"every dataset must have the {len(frame):,} rows and the columns of the confidential data, in their order."
        )
    for number, one in enumerate(release, start=1):
        kept = [c for c in frame.columns if c not in synthesized and not _same(one[c], frame[c]).all()]
        if kept:
            return f"dataset {number} changes {kept[0]!r}, which is not to be synthesized."
        same = [c for c in synthesized if _same(one[c], frame[c]).all()]
        if same:
            return f"dataset {number} releases {same[0]!r} as it is: that is the confidential column."
    return None


def _same(one: pd.Series, other: pd.Series) -> BoolArray:
    """Return in which rows two columns hold the same value; missing equals missing."""
    gone, there = missing_mask(one), ~missing_mask(other)
    same = gone & ~there
    both = ~gone & there
    same[both] = one.to_numpy(dtype=object)[both] == other.to_numpy(dtype=object)[both]
    return same


def _type_problem(frame: pd.DataFrame, release: Release, columns: Sequence[str]) -> str | None:
    """Say which column was of numbers and is of numbers no longer, as categories of numbers are: they have no mean."""
    for number, one in enumerate(release, start=1):
        for column in columns:
            if is_numeric_dtype(frame[column].dtype) and not is_numeric_dtype(one[column].dtype):
                return (
                    f"dataset {number} holds {column!r} as {one[column].dtype}, and the confidential data as numbers: "
                    f"give it their type with .astype({{{column!r}: {str(frame[column].dtype)!r}}})."
                )
    return None


PROPERTIES: dict[str, Property] = {
    "balanced_weights": balanced_weights,
    "count_mechanism": count_mechanism,
    "guarded_secret": guarded_secret,
    "protected_release": protected_release,
    "protected_tables": protected_tables,
}
