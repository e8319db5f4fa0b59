"""Result of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
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

    ``result["pmse"]`` is the result of one measure. If the measure was not computed, the error states the reason.

    Attributes
    ----------
    question : Question
        The inputs: confidential data, release, intruder and options.
    results : mapping {str: Result}
        The results by name of the measure, such as identification_risk, exact_copies, attribute_disclosure, pmse,
        table_utility. Measures that do not apply are absent.
    not_measured : mapping {str: tuple of str}
        The reasons why a measure was not computed, by name of the measure. A measure that is also in `results` was
        computed in part.
    warnings : tuple of (str, str)
        Name and text of every warning raised during the evaluation.
    name : str
        The name of the intruder; "" for a single unnamed intruder.
    others : tuple of EvaluationResult
        The results for the other intruders, the worst first; see `intruders`.
    limits : tuple of Limit
        The limits given to `evaluate`; see `verdicts`.
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
        """Expected number of people found by the best intruder, or None.

        The number is None if rows do not correspond.

        Three strategies are compared: using the known variables and the synthetic values, using the known variables
        alone, and guessing at random. The number of each is averaged over the datasets.
        """
        return self.summary()["synthetic"].to_dict().get("best_intruder")

    def verdicts(self) -> pd.DataFrame:
        """Return one row per limit: the worst number over the intruders, and the verdict.

        The verdict is "held", "broken", "not measured" or "not defined".
        """
        columns = ["limit", "value", "intruder", "verdict"]
        rows = {one.limit.name: [one.allowed, one.text, one.intruder, one.state] for one in outcomes(self)}
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("number")

    @property
    def verdict(self) -> Literal["STOP", "CHECK", "NOTHING FOUND"]:
        """The verdict on the release.

        NOTHING FOUND means that no rule applied. It is not a guarantee.
        """
        return verdict_on(self).word

    @property
    def worst(self) -> Finding | None:
        """The worst finding, or None.

        A finding has the attributes level, sentence, measure, dataset, columns, people and of.
        """
        return verdict_on(self).worst

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, the worst first; see `worst`."""
        return verdict_on(self).findings

    @property
    def keeps_limits(self) -> bool:
        """Whether every limit is held; True if there are no limits."""
        return all(one.state == "held" for one in outcomes(self))

    @property
    def too_good(self) -> list[str]:
        """Sentences on results that are too good for independent synthetic data."""
        return Content(self).too_good

    @property
    def headline(self) -> str:
        """The verdict with the worst finding, what to do, a column that differs clearly, and the broken limits."""
        return Content(self).headline

    def answers(self) -> pd.DataFrame:
        """Return the rows of the first screen of the report: one row per question.

        Columns: ``section`` ("risk" or "utility"), ``question``, ``found``, ``by_chance`` (for utility, what a correct
        release has) and ``word``, the judgment. All are texts.
        """
        rows = [
            {"section": section, **asdict(one)} for section, found in Content(self).answers.items() for one in found
        ]
        columns = ["section", "question", "found", "by_chance", "word"]
        return pd.DataFrame(rows, columns=columns, dtype=object)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m, with one column per measure."""
        rows = [row for row in all_rows(self.results, self.question) if row.per_dataset is not None]
        index = pd.RangeIndex(1, self.m + 1, name="dataset")
        return pd.DataFrame({row.name: pd.Series(row.per_dataset, index=index) for row in rows}, index=index)

    def summary(self) -> pd.DataFrame:
        """Return one row per measure, with the release and the baselines.

        Columns: ``synthetic``, the release (the mean over the m datasets, or the worst dataset for copies);
        ``confidential``, the data released unchanged; ``known_only``, an intruder who uses the known variables alone;
        ``random_guess``, an intruder who guesses at random. The first row describes the best of these intruders.
        Measures by row are included only if rows may correspond. With several numeric variables, the ECDF distances
        refer to the worst variable.
        """
        rows = {row.name: row.values for row in all_rows(self.results, self.question) if row.summarised}
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS)).rename_axis("measure")

    def published(self) -> pd.DataFrame:
        """Return the summary for publication, rounded and without counts of 1 to 9 people.

        Values that fewer than 10 people have are merged before the numbers are computed.
        """
        rows = Content(self, publish=True).summary
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS)).rename_axis("measure")

    def to_dict(self, *, publish: bool = False) -> dict[str, Any]:
        """Return every number as plain Python values; an undefined number is None.

        The JSON schema is evaluation.schema.json in the folder of `synthlab.report`.

        Parameters
        ----------
        publish : bool
            Whether the values are for publication: no record is listed, and values that fewer than 10 people
            have are merged before the numbers are computed. Numbers of people are rounded. Default: False.

        Raises
        ------
        InputError
            If `publish` is True and there are fewer than 10 records or people whom the intruder looks for.
        """
        return export.to_dict(self, publish=publish)

    def to_html(
        self,
        *,
        title: str = "Is this release safe to publish?",
        show_values: bool = False,
        publish: bool = False,
        date: str | None = None,
        dossier: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the report as one self-contained HTML page.

        By default the page is for internal use and is labeled so: it lists the row numbers of the most exposed records,
        and its figures show single records. With ``publish=True`` the page can be published.

        Parameters
        ----------
        title : str
            Heading of the page.
        show_values : bool
            Whether to print the confidential values of the most exposed records and draw the confidential
            distributions. Default: False, so that the page shows no confidential value.
        publish : bool
            Whether the page is for publication: no record is listed; figures show the means of at most 100 groups of at
            least 10 records; values that fewer than 10 people have are merged before the numbers are computed; and
            numbers of people are rounded, or written "fewer than 10". Default: False.
        date : str, optional
            Date of the report, printed unchanged. By default no date is printed.
        dossier : mapping {str: text}, optional
            Facts for the approval of the release, printed under the headings of NIST SP 800-188; missing facts are "not
            stated". Keys: purpose, users, access, data, basis, owner, mechanism, weights (a text or the weights),
            epsilon, delta, adjacency, assumptions, linkable, review, decision, monitoring, contact.

        Returns
        -------
        str

        Raises
        ------
        InputError
            If both `publish` and `show_values` are True, or the dossier has an unknown key; or if `publish` is True and
            there are fewer than 10 records or people whom the intruder looks for.
        ExtraUnavailableError
            If Matplotlib or Jinja2 is not installed; both are in the extra ``report``.
        """
        return export.render_page(
            self, title=title, show_values=show_values, publish=publish, date=date, dossier=dossier
        )

    def save(self, path: PathOrStr, **options: Any) -> Path:
        """Write the report as a page, all numbers as JSON, or the summary as a table.

        Parameters
        ----------
        path : path
            File to write. The extension selects the format: ``.html`` or ``.htm`` (page), ``.json`` (all numbers),
            ``.csv``, ``.md`` or ``.xlsx`` (summary). Missing folders are created. Without ``publish=True`` the file is
            for internal use, and only its owner can read it (mode 0600).
        **options
            Options of `to_html` for a page; only `publish` for the other formats.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        InputError
            If the file has another extension or cannot be written.
        """
        return export.save(self, path, **options)

    @property
    def title(self) -> str:
        """The verdict, the release, the intruder, and the measures that do not apply."""
        content = Content(self)
        absent = [f"Not measured: {text}" for text in content.missing_measures]
        return "\n".join([content.headline, str(self.release), self.intruder.describe(), self.rows.text, *absent])

    def plot(self, ax: Axes | None = None, *, measure: str | None = None, **options: Any) -> Axes:
        """Draw one measure.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on. Default: a new figure.
        measure : str, optional
            The name of the measure. Default: the first measure of the report that has a figure.
        **options
            Options of the `plot` method of this measure's result.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the figure.

        Raises
        ------
        InputError
            If the measure was not computed.
        """
        first = next(
            (name for name in MEASURES if name in self.results and self.results[name]._figure), next(iter(MEASURES))
        )
        one: Result = self[first if measure is None else measure]
        return one.plot(ax=ax, **{"data": self.data_kind, **options})

    def __str__(self) -> str:
        return "\n".join([Result.__str__(self), *(f"{name}: {text}" for name, text in self.warnings)])
