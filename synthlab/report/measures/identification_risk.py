"""Identification risk by matching."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from synthlab._format import SMALLEST_GROUP, count, percent
from synthlab._typing import FloatArray
from synthlab._warnings import quiet
from synthlab.exceptions import NoBetterThanBaselineWarning
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding, Line, Measure, Row, Shown, Table, Write, draw, out_of, share
from synthlab.risk import IdentificationRiskResult, identification_risk
from synthlab.risk.identification.identification_risk import MEASURES

EXPOSED = 10  # records listed on a page and in a file
APART, MATTERS = 4.0, 1.1  # standard deviations, and the ratio, from which a dataset differs from the others


class IdentificationRisk(Measure[IdentificationRiskResult]):
    """Expected match risk, true match rate and false match rate."""

    name = "identification_risk"
    title = "Identification risk by matching"
    section = "risk"
    by_record = True
    by_row = "match risk"
    numbers = tuple(MEASURES)

    def compute(self, question: Question) -> IdentificationRiskResult:
        """Match every target with the records of each dataset."""
        return question.once(match_risk)

    def rows(self, result: IdentificationRiskResult, question: Question) -> list[Row]:
        """Return the measures of match risk."""
        baseline, people = result.baseline or result, float(result.targets.size)
        own = {name: float(getattr(baseline, name)[0]) for name in MEASURES}
        unique = float(result.n_unique.mean())
        alone = {"known_only": float(result.known_only.mean()), "random_guess": result.random_guess}
        more: dict[str, dict[str, Any]] = {
            "expected_match_risk": {"kind": "people", "of": (people, people), **alone},
            "true_match_rate": {"kind": "share", "of": (people, people), "within": unique},
            "false_match_rate": {"kind": "share", "of": (unique, own["n_unique"])},
            "n_unique": {"kind": "people", "of": (people, people)},
        }
        known = alone["known_only"]
        if question.publish:
            found = "expected_match_risk"
            own[found] = snapped(own[found], known)
            more[found]["synthetic"] = snapped(float(getattr(result, found).mean()), known)
        return [
            *(
                Row(name, label, per_dataset=getattr(result, name), confidential=own[name], **more[name])
                for name, label in MEASURES.items()
            ),
            Row("known_only", "known variables alone", synthetic=known, confidential=known, summarised=False),
        ]

    def findings(self, result: IdentificationRiskResult, question: Question, people: Write) -> list[Finding]:
        """Report a dataset with a much larger match risk than the others."""
        place = outlier(result.expected_match_risk)
        if place is None or result.expected_match_risk[place] <= result.known_only[place]:
            return []  # the known variables alone identify as many people
        found, n = float(result.expected_match_risk[place]), float(result.targets.size)
        others = float(np.delete(result.expected_match_risk, place).mean())
        text = (
            f"In dataset {place + 1}, an intruder can identify {out_of(found, n, people)} people; in the other datasets, "
            f"{people(others, n)} on average."
        )
        columns, remedy = (
            tuple(question.intruder.synthesized),
            f"Do not publish dataset {place + 1} if its values were copied.",
        )
        return [Finding("CHECK", text, self.name, place + 1, columns, found, n, remedy)]

    def lines(self, result: IdentificationRiskResult, question: Question, people: Write) -> list[Line]:
        """State how many people are found, and how often a single match is wrong."""
        row = {row.name: row for row in self.rows(result, question)}
        targets, average = result.targets.size, question.average
        found, unique = row["expected_match_risk"], row["n_unique"]
        sure, wrong = row["true_match_rate"], row["false_match_rate"]
        misses = share(wrong.release, wrong.of[0], people)
        return [
            Line(
                "People found by guessing among the matches",
                people(found.release, targets),
                people(found.confidential, targets),
                f"This intruder would be right for about {people(found.release, targets)} of {targets:,} people{average}. "
                f"With the unchanged confidential data it would be {people(found.confidential, targets)}, "
                f"with the known variables alone {people(found.known_only, targets)}, and with a random guess "
                f"{count(found.random_guess)}. {_verdict(found.release, found.known_only, people, targets, question.publish)}",
            ),
            Line(
                "People found with certainty",
                share(sure.release, targets, people, unique.release),
                share(sure.confidential, targets, people),
                f"For {people(sure.release * targets, targets, unique.release)} of {targets:,} people{average} exactly one record matches, and it is "
                f"their own; in the confidential data, for {people(sure.confidential * targets, targets)}.",
            ),
            Line(
                "Single matches that are wrong",
                misses,
                share(wrong.confidential, wrong.of[1], people),
                _wrong(wrong.release, misses, average),
            ),
            Line(
                "People with a single match",
                people(unique.release, targets),
                people(unique.confidential, targets),
                f"{people(unique.release, targets)} people{average} have exactly one matching record, their own or another "
                "person's; the intruder cannot know which.",
            ),
        ]

    def to_dict(self, result: IdentificationRiskResult, question: Question, *, publish: bool) -> dict[str, Any] | None:
        """Return the numbers of each dataset and the most exposed records.

        For publication, return None.
        """
        if publish:
            return None
        return {
            "targets": result.targets.size,
            "per_dataset": result.to_frame().to_dict("list"),
            "known_only": result.known_only,
            "random_guess": result.random_guess,
            "most_exposed": result.most_exposed(EXPOSED).to_dict("records"),
            "confidential": (result.baseline or result).to_frame().iloc[0].to_dict(),
        }

    def show(self, result: IdentificationRiskResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """Draw the match risk of the people, and list the most exposed records; nothing for publication."""
        from synthlab.plots.risk import plot_record_risk

        if publish:
            return Shown()
        mean, own = result.record_match_risk.mean(axis=1), (result.baseline or result).record_match_risk[:, 0]
        picture = draw(
            lambda ax: plot_record_risk(result, ax, data=question.data_kind),
            "Distribution of the match risk over the people.",
            f"Two violins of the match risk of {mean.size:,} people. Confidential data: mean {own.mean():.3f}; "
            f"{percent((own == 1).mean())} of the people at 1. The release: mean {mean.mean():.3f}, largest {mean.max():.3f}; "
            f"{percent((mean == 0).mean())} at 0.",
        )
        return Shown((picture,), (_exposed(result, question, show_values),))


def match_risk(question: Question) -> IdentificationRiskResult:
    """Return the match risk of every target in each dataset."""
    with quiet(NoBetterThanBaselineWarning):  # the lines below the verdict compare with the known variables alone
        return identification_risk(question.confidential, question.release, question.asked)


def outlier(values: FloatArray) -> int | None:
    """Return the place of a dataset that exceeds the others, or None.

    It exceeds the mean of the others by 4 of their standard deviations and by 10%.
    """
    place = int(np.argmax(values))
    others = np.delete(values, place)
    if others.size < 2:
        return None
    clear = values[place] > others.mean() + APART * others.std(ddof=1) and values[place] > MATTERS * others.mean()
    return place if clear else None


def _exposed(result: IdentificationRiskResult, question: Question, show_values: bool) -> Table:
    """List the most exposed records by row number.

    With `show_values`, the table also contains their values.
    """
    table = result.most_exposed(EXPOSED)
    cells = {
        "Row": table["record"].map("{:d}".format),
        "Match risk": table["match_risk"].map("{:.3f}".format),
        "Matching records": table["mean_match_count"].map("{:.4g}".format),
        "Match risk, unchanged file": table["match_risk_confidential"].map("{:.3f}".format),
    }
    if show_values:
        people = question.confidential.iloc[table["record"]]
        cells |= {str(name): people[name].astype(str) for name in question.intruder.used}
    certain = int((result.record_match_risk.mean(axis=1) == 1).sum())
    return Table(
        "The most exposed records",
        f"By row number; row 0 is the first record. {certain:,} {'person is' if certain == 1 else 'people are'} found with "
        "certainty in every dataset.",
        list(cells),
        [list(row) for row in zip(*cells.values(), strict=True)],
    )


def snapped(value: float, anchor: float) -> float:
    """Return `anchor` if the value differs from it by fewer than 10 people.

    The anchor can be computed from released data, so that the difference of both numbers would be a count.
    """
    return anchor if abs(round(value - anchor, 9)) < SMALLEST_GROUP else value


def _verdict(found: float, known: float, people: Write, targets: int, publish: bool) -> str:
    if publish and found == known:
        return f"The synthesized values add fewer than {SMALLEST_GROUP} people to the risk from the known variables."
    if found <= known:
        return "The synthesized values do not increase the risk from the known variables."
    return f"The released values of the synthesized variables add {people(found - known, targets)} people to the risk from the known variables."


def _wrong(rate: float, text: str, average: str) -> str:
    if math.isnan(rate):
        return "No person has exactly one matching record, so this rate is not defined."
    if text != percent(rate):
        return f"Of the single matches, {text} belong to the wrong person{average}."
    return f"An intruder who trusts a single match finds the wrong person {text} of the time{average}."
