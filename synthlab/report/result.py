"""The result of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from synthlab._result import Result
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.report import export
from synthlab.report.content import Content
from synthlab.report.evaluation_data import EvaluationData
from synthlab.report.limits import outcomes
from synthlab.report.measure import COLUMNS, Finding
from synthlab.report.measures import MEASURES, all_rows
from synthlab.report.verdict import verdict_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EvaluationResult(EvaluationData, Result):
    """Risk and utility of one release.

    ``result["pmse"]`` is the result of one measure; an error says why where it could not be measured.

    Attributes
    ----------
    question : Question
        The question: confidential data, release, intruder and options.
    results : mapping {str: Result}
        The results, by the name of the measure, such as identification_risk, exact_copies, attribute_disclosure, pmse,
        tables. A measure that does not apply is not among them.
    not_measured : mapping {str: tuple of str}
        The measures not computed, and why, by the name of the measure; one that is also among the results was measured
        in part.
    warnings : tuple of (str, str)
        Name and text of every warning raised while measuring.
    name : str
        The name of the intruder, "" of a single one.
    others : tuple of EvaluationResult
        The other intruders, the worse first; see `intruders`.
    limits : tuple of Limit
        The limits given; see `verdicts`.
    failed : tuple of str
        The names of the measures that failed.
    """

    def __getitem__(self, measure: str) -> Any:
        """Return the result of one measure."""
        if measure in self.results:
            return self.results[measure]
        if measure not in MEASURES:
            raise InputError(f"measure={measure!r}: must be one of {', '.join(MEASURES)}")
        raise InputError(f"measure={measure!r}: was not measured. {' '.join(self.not_measured.get(measure, ()))}")

    @property
    def best_intruder(self) -> float | None:
        """Expected number of people found by the best of the intruders considered; None where rows do not correspond.

        They are one who uses all that is known and the synthetic values, one who uses the known variables alone, and one who
        picks blindly. Each is averaged over the datasets.
        """
        return self.summary()["synthetic"].to_dict().get("best_intruder")

    def verdicts(self) -> pd.DataFrame:
        """Return one row per limit: the worst number over the intruders, and "held", "broken", "not measured" or "not defined"."""
        columns = ["limit", "value", "intruder", "verdict"]
        rows = {one.limit.name: [one.allowed, one.text, one.intruder, one.state] for one in outcomes(self)}
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("number")

    @property
    def verdict(self) -> Literal["STOP", "CHECK", "NOTHING FOUND"]:
        """The verdict on the release; NOTHING FOUND says that no rule applied, and is not a guarantee."""
        return verdict_on(self).word

    @property
    def worst(self) -> Finding | None:
        """The worst finding, None if nothing was found; see `findings`."""
        return verdict_on(self).worst

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, the worst first: level, sentence, measure, dataset, columns, people and of."""
        return verdict_on(self).findings

    @property
    def keeps_limits(self) -> bool:
        """True if every limit is held; without limits, nothing was asked."""
        return all(one.state == "held" for one in outcomes(self))

    @property
    def too_good(self) -> list[str]:
        """Sentences on what looks better than an honest draw could be."""
        return Content(self).too_good

    @property
    def headline(self) -> str:
        """The verdict with the worst finding, and at most five lines below it."""
        return Content(self).headline

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with every measure of risk and utility."""
        rows = [row for row in all_rows(self.results, self.question) if row.per_dataset is not None]
        index = pd.RangeIndex(1, self.m + 1, name="dataset")
        return pd.DataFrame({row.name: pd.Series(row.per_dataset, index=index) for row in rows}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return one row per measure: the release (mean over the m datasets) and the baselines.

        Columns: ``synthetic``; ``confidential``, the data released as they are; ``known_only``, an
        intruder who uses the known variables alone; ``random_guess``, one who picks blindly. The first row is of the best
        of these intruders. Measures by row are there only where the rows correspond. With several numeric variables the
        ECDF distances are those of the worst one.
        """
        rows = {row.name: row.values for row in all_rows(self.results, self.question) if row.summarised}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS)).rename_axis("measure")

    def published(self) -> pd.DataFrame:
        """Return the summary for publication: without any number that tells one of 1 to 9 people."""
        rows = {row.name: row.published() for row in all_rows(self.results, self.question) if row.summarised}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS)).rename_axis("measure")

    def to_dict(self, *, publish: bool = False) -> dict[str, Any]:
        """Return every number as plain Python values, ready for JSON; an undefined number is None.

        The schema of the file is evaluation.schema.json in the folder of `synthlab.report`.

        Parameters
        ----------
        publish : bool
            As `to_html`: no record is listed, and no count of 1 to 9 records is given.
        """
        return export.to_dict(self, publish=publish)

    def to_html(
        self,
        *,
        title: str = "Risk and utility of a synthetic release",
        show_values: bool = False,
        publish: bool = False,
        date: str | None = None,
        dossier: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the report as one self-contained HTML page.

        The page is for the agency's own use, and says so: it lists the rows of the most exposed records, and its figures
        go through every record. With ``publish=True`` it is a page that may be handed on.

        Parameters
        ----------
        title : str
            Heading of the page.
        show_values : bool
            Print the confidential values of the most exposed records and draw the confidential
            distributions. A report may be shown to others, so the default prints no confidential value.
        publish : bool
            Make a page for publication: no record is listed, figures are drawn on the means of groups of at least 10
            records, at most 100 of them, and counts of 1 to 9 records are written "fewer than 10".
        date : str, optional
            Printed unchanged; without it the page depends on the numbers and the software alone.
        dossier : mapping {str: text}, optional
            Makes the page the dossier of the release, for those who sign for it: under the headings of NIST SP 800-188
            what is told here, and "not stated" for the rest. Keys: purpose, users, access, data, basis, owner, mechanism,
            weights (a text, or the weights), epsilon, delta, adjacency, assumptions, linkable, review, decision, monitoring, contact.

        Returns
        -------
        str

        Raises
        ------
        InputError
            If a page for publication is to show values, or the dossier has a key that is not among these.
        ExtraUnavailableError
            If Matplotlib or Jinja2 is not installed; both are in the extra ``report``.
        """
        return export.render_page(
            self, title=title, show_values=show_values, publish=publish, date=date, dossier=dossier
        )

    def save(self, path: PathOrStr, **options: Any) -> Path:
        """Write the report to an HTML file, all numbers to a JSON file, or the summary to a table; the ending decides.

        Parameters
        ----------
        path : path
            Ends in ``.html``, ``.htm``, ``.json``, ``.csv``, ``.md`` or ``.xlsx``. Missing folders are created. Without
            ``publish=True`` the file is for internal use, and only its owner can read it (mode 0600).
        **options
            As `to_html`, for a page; `publish` for the others.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        InputError
            If the name ends otherwise, or the file cannot be written.
        """
        return export.save(self, path, **options)

    @property
    def title(self) -> str:
        """The risk to people, the release, the intruder's knowledge, and which measure does not apply."""
        content = Content(self)
        absent = [f"Not measured: {text}" for text in content.missing_measures]
        return "\n".join([content.headline, str(self.release), self.intruder.describe(), self.rows.text, *absent])

    def plot(self, ax: Axes | None = None, *, measure: str | None = None, **options: Any) -> Axes:
        """Draw one measure; by default the record match risks, if the rows correspond.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; a new figure without.
        measure : str, optional
            The name of the measure; by default the first measure of the report that has a figure.
        **options
            As those of the result of this measure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes drawn on.

        Raises
        ------
        InputError
            If it was not measured.
        """
        first = next(
            (name for name in MEASURES if name in self.results and self.results[name]._figure), next(iter(MEASURES))
        )
        one: Result = self[first if measure is None else measure]
        return one.plot(ax=ax, **{"data": self.data_kind, **options})

    def __str__(self) -> str:
        return "\n".join([Result.__str__(self), *(f"{name}: {text}" for name, text in self.warnings)])
