"""Regressions of counts with a log link, and the dtype of synthetic counts."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._design import numeric_response
from synthlab.synthesizers._transforms import as_continuous
from synthlab.synthesizers.regression import Data, FittedRegression

LARGEST = 2.0**63  # NumPy cannot draw larger counts
MAX_LOG_MEAN = 40.0  # a mean of 2e17, near the largest integer that NumPy can draw


def counts_of(data: Data) -> FloatArray:
    """Return the counts of a response, or raise.

    At least one record of positive weight must have a count above 0.
    """
    y = numeric_response(data.frame, data.response)
    wrong = int(((y < 0) | (y != np.floor(y))).sum())
    if wrong:
        raise InputError(
            f"confidential: response {data.response!r} has {wrong} values that are not whole numbers >= 0; this model "
            "requires counts"
        )
    large = int((y > np.exp(MAX_LOG_MEAN)).sum())
    if large:
        raise InputError(
            f"confidential: response {data.response!r} has {large} values above exp({MAX_LOG_MEAN:g}), which "
            "cannot be drawn"
        )
    if not y[data.record_weights > 0].any():
        raise InputError(
            f"confidential: response {data.response!r} has only zeros in records of positive weight; leave it out"
        )
    return y


def as_count(values: Any, like: pd.Series, index: pd.Index) -> pd.Series:
    """Return synthetic counts in the dtype of the confidential column."""
    dtype = like.dtype
    if pd.api.types.is_integer_dtype(dtype):
        # The integer dtype can be too small for a synthetic count.
        largest = np.iinfo(getattr(dtype, "numpy_dtype", dtype)).max
        fits = values.max(initial=0) <= largest
        return pd.Series(values, index=index, name=like.name).astype(dtype if fits else np.int64)
    return as_continuous(values, like, index)


class FittedCounts(FittedRegression):
    """Fitted regression of a count with a log link."""

    __slots__ = ()

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n).

        -inf at a value that is not a count.
        """
        y = self._response()
        possible = (y >= 0) & (y < LARGEST) & (y == np.floor(y))
        result = self._log_pmf(np.where(possible, y, 0.0))
        result[:, ~possible] = -np.inf
        return result

    @abstractmethod
    def _log_pmf(self, y: FloatArray) -> FloatArray:
        """Return the log probability of the count of each record, shape (draws, n)."""

    def _mean(self, eta: FloatArray) -> FloatArray:
        """Return the means of the counts, or raise if a mean is too large."""
        if eta.size and eta.max() > MAX_LOG_MEAN:
            raise FitError(
                f"the mean of a synthetic {self.synthesized[0]!r} is beyond exp({MAX_LOG_MEAN:g}) in row "
                f"{int(eta.argmax())}: "
                "the predictors lie far outside the data of the fit"
            )
        return np.exp(eta)

    def _column(self, values: Any, index: pd.Index) -> pd.Series:
        return as_count(values, self.confidential[self.synthesized[0]], index)
