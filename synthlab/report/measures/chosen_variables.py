"""Match risk of the best intruder, who chooses which synthesized variables to use."""

from __future__ import annotations

import math
from typing import Any

from synthlab._format import SMALLEST_GROUP, count, listed
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import NOTHING_ADDED, Answer, Finding, Line, Measure, Row, Write, about, out_of
from synthlab.report.measures.identification_risk import match_risk, snapped
from synthlab.report.measures.replicated_uniques import finding_people
from synthlab.risk import ChosenVariablesResult
from synthlab.risk.identification.chosen_variables import choose_variables

MANY = 0.20  # share of people identified in excess of permuted values from which the verdict is CHECK


class ChosenVariables(Measure[ChosenVariablesResult]):
    """Largest match risk over sets of synthesized variables."""

    name = "chosen_variables"
    title = "Best choice of variables"
    section = "risk"
    by_record = True
    by_row = "best intruder"
    numbers = ("best_intruder",)
    exposes = "best_intruder"

    def compute(self, question: Question) -> ChosenVariablesResult:
        """Search for the set of synthesized variables with the largest match risk."""
        return choose_variables(question.confidential, question.release, question.asked, question.once(match_risk))

    def rows(self, result: ChosenVariablesResult, question: Question) -> list[Row]:
        """Return the number of people that the best intruder identifies."""
        risk = question.once(match_risk)
        guess, known = risk.random_guess, float(risk.known_only.mean())
        baseline = risk.baseline or risk
        as_is = max(float(baseline.expected_match_risk[0]), known, guess)
        best = max(float(result.expected_match_risk.mean()), guess)
        if question.publish:
            as_is, best = snapped(as_is, known), snapped(best, known)
        return [
            Row(
                "best_intruder",
                "people identified (best intruder)",
                "people",
                synthetic=best,
                confidential=max(as_is, best),
                known_only=known,
                random_guess=guess,
                of=(float(result.n_targets), float(result.n_targets)),
            )
        ]

    def answers(self, result: ChosenVariablesResult, question: Question, people: Write) -> list[Answer]:
        """Compare the best intruder with an intruder who knows the same variables but not the release."""
        (row,) = self.rows(result, question)
        n = float(result.n_targets)
        adds = self._adds(result, question)
        return [
            Answer(
                finding_people(question),
                f"{about(row.release, n, people)} of {count(n)}",
                f"{people(row.known_only, n)} {_alone(question)}; with the real file {people(row.confidential, n)}",
                f"{people(row.release - row.known_only, n)} more" if adds else NOTHING_ADDED,
            )
        ]

    def _sentence(self, result: ChosenVariablesResult, question: Question, people: Write) -> str:
        """State how many people the best intruder identifies."""
        (row,) = self.rows(result, question)
        n = float(result.n_targets)
        adds = self._adds(result, question)
        using = f", using {listed(result.variables, 3)}" if adds else ""
        text = (
            f"An intruder who knows {question.knows()} can identify "
            f"{about(row.release, n, people)} of {count(n)} people{using}; {_alone(question)} {people(row.known_only, n)}, with the "
            f"unchanged file {people(row.confidential, n)}, by chance {count(row.random_guess)}."
        )
        if not adds:
            nothing = f"fewer than {SMALLEST_GROUP} people" if question.publish else "nothing"
            other = "other " if _is_known_synthetic(question) else ""
            return f"{text} The {other}synthetic values add {nothing} to this."
        low, high = result.permuted_range
        spread = people(high, n) if math.isclose(low, high) else f"{people(low, n)} to {people(high, n)}"
        return f"{text} This is an upper bound because the true values select the variables; with permuted values {spread}."

    def _adds(self, result: ChosenVariablesResult, question: Question) -> bool:
        """Return whether the synthetic values add people; for publication, at least 10."""
        (row,) = self.rows(result, question)
        return result.adds_to_risk and not (question.publish and row.release == row.known_only)

    def findings(self, result: ChosenVariablesResult, question: Question, people: Write) -> list[Finding]:
        """Report synthetic values that identify many more people than permuted values do."""
        high = result.permuted_range[1]
        found, n = float(result.expected_match_risk.mean()), float(result.n_targets)
        if not result.adds_to_risk or found - high < MANY * n:
            return []
        text = (
            f"With {listed(result.variables, 3)}, an intruder can identify {out_of(found, n, people)} people; with permuted synthetic "
            f"values at most {people(high, n)}."
        )
        remedy = "Use larger leaves, fewer predictors or a simpler model for these variables."
        return [Finding("CHECK", text, self.name, None, result.variables, found, n, remedy)]

    def lines(self, result: ChosenVariablesResult, question: Question, people: Write) -> list[Line]:
        """State the number, the chosen variables, and the range of the permuted releases."""
        (row,) = self.rows(result, question)
        sample = (
            f" The search used a random sample of {result.looked_up:,} people (seed 1)."
            if result.looked_up < result.n_targets
            else ""
        )
        return [
            Line(
                "People whom the best intruder can identify",
                people(row.release, result.n_targets),
                people(row.confidential, result.n_targets),
                f"{self._sentence(result, question, people)} The intruder uses the synthesized variables that identify most people.{sample}",
            )
        ]

    def to_dict(self, result: ChosenVariablesResult, question: Question, *, publish: bool) -> Any:
        """Return the chosen variables and the range of the permuted releases."""
        if publish:
            adds = self._adds(result, question)
            return {"variables": list(result.variables) if adds else [], "adds_to_risk": adds}
        low, high = result.permuted_range
        return {
            "sentence": result.title,
            "variables": list(result.variables),
            "per_dataset": result.expected_match_risk,
            "permuted_low": low,
            "permuted_high": high,
            "adds_to_risk": result.adds_to_risk,
            "looked_up": result.looked_up,
        }


def _is_known_synthetic(question: Question) -> bool:
    """Return whether the intruder knows a variable that is synthetic in the release."""
    return bool(set(question.intruder.known) & set(question.columns.synthesized))


def _alone(question: Question) -> str:
    """Name the intruder without the synthetic values."""
    return "with the known variables alone" if _is_known_synthetic(question) else "without the synthetic values"
