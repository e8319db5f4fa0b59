"""One release, measured: who is exposed, what is left to learn, and what was not looked at.

A risk without its baselines says nothing, and a low risk without the utility it cost says little;
`evaluate` measures both with one call and keeps the warnings that were raised on the way.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._pairs import resolve
from synthlab._result import Result
from synthlab._typing import ColumnNames, FrameLike, FrameOrFrames, PathOrStr, RngLike
from synthlab.exceptions import InputError, SynthlabWarning, TermsLeftOutWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.plots.style import data_kind
from synthlab.release import Release, as_release
from synthlab.report.choices import (
    alike,
    changed,
    is_measured,
    products,
    too_many_levels,
    utility_variables,
    why_no_probability,
)
from synthlab.report.rows import RowOrder, row_order
from synthlab.risk import (
    ExactCopiesResult,
    IdentificationProbabilityResult,
    IdentificationRiskResult,
    exact_copies,
    identification_probability,
    identification_risk,
)
from synthlab.utility import EcdfUtilityResult, PmseResult, ecdf_utility, pmse

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EvaluationResult(Result):
    """Risk and utility of one release.

    Attributes
    ----------
    confidential : pandas.DataFrame
        The confidential data, as given.
    release : Release
        The release.
    intruder : Intruder
        What is known and when two records match; ``intruder.describe()`` says it in a sentence.
    rows : RowOrder
        Whether row i of the release is about record i, and what that rests on.
    copies : ExactCopiesResult
        Released records that equal a confidential one, whatever the order of the rows.
    risk : IdentificationRiskResult or None
        Matching-based identification risk, with its baselines; None where the rows do not correspond.
    probability : IdentificationProbabilityResult or None
        Identification probability IR; None where it is not defined, `not_measured` says why.
    ecdf : EcdfUtilityResult or None
        Distances between the distributions of the numeric synthesized variables; None if there is none.
    propensity : PmseResult or None
        How well a classifier tells synthetic from confidential records; None if no variable can take part.
    data_kind : {"real", "simulated"} or None
        What the confidential data are, where they or the release say so.
    warnings : tuple of (str, str)
        Name and text of every warning raised while measuring.
    not_measured : tuple of str
        What could not be measured here, and why.
    """

    confidential: pd.DataFrame = field(repr=False)
    release: Release
    intruder: Intruder
    rows: RowOrder
    copies: ExactCopiesResult
    risk: IdentificationRiskResult | None
    probability: IdentificationProbabilityResult | None
    ecdf: EcdfUtilityResult | None
    propensity: PmseResult | None
    data_kind: str | None
    warnings: tuple[tuple[str, str], ...]
    not_measured: tuple[str, ...]

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.release.m

    @property
    def n(self) -> int:
        """Number of confidential records."""
        return len(self.confidential)

    @property
    def best_intruder(self) -> float | None:
        """Expected number of people found by the best of the intruders considered; None where rows do not correspond.

        They are one who uses all that is known and the synthetic values, one who uses the known variables alone, and one who
        picks blindly. Each is averaged over the datasets.
        """
        if self.risk is None:
            return None
        risk = self.risk
        return max(float(risk.expected_match_risk.mean()), float(risk.known_only.mean()), risk.random_guess)

    @property
    def headline(self) -> str:
        """The first thing to be told: whether rows correspond, copies, and the best of the intruders."""
        from synthlab.report.words import headline

        return headline(self)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with every measure of risk and utility."""
        table = self.copies.to_frame()
        if self.risk is not None:
            table = self.risk.to_frame().join(table)
        if self.probability is not None:
            table = table.join(self.probability.to_frame()[["mean", "90 %"]].set_axis(["mean_ir", "ir_90"], axis=1))
        if self.ecdf is not None:
            table["ecdf_max"] = self.ecdf.ecdf_max.max(axis=0)
            table["ecdf_mean_square"] = self.ecdf.ecdf_mean_square.max(axis=0)
        if self.propensity is not None:
            table["pmse"] = self.propensity.pmse
            table["pmse_ratio"] = self.propensity.ratio
        return table

    def summary(self) -> pd.DataFrame:
        """Return one row per measure: the release (mean over the m datasets) beside the baselines.

        Columns: ``synthetic``; ``confidential``, the data released as they are; ``known_only``, an
        intruder who uses the known variables alone; ``random_guess``, one who picks blindly. The first row is of the best
        of these intruders. Measures by row are there only where the rows correspond. With several numeric variables the
        ECDF distances are those of the worst one.
        """
        table = pd.DataFrame({"synthetic": self.to_frame().astype(float).mean()})
        if self.probability is not None:
            table.loc[["mean_ir", "ir_90"], "synthetic"] = self._ir("synthetic")
        table["confidential"] = pd.Series(self._as_is())
        table["known_only"] = table["random_guess"] = np.nan
        if self.risk is not None:
            table.loc["expected_match_risk", "known_only"] = float(self.risk.known_only.mean())
            table.loc["expected_match_risk", "random_guess"] = self.risk.random_guess
            as_is = [self._as_is()["expected_match_risk"], *table.loc["expected_match_risk"].iloc[2:]]
            best = pd.DataFrame({"synthetic": self.best_intruder, "confidential": max(as_is)}, index=["best_intruder"])
            table = pd.concat([best.reindex(columns=table.columns), table])
        return table.rename_axis("measure")

    def _as_is(self) -> dict[str, float]:
        """Return the measures of the confidential data released as they are."""
        values: dict[str, float] = {}
        if self.risk is not None and self.risk.baseline is not None:
            values |= {str(k): float(v) for k, v in self.risk.baseline.to_frame().iloc[0].items()}
        if self.probability is not None:
            values |= dict(zip(["mean_ir", "ir_90"], self._ir("confidential"), strict=True))
        values |= {"exact_copies": float(self.n), "unique_copies": float(self.n - self.copies.duplicates)}
        return {**values, "ecdf_max": 0.0, "ecdf_mean_square": 0.0, "pmse": 0.0, "pmse_ratio": 0.0}

    def _ir(self, which: str) -> list[float]:
        """Return mean and 90 % quantile of IR over the records."""
        if self.probability is None:
            return []
        row = self.probability.summary().loc[which].to_dict()
        return [row["mean"], row["90 %"]]

    def to_dict(self, *, publish: bool = False) -> dict[str, Any]:
        """Return every number as plain Python values, ready for JSON; an undefined number is None.

        Parameters
        ----------
        publish : bool
            As `to_html`: no record is listed, and no count of 1 to 9 records is given.
        """
        from synthlab.report.plain import evaluation_to_dict

        return evaluation_to_dict(self, publish=publish)

    def to_html(
        self,
        *,
        title: str = "Risk and utility of a synthetic release",
        show_values: bool = False,
        publish: bool = False,
        date: str | None = None,
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
            Printed as it is; without it the page depends on the numbers and the software alone.

        Returns
        -------
        str

        Raises
        ------
        InputError
            If a page for publication is to show values.
        """
        from synthlab.report.page import render

        return render(self, title=title, show_values=show_values, publish=publish, date=date)

    def save(self, path: PathOrStr, **options: Any) -> Path:
        """Write the report to an HTML file, or the numbers to a JSON file; the ending of the name decides.

        Parameters
        ----------
        path : path
            Ends in ``.html``, ``.htm`` or ``.json``. Missing folders are created.
        **options
            As `to_html`, for a page; as `to_dict`, for JSON.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        InputError
            If the name ends otherwise, or the file cannot be written.
        """
        from synthlab.report.plain import save

        return save(self, path, **options)

    @property
    def title(self) -> str:
        """What this means for people, what was released, and what the intruder knows."""
        return "\n".join([self.headline, str(self.release), self.intruder.describe()])

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the distribution of the record match risks, confidential against synthetic.

        Raises
        ------
        InputError
            If the rows do not correspond, so that there are no such risks.
        """
        if self.risk is None:
            raise InputError(f"synthetic: there is no match risk to draw. {self.rows.text}")
        return self.risk.plot(ax=ax, **{"data": self.data_kind, **options})

    def __str__(self) -> str:
        return "\n".join([Result.__str__(self), *(f"{name}: {text}" for name, text in self.warnings)])


def evaluate(
    confidential: FrameLike,
    synthetic: FrameOrFrames | PathOrStr | Sequence[PathOrStr],
    intruder: Intruder,
    *,
    rows: Literal["aligned"] | None = None,
    singletons: Literal["formula", "certain"] = "formula",
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    model: Literal["logistic", "cart"] = "logistic",
    rng: RngLike = None,
) -> EvaluationResult:
    """Measure the identification risk and the global utility of a release.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or CSV paths
        m datasets. Match risk and IR compare row i with record i: they are given only where rows may correspond, see `rows`.
    intruder : Intruder
        What is known and when two records match: as `identification_risk`. IR is about all records and takes the box or
        ball as it is said, without `convention`, `missing` and `targets`.
    rows : {"aligned", None}
        "aligned": row i of each dataset is about record i, and measures by row are given whatever the known variables say
        (a doubt is printed with them). None: a `Release` that says so itself is taken at its word, unless its known
        variables differ in more than 5 % of the rows or in half as many as in a random order. A release that says nothing
        is measured by row if its known variables agree, which is no proof, and the result says so; if they do not agree, or
        cannot show anything, measures by row are not given.
    singletons : {"formula", "certain"}
        As `identification_probability`.
    variables : sequence of str, optional
        Variables whose distributions the utility measures compare. Default: known and synthesized ones.
    categorical : sequence of str
        Columns of `confidential` stored as numbers that are categories.
    model : {"logistic", "cart"}
        Classifier of the propensity score: logistic regression with two-way products (main effects alone
        when there would be more than 200 columns, or one for every ten records; a warning names what is left out), or a
        tree.
    rng : int, Generator or None
        Used by the tree alone.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        As `identification_risk`, `ecdf_utility` and `pmse`; a name in `categorical` is no column of `confidential`.
    RowAlignmentError
        ``rows="aligned"`` for a release that was shuffled, or has another number of rows.

    Warns
    -----
    TermsLeftOutWarning
        What the classifier of pMSE does not see: products of variables in a wide file, a variable with too many levels.
    SynthlabWarning
        What the measures warn of; the result and its report keep the warnings too.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 33, 41, 16, 30, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)
    >>> result = sl.evaluate(confidential, synthetic, someone, variables=["income"])
    >>> float(result.summary().loc["expected_match_risk", "confidential"])
    5.0
    """
    frame = _checks.check_frame(confidential, "confidential")
    categorical = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_choice(rows, "rows", (None, "aligned"))
    check_intruder(intruder, "evaluate", ("boundary", "missing", "convention", "targets"))
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    _checks.check_choice(model, "model", ("logistic", "cart"))
    _rng.as_generator(rng)
    release = as_release(synthetic)
    met = resolve(frame, release, intruder)
    missing = intruder.missing
    _checks.check_targets(intruder.targets, len(frame))
    missing_utility = "raise" if missing == "raise" else "category"
    risk = probability = ecdf = propensity = None
    not_measured = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        order = row_order(frame, release, met, rows)
        names = utility_variables(frame, release, met, variables)
        compared, unlike = alike(frame, release)
        copies = exact_copies(frame, release, variables=compared)
        if unlike:
            not_measured.append(
                f"Exact copies in {', '.join(unlike)}: the two files hold different kinds of values there."
            )
        if order.by_row:
            risk = identification_risk(frame, release, intruder)
            reason = why_no_probability(frame, release, met)
            if reason is None:
                everybody = replace(intruder, convention=None, missing="raise", targets=None)
                probability = identification_probability(frame, release, everybody, singletons=singletons)
            else:
                not_measured.append(f"Identification probability (IR): {reason}.")
        else:
            not_measured.append(f"Measures by row (match risk, IR): {order.text}")
        numeric = [c for c in names if c in changed(release, met) and is_measured(frame[c], c, categorical)]
        if numeric:
            drop = "raise" if missing == "raise" else "drop"
            ecdf = ecdf_utility(frame, release, variables=numeric, missing=drop)
        else:
            not_measured.append("Distance of the distributions (ECDF): no synthesized variable is a measurement.")
        refused = too_many_levels(frame, release, names, categorical)
        for text in refused.values():
            not_measured.append(f"pMSE: {text}.")
            warnings.warn(f"pMSE: {text}", TermsLeftOutWarning, stacklevel=2)
        seen = [c for c in names if c not in refused]
        if seen:
            highest, lost = products(frame, release, seen, categorical, model)
            if lost:
                not_measured.append(f"pMSE: {lost}.")
                warnings.warn(f"pMSE: {lost}", TermsLeftOutWarning, stacklevel=2)
            propensity = pmse(
                frame,
                release,
                variables=seen,
                categorical=[c for c in categorical if c in seen],
                model=model,
                order=highest,
                missing=missing_utility,
                rng=rng,
            )
    _raise_again(caught)
    return EvaluationResult(
        confidential=frame,
        release=release,
        intruder=met,
        rows=order,
        copies=copies,
        risk=risk,
        probability=probability,
        ecdf=ecdf,
        propensity=propensity,
        data_kind=data_kind(_checks.data_kind(frame), release),
        warnings=tuple(
            dict.fromkeys(
                (w.category.__name__, str(w.message)) for w in caught if issubclass(w.category, SynthlabWarning)
            )
        ),
        not_measured=tuple(not_measured),
    )


def _raise_again(caught: list[warnings.WarningMessage]) -> None:
    """Issue the collected warnings to the caller, whose filters then decide."""
    for w in caught:
        warnings.warn(w.message, w.category, stacklevel=3)
