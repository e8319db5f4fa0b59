"""Top and bottom coding: the oldest protection, as a baseline."""

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
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design


@dataclass(frozen=True)
class Topcoding:
    """Set values beyond a cut to the cut, and release the rest unchanged.

    Nothing is random: every dataset of a release is the same. A cut given as a share is the value
    beyond which (at most) that share of the records lies, with weights that share of the weight.

    Parameters
    ----------
    variable : str
        A numeric column.
    top, bottom : float, optional
        Cuts by value.
    top_share, bottom_share : float in (0, 1), optional
        Cuts by the share of records beyond them; 0.06 sets the highest 6 % to the cut.

    Raises
    ------
    InputError
        If `variable` is no text, no cut is given or two of one end, a cut is not finite, or a share lies outside (0, 1).

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
                raise InputError(f"{end}={value!r} and {end}_share={share!r}: give one of them")
        if all(v is None for v in (self.top, self.bottom, self.top_share, self.bottom_share)):
            raise InputError("Topcoding: give a cut: top, bottom, top_share or bottom_share")

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
        """Find the cuts.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with `variable`.
        weights : array_like of shape (n,), optional
            Record weights >= 0: a share is a share of the weight. None: of the records.
        design : SurveyDesign, optional
            The survey design of the records: its weights, normalised to n, multiply the log-likelihood too; see
            `fit_under_design`. None: the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values stay as they are, and count for no share. "raise": an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of `variable` that mean missing, such as ``{"income": [-8, -9]}``; they stay as they are.
        rng : int, Generator or None
            Accepted as by every synthesizer; it has no effect.
        **sampler
            The options of `NormalRegression.fit` are accepted and have no effect.

        Returns
        -------
        FittedTopcoding
            The cuts, in ``low`` and ``high``.

        Raises
        ------
        InputError
            If the column is absent, not numeric or infinite somewhere, or the bottom cut is not below the top cut.
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
        high = self.top if self.top_share is None else _cut(y, w, self.top_share)
        low = self.bottom if self.bottom_share is None else -_cut(-y, w, self.bottom_share)
        if high is not None and low is not None and low >= high:
            raise InputError(
                "Topcoding: the bottom cut is not below the top cut; cut smaller shares, or give lower and higher cuts"
            )
        return FittedTopcoding(self, frame, weights_, (self.variable,), None, low, high, kinds)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedTopcoding(Fitted):
    """A fitted `Topcoding`: `low` and `high` are the cuts; there is no likelihood."""

    low: float | None = None
    high: float | None = None
    kinds: Kinds | None = None

    @property
    def rows(self) -> str:
        """Row i holds the value of record i, or the cut."""
        return "aligned"

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return the column of `frame` with values beyond a cut set to the cut."""
        values = frame[self.synthesized[0]]
        cuts = [c for c in (self.low, self.high) if c is not None]
        if pd.api.types.is_integer_dtype(values.dtype) and any(c != int(c) for c in cuts):
            values = values.astype(np.float64)
        cut = values.clip(self.low, self.high).astype(values.dtype)
        if self.kinds is not None:
            cut = cut.where(self.kinds.read(values) == THERE, values)
        return {self.synthesized[0]: cut}


def _cut(y: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest value beyond which at most `share` of the weight lies."""
    order = np.argsort(y)
    above = weights.sum() - np.cumsum(weights[order])
    return float(y[order][np.argmax(above <= share * weights.sum() * (1 + 1e-12))])


__all__ = ["FittedTopcoding", "Topcoding"]
