"""Limits of an agency held against a release, with the worst of the intruders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from synthlab._format import percent
from synthlab.report.evaluated import Evaluated
from synthlab.report.limits import Limit
from synthlab.report.measure import WRITE, Row
from synthlab.report.measures import measured

State = Literal["held", "broken", "not measured", "not defined"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one limit: the worst number over the intruders, and whether it exceeds the limit `allowed`.

    A number that was not measured or is not defined does not hold a limit. A utility that is too good to be true breaks it.
    """

    limit: Limit
    label: str
    value: float | str
    text: str
    intruder: str
    state: State
    allowed: str
    share: bool = False


def verdicts(limits: Iterable[Limit], evaluations: Mapping[str, Evaluated], *, publish: bool = False) -> list[Verdict]:
    """Hold every limit against the worst of the intruders."""
    return [_verdict(limit, evaluations, publish) for limit in limits]


def _verdict(limit: Limit, evaluations: Mapping[str, Evaluated], publish: bool) -> Verdict:
    found = [
        (name, row, _number(limit, row, one))
        for name, one in evaluations.items()
        for measure, result in measured(one.results)
        if limit.name in measure.numbers
        for row in measure.rows(result, one.question)
        if row.name == limit.name
    ]
    suspicious = [
        number
        for one in evaluations.values()
        for measure, result in measured(one.results, "utility")
        if measure.too_good(result, one.question) is not None
        for number in measure.numbers
    ]
    if len(found) < len(evaluations):
        return Verdict(limit, limit.name, math.nan, "not measured", "", "not measured", _plain(limit))
    name, row, value = max(found, key=lambda entry: math.inf if math.isnan(entry[2]) else entry[2])
    if math.isnan(value):
        return Verdict(limit, row.label, math.nan, "not defined", name, "not defined", _plain(limit))
    share = _is_share(limit, row)
    write: Callable[[float], str] = percent if share or limit.share else WRITE[row.kind]
    told = row.published()["synthetic"] if publish else value
    shown = told if isinstance(told, str) or row.step else value
    text = shown if isinstance(shown, str) else write(shown)
    allowed = write(limit.value) if share or row.kind == "share" else _plain(limit)
    state: State = "held" if value <= limit.value and limit.name not in suspicious else "broken"
    if value > limit.value and text == allowed:  # rounding must not hide a broken limit
        text, allowed = f"{text} ({value:.6g})", f"{allowed} ({limit.value:.6g})"
    return Verdict(limit, row.label, shown, text, name, state, allowed, share)


def _plain(limit: Limit) -> str:
    return percent(limit.value) if limit.share else f"{limit.value:g}"


def _is_share(limit: Limit, row: Row) -> bool:
    """Return whether a limit on a number of people is a share of them: a percentage, or a number below 1."""
    return row.kind == "people" and (limit.share or 0 < limit.value < 1)


def _number(limit: Limit, row: Row, one: Evaluated) -> float:
    """Return the number of a row, of people as a share of them where the limit is one."""
    if not _is_share(limit, row):
        return row.release
    return row.release / (one.question.targets.size if math.isnan(row.of[0]) else row.of[0])
