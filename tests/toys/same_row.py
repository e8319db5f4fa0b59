"""Risk measure that counts the records with an unchanged row."""

from dataclasses import dataclass

import pandas as pd

from synthlab._result import Result
from synthlab.report.measure import Line, Measure, Row


@dataclass(frozen=True, eq=False, repr=False)
class SameRowResult(Result):
    """Records whose row has the same values in a dataset, one number per dataset."""

    counts: list[float]

    @property
    def title(self):
        return "Records with an unchanged row"

    def summary(self):
        return pd.DataFrame({"unchanged": self.counts})


class SameRow(Measure[SameRowResult]):
    """Records with an unchanged row."""

    name = "same_row"
    title = "Unchanged rows"
    section = "risk"
    by_row = "unchanged rows"

    def compute(self, question):
        own = question.confidential
        same = [(dataset[own.columns].to_numpy() == own.to_numpy()).all(axis=1).sum() for dataset in question.release]
        return SameRowResult([float(number) for number in same])

    def rows(self, result, question):
        return [Row("same_row", "unchanged rows", "people", result.counts, confidential=float(question.n))]

    def lines(self, result, question, people):
        mean = sum(result.counts) / len(result.counts)
        return [Line("Unchanged rows", people(mean), people(question.n), "Records that are released unchanged.")]
