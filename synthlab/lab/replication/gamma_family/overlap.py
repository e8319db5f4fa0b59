"""Interval overlap of the paper's log-linear model (Figure 6): confidential table against synthetic ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

import synthlab.counts as slc
from synthlab._quiet import quiet
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
    centre, error = (confidential[column].to_numpy(dtype=np.float64) for column in ("estimate", "std_error"))
    defined = np.isfinite(estimates).all(axis=0) & np.isfinite(centre)
    half = _NORMAL_975 * error[defined]
    own = np.column_stack([centre[defined] - half, centre[defined] + half])
    combined = combine_partial(estimates[:, defined], errors[:, defined] ** 2)
    found = interval_overlap(own, np.asarray(combined.interval))
    frame = pd.DataFrame({"coefficient": confidential["coefficient"], "overlap": np.nan, "overlap_unclipped": np.nan})
    frame.loc[defined, "overlap"] = found.interval_overlap_clipped
    frame.loc[defined, "overlap_unclipped"] = found.interval_overlap
    return frame


def summarize_overlap(overlap: pd.DataFrame) -> dict[str, float]:
    """Return the quantiles of the clipped overlap, and the number of coefficients without one."""
    values = overlap["overlap"].dropna()
    quantiles = {f"overlap_q{100 * q:02.0f}": float(values.quantile(q)) for q in QUANTILES}
    return {**quantiles, "overlap_undefined": float(overlap["overlap"].isna().sum())}
