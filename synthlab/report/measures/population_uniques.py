"""Population uniques: sample uniques that are unique in the population."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synthlab.design import SurveyDesign
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write, out_of_are, people_are
from synthlab.report.measures.replicated_uniques import not_by_value
from synthlab.risk.identification._released_uniques import ReleasedUniquesResult, released_uniques
from synthlab.risk.population.population_counts import no_people


class PopulationUniques(Measure[ReleasedUniquesResult]):
    """Uniques of the known variables in the population that the survey represents."""

    name = "population_uniques"
    title = "Population uniques among sample uniques"
    section = "risk"
    by_record = True
    numbers = ("population_uniques", "correct_matches")

    def applies(self, question: Question) -> str | None:
        """Require survey weights that give the number of people each record represents."""
        design = question.design
        if design is None or design.weights is None:
            return "requires survey weights (design=, --weights)."
        reason = no_people(design.read(question.confidential).weights)
        return not_by_value(question) or (reason and f"the {reason}.")

    def compute(self, question: Question) -> ReleasedUniquesResult:
        """Count the uniques among all records."""
        everybody = replace(question.asked, boundary="closed", convention=None, targets=None)
        return released_uniques(question.confidential, question.release, everybody, question.design or SurveyDesign())

    def rows(self, result: ReleasedUniquesResult, question: Question) -> list[Row]:
        """Return the expected numbers of population uniques and of correct matches."""
        counts, of = result.counts, (float(question.n), float(question.n))
        return [
            Row(
                "population_uniques",
                "sample uniques unique in the population",
                "people",
                result.population_uniques,
                confidential=counts.population_uniques,
                of=of,
            ),
            Row(
                "correct_matches",
                "correct matches of sample uniques with the population",
                "people",
                result.correct_matches,
                confidential=counts.correct_matches,
                of=of,
            ),
        ]

    def lines(self, result: ReleasedUniquesResult, question: Question, people: Write) -> list[Line]:
        """State how many sample uniques are population uniques."""
        counts = result.counts
        uniques, matches = (row.release for row in self.rows(result, question))
        unique = people(float(counts.unique.size), question.n)
        census = " Every weight is 1, so the file is the population." if counts.size == question.n else ""
        lines = [
            Line(
                "People unique in the data, in the release and in the population",
                people(uniques, question.n),
                people(counts.population_uniques, question.n),
                f"{out_of_are(float(counts.unique.size), question.n, people)} unique in {', '.join(counts.variables)}. Of the people "
                f"who are also unique in the release, {people(uniques, question.n)} are expected to be unique among the "
                f"{counts.size:,.0f} people of the population{question.average}, by the survey weights.{census} For an intruder who "
                "knows that a person took part, being unique in the data is sufficient.",
            ),
            Line(
                "Correct matches of unique people with the population",
                people(matches, question.n),
                people(counts.correct_matches, question.n),
                "Expected number of these people found by an intruder who picks at random one of the people of the population with "
                f"the same values{question.average}.",
            ),
        ]
        wiser = result.with_weight
        if wiser is not None:
            weight = wiser.intruder.known[-1]
            lines.append(
                Line(
                    f"People unique with {weight}, which is released unchanged",
                    people(float(wiser.replicated.mean()), question.n, wiser.unique),
                    people(float(wiser.unique), question.n),
                    f"The survey weight identifies people: with {weight} among the known variables {people_are(float(wiser.unique), question.n, people)} "
                    f"unique instead of {unique}, and {people(float(wiser.replicated.mean()), question.n, wiser.unique)} of them have the same values in the "
                    f"release{question.average}. An intruder who knows the design, or has another release of the survey, knows the weight.",
                )
            )
        return lines

    def to_dict(self, result: ReleasedUniquesResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the numbers of each dataset; nothing for publication."""
        return {} if publish else {"sentence": result.title, "per_dataset": result.to_frame().to_dict("list")}
