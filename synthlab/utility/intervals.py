"""Overlap of confidence intervals from confidential and synthetic data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntervalOverlapResult(Result):
    """Overlap of pairs of intervals.

    Attributes
    ----------
    interval_overlap : numpy.ndarray of float, shape (p,)
        Overlap J: 1 for equal intervals, and negative for disjoint intervals, decreasing with their distance.
    interval_overlap_clipped : numpy.ndarray of float, shape (p,)
        Overlap in [0, 1], with 0 for disjoint intervals.
    confidential, synthetic : numpy.ndarray of float, shape (p, 2)
        Lower and upper ends of the intervals.
    """

    _figure: ClassVar[str] = "intervals.plot_interval_overlap"

    interval_overlap: FloatArray
    interval_overlap_clipped: FloatArray
    confidential: FloatArray
    synthetic: FloatArray

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of intervals."""
        return pd.DataFrame(
            {
                "confidential_lower": self.confidential[:, 0],
                "confidential_upper": self.confidential[:, 1],
                "synthetic_lower": self.synthetic[:, 0],
                "synthetic_upper": self.synthetic[:, 1],
                "interval_overlap": self.interval_overlap,
                "interval_overlap_clipped": self.interval_overlap_clipped,
            },
            index=pd.RangeIndex(1, len(self.confidential) + 1, name="pair"),
        )

    summary = to_frame

    @property
    def title(self) -> str:
        """Description of the values of the overlap."""
        return "Overlap of confidential and synthetic intervals: 1 equal, 0 touching, negative disjoint (clipped: 0)."


@explains_arguments
def interval_overlap(confidential: npt.ArrayLike, synthetic: npt.ArrayLike) -> IntervalOverlapResult:
    """Measure the overlap of pairs of intervals.

    With L the length of the intersection, ``min(U_c, U_s) - max(L_c, L_s)``, the overlap is
    ``J = (L / (U_c - L_c) + L / (U_s - L_s)) / 2`` (Karr et al. 2006). If the intervals are disjoint, L is minus the
    gap between them, so J is negative; the clipped overlap is then 0.

    Parameters
    ----------
    confidential : array_like, shape (2,) or (p, 2)
        Lower and upper ends of the intervals from the confidential data.
    synthetic : array_like, same shape
        Intervals from the synthetic data, combined over the m datasets or from one dataset.

    Returns
    -------
    IntervalOverlapResult
        The overlaps, clipped and unclipped.

    Raises
    ------
    InputError
        The shapes differ or do not end in 2, or a lower end is above its upper end.

    Warns
    -----
    UndefinedStatisticWarning
        An end is NaN, or an interval has length 0. The overlap is then NaN.

    References
    ----------
    Karr, A. F., Kohnen, C. N., Oganian, A., Reiter, J. P. and Sanil, A. P. (2006). A framework for evaluating
    the utility of data altered to protect confidentiality. The American Statistician 60(3), 224-232.

    Examples
    --------
    >>> from synthlab.utility import interval_overlap
    >>> result = interval_overlap([[0.0, 2.0], [0.0, 2.0]], [[1.0, 5.0], [3.0, 5.0]])
    >>> result.interval_overlap.tolist(), result.interval_overlap_clipped.tolist()
    ([0.375, -0.5], [0.375, 0.0])
    """
    ours, theirs = _ends(confidential, "confidential"), _ends(synthetic, "synthetic")
    if ours.shape != theirs.shape:
        raise InputError(f"synthetic: {len(theirs)} intervals, but confidential has {len(ours)}; give one per interval")
    unclipped = overlap(ours, theirs)
    if np.isnan(unclipped).any():
        message = "interval overlap: an interval has a NaN end or length 0; its overlap is NaN"
        warn(message, UndefinedStatisticWarning)
    return IntervalOverlapResult(
        interval_overlap=_checks.read_only(unclipped),
        interval_overlap_clipped=_checks.read_only(np.maximum(unclipped, 0.0)),
        confidential=_checks.read_only(ours),
        synthetic=_checks.read_only(theirs),
    )


def overlap(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return the unclipped J of intervals of shape (..., 2); NaN where an interval has length 0."""
    common = np.minimum(ours[..., 1], theirs[..., 1]) - np.maximum(ours[..., 0], theirs[..., 0])
    widths = [side[..., 1] - side[..., 0] for side in (ours, theirs)]
    shares = [np.divide(common, w, out=np.full(common.shape, np.nan), where=w > 0) for w in widths]
    return np.asarray((shares[0] + shares[1]) / 2)


def _ends(values: npt.ArrayLike, name: str) -> FloatArray:
    array = _checks.check_array(values, name, "numbers, (lower, upper) or an array of shape (p, 2)")
    if array.ndim not in (1, 2) or array.shape[-1] != 2 or array.size == 0:
        raise InputError(f"{name}: must have shape (2,) or (p, 2), lower and upper ends, got {array.shape}")
    array = array.reshape(-1, 2)
    if (array[:, 0] > array[:, 1]).any():
        row = int(np.flatnonzero(array[:, 0] > array[:, 1])[0])
        raise InputError(f"{name}: interval {row + 1} has its lower end above its upper end")
    return array
