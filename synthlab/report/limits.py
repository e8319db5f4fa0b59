"""Limits on the numbers of a report, and whether a release keeps them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from synthlab import _checks
from synthlab._format import percent
from synthlab.exceptions import InputError
from synthlab.report.measure import WRITE, Row, round_share
from synthlab.report.measures import MEASURES, all_rows, measured
from synthlab.report.small_groups import for_publication

if TYPE_CHECKING:
    from synthlab.report.evaluation_data import EvaluationData

State = Literal["held", "broken", "not measured", "not defined"]


@dataclass(frozen=True, slots=True)
class Limit:
    """Largest allowed value of one number.

    `share` states whether it was given as a percentage.
    """

    name: str
    value: float
    share: bool

    def applies_to_share(self, row: Row) -> bool:
        """Return whether a limit on people is a share: a percentage, or below 1."""
        return row.kind == "people" and (self.share or 0 < self.value < 1)

    def number(self, row: Row, result: EvaluationData) -> float:
        """Return the number of a row, as a share of the people if the limit is a share."""
        if not self.applies_to_share(row):
            return row.release
        return row.release / (result.question.targets.size if math.isnan(row.of[0]) else row.of[0])

    def __str__(self) -> str:
        return percent(self.value) if self.share else f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome for one limit: the worst number, and whether it exceeds `allowed`.

    A limit is not held if its number was not measured or is not defined. A limit on a utility measure is broken if the
    result is too good for independent synthetic data.
    """

    limit: Limit
    label: str
    value: float | str
    text: str
    intruder: str
    state: State
    allowed: str
    share: bool = False


def check_limits(limits: object) -> tuple[Limit, ...]:
    """Validate a mapping {name of a number of the summary: largest value}.

    A limit on a number of people is a share of them if it is below 1 or a text such as "1%".
    """
    found = {} if limits is None else _checks.check_mapping(limits, "limits", "{number: largest value}")
    known = [name for measure in MEASURES.values() for name in measure.numbers]
    for name in found:
        if name not in known:
            raise InputError(
                f"limits: unknown name {_checks.shown(name)}; allowed names are {', '.join(known)}{_checks.did_you_mean(name, known)}"
            )
    return tuple(_limit(name, value) for name, value in found.items())


def _limit(name: str, value: object) -> Limit:
    share = isinstance(value, str) and value.strip().endswith("%")
    if isinstance(value, str):
        try:
            value = float(value.strip().removesuffix("%"))
        except ValueError:
            raise InputError(f"limits[{name!r}]: cannot be read; use a number or a percentage such as '1%'") from None
    number = _checks.check_number(value, f"limits[{name!r}]", low=0.0, high=100.0 if share else math.inf)
    return Limit(name, number / 100 if share else number, share)


def outcomes(result: EvaluationData, *, publish: bool = False) -> list[Outcome]:
    """Compare every limit with the worst of the intruders."""
    return [_outcome(limit, result, publish) for limit in result.limits]


def _outcome(limit: Limit, result: EvaluationData, publish: bool) -> Outcome:
    found = [
        (name, row, limit.number(row, one))
        for name, one in result.intruders.items()
        for measure, computed in measured(one.results)
        if limit.name in measure.numbers
        for row in measure.rows(computed, one.question)
        if row.name == limit.name
    ]
    if len(found) < len(result.intruders):
        return Outcome(limit, limit.name, math.nan, "not measured", "", "not measured", str(limit))
    name, row, value = max(found, key=lambda entry: math.inf if math.isnan(entry[2]) else entry[2])
    if math.isnan(value):
        return Outcome(limit, row.label, math.nan, "not defined", name, "not defined", str(limit))
    share = limit.applies_to_share(row)
    write: Callable[[float], str] = percent if share or limit.share else WRITE[row.kind]
    shown = _published(row, limit, result.intruders[name]) if publish else value
    text = shown if isinstance(shown, str) else write(shown)
    allowed = write(limit.value) if share or row.kind == "share" else str(limit)
    if value > limit.value and text == allowed:  # rounding must not hide a broken limit
        more = "more" if publish else f"{value:.6g}"
        text, allowed = f"{text} ({more})", f"{allowed} ({limit.value:.6g})"
    state: State = "broken" if value > limit.value or limit.name in _too_good(result) else "held"
    return Outcome(limit, row.label, shown, text, name, state, allowed, share)


def _published(row: Row, limit: Limit, result: EvaluationData) -> float | str:
    """Return the number of a row for publication, as a share of the people if the limit is a share."""
    numbers = for_publication(result)
    rows = [one for one in all_rows(numbers.results, numbers.question) if one.name == row.name]
    shown = rows[0].published()["synthetic"] if rows else math.nan
    if isinstance(shown, str) or not limit.applies_to_share(row):
        return shown
    total = result.question.targets.size if math.isnan(row.of[0]) else row.of[0]
    return round_share(shown, total)


def _too_good(result: EvaluationData) -> set[str]:
    """Return the utility numbers that are too good for independent synthetic data."""
    return {
        number
        for one in result.intruders.values()
        for measure, computed in measured(one.results, "utility")
        if measure.too_good(computed, one.question) is not None
        for number in measure.numbers
    }
