"""Identification probability IR: how sparse the neighborhood of a person is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synthlab._format import SMALLEST_GROUP, three_digits
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import COLUMNS, Line, Measure, Row, Shown, Write, coarse, draw, people_are
from synthlab.risk import IdentificationProbabilityResult, identification_probability

ROWS = {"mean_ir": ("mean", "mean IR"), "ir_90": ("90 %", "90% quantile of IR")}


class IdentificationProbability(Measure[IdentificationProbabilityResult]):
    """Mean and 90% quantile of IR over the records."""

    name = "identification_probability"
    title = "Identification probability (IR)"
    section = "risk"
    by_record = True
    by_row = "IR"
    numbers = tuple(ROWS)

    def applies(self, question: Question) -> str | None:
        """Require known variables that are compared by value."""
        intruder = question.intruder
        measured = [c for c in intruder.known if c in intruder.radii]
        if measured:
            return f"requires known variables that are compared by equal values, but {measured[0]!r} has a radius."
        return None

    def compute(self, question: Question) -> IdentificationProbabilityResult:
        """Compute IR of all records, without `convention` and `targets`."""
        everybody = replace(question.asked, convention=None, targets=None)
        data = question.confidential, question.release
        return identification_probability(*data, everybody, singletons=question.singletons)

    def rows(self, result: IdentificationProbabilityResult, question: Question) -> list[Row]:
        """Return the mean and the 90% quantile over the records.

        IR of a record is its mean over the datasets.
        """
        table, of = result.to_frame(), result.summary().to_dict("index")
        return [
            Row(
                name,
                label,
                per_dataset=table[column],
                synthetic=of["synthetic"][column],
                confidential=of["confidential"][column],
                step=SMALLEST_GROUP / question.n,
                hidden=COLUMNS if name == "ir_90" else (),  # the quantile is the IR of a few people
            )
            for name, (column, label) in ROWS.items()
        ]

    def lines(self, result: IdentificationProbabilityResult, question: Question, people: Write) -> list[Line]:
        """Explain IR and state its size."""
        mean, high = self.rows(result, question)
        meaning = (
            "If the released record is near a person's values, IR is the share of the person's group that is far from these "
            "values; otherwise IR is 0. It is near 1 if few others have similar values, and near 0 if many have similar "
            "values or the record was changed much."
        )
        alone = _alone(result, people)
        if question.publish:
            release, own = (question.digits(coarse(value, mean.step)) for value in (mean.release, mean.confidential))
            return [Line("Identification probability IR: mean", release, own, f"{meaning}{alone}")]
        return [
            Line(
                "Identification probability IR: mean and 90% quantile",
                f"{three_digits(mean.release)} and {three_digits(high.release)}",
                f"{three_digits(mean.confidential)} and {three_digits(high.confidential)}",
                f"{meaning} One person in ten has an IR of {three_digits(high.release)} or more; in the confidential data, of "
                f"{three_digits(high.confidential)} or more.{alone}",
            )
        ]

    def to_dict(
        self, result: IdentificationProbabilityResult, question: Question, *, publish: bool
    ) -> dict[str, Any] | None:
        """Return the distribution of IR over the records; nothing for publication."""
        if publish:
            return None
        return {
            "per_dataset": result.to_frame().to_dict("list"),
            **{str(which): row for which, row in result.summary().to_dict("index").items()},
            "singletons": int(result.singleton.sum()),
        }

    def show(
        self, result: IdentificationProbabilityResult, question: Question, *, show_values: bool, publish: bool
    ) -> Shown:
        """Draw the IR of the people; nothing for publication."""
        from synthlab.plots.risk import plot_identification_probability

        if publish:
            return Shown()
        said = [
            f" {str(name).capitalize()} data: median {row['median']:.3f}, largest {row['max']:.3f}."
            for name, row in result.summary().iterrows()
        ]
        picture = draw(
            lambda ax: plot_identification_probability(result, ax, data=question.data_kind),
            "Distribution of the identification probability IR over the people.",
            f"Two violins of the identification probability of {question.n:,} people.{''.join(said)}",
        )
        return Shown((picture,))


def _alone(result: IdentificationProbabilityResult, people: Write) -> str:
    """State how people who are alone in their group were counted."""
    alone = result.singleton
    if not alone.any():
        return ""
    certain = (result.confidential[alone] == 1).all()
    counted = "as certain to be found (1)" if certain else "as 0, according to the formula"
    return f" {people_are(float(alone.sum()), alone.size, people)} alone in a group and counted {counted}."
