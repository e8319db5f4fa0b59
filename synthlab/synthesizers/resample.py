"""A draw from the data themselves: a baseline, and the first variables of a full synthesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FrameLike, RngLike
from synthlab.design import SurveyDesign
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._missing import CodesLike, Keep, check_missing, keeping
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design


@dataclass(frozen=True)
class Resample:
    """Synthesizer that draws records of the confidential data with replacement.

    The named variables are drawn together, so their joint distribution is kept and that with every
    other variable is lost. Each value released is a true value of some record. With weights, a record is
    drawn in proportion to its weight.

    Parameters
    ----------
    variables : sequence of str
        Drawn together.

    Raises
    ------
    InputError
        If `variables` is no list of distinct column names.

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
            The data as collected, with the variables named.
        weights : array_like of shape (n,), optional
            Record weights >= 0; a record is drawn in proportion to its weight. None: each alike.
        design : SurveyDesign, optional
            The survey design of the records: its weights, normalised to n, multiply the log-likelihood too; see
            `fit_under_design`. None: the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values are drawn like others. "raise": an error.
        missing_codes : mapping of str to sequence of numbers, optional
            For columns of numbers, values that mean missing; drawn like others, and an error with ``missing="raise"``.
        rng : int, Generator or None
            Accepted as by every synthesizer; it has no effect.
        **sampler
            The options of `NormalRegression.fit` are accepted and have no effect.

        Returns
        -------
        FittedResample
            Without parameters; any number of datasets can be drawn.

        Raises
        ------
        InputError
            If a variable is absent, none is named, or `weights` are no n weights.
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
        p = None if self.weights is None else self.weights / self.weights.sum()
        donors = rng.choice(len(self.confidential), size=len(frame), p=p)
        return {c: self.confidential[c].iloc[donors].set_axis(frame.index) for c in self.synthesized}


__all__ = ["FittedResample", "Resample"]
