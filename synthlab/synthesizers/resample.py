"""Resampling of confidential records, as a baseline or as a first model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import SurveyDesign
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._missing import CodesLike, Keep, check_missing, keeping
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design


@dataclass(frozen=True)
class Resample(Unfitted):
    """Synthesizer that draws records of the confidential data with replacement.

    The variables are drawn together, so their joint distribution is preserved, but their association with all other
    variables is lost. Each released value is the confidential value of some record. With weights, a record is drawn in
    proportion to its weight.

    Parameters
    ----------
    variables : sequence of str
        Variables to draw together.

    Raises
    ------
    InputError
        If `variables` is not a list of distinct column names.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"region": ["n", "s", "s", "w"], "income": [10.0, 20.0, 30.0, 40.0]})
    >>> release = sl.Resample(["income"]).fit(survey).generate(m=2, rng=1)
    >>> set(release[0]["income"]) <= set(survey["income"])
    True
    """

    variables: Sequence[str]
    _within: str | None = field(default=None, repr=False)  # a column: records are drawn among those with the same value

    def __post_init__(self) -> None:
        set_fields(self, variables=_checks.check_names(self.variables, "variables"))

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: SurveyDesign | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedResample:
        """Check the variables; nothing is estimated.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with all variables of the synthesizer.
        weights : array_like of shape (n,), optional
            Record weights >= 0; a record is drawn in proportion to its weight. Default: equal weights.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values are drawn like other values. "raise": missing values are an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing. They are drawn like other values, or are an error with
            ``missing="raise"``.
        rng : int, Generator or None
            Accepted for consistency with other synthesizers; it has no effect.
        **sampler
            The options of `NormalRegression.fit` are accepted but have no effect.

        Returns
        -------
        FittedResample
            A fit without parameters, which can generate any number of datasets.

        Raises
        ------
        InputError
            If a variable is absent, `variables` is empty, or `weights` does not have length n.
        MissingValueError
            If a variable has missing values, with ``missing="raise"``.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        sampler_options(sampler)
        _rng.as_generator(rng)
        frame, weights_ = check_fit(confidential, weights)
        names = _checks.check_columns(frame, self.variables, "variables", where="confidential")
        check_missing(frame, missing, missing_codes, names)
        return FittedResample(self, frame, weights_, tuple(names), None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedResample(Fitted):
    """A fitted `Resample`; it has no parameters and no likelihood."""

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return values of records drawn with replacement."""
        weights = np.ones(len(self.confidential)) if self.weights is None else self.weights
        group = self.specification._within
        if group is None:
            p = None if self.weights is None else weights / weights.sum()
            donors = rng.choice(len(self.confidential), size=len(frame), p=p)
        else:
            donors = donors_within(self.confidential[group], frame[group], weights, rng)
        return {c: self.confidential[c].iloc[donors].set_axis(frame.index) for c in self.synthesized}


def donors_within(
    confidential: pd.Series, synthetic: pd.Series, weights: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Return a confidential record with the same value for each synthetic record, drawn in proportion to its weight.

    A synthetic value that the confidential data lack gets any record.
    """
    codes, distinct = pd.factorize(confidential.astype(object), use_na_sentinel=False)
    asked = pd.Index(distinct).get_indexer(pd.Index(synthetic.astype(object)))
    donors = np.empty(len(asked), dtype=np.int64)
    for code in np.unique(asked):
        rows = np.flatnonzero(asked == code)
        pool = np.flatnonzero((codes == code) | (code < 0))
        share = weights[pool] if weights[pool].sum() > 0 else np.ones(pool.size)
        donors[rows] = pool[rng.choice(pool.size, rows.size, p=share / share.sum())]
    return donors


__all__ = ["FittedResample", "Resample"]
