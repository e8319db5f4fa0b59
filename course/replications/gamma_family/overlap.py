"""Interval overlap of the paper's log-linear model (Figure 6): confidential table against synthetic ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

import synthlab.counts as slc
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import quiet
from synthlab.exceptions import UndefinedStatisticWarning
from synthlab.utility import combine_partial, interval_overlap

MARGIN = ("ETHNICITY", "AGE", "LANGUAGE")
MODEL = "(ETHNICITY + AGE + LANGUAGE)**2"
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_NORMAL_975 = 1.959963984540054


def coefficients(table: slc.Table) -> pd.DataFrame:
    """Fit the all-two-way model of ETHNICITY, AGE and LANGUAGE; return its coefficients and their errors."""
    fit = slc.fit_log_linear(table.marginal(MARGIN), MODEL, method="ipf")
    with quiet(UndefinedStatisticWarning):
        # An empty margin leaves coefficients NaN; `summarize_overlap` counts them.
        return fit.coefficients()


def measure_overlap(confidential: pd.DataFrame, synthetic: slc.SynthesizedTables) -> pd.DataFrame:
    """Return the overlap of the 95 % intervals of every coefficient, the synthetic ones combined over the tables.

    NaN where the coefficient is not defined in every table.
    """
    fits = [coefficients(one) for one in synthetic]
    estimates, errors = (
        np.array([fit[column].to_numpy(dtype=np.float64) for fit in fits]) for column in ("estimate", "std_error")
    )
    centre = confidential["estimate"].to_numpy(dtype=np.float64)
    defined = np.isfinite(estimates).all(axis=0) & np.isfinite(centre)
    with quiet():  # few tables give few degrees of freedom
        combined = combine_partial(estimates[:, defined], errors[:, defined] ** 2)
    return _overlap(confidential, defined, np.asarray(combined.interval))


def measure_overlap_of_average(confidential: pd.DataFrame, synthetic: slc.SynthesizedTables) -> pd.DataFrame:
    """Return the overlap of the 95 % intervals of every coefficient, the synthetic ones from the average of the tables.

    The model is fitted to the sum of the tables: but for the intercept the coefficients are those of the average, whose
    errors are larger by the square root of m.
    """
    fit = coefficients(synthetic.added())
    estimate, error = (fit[column].to_numpy(dtype=np.float64) for column in ("estimate", "std_error"))
    estimate = (
        estimate - np.log(synthetic.m) * (fit["coefficient"].str.lower().str.strip("()") == "intercept").to_numpy()
    )
    half = _NORMAL_975 * error * np.sqrt(synthetic.m)
    defined = np.isfinite(estimate) & np.isfinite(confidential["estimate"].to_numpy(dtype=np.float64))
    return _overlap(confidential, defined, np.column_stack([estimate - half, estimate + half])[defined])


def _overlap(confidential: pd.DataFrame, defined: BoolArray, intervals: FloatArray) -> pd.DataFrame:
    centre, error = (confidential[c].to_numpy(dtype=np.float64)[defined] for c in ("estimate", "std_error"))
    half = _NORMAL_975 * error
    found = interval_overlap(np.column_stack([centre - half, centre + half]), intervals)
    frame = pd.DataFrame({"coefficient": confidential["coefficient"], "overlap": np.nan, "overlap_unclipped": np.nan})
    frame.loc[defined, "overlap"] = found.interval_overlap_clipped
    frame.loc[defined, "overlap_unclipped"] = found.interval_overlap
    return frame


def summarize_overlap(overlap: pd.DataFrame) -> dict[str, float]:
    """Return the quantiles of the clipped overlap, and the number of coefficients without one."""
    values = overlap["overlap"].dropna()
    quantiles = {f"overlap_q{100 * q:02.0f}": float(values.quantile(q)) for q in QUANTILES}
    return {**quantiles, "overlap_undefined": float(overlap["overlap"].isna().sum())}
