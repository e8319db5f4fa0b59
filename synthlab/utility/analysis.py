"""One analysis, done on the confidential data and on the release, and whether the conclusions agree.

The analyst's view of utility (Karr et al. 2006): fit the same model to every synthetic dataset, combine
the fits by the rules of the kind of synthesis, and measure its overlap with the confidential interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import warn
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.release import as_release
from synthlab.utility._coefficients import align, coefficients, given_fits, name_of, ratio_of, run
from synthlab.utility._combined import CombinedResult
from synthlab.utility._regression import FAMILIES, fit_formula
from synthlab.utility._rules import SYNTHESES, rule_of
from synthlab.utility._survey_weights import DesignOfSynthetic, designs
from synthlab.utility.intervals import overlap


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnalysisUtilityResult(Result):
    """One analysis on the confidential data and on m synthetic datasets.

    Attributes
    ----------
    names : tuple of str
        The p coefficients.
    confidential_estimate, confidential_std_error : numpy.ndarray of float, shape (p,)
        From the confidential data.
    confidential_interval : numpy.ndarray of float, shape (p, 2)
        Their confidence intervals.
    estimates, variances : numpy.ndarray of float, shape (m, p)
        From each synthetic dataset.
    intervals : numpy.ndarray of float, shape (m, p, 2)
        The interval of an analyst who has one synthetic dataset and takes it for real.
    combined : CombinedResult
        The m datasets combined.
    analysis : str
        The analysis fitted.
    """

    _figure: ClassVar[str] = "intervals.plot_analysis"

    names: tuple[str, ...]
    confidential_estimate: FloatArray
    confidential_std_error: FloatArray
    confidential_interval: FloatArray
    estimates: FloatArray
    variances: FloatArray
    intervals: FloatArray
    combined: CombinedResult
    analysis: str

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return len(self.estimates)

    @property
    def interval_overlap(self) -> FloatArray:
        """Overlap of the combined with the confidential interval, shape (p,); negative when disjoint."""
        return _checks.read_only(overlap(self.confidential_interval, self.combined.interval))

    @property
    def interval_overlap_clipped(self) -> FloatArray:
        """The same, 0 when disjoint, shape (p,)."""
        return _checks.read_only(np.maximum(self.interval_overlap, 0.0))

    @property
    def dataset_overlap(self) -> FloatArray:
        """Overlap of each dataset's own interval with the confidential one, shape (m, p); negative when disjoint."""
        ours = np.broadcast_to(self.confidential_interval, self.intervals.shape)
        return _checks.read_only(overlap(ours, self.intervals))

    @property
    def standardised_difference(self) -> FloatArray:
        """Return ``(q_bar - confidential estimate) / confidential standard error``, shape (p,)."""
        gap = self.combined.q_bar - self.confidential_estimate
        out = np.full(gap.size, np.nan)
        return _checks.read_only(
            np.divide(gap, self.confidential_std_error, out=out, where=self.confidential_std_error > 0)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per dataset 1..m and coefficient."""
        index = pd.MultiIndex.from_product([range(1, self.m + 1), self.names], names=["dataset", "name"])
        columns = {
            "estimate": self.estimates.ravel(),
            "std_error": np.sqrt(self.variances).ravel(),
            "lower": self.intervals[:, :, 0].ravel(),
            "upper": self.intervals[:, :, 1].ravel(),
            "interval_overlap": self.dataset_overlap.ravel(),
        }
        return pd.DataFrame(columns, index=index).reset_index()

    def summary(self) -> pd.DataFrame:
        """Return one row per coefficient: confidential, combined, and how far they agree."""
        return pd.DataFrame(
            {
                "confidential": self.confidential_estimate,
                "confidential_lower": self.confidential_interval[:, 0],
                "confidential_upper": self.confidential_interval[:, 1],
                "q_bar": self.combined.q_bar,
                "lower": self.combined.interval[:, 0],
                "upper": self.combined.interval[:, 1],
                "standardised_difference": self.standardised_difference,
                "interval_overlap": self.interval_overlap,
                "interval_overlap_clipped": self.interval_overlap_clipped,
                "mean_dataset_overlap": self.dataset_overlap.mean(axis=0),
            },
            index=pd.Index(self.names, name="name"),
        )

    @property
    def title(self) -> str:
        """The data compared."""
        return f"Analysis utility of {self.analysis}, m = {self.m}, {self.combined.synthesis} synthesis, {self.combined.level:.0%} intervals."


def analysis_utility(
    confidential: Any,
    synthetic: Any,
    *,
    formula: str | None = None,
    family: str = "gaussian",
    analysis: Callable[[pd.DataFrame], Any] | None = None,
    synthesis: str | None = None,
    level: float = 0.95,
    size_ratio: float | None = None,
    missing: str = "raise",
    design: SurveyDesign | None = None,
    synthetic_design: DesignOfSynthetic = "same",
) -> AnalysisUtilityResult:
    """Compare an analysis of the confidential data with the same analysis of the release.

    Parameters
    ----------
    confidential : pandas.DataFrame or statsmodels results
        The confidential data; or, when neither `formula` nor `analysis` is given, a fitted model.
    synthetic : DataFrame, sequence of DataFrames, Release, or sequence of statsmodels results
        The m synthetic datasets, or the m models fitted to them.
    formula : str, optional
        ``"income ~ age + C(region)"``: the response is one column of numbers; names that are not plain
        words stand in backticks; nothing but columns, numbers, arithmetic and a few named functions is
        allowed. Levels of a category are the same in all datasets.
    family : {"gaussian", "binomial", "poisson"}
        Least squares, logistic, or log-linear Poisson regression (maximum likelihood, no penalty).
    analysis : callable, optional
        Instead of a formula: a function of a DataFrame that returns a statsmodels result, or a mapping
        from name to (estimate, standard error).
    synthesis : {"partial", "full", "nested", "pseudo-population"}, optional
        The kind of synthesis, which determines the combining rule: `combine_partial`, `combine_full`, `combine_nested` or
        `combine_pseudo_populations`. By default, the provenance of the release determines it: "nested" for a release
        of `Imputed.synthesize`, "pseudo-population" for a release of `synthesize_pseudo_populations`, and "partial" for
        any other release. Data frames and fitted models without provenance also count as "partial".
    level : float
        Confidence level, in (0, 1).
    size_ratio : float > 0, optional
        For "full": records of a synthetic dataset over records of the confidential data. None: from the data, or from
        ``nobs`` of the models.
    missing : {"raise", "never"}
        A missing value of a variable of `formula` is an error, or equal to none: its record is left out of the analysis.
        ("category" is refused: the analysis of such a file is another one.) A function `analysis` has to know itself.
    design : SurveyDesign, optional
        The survey design of the confidential data; with a formula, the regressions and their standard errors are those of
        `survey_regression`. None: every record counts alike.
    synthetic_design : {"same"}, SurveyDesign or None
        That of the synthetic data: "same" is read from their own columns; None is a simple random sample, as
        pseudo-populations give.

    Returns
    -------
    AnalysisUtilityResult
        Overlaps by `interval_overlap`, clipped and not.

    Raises
    ------
    InputError
        Not exactly one of formula, analysis, fitted models; full synthesis, and the models do not say of how many records
        they are; `synthesis` contradicts the provenance of the release; a formula that names no column or calls
        something; results without ``params`` and ``bse``; coefficients that differ between the datasets.
    MissingValueError
        A variable of the formula has missing values, and ``missing="raise"``.
    FitError
        Collinear predictors, separation, more coefficients than records.

    Warns
    -----
    UndefinedStatisticWarning
        With m = 1 the combined interval and its overlap are NaN (the overlap of the dataset's own interval
        remains); a coefficient whose level does not occur in every dataset is NaN; so is what is divided by a standard error
        of 0.
    FewDegreesOfFreedomWarning
        A coefficient with fewer than 2 degrees of freedom; below 1 its combined interval and overlap are NaN.

    Notes
    -----
    The rule matters. In a simulation of a fully synthesized variable (normal theory, 5,000 repetitions per row), the nominal 95%
    intervals cover the true value in these percentages:

    ============================================  ===============  ============
    release                                       rule for         rule of the
                                                  partial          release
                                                  synthesis
    ============================================  ===============  ============
    partial synthesis, m = 5                      95               95
    5 imputations, 5 datasets each: 10% missing   94               95
    the same, 30% missing information             89               95
    the same, 50% missing information             82               94
    100 pseudo-populations: design effect 1       95               99
    the same, design effect 2.3                   81               96
    the same, design effect 5                     64               95
    ============================================  ===============  ============

    Intervals of one dataset are those statsmodels gives: t for least squares, normal for the others, as in
    R's ``confint.default`` for glm and ``confint`` for lm.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.utility import analysis_utility
    >>> draw = np.random.default_rng(1)
    >>> age = draw.uniform(20, 60, 300)
    >>> income = [200 + 10 * age + draw.normal(0, 50, 300) for _ in range(4)]
    >>> frames = [pd.DataFrame({"age": age, "income": y}) for y in income]
    >>> result = analysis_utility(frames[0], frames[1:], formula="income ~ age")
    >>> result.summary()[["confidential", "q_bar", "interval_overlap"]].round(2)
               confidential  q_bar  interval_overlap
    name
    Intercept        196.37  197.39              0.84
    age               10.12   10.01              0.81
    """
    _checks.check_choice(family, "family", FAMILIES)
    if synthesis is not None:
        _checks.check_choice(synthesis, "synthesis", SYNTHESES)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    _checks.check_meaning(missing, "analysis_utility", {"category": "a level more is another analysis"})
    if size_ratio is not None:
        _checks.check_number(size_ratio, "size_ratio", low=0.0, open_low=True)
    if formula is not None and analysis is not None:
        raise InputError("formula, analysis: give one of them")
    if design is not None and formula is None:
        raise InputError(
            "design: goes with a formula; an analysis of your own, or fitted models, know their design themselves"
        )
    if formula is not None or analysis is not None:
        confidential = _checks.check_frame(confidential, "confidential")
        release = as_release(synthetic, like=confidential)
        surveys = designs(confidential, release, design, synthetic_design)
        fits = (
            fit_formula(formula, confidential, release, family, surveys, level, missing)
            if analysis is None
            else [run(analysis, frame) for frame in (confidential, *release)]
        )
    else:
        release, fits = None, given_fits(confidential, synthetic)
    rule = rule_of(release, synthesis)
    tables = [coefficients(fit, level, number) for number, fit in enumerate(fits)]
    ours, theirs = align(tables, aliases_allowed=formula is not None)
    estimates = np.array([t["estimate"] for t in theirs])
    variances = np.array([t["std_error"] for t in theirs]) ** 2
    names = tuple(map(str, ours.index))
    extra: dict[str, Any] = {}
    if synthesis == "full":
        sizes = [len(confidential), release.n] if release is not None else [getattr(f, "nobs", None) for f in fits]
        extra = {"size_ratio": ratio_of(sizes) if size_ratio is None else size_ratio}
    result = AnalysisUtilityResult(
        names=names,
        confidential_estimate=_checks.read_only(ours["estimate"].to_numpy(copy=True)),
        confidential_std_error=_checks.read_only(ours["std_error"].to_numpy(copy=True)),
        confidential_interval=_checks.read_only(ours[["lower", "upper"]].to_numpy(copy=True)),
        estimates=_checks.read_only(estimates),
        variances=_checks.read_only(variances),
        intervals=_checks.read_only(np.array([t[["lower", "upper"]].to_numpy() for t in theirs])),
        combined=rule(estimates, variances, level=level, names=names, **extra),
        analysis=formula or ("the models given" if analysis is None else name_of(analysis)),
    )
    undefined = np.isnan(result.standardised_difference) | np.isnan(result.dataset_overlap).any(axis=0)
    undefined |= np.isnan(result.interval_overlap) & ~np.isnan(result.combined.interval).any(axis=1)
    undefined &= [all(name in table.index for table in tables) for name in ours.index]  # else a warning was given
    if undefined.any():
        which = _checks.without_levels([name for name, u in zip(names, undefined, strict=True) if u])
        message = f"analysis_utility: an estimate of {which} is NaN, or a standard error 0 or NaN; what is divided by it is NaN"
        warn(message, UndefinedStatisticWarning, stacklevel=2)
    return result
