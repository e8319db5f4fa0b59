"""The properties of an answer with many right forms; computed from the data when it is checked.

A property takes the answer and its settings, and returns None when all is well, or a sentence that helps.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from synthlab import datasets
from synthlab._checks import missing_mask
from synthlab._quiet import quiet
from synthlab.exceptions import SynthlabError
from synthlab.intruder import Intruder
from synthlab.lab.homework.secrecy import guarded_secret
from synthlab.release import Release, as_release
from synthlab.risk import identification_risk

CASES = 25


def expected_match_risk_function(answer: Any, settings: Mapping[str, Any]) -> str | None:
    """Hold a function of two frames against the package, on tiny tables made by chance.

    ``answer(confidential, synthetic, known, synthesized)`` must return the expected match risk, the sum of T / c over
    the records with c > 0; all variables are categories.
    """
    if not callable(answer):
        return f"it should be a function, and is {type(answer).__name__}."
    rng = np.random.default_rng(settings.get("seed", 0))
    for case in range(1, CASES + 1):
        truth = _tiny(rng)
        other = truth.assign(y=rng.permutation(truth["y"]))
        result = _quietly(truth, other, ["x"], ["y"])
        count, own = result.match_count[:, 0], result.contains_true[:, 0]
        try:
            given = answer(truth.copy(), other.copy(), ["x"], ["y"])
        except Exception as error:  # noqa: BLE001 - whatever a student's function raises is reported to the student
            return f"it raised {type(error).__name__}: {error}"
        if given is ...:
            return "it is not answered yet: the function returns `...`."
        number = _finite(given)
        if number is None:
            return f"it should return a finite number, and returned {reprlib.repr(given)}."
        if abs(number - float(result.expected_match_risk[0])) > 1e-9:
            return _explain(number, count, own, case)
    return None


def _finite(value: Any) -> float | None:
    """Return a real number as a float, and None for anything else, and for what no float holds."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def _explain(given: float, count: Any, own: Any, case: int) -> str:
    shares = np.divide(own, count, out=np.zeros(count.size), where=count > 0)
    slips = {
        "that is the mean over the records; the expected match risk is a sum.": shares.mean(),
        "that counts every record whose own row matches as 1; whoever has c matches is guessed right with 1 / c.": own.sum(),
        "that adds 1 / c for all records; where the own row does not match (T = 0), the guess is wrong.": np.divide(
            1.0, count, out=np.zeros(count.size), where=count > 0
        ).sum(),
    }
    where = (
        f"On a table with c = {count.astype(int).tolist()} and T = {own.astype(int).tolist()} it returns {given:.4g}"
    )
    hints = [hint for hint, value in slips.items() if abs(given - value) < 1e-9]
    return f"{where} (table {case} of {CASES}): {hints[0] if hints else 'work that table out with a pencil.'}"


def _quietly(confidential: pd.DataFrame, synthetic: Any, known: list[str], synthesized: list[str]) -> Any:
    """Measure the risk; that an attack is no better than its baseline is not what the homework asks."""
    with quiet():
        return identification_risk(confidential, synthetic, Intruder(known=known, synthesized=synthesized))


def _tiny(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(4, 9))
    return pd.DataFrame({"x": rng.choice(list("ab"), n), "y": rng.choice(list("uvw"), n)})


def protected_release(answer: Any, settings: Mapping[str, Any]) -> str | None:
    """Look at a release of one's own: what was synthesized, how exposed it leaves people, and what it keeps.

    Settings: ``dataset``, ``known``, ``synthesized``, ``m``, ``most_risk`` (mean expected match risk), ``group``,
    ``outcome`` and ``most_error``: the mean of the outcome in every group, averaged over the m datasets, may be off by
    that much.
    """
    frame = datasets.load(settings["dataset"]).frame
    try:
        release = as_release(answer)
    except SynthlabError as error:
        return f"it is not a release: {error}"
    known, synthesized = list(settings["known"]), list(settings["synthesized"])
    if release.m != settings["m"]:
        return f"it has {release.m} dataset{'s' if release.m > 1 else ''}, asked for are {settings['m']}."
    problem = _columns_problem(frame, release, synthesized)
    if problem:
        return problem
    try:
        risk = _quietly(frame, release, known, synthesized).expected_match_risk.mean()
    except SynthlabError as error:
        return f"its risk cannot be measured: {error}"
    if risk > settings["most_risk"]:
        return (
            f"its expected match risk is {risk:,.0f}, and at most {settings['most_risk']:,} is allowed. Which rows are the "
            "people they were? A smaller model knows fewer of them by name."
        )
    problem = _type_problem(frame, release, [settings["group"], settings["outcome"]])
    if problem:
        return problem
    off = _largest_error(frame, release, settings["group"], settings["outcome"])
    if off > settings["most_error"]:
        return (
            f"the mean of {settings['outcome']!r} in some group of {settings['group']!r} is off by {off:.2f}, and at most "
            f"{settings['most_error']} is allowed. Is {settings['group']!r} in your model?"
        )
    return None


def _columns_problem(frame: pd.DataFrame, release: Release, synthesized: list[str]) -> str | None:
    if release.n != len(frame) or list(release[0].columns) != list(frame.columns):
        return (
            f"every dataset must have the {len(frame):,} rows and the columns of the confidential data, in their order."
        )
    for number, one in enumerate(release, start=1):
        kept = [c for c in frame.columns if c not in synthesized and not _equal(one[c], frame[c])]
        if kept:
            return f"dataset {number} changes {kept[0]!r}, which is not to be synthesized."
        same = [c for c in synthesized if _equal(one[c], frame[c])]
        if same:
            return f"dataset {number} releases {same[0]!r} as it is: that is the confidential column."
    return None


def _equal(one: pd.Series, other: pd.Series) -> bool:
    """Return whether two columns hold the same values in the same rows; missing equals missing."""
    there = ~missing_mask(other)
    if not np.array_equal(there, ~missing_mask(one)):
        return False
    return bool((one.to_numpy(dtype=object)[there] == other.to_numpy(dtype=object)[there]).all())


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


def _largest_error(frame: pd.DataFrame, release: Release, group: str, outcome: str) -> float:
    truth = frame.groupby(group, observed=True)[outcome].mean()
    made = sum(one.groupby(group, observed=True)[outcome].mean() for one in release) / release.m
    return float((made - truth).abs().max())


PROPERTIES: dict[str, Callable[[Any, Mapping[str, Any]], str | tuple[float, str] | None]] = {
    "expected_match_risk_function": expected_match_risk_function,
    "guarded_secret": guarded_secret,
    "protected_release": protected_release,
}
