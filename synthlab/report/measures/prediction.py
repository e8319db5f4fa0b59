"""Train on synthetic, test on real: whether what the release says of one variable is true of the people."""

from __future__ import annotations

from typing import Any

from synthlab._format import percent, three_digits
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write, share
from synthlab.utility import PredictionUtilityResult, prediction_utility
from synthlab.utility._prediction import refuses_target

ALIKE = 0.02  # scores that differ by less are called the same


class Prediction(Measure[PredictionUtilityResult]):
    """Score of a model trained on the release, and of one trained on other confidential records."""

    name = "prediction"
    title = "Prediction utility"
    section = "utility"
    numbers = ("prediction_score", "prediction_loss")
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """The variable to predict is the caller's choice."""
        if question.predict is None:
            return "requires a variable to predict (predict)."
        if reason := refuses_target(question.confidential, question.predict, question.categorical):
            return f"{reason}."
        return None if self._predictors(question) else f"there is no other variable to predict {question.predict} from."

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
        """Return the score, and what it falls short of one trained on the confidential data."""
        people = float(result.n)
        # The best constant answer to a category is right for the people of one level.
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
        """Say what a user who trains on the release loses."""
        n = float(result.n)
        write = three_digits if result.measured else lambda value: share(value, n, people)
        mine, real = float(result.score.mean()), result.confidential
        what = "share of the variance explained" if result.measured else "share of right answers"
        if mine > real + ALIKE:
            verdict = "More than unseen records of the data themselves teach: the release may hold the records it is tested on."
        elif mine >= real - ALIKE:
            verdict = "A user who trains on the release loses next to nothing."
        else:
            verdict = f"A user who trains on the release loses {write(real - mine) if result.measured else percent(real - mine)}."
        return [
            Line(
                f"Prediction of {result.target}, {what}",
                write(mine),
                write(real),
                f"Boosted trees predict {result.target} of {result.n:,} people from {len(result.predictors)} variables. Trained on "
                f"the release they reach {write(mine)}{question.average}, on other confidential records {write(real)}, and one "
                f"answer for all {write(result.constant)}. {verdict}",
            )
        ]

    def too_good(self, result: PredictionUtilityResult, question: Question) -> str | None:
        """A model cannot learn more about people from a release than from other records of the same survey."""
        if float(result.score.mean()) <= result.confidential + 2 * ALIKE:
            return None
        return (
            f"a model trained on the release predicts {result.target} better than one trained on other confidential records: it "
            "may have seen the people it is tested on"
        )

    def to_dict(self, result: PredictionUtilityResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the scores; for publication the summary says enough."""
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
