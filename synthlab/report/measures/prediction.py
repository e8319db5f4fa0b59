"""Prediction utility of models trained on the release."""

from __future__ import annotations

from typing import Any

from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write, share
from synthlab.utility import PredictionUtilityResult, prediction_utility
from synthlab.utility._prediction import refuses_target

ALIKE = 0.02  # scores that differ by at most this much count as equal


class Prediction(Measure[PredictionUtilityResult]):
    """Scores of models trained on the release and on other confidential records."""

    name = "prediction"
    title = "Prediction utility"
    section = "utility"
    numbers = ("prediction_score", "prediction_loss")
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require a variable to predict and other variables from which to predict it."""
        if question.predict is None:
            return "requires a variable to predict (predict)."
        if reason := refuses_target(question.confidential, question.predict, question.categorical):
            return f"{reason}."
        return (
            None
            if self._predictors(question)
            else f"there is no other variable from which to predict {question.predict}."
        )

    def compute(self, question: Question) -> PredictionUtilityResult:
        """Predict the variable from all others that are compared."""
        return prediction_utility(
            question.confidential,
            question.release,
            target=str(question.predict),
            variables=self._predictors(question),
            categorical=[c for c in question.categorical if c in (question.predict, *self._predictors(question))],
            missing=question.intruder.missing,
            rng=question.rng,
        )

    def rows(self, result: PredictionUtilityResult, question: Question) -> list[Row]:
        """Return the score, and the loss compared with a model trained on real data."""
        people = float(result.n)
        # For a categorical target, the constant answer is right for the people of one level, so it is a share of people.
        kind: dict[str, Any] = {} if result.measured else {"kind": "share", "of": (people, people)}
        score = Row(
            "prediction_score",
            f"prediction of {result.target}",
            **kind,
            per_dataset=result.score,
            confidential=result.confidential,
            random_guess=result.constant,
        )
        lost = Row(
            "prediction_loss",
            f"prediction of {result.target}, lost",
            **kind,
            per_dataset=result.confidential - result.score,
            confidential=0.0,
        )
        return [score, lost]

    def lines(self, result: PredictionUtilityResult, question: Question, people: Write) -> list[Line]:
        """State the loss of a user who trains a model on the release."""
        n = float(result.n)
        write = question.digits if result.measured else lambda value: share(value, n, people)
        mine, real = float(result.score.mean()), result.confidential
        what = "share of the variance explained" if result.measured else "share of correct answers"
        if mine > real + ALIKE:
            verdict = "This is more than with other confidential records: the release might contain the test records."
        elif mine >= real - ALIKE:
            verdict = "A user who trains on the release loses almost nothing."
        else:
            verdict = f"A user who trains on the release loses {write(real - mine)}."
        return [
            Line(
                f"Prediction of {result.target}, {what}",
                write(mine),
                write(real),
                f"Boosted trees predict {result.target} of {result.n:,} people from {len(result.predictors)} variables. Trained on "
                f"the release, they reach {write(mine)}{question.average}; on other confidential records, {write(real)}. The best "
                f"constant answer reaches {write(result.constant)}. {verdict}",
            )
        ]

    def too_good(self, result: PredictionUtilityResult, question: Question) -> str | None:
        """Report a model that learns more from the release than from real records."""
        if float(result.score.mean()) <= result.confidential + 2 * ALIKE:
            return None
        return (
            f"a model trained on the release predicts {result.target} better than one trained on other confidential records: it "
            "may have seen the people it is tested on"
        )

    def to_dict(self, result: PredictionUtilityResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the scores; for publication, only the variable."""
        return (
            {"target": result.target}
            if publish
            else {
                "target": result.target,
                "measure": "R squared" if result.measured else "accuracy",
                "per_dataset": result.score,
                "confidential": result.confidential,
                "constant": result.constant,
            }
        )

    def _predictors(self, question: Question) -> list[str]:
        return [name for name in question.variables if name != question.predict]
