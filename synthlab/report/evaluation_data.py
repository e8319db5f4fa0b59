"""Data of an evaluation: inputs, results, and measures that were not computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from synthlab._result import Result
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.report.evaluation_inputs import Question
from synthlab.report.row_alignment import RowOrder


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EvaluationData:
    """Inputs, results and missing measures of an evaluation; see `EvaluationResult`."""

    question: Question
    results: Mapping[str, Result]
    not_measured: Mapping[str, tuple[str, ...]]
    warnings: tuple[tuple[str, str], ...]
    name: str = ""
    others: tuple[Self, ...] = ()
    limits: tuple[Any, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def intruders(self) -> dict[str, Self]:
        """The evaluation for each intruder by name, the worst first.

        A single intruder without a name is called "the intruder".
        """
        return {self.name or "the intruder": self, **{one.name: one for one in self.others}}

    @property
    def confidential(self) -> pd.DataFrame:
        """The confidential data, as given."""
        return self.question.confidential

    @property
    def release(self) -> Release:
        """The release."""
        return self.question.release

    @property
    def intruder(self) -> Intruder:
        """The known variables and the definition of a match.

        ``intruder.describe()`` returns them as a sentence.
        """
        return self.question.intruder

    @property
    def rows(self) -> RowOrder:
        """Whether row i of the release describes record i, and the evidence for it."""
        return self.question.rows

    @property
    def data_kind(self) -> str | None:
        """The kind of the confidential data, "real" or "simulated"; None if not stated."""
        return self.question.data_kind

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.question.m

    @property
    def n(self) -> int:
        """Number of confidential records."""
        return self.question.n
