"""One release, measured: who is exposed, what is left to learn, and what was not looked at.

A risk without its baselines says nothing, and a low risk without the utility it cost says little;
`evaluate` measures both with one call and keeps the warnings that were raised on the way.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import (
    Boundary,
    ColumnNames,
    FrameOrFrames,
    Missing,
    Norm,
    PathOrStr,
    Radius,
    RadiusKind,
    RngLike,
)
from synthlab.exceptions import SynthlabWarning
from synthlab.plots.style import data_kind
from synthlab.release import Release, as_release
from synthlab.report.choices import changed, is_measured, order_of_products, utility_variables, why_no_probability
from synthlab.risk import (
    IdentificationProbabilityResult,
    IdentificationRiskResult,
    identification_probability,
    identification_risk,
)
from synthlab.utility import EcdfUtilityResult, PmseResult, ecdf_utility, pmse

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationResult:
    """Risk and utility of one release.

    Attributes
    ----------
    confidential : pandas.DataFrame
        The confidential data, as given.
    release : Release
        The release.
    risk : IdentificationRiskResult
        Matching-based identification risk, with its baselines.
    probability : IdentificationProbabilityResult or None
        Identification probability IR; None where it is not defined, `not_measured` says why.
    ecdf : EcdfUtilityResult or None
        Distances between the distributions of the numeric synthesized variables; None if there is none.
    propensity : PmseResult
        How well a classifier tells synthetic from confidential records.
    data_kind : {"real", "simulated"} or None
        What the confidential data are, where they or the release say so.
    warnings : tuple of (str, str)
        Name and text of every warning raised while measuring.
    not_measured : tuple of str
        What could not be measured here, and why.
    """

    confidential: pd.DataFrame = field(repr=False)
    release: Release
    risk: IdentificationRiskResult
    probability: IdentificationProbabilityResult | None
    ecdf: EcdfUtilityResult | None
    propensity: PmseResult
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

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m with every measure of risk and utility."""
        table = self.risk.to_frame()
        if self.probability is not None:
            table = table.join(self.probability.to_frame()[["mean", "90 %"]].set_axis(["mean_ir", "ir_90"], axis=1))
        if self.ecdf is not None:
            table["ecdf_max"] = self.ecdf.ecdf_max.max(axis=0)
            table["ecdf_mean_square"] = self.ecdf.ecdf_mean_square.max(axis=0)
        table["pmse"] = self.propensity.pmse
        table["pmse_ratio"] = self.propensity.ratio
        return table

    def summary(self) -> pd.DataFrame:
        """Return one row per measure: the release (mean over the m datasets) beside the baselines.

        Columns: ``synthetic``; ``confidential``, the data released as they are; ``known_only``, an
        intruder who uses the known variables alone; ``random_guess``, one who picks blindly. With several
        numeric variables the ECDF distances are those of the worst one.
        """
        table = pd.DataFrame({"synthetic": self.to_frame().astype(float).mean()})
        if self.probability is not None:
            table.loc[["mean_ir", "ir_90"], "synthetic"] = self._ir("synthetic")
        table["confidential"] = pd.Series(self._as_is())
        table["known_only"] = pd.Series({"expected_match_risk": float(self.risk.known_only.mean())})
        table["random_guess"] = pd.Series({"expected_match_risk": self.risk.random_guess})
        return table.rename_axis("measure")

    def _as_is(self) -> dict[str, float]:
        """Return the measures of the confidential data released as they are."""
        values: dict[str, float] = {}
        if self.risk.baseline is not None:
            values |= {str(k): float(v) for k, v in self.risk.baseline.to_frame().iloc[0].items()}
        if self.probability is not None:
            values |= dict(zip(["mean_ir", "ir_90"], self._ir("confidential"), strict=True))
        return {**values, "ecdf_max": 0.0, "ecdf_mean_square": 0.0, "pmse": 0.0, "pmse_ratio": 0.0}

    def _ir(self, which: str) -> list[float]:
        """Return mean and 90 % quantile of IR over the records."""
        if self.probability is None:
            return []
        row = self.probability.summary().loc[which].to_dict()
        return [row["mean"], row["90 %"]]

    def to_dict(self) -> dict[str, Any]:
        """Return every number as plain Python values, ready for JSON; an undefined number is None."""
        from synthlab.report.plain import evaluation_to_dict

        return evaluation_to_dict(self)

    def to_html(
        self,
        *,
        title: str = "Risk and utility of a synthetic release",
        show_values: bool = False,
        date: str | None = None,
    ) -> str:
        """Return the report as one self-contained HTML page.

        Parameters
        ----------
        title : str
            Heading of the page.
        show_values : bool
            Print the confidential values of the most exposed records and draw the confidential
            distributions. A report may be shown to others, so the default prints no confidential value.
        date : str, optional
            Printed as it is; without it the page depends on the numbers and the software alone.

        Returns
        -------
        str
        """
        from synthlab.report.page import render

        return render(self, title=title, show_values=show_values, date=date)

    def save(self, path: PathOrStr, **options: Any) -> Path:
        """Write the report to an HTML file, or the numbers to a JSON file; the ending of the name decides.

        Parameters
        ----------
        path : path
            Ends in ``.html``, ``.htm`` or ``.json``. Missing folders are created.
        **options
            As `to_html`, for a page.

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

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the distribution of the record match risks, confidential against synthetic."""
        return self.risk.plot(ax=ax, **{"data": self.data_kind, **options})

    def __str__(self) -> str:
        parts = [
            str(self.release),
            self.risk.rule.describe(),
            "",
            self.summary().to_string(float_format=_short, na_rep="-"),
        ]
        parts += [f"{name}: {text}" for name, text in self.warnings]
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.risk.rule.describe())}</p>" + self.summary().to_html(float_format=_short, na_rep="-")


def evaluate(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    known: ColumnNames,
    synthesized: ColumnNames,
    radius: Radius = None,
    radius_kind: RadiusKind = "relative",
    boundary: Boundary = "closed",
    convention: str | None = None,
    norm: Norm = "box",
    missing: Missing = "raise",
    targets: Any = None,
    singletons: Literal["formula", "certain"] = "formula",
    variables: ColumnNames | None = None,
    categorical: ColumnNames = (),
    model: Literal["logistic", "cart"] = "logistic",
    rng: RngLike = None,
) -> EvaluationResult:
    """Measure the identification risk and the global utility of a release.

    Parameters
    ----------
    confidential : pandas.DataFrame, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or CSV paths
        m datasets of n rows; row i is about the person in row i of `confidential`.
    known, synthesized, radius, radius_kind, boundary, convention, norm, missing, targets
        What the intruder knows and when two records match: as `identification_risk`.
    singletons : {"formula", "certain"}
        As `identification_probability`.
    variables : sequence of str, optional
        Variables whose distributions the utility measures compare. Default: known and synthesized ones.
    categorical : sequence of str
        Columns of `confidential` stored as numbers that are categories.
    model : {"logistic", "cart"}
        Classifier of the propensity score: logistic regression with two-way products (main effects alone
        when there would be more than 200 columns, or one for every ten records), or a tree.
    rng : int or numpy.random.Generator, optional
        Used by the tree alone.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        As `identification_risk`, `ecdf_utility` and `pmse`; a name in `categorical` is no column of `confidential`.

    Warns
    -----
    SynthlabWarning
        What the measures warn of; the result and its report keep the warnings too.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 33, 41, 16, 30, 31])
    >>> result = sl.evaluate(confidential, synthetic, known=["region"], synthesized=["income"], radius=0.2)
    >>> float(result.summary().loc["expected_match_risk", "confidential"])
    5.0
    """
    frame = _checks.check_frame(confidential, "confidential")
    categorical = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_choice(missing, "missing", ("raise", "category", "never"))
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    _checks.check_choice(model, "model", ("logistic", "cart"))
    _rng.as_generator(rng)
    release = as_release(synthetic)
    rule: dict[str, Any] = {
        "known": known,
        "synthesized": synthesized,
        "radius": radius,
        "radius_kind": radius_kind,
        "boundary": boundary,
        "norm": norm,
    }
    missing_utility = "raise" if missing == "raise" else "category"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        risk = identification_risk(
            confidential, release, **rule, convention=convention, missing=missing, targets=targets
        )
        names = utility_variables(confidential, release, risk, variables)
        reason = why_no_probability(confidential, release, risk)
        probability = None
        if reason is None:
            probability = identification_probability(confidential, release, **rule, singletons=singletons)
        numeric = [c for c in names if c in changed(release, risk) and is_measured(confidential[c], c, categorical)]
        ecdf = None
        if numeric:
            drop = "raise" if missing == "raise" else "drop"
            ecdf = ecdf_utility(confidential, release, variables=numeric, missing=drop)
        order = order_of_products(confidential, release, names, categorical, model)
        propensity = pmse(
            confidential,
            release,
            variables=names,
            categorical=[c for c in categorical if c in names],
            model=model,
            order=order,
            missing=missing_utility,
            rng=rng,
        )
    _raise_again(caught)
    not_measured = [f"Identification probability (IR): {reason}."] if reason else []
    if not numeric:
        not_measured.append("Distance of the distributions (ECDF): no synthesized variable is a measurement.")
    return EvaluationResult(
        confidential=confidential,
        release=release,
        risk=risk,
        probability=probability,
        ecdf=ecdf,
        propensity=propensity,
        data_kind=data_kind(risk.rule, release),
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


def _short(value: float) -> str:
    return f"{value:.4g}"
