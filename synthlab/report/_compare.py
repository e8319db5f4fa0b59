"""Comparison of several releases of the same confidential data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import FrameLike, FrameOrFrames, RngLike
from synthlab.exceptions import InputError, SynthlabError
from synthlab.intruder import Intruder, check_intruder
from synthlab.report.column_types import release_of
from synthlab.report.content import Content
from synthlab.report.evaluation import USED, evaluate
from synthlab.report.measures import MEASURES
from synthlab.report.result import EvaluationResult
from synthlab.report.verdict import verdict_on

BASELINE = "confidential"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparisonResult(Result):
    """Risk and utility of several releases.

    Attributes
    ----------
    evaluations : mapping {name: EvaluationResult}
        Risk and utility of each release, in the order given.
    """

    _figure: ClassVar[str] = "comparison.plot_risk_utility_map"

    evaluations: Mapping[str, EvaluationResult]

    @property
    def title(self) -> str:
        """The verdicts, the intruder's knowledge, and the measures that do not apply."""
        told: dict[str, list[str]] = {}
        for name, one in self.evaluations.items():
            for text in Content(one).reasons(whole=True):
                told.setdefault(text, []).append(name)
        not_measured = [f"Not measured for {', '.join(names)}: {text}" for text, names in told.items()]
        verdicts = [f"{name}: {verdict_on(one).first_line}" for name, one in self.evaluations.items()]
        return "\n".join([*verdicts, next(iter(self.evaluations.values())).intruder.describe(), *not_measured])

    @property
    def data_kind(self) -> str | None:
        """The kind of the confidential data, "real" or "simulated"; None if not stated."""
        return next((e.data_kind for e in self.evaluations.values() if e.data_kind), None)

    _table: ClassVar[str] = "by_measure"

    @property
    def by_measure(self) -> pd.DataFrame:
        """The summary transposed: one row per measure, one column per release."""
        return self.summary().T

    def summary(self) -> pd.DataFrame:
        """Return one row for the unchanged confidential data and one row per release.

        Columns:

        - ``m``: the number of datasets.
        - ``verdict``: the verdict of `evaluate`.
        - The measures of risk, averaged over the datasets. ``expected_match_risk`` and ``n_unique`` are numbers of
          people; ``true_match_rate`` and ``false_match_rate`` are shares; IR has its mean and its 90% quantile.
        - ``known_only``: the expected match risk of an intruder who uses only the known variables.
        - The measures of utility: the largest and the mean squared ECDF distance of the worst variable, the pMSE, and
          the pMSE ratio. The ratio divides the pMSE by its expected value under a correct synthesizer with fixed
          parameters. A correct synthesizer that draws new parameters for each dataset has a ratio of about 2.
        """
        table: dict[str, dict[str, float]] = {BASELINE: {"m": 1}}
        table |= {name: {"m": one.m} for name, one in self.evaluations.items()}
        for key, measure in MEASURES.items():
            for name, one in self.evaluations.items():
                for row in measure.rows(one[key], one.question) if key in one.results else ():
                    table[BASELINE].setdefault(row.name, row.values["confidential"])
                    table[name][row.name] = row.release
        columns = list(table[BASELINE])
        values = [[row.get(column, math.nan) for column in columns] for row in table.values()]
        frame = pd.DataFrame(values, pd.Index(list(table), name="release"), columns).astype({"m": int})
        frame.insert(1, "verdict", ["", *(one.verdict for one in self.evaluations.values())])
        return frame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per release and dataset 1..m, with one column per measure."""
        parts = {name: result.to_frame() for name, result in self.evaluations.items()}
        return pd.concat(parts, names=["release", "dataset"]).reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Return every number as plain Python values; an undefined number is None."""
        return {name: result.to_dict() for name, result in self.evaluations.items()}


@explains_arguments
def compare(
    confidential: FrameLike,
    releases: Mapping[str, FrameOrFrames],
    intruder: Intruder,
    *,
    rng: RngLike = None,
    **options: Any,
) -> ComparisonResult:
    """Measure several releases of the same confidential data with the same intruder.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected. They give the first row of the summary.
    releases : mapping {name: DataFrame, sequence of DataFrames, or Release}
        The releases, by the names that the table and the plot show.
    intruder : Intruder
        The known variables and the definition of a match, as in `evaluate`.
    rng : int, Generator or None
        Random seed or generator, used as in `evaluate`.
    **options
        Further arguments of `evaluate`, applied to every release.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    InputError
        If there is no release, if a name is not text or is "confidential", or for the reasons given in `evaluate`.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> near, far = people.assign(income=[11, 33, 41, 16, 30, 31]), people.assign(income=[11, 33, 70, 16, 30, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)
    >>> both = sl.compare(people, {"near": [near, near], "far": [far, near]}, someone, variables=["income"])
    >>> both.summary()[["m", "expected_match_risk"]]
                  m  expected_match_risk
    release
    confidential  1                 5.00
    near          2                 3.50
    far           2                 3.25
    """
    if not isinstance(releases, Mapping) or not releases:
        raise InputError('releases: must be a mapping with at least one release, for example {"plain": release}')
    for name in releases:
        if not isinstance(name, str) or not name.strip() or name == BASELINE:
            raise InputError(f"releases: {name!r} cannot name a release; use a text other than {BASELINE!r}")
    check_intruder(intruder, "evaluate", USED)
    frame = _checks.check_frame(confidential, "confidential")
    evaluations = {}
    for name, release in releases.items():
        try:
            released = release_of(release, frame, name=f"releases[{name!r}]")
            evaluations[name] = evaluate(frame, released, intruder, rng=rng, **options)
        except SynthlabError as error:
            error.add_note(f"while measuring release {name!r}")
            raise
    return ComparisonResult(evaluations)
