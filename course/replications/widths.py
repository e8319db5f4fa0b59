"""Widths of confidence intervals over the repetitions of a study."""

from __future__ import annotations

import numpy as np

from synthlab._typing import FloatArray
from synthlab.utility import CombinedResult


def unbounded(combined: CombinedResult) -> FloatArray:
    """Return the intervals, without bounds where there are fewer than 1 degree of freedom and they are NaN."""
    return np.where((combined.df < 1)[:, None], [-np.inf, np.inf], combined.interval)


def widths_of(ends: FloatArray) -> dict[str, float]:
    """Return quantiles of the widths of intervals, and the share of intervals without bounds.

    A quantile is one of the widths, because no value lies between a finite and an infinite width.
    """
    widths = ends[:, 1] - ends[:, 0]
    quantiles = {"width_90": 0.9, "width_99": 0.99}
    found = {name: float(np.quantile(widths, share, method="higher")) for name, share in quantiles.items()}
    return {"median_width": float(np.median(widths)), **found, "unbounded": float(np.isinf(widths).mean())}
