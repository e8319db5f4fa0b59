"""Result of the combining rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import FewDegreesOfFreedomWarning, UndefinedIntervalWarning
from synthlab.utility._rule_texts import RULES, RuleText

MORE = {
    "partial": "more synthetic datasets",
    "full": "more synthetic datasets, or larger ones",
    "nested": "more imputations, or more synthetic datasets of each",
    "pseudo-population": "more pseudo-populations",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CombinedResult(Result):
    """Estimates combined over m synthetic datasets.

    Attributes
    ----------
    q_bar, between, within : numpy.ndarray of float, shape (p,)
        Mean of the m estimates, their variance b (divisor m - 1), and the mean v_bar of the m variances.
    total_variance : numpy.ndarray of float, shape (p,)
        Variance of q_bar by the rule, >= 0; see `rule`.
    df : numpy.ndarray of float, shape (p,)
        Degrees of freedom of the t distribution of the interval; infinite for the normal distribution.
    interval : numpy.ndarray of float, shape (p, 2)
        Lower and upper end at `level`; NaN where `df` is below 1.
    adjusted : numpy.ndarray of bool, shape (p,)
        Whether the total variance was negative and was replaced; always False for partial synthesis.
    names : tuple of str
        Names of the p estimated quantities.
    m : int
        Number of synthetic datasets.
    level : float
        Confidence level.
    synthesis : str
        Kind of synthesis: "partial", "full", "nested", "pseudo-population", or "none" if no rule was applied.
    parameters : {"fixed", "drawn", "mixed"} or None
        Full synthesis by the rules of Raab, Nowok and Dibben (2016): how the parameters were drawn. Otherwise None.
    within_nests : numpy.ndarray of float, shape (p,), or None
        Nested synthesis: mean w_M of the variances within nests. `between` is then b_M, the variance between nests.
    """

    _figure: ClassVar[str] = "distances.plot_combined"

    q_bar: FloatArray
    between: FloatArray
    within: FloatArray
    total_variance: FloatArray
    df: FloatArray
    interval: FloatArray
    adjusted: BoolArray
    names: tuple[str, ...]
    m: int
    level: float
    synthesis: str
    within_nests: FloatArray | None = None
    parameters: str | None = None

    @property
    def _text(self) -> RuleText:
        return RULES[self.synthesis, self.parameters]

    @property
    def rule(self) -> str:
        """Formula of the combining rule."""
        return self._text.formula

    @property
    def assumptions(self) -> str:
        """Assumptions under which the rule is valid."""
        return self._text.assumptions

    @property
    def reference(self) -> str:
        """Publication of the rule."""
        return self._text.reference

    @property
    def kind(self) -> str:
        """Kind of synthesis and treatment of the parameters in words."""
        return self.synthesis + (
            " synthesis" if self.parameters is None else f" synthesis ({self.parameters} parameters)"
        )

    @property
    def std_error(self) -> FloatArray:
        """Square root of the total variance, shape (p,)."""
        return _checks.read_only(np.sqrt(self.total_variance))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimated quantity."""
        names = ("q_bar", "between", "within", "total_variance", "std_error", "df")
        table = pd.DataFrame({name: getattr(self, name) for name in names}, index=pd.Index(self.names, name="name"))
        if self.within_nests is not None:
            table.insert(2, "within_nests", self.within_nests)
        return table.assign(lower=self.interval[:, 0], upper=self.interval[:, 1], adjusted=self.adjusted)

    def summary(self) -> pd.DataFrame:
        """Return estimate, standard error, degrees of freedom and interval of each quantity."""
        return self.to_frame()[["q_bar", "std_error", "df", "lower", "upper"]]

    def to_dict(self) -> dict[str, Any]:
        """Return title, summary and combining rule as JSON-compatible values."""
        return Result.to_dict(self) | {
            "rule": self.rule,
            "assumptions": self.assumptions,
            "reference": self.reference,
        }

    @property
    def title(self) -> str:
        """Description of the estimates combined."""
        if self.synthesis == "none":
            return f"Means over m = {self.m} datasets, without a combining rule."
        return f"Combined over m = {self.m} datasets by the rules for {self.kind}, {self.level:.0%} intervals."


def combined_result(
    q_bar: FloatArray,
    between: FloatArray,
    within: FloatArray,
    total: FloatArray,
    df: FloatArray,
    adjusted: BoolArray,
    names: tuple[str, ...],
    m: int,
    level: float,
    synthesis: str,
    within_nests: FloatArray | None = None,
    parameters: str | None = None,
) -> CombinedResult:
    """Return the result with t intervals; warn about undefined intervals and few degrees of freedom."""
    from scipy import stats

    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    with np.errstate(over="ignore", invalid="ignore"):
        # Below 1 degree of freedom, t quantiles are too large to be useful (6e5 at 0.2 degrees of freedom).
        quantile = np.where(df < 1, np.nan, stats.t.ppf((1 + level) / 2, df))
        half = np.where((total > 0) | (df < 1), quantile, 1.0) * np.sqrt(total)
        interval = np.column_stack([q_bar - half, q_bar + half])
    few = (df < 2) & np.isfinite(q_bar) & np.isfinite(total)
    if few.any():
        which = _checks.without_levels([n for n, u in zip(names, few, strict=True) if u])
        message = (
            f"combining rules for {synthesis} synthesis: fewer than 2 degrees of freedom for {which}, so the interval is very wide, "
            f"or NaN below 1 degree of freedom; make {MORE[synthesis]}"
        )
        warn(message, FewDegreesOfFreedomWarning)
    undefined = (np.isnan(q_bar) | np.isnan(interval).any(axis=1) | np.isnan(df)) & ~few
    if undefined.any():
        why = "a sum of squares exceeds the largest float"
        if synthesis == "none":
            why = "no combining rule was applied"
        elif np.isnan(q_bar[undefined]).any():
            why = "an estimate is NaN"
        elif np.isnan(within[undefined]).any():
            why = "a variance within a dataset is NaN"
        elif m == 1:
            why = "the variance between datasets cannot be estimated from m = 1 dataset"
        elif np.isnan(between).all():
            why = "the variance between nests cannot be estimated from M = 1 nest"
        which = _checks.without_levels([n for n, u in zip(names, undefined, strict=True) if u])
        rules = 'synthesis="none"' if synthesis == "none" else f"combining rules for {synthesis} synthesis"
        message = f"{rules}: {why}; variance and interval of {which} are NaN"
        warn(message, UndefinedIntervalWarning)
    return CombinedResult(
        q_bar=_checks.read_only(q_bar),
        between=_checks.read_only(between),
        within=_checks.read_only(within),
        total_variance=_checks.read_only(total),
        df=_checks.read_only(df),
        interval=_checks.read_only(interval),
        adjusted=_checks.read_only(adjusted),
        names=names,
        m=m,
        level=level,
        synthesis=synthesis,
        within_nests=None if within_nests is None else _checks.read_only(within_nests),
        parameters=parameters,
    )
