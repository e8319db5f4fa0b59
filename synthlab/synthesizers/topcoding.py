"""Top and bottom coding, as a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import numeric_response
from synthlab.synthesizers._missing import THERE, CodesLike, Keep, Kinds, check_missing, keeping
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design


@dataclass(frozen=True)
class Topcoding(Unfitted):
    """Top and bottom coding: values beyond a cutoff are set to the cutoff.

    Other values are released unchanged. The result is not random: all datasets of a release are the same. A cutoff
    given as a share is the value beyond which at most that share of the records lies or, with weights, that share of
    the total weight.

    Parameters
    ----------
    variable : str
        A numeric column.
    top, bottom : float, optional
        Cutoffs as values.
    top_share, bottom_share : float in (0, 1), optional
        Cutoffs as the share of records beyond them; for example, 0.06 sets the highest 6% to the cutoff.

    Raises
    ------
    InputError
        If `variable` is not text, no cutoff is given, a cutoff is given both as a value and as a share, a cutoff is not
        finite, or a share lies outside (0, 1).

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"income": [10.0, 20.0, 30.0, 40.0, 500.0]})
    >>> sl.Topcoding("income", top_share=0.2).fit(survey).generate(m=1)[0]["income"].tolist()
    [10.0, 20.0, 30.0, 40.0, 40.0]
    """

    variable: str
    top: float | None = None
    bottom: float | None = None
    top_share: float | None = None
    bottom_share: float | None = None

    def __post_init__(self) -> None:
        _checks.check_name(self.variable, "variable")
        for end in ("top", "bottom"):
            value, share = getattr(self, end), getattr(self, f"{end}_share")
            if value is not None:
                _checks.check_number(value, end)
            if share is not None:
                _checks.check_number(share, f"{end}_share", low=0.0, high=1.0, open_low=True, open_high=True)
            if value is not None and share is not None:
                raise InputError(f"{end}={value!r} and {end}_share={share!r}: give only one of them")
        if all(v is None for v in (self.top, self.bottom, self.top_share, self.bottom_share)):
            raise InputError("Topcoding: give at least one cutoff: top, bottom, top_share or bottom_share")

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
    ) -> FittedTopcoding:
        """Compute the cutoffs.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with the column `variable`.
        weights : array_like of shape (n,), optional
            Record weights >= 0. A share then refers to the total weight. Default: a share refers to the number of
            records.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values do not change, and are ignored in shares. "raise": missing values are an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of `variable` that mean missing, such as ``{"income": [-8, -9]}``; they do not change.
        rng : int, Generator or None
            Accepted for consistency with other synthesizers; it has no effect.
        **sampler
            The options of `NormalRegression.fit` are accepted but have no effect.

        Returns
        -------
        FittedTopcoding
            The fit, with the cutoffs ``low`` and ``high``.

        Raises
        ------
        InputError
            If the column is absent, not numeric or has infinite values, or the bottom cutoff is not below the top
            cutoff.
        MissingValueError
            If the column has missing values, with ``missing="raise"``.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        sampler_options(sampler)
        _rng.as_generator(rng)
        frame, weights_ = check_fit(confidential, weights)
        _checks.check_column(frame, self.variable, "variable", where="confidential")
        codes = check_missing(frame, missing, missing_codes, [self.variable])
        kinds = None if codes is None else Kinds.of(frame, self.variable, codes)
        there = np.ones(len(frame), dtype=bool) if kinds is None else kinds.numbers(frame) == THERE
        y = numeric_response(frame[there], self.variable)
        w = np.ones(y.size) if weights_ is None else weights_[there]
        high = self.top if self.top_share is None else cutoff(y, w, self.top_share)
        low = self.bottom if self.bottom_share is None else -cutoff(-y, w, self.bottom_share)
        if high is not None and low is not None and low >= high:
            raise InputError(
                "Topcoding: the bottom cutoff is not below the top cutoff; use smaller shares or more distant cutoffs"
            )
        return FittedTopcoding(self, frame, weights_, (self.variable,), None, low, high, kinds)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedTopcoding(Fitted):
    """A fitted `Topcoding` with the cutoffs `low` and `high`; it has no likelihood."""

    low: float | None = None
    high: float | None = None
    kinds: Kinds | None = None

    @property
    def uses_own_values(self) -> bool:
        """True, because a released value is the confidential value or a cutoff."""
        return True

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return the column of `frame` with values beyond a cutoff set to the cutoff."""
        values = frame[self.synthesized[0]]
        cuts = [c for c in (self.low, self.high) if c is not None]
        if pd.api.types.is_integer_dtype(values.dtype) and any(c != int(c) for c in cuts):
            values = values.astype(np.float64)
        cut = values.clip(self.low, self.high).astype(values.dtype)
        if self.kinds is not None:
            cut = cut.where(self.kinds.read(values) == THERE, values)
        return {self.synthesized[0]: cut}


def cutoff(y: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest value beyond which at most `share` of the weight lies."""
    order = np.argsort(y)
    above = weights.sum() - np.cumsum(weights[order])
    return float(y[order][np.argmax(above <= share * weights.sum() * (1 + 1e-12))])


__all__ = ["FittedTopcoding", "Topcoding"]
