"""Warnings about rare and unchanged confidential values in a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._description import FEWEST as RARE, rare_values
from synthlab._warnings import warn
from synthlab.exceptions import (
    RareValueWarning,
    ReleasedUnchangedWarning,
    RepeatedIdentifierWarning,
    UndeclaredCodeWarning,
)
from synthlab.io.column_warnings import code_words
from synthlab.io.read_files import NOTE
from synthlab.matching.match_inputs import determines, follows

IDENTIFIES = 0.5  # share of records with a unique value from which a warning is issued


def warn_of_rare(confidential: pd.DataFrame, frames: Sequence[pd.DataFrame], smoothed: dict[str, bool]) -> None:
    """Warn if a release contains rare confidential values.

    For smoothed numbers, only the smallest and largest are checked, because other numbers can be equal by chance.
    """
    found = {}
    for column, moved in smoothed.items():
        counts = confidential[column].value_counts()
        rare = counts.index[(counts > 0) & (counts < RARE)]
        if moved and len(rare):
            numbers = _checks.as_float(confidential[column].dropna())
            rare = rare[np.isin(np.asarray(rare, dtype=np.float64), [numbers.min(), numbers.max()])]
        if len(rare) == 0:
            continue
        released = pd.concat([frame[column] for frame in frames]).dropna().unique()
        again = int(pd.Index(rare).isin(released).sum())
        if again:
            found[column] = f"{column!r} ({'its smallest or largest number' if moved else f'{again} values'})"
    if found:
        named = ", ".join(list(found.values())[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
        warn(
            f"the release contains values that fewer than {RARE} confidential records have: {named}. Anyone who knows "
            "that only one person can have such a value can see that this person took part. Merge rare categories, "
            "or topcode numbers, before the synthesis",
            RareValueWarning,
        )


def warn_of_declared(confidential: pd.DataFrame, public_levels: Iterable[str], rules: Iterable[Any]) -> None:
    """Warn if 1 or 2 confidential records have a level or value declared public."""
    found = []
    for column in public_levels:
        counts = confidential[column].value_counts()
        rare = int(((counts > 0) & (counts < RARE)).sum())
        found += [f"public_levels: {rare} level{'s' * (rare > 1)} of {column!r}"] if rare else []
    for rule in rules:
        rare = rare_values(rule, confidential) if getattr(rule, "public", False) else 0
        if rare:
            column = rule.stated_values[0]
            found.append(f"constraints: {rare} value{'s' * (rare > 1)} of {type(rule).__name__} for {column!r}")
    if found:
        warn(
            f"{'; '.join(found)} were declared public, but fewer than {RARE} confidential records have each of them. "
            "Levels are published as declared; such values of a constraint are left out of the plan. Declare only "
            "values that are known without the file, such as the answers of the questionnaire",
            RareValueWarning,
        )


def warn_of_codes(frame: pd.DataFrame, declared: Mapping[str, Sequence[float]]) -> None:
    """Warn if columns contain undeclared codes of missing values.

    `synthlab.read` has already issued these warnings for the files that it read.
    """
    if NOTE in frame.attrs:
        return
    for column in map(str, frame):
        if codes := _checks.undeclared_codes(frame[column], declared.get(column, ())):
            number = not isinstance(codes[0], str)
            remedy = (
                f"declare it with missing_codes={{{column!r}: {codes}}}" if number else "replace it by a missing value"
            )
            warn(
                f"confidential: column {column!r} contains {code_words(codes)}; if so, {remedy}",
                UndeclaredCodeWarning,
            )


def warn_of_computed(columns: Sequence[str]) -> None:
    """Warn about columns that are computed from kept columns only."""
    if columns:
        warn(
            f"keep: {_checks.named(columns)} is computed from columns that are released unchanged, so it has its "
            "confidential values; synthesize one of the columns, or leave them out of the file",
            ReleasedUnchangedWarning,
        )


def warn_of_unchanged(
    confidential: pd.DataFrame, released: pd.DataFrame, made: Iterable[str], kept: Iterable[str]
) -> None:
    """Warn if synthetic values are nearly the confidential ones.

    Also warn if a kept variable identifies people or determines a synthesized variable.
    """
    made = list(made)
    same = [c for c in made if follows(confidential[c], released[c])]
    if same:
        warn(
            f"models: {_checks.named(same)} has nearly its confidential values in the release, row by row, so it "
            "is not protected. Use larger leaves, other predictors, or another synthesizer",
            ReleasedUnchangedWarning,
        )
    for column in kept:
        alone = int((confidential[column].value_counts() == 1).sum())
        if alone > IDENTIFIES * len(confidential):
            warn(
                f"keep: {column!r} is released unchanged and identifies {alone:,} of {len(confidential):,} "
                "people by itself: anyone who knows it, for example from another release of the survey, can find these "
                "people. Round it, calibrate it, or synthesize it",
                ReleasedUnchangedWarning,
            )
        determined = [c for c in made if determines(confidential[column], confidential[c])]
        if determined:
            warn(
                f"keep: {column!r} is released unchanged and determines {_checks.named(determined)} of every record; "
                f"also synthesize {column!r}, or leave it out of the file",
                ReleasedUnchangedWarning,
            )


def warn_of_repeated(identifiers: Sequence[str]) -> None:
    """Warn if records of one person or household are synthesized independently."""
    if identifiers:
        warn(
            f"identifiers: several records have the same value of {_checks.named(identifiers)}, but each record is "
            "synthesized by itself. Within-person structure is not synthesized: a person can have two birth dates in the "
            "release. Do not analyze changes within persons or households; name the column in `unit` to synthesize whole "
            "persons or households",
            RepeatedIdentifierWarning,
        )
