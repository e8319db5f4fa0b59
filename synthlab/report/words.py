"""Every number in a sentence about the people in the data.

A number of a report is read by somebody who did not compute it: each one comes with what it means
for people, and with what it would be without the release or with the confidential data themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synthlab.risk.copies import sentence

if TYPE_CHECKING:
    from synthlab.report.evaluation import EvaluationResult
    from synthlab.utility import PmseResult


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report: a measure, its values as text, and what they mean."""

    name: str
    synthetic: str
    confidential: str
    meaning: str


def count(value: float) -> str:
    """Write a number of people: whole from 100 on, else with one decimal; "not defined" for NaN."""
    if math.isnan(value):
        return "not defined"
    value = float(value)
    if value >= 100 or round(value, 9).is_integer():
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def percent(share: float) -> str:
    """Write a share in [0, 1] as a percentage with two significant digits or more."""
    if math.isnan(share):
        return "not defined"
    value = 100 * share
    if value == 0:
        return "0 %"
    return f"{value:.0f} %" if value >= 99.5 else f"{value:.1f} %" if value >= 1 else f"{value:.2g} %"


def number(value: float) -> str:
    """Write a plain number with three significant digits."""
    return "not defined" if math.isnan(value) else f"{value:.3g}"


OVERVIEW: dict[str, tuple[str, Callable[[float], str]]] = {
    "best_intruder": ("best of these intruders", count),
    "expected_match_risk": ("expected match risk", count),
    "true_match_rate": ("true match rate", percent),
    "false_match_rate": ("false match rate", percent),
    "n_unique": ("unique matches", count),
    "exact_copies": ("exact copies", count),
    "unique_copies": ("exact copies of unique records", count),
    "mean_ir": ("mean IR", number),
    "ir_90": ("90 % quantile of IR", number),
    "ecdf_max": ("largest ECDF distance", number),
    "ecdf_mean_square": ("mean squared ECDF gap", number),
    "pmse": ("pMSE", number),
    "pmse_ratio": ("pMSE ratio", number),
}


def overview(result: EvaluationResult) -> list[tuple[str, ...]]:
    """Return the one table: measure, release, confidential data as they are, known variables alone, random guess."""
    table = result.summary()
    rows = []
    for measure, (name, write) in OVERVIEW.items():
        if measure in table.index:
            values = table.loc[measure].to_numpy(dtype=float).tolist()
            rows.append((name, *("" if math.isnan(v) and i > 1 else write(v) for i, v in enumerate(values))))
    return rows


# For publication: without the numbers of rows.
ROWS = {
    "aligned": "Row i of the release is said to be about record i.",
    "compatible": "Rows are taken to correspond, which nothing proves.",
    "refuted": "The rows of the release do not correspond to the confidential records; measures by row do not apply.",
    "unknown": "Whether rows correspond is not known; measures by row are not given.",
}


def headline(result: EvaluationResult, *, publish: bool = False) -> str:
    """Return the first thing to be told: do rows correspond, are records released as they are, who finds most people."""
    people = fewer_than_10 if publish else count
    copies = sentence(result.copies, people)
    rows = ROWS[result.rows.state] if publish else result.rows.text
    if result.best_intruder is None:
        # A shuffled copy with one digit changed in every record has no exact copy.
        return f"{rows} {copies} Few exact copies do not show that a release is safe: a record changed in one value is none."
    parts = [best(result, people)]
    if result.rows.doubt or result.rows.by == "known variables":
        parts.append(rows)
    # Where nothing proves the order of the rows, a copy of a unique record tells as much as a person who was found.
    loose = result.rows.state == "compatible" and float(result.copies.unique_copies.mean()) > result.best_intruder
    worse = loose or bool((result.copies.copies == result.copies.records).all())
    return " ".join([copies, *parts] if worse else [*parts, copies])


def best(result: EvaluationResult, people: Callable[[float], str] = count) -> str:
    """Say how many people the best of the intruders considered finds, and which one that is."""
    risk = result.risk
    if risk is None or result.best_intruder is None:
        return ""
    value, known = float(risk.expected_match_risk.mean()), float(risk.known_only.mean())
    found = f"{people(result.best_intruder)} of {risk.targets.size:,} people{_average(result)}"
    names = ", ".join(result.intruder.known) or "nothing"
    if result.best_intruder == value > known:
        return f"The best of these intruders, who uses the synthetic values, finds {found}."
    if result.best_intruder == known:
        return (
            f"The best of these intruders, who knows {names} and ignores the synthetic values, finds {found}: the unchanged "
            "variables suffice."
        )
    return f"The best of these intruders, who picks blindly, finds {found}."


def risk_lines(result: EvaluationResult, people: Callable[[float], str] = count) -> list[Line]:
    """Return the measures of identification risk in words; `people` writes a number of people."""
    copies = result.copies
    line = Line(
        "Exact copies of confidential records",
        people(float(copies.copies.mean())),
        people(float(copies.n)),
        f"Of these, {people(float(copies.unique_copies.mean()))} equal a record that is unique in the confidential data"
        f"{_average(result)}. Compared are {len(copies.variables)} variables, whatever the order of the rows; of the "
        f"confidential records, {people(float(copies.duplicates))} of {copies.n:,} equal another one.",
    )
    matches = _match_lines(result, people)
    return [*matches[:1], line, *matches[1:]]


def _match_lines(result: EvaluationResult, people: Callable[[float], str]) -> list[Line]:
    """Return the measures that compare row i with record i."""
    risk = result.risk
    if risk is None or result.best_intruder is None:
        return []
    value, own = _column(result, "synthetic"), _column(result, "confidential")
    targets, average = risk.targets.size, _average(result)
    known, guess = float(risk.known_only.mean()), risk.random_guess
    found, unique = value["expected_match_risk"], value["n_unique"]

    def share(rate: float, of: float) -> str:
        """Write a share, unless it would tell a number of people that `people` does not write."""
        parts = (rate * of, (1 - rate) * of)
        return percent(rate) if all(people(part) == count(part) for part in parts) else people(1.0)

    lines = [
        Line(
            "People found by the best of these intruders",
            people(value["best_intruder"]),
            people(own["best_intruder"]),
            best(result, people),
        ),
        Line(
            "People found by guessing among the matches",
            people(found),
            people(own["expected_match_risk"]),
            f"This intruder would be right for about {people(found)} of {targets:,} people{average}. "
            f"With the confidential data released as they are it would be {people(own['expected_match_risk'])}, "
            f"with the known variables alone {people(known)}, and by picking blindly {count(guess)}. "
            + _verdict(found, known, people),
        ),
        Line(
            "People found for sure",
            share(value["true_match_rate"], targets),
            share(own["true_match_rate"], targets),
            f"For {people(value['true_match_rate'] * targets)} of {targets:,} people{average} exactly one record fits, and it "
            f"is theirs; in the confidential data these are {people(own['true_match_rate'] * targets)}.",
        ),
        Line(
            "Single matches that are wrong",
            share(value["false_match_rate"], unique),
            share(own["false_match_rate"], own["n_unique"]),
            _wrong(value["false_match_rate"], share(value["false_match_rate"], unique), average),
        ),
        Line(
            "People with a single match",
            people(unique),
            people(own["n_unique"]),
            f"{people(unique)} people{average} have exactly one record that fits, theirs or somebody else's; the intruder "
            "cannot tell which.",
        ),
    ]
    if "mean_ir" in value:
        lines.append(
            Line(
                "Identification probability IR: mean and 90 % quantile",
                f"{number(value['mean_ir'])} and {number(value['ir_90'])}",
                f"{number(own['mean_ir'])} and {number(own['ir_90'])}",
                "IR is the share of a person's group that lies far from that person's values, if the released "
                "record lies near them, and 0 if it does not: near 1 is alone, near 0 is in a crowd or moved away. "
                f"One person in ten has an IR of {number(value['ir_90'])} or more; in the confidential data, "
                f"of {number(own['ir_90'])} or more." + _alone(result, people),
            )
        )
    return lines


def fewer_than_10(value: float) -> str:
    """Write a number of people for publication: `count`, but no number between 0 and 10."""
    return "fewer than 10" if 0 < value < 10 else count(value)


def _average(result: EvaluationResult) -> str:
    return " (average over the datasets)" if result.m > 1 else ""


def _column(result: EvaluationResult, name: str) -> dict[str, float]:
    return {str(measure): float(number) for measure, number in result.summary()[name].items()}


def _alone(result: EvaluationResult, people: Callable[[float], str]) -> str:
    """Say how people who are alone in their group were counted."""
    if result.probability is None or not result.probability.singleton.any():
        return ""
    alone = result.probability.singleton
    counted = (
        "as certain to be found (1)" if (result.probability.confidential[alone] == 1).all() else "as 0, by the formula"
    )
    return f" {people(float(alone.sum()))} people are alone in their group; they count {counted}."


def _verdict(found: float, known: float, people: Callable[[float], str]) -> str:
    if found <= known:
        return "So the synthesized values do not help this intruder beyond what the known variables give away."
    return f"So the released values of the synthesized variables add {people(found - known)} people to what the known ones give away."


def _wrong(rate: float, text: str, average: str) -> str:
    if math.isnan(rate):
        return "Nobody has exactly one match, so there is nothing to be wrong about: 0 of 0 is not a number."
    if text != percent(rate):
        return f"Of the single matches the right or the wrong ones are {text}{average}."
    return f"An intruder who trusts a single match points at the wrong person {text} of the time{average}."


def at_most(gaps: Sequence[float]) -> str:
    """Say how large the largest gap of a variable is, one number a dataset: on average, and in the worst dataset."""
    values = [float(gap) for gap in gaps]
    mean = percent(sum(values) / len(values))
    return f"at most {mean}" + (
        f" on average over the datasets, {percent(max(values))} in the worst" * (len(values) > 1)
    )


def utility_lines(result: EvaluationResult) -> list[Line]:
    """Return the measures of utility in words."""
    lines = []
    if result.ecdf is not None:
        for (name, row), gaps in zip(result.ecdf.summary().iterrows(), result.ecdf.ecdf_max, strict=True):
            lines.append(
                Line(
                    f"Distribution of {name}: largest and mean squared distance",
                    f"{number(float(row['ecdf_max']))} and {number(float(row['ecdf_mean_square']))}",
                    "0 and 0",
                    "Take any limit, and compare the share of people at or below it in the synthetic data with that in the "
                    f"confidential data. The two differ by {at_most(gaps.tolist())}. The second number is the mean of the "
                    f"squared difference{_average(result)}.",
                )
            )
    if result.propensity is None:
        return lines
    value = _column(result, "synthetic")
    pmse, ratio = value["pmse"], value["pmse_ratio"]
    lines.append(
        Line(
            "Can a classifier tell them apart: pMSE and its ratio",
            f"{number(pmse)} and {number(ratio)}",
            "0 and 0",
            f"{_classifier(result.propensity, _average(result))} {_apart(ratio)}",
        )
    )
    return lines


def _classifier(propensity: PmseResult, average: str) -> str:
    """Say what pMSE is the mean square of."""
    what = "1 variable" if len(propensity.variables) == 1 else f"{len(propensity.variables)} variables"
    tree = "A classification tree" if propensity.model == "cart" else "A logistic regression"
    products = " and their two-way products" if propensity.order == 2 else ""
    if propensity.model == "logistic" and propensity.order == 1 and len(propensity.variables) > 1:
        products = " one by one, without their products,"
    return (
        f"{tree} sees {what}{products} and says for every record how likely it is to be synthetic. pMSE is the mean squared "
        f"distance of what it says from {number(propensity.share_synthetic)}, the share of synthetic records"
        f"{average}."
    )


def _apart(ratio: float) -> str:
    if math.isnan(ratio):
        return "The ratio is not defined here: no variable the classifier sees was changed."
    # A synthesizer that draws its parameters adds their variance to that of the values: 1 + 1 with as many records.
    rest = (
        f"The ratio compares it with chance: pMSE is {number(ratio)} times what a correct synthesizer gives that keeps its "
        "fitted parameters. One that draws them anew for each dataset, as Bayesian synthesizers do, comes to about 2."
    )
    if ratio <= 3:
        return f"{rest} The classifier hardly sees a difference."
    if ratio <= 10:
        return f"{rest} The classifier sees some difference."
    return f"{rest} The classifier sees a difference: relations were lost or bent."


def not_measured(result: EvaluationResult, publish: bool = False) -> list[str]:
    """Return what a reader must not take for measured."""
    intruder = result.intruder
    known = ", ".join(intruder.known) or "nothing"
    # For publication only what was not measured: the reasons may count rows.
    own = dict.fromkeys(f"{text.partition(':')[0]}." if publish else text for text in result.not_measured)
    return [
        *own,
        f"Other intruders: one who knows more than {known} and the true {', '.join(intruder.synthesized)}, or who knows them less "
        "exactly, reaches other numbers.",
        "Attribute disclosure: what an intruder learns about a person without finding that person's record.",
        "Any guarantee: these are measurements on this release, not a promise such as differential privacy.",
        "The analysis you have in mind: two distributions can agree while the coefficients of a model do not.",
    ]
