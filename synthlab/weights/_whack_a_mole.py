"""Whack-a-mole: records whose risk rises if risky records around them are down-weighted.

Hu, Savitsky and Williams (2021), section 2.3.2. A mean identification probability over m = 20 datasets is noisy, and it
also differs between two releases of the SAME synthesizer. The number of rises must therefore be compared with the number
of rises that are due to noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WhackAMoleResult(Result):
    """Changes of the identification probability (IR) between two synthesizers.

    Attributes
    ----------
    before, after : numpy.ndarray of float, shape (n,)
        IR of each record.
    null : numpy.ndarray of float, shape (n,), or None
        IR in a second release of the first synthesizer, which differs from `before` only by noise.
    expected_before, expected_after : numpy.ndarray of float, shape (n,), or None
        Exact expected IR, without Monte Carlo noise.
    threshold : float
        Rise of IR that must be exceeded to count.
    limit : float
        The risk that no record should exceed.
    data_kind : {"real", "simulated"} or None
        Kind of data that the input declares.
    """

    _figure: ClassVar[str] = "weights.plot_whack_a_mole"

    before: FloatArray
    after: FloatArray
    null: FloatArray | None
    expected_before: FloatArray | None
    expected_after: FloatArray | None
    threshold: float
    limit: float
    data_kind: str | None = None

    @property
    def rise(self) -> FloatArray:
        """Change of IR, shape (n,); positive if the record is more exposed after."""
        return _checks.read_only(self.after - self.before)

    @property
    def risen(self) -> BoolArray:
        """Whether IR rises by more than the threshold, shape (n,)."""
        return _checks.read_only(self.rise > self.threshold)

    @property
    def n_risen(self) -> int:
        """Number of records whose IR rises by more than the threshold."""
        return int(self.risen.sum())

    @property
    def n_risen_by_noise(self) -> float:
        """Number of rises between two releases of the first synthesizer; NaN without `null`."""
        return float("nan") if self.null is None else float((self.null - self.before > self.threshold).sum())

    @property
    def n_beyond_noise(self) -> float:
        """Number of rises minus the number due to noise, at least 0; NaN without `null`."""
        return float("nan") if self.null is None else max(0.0, self.n_risen - self.n_risen_by_noise)

    @property
    def excess_z(self) -> float:
        """Excess of rises over noise, divided by its standard error (McNemar's statistic).

        The statistic is ``(b - c) / sqrt(b + c)``, where b and c are the numbers of records that rise only in `after` and
        only in `null`. It is NaN without `null`, or if b + c is 0. The statistic assumes independent records; because records
        of a pattern share synthetic neighbors, use a critical value of 3 rather than 2.
        """
        if self.null is None:
            return float("nan")
        noisy = self.null - self.before > self.threshold
        only, other = int((self.risen & ~noisy).sum()), int((noisy & ~self.risen).sum())
        return (only - other) / np.sqrt(only + other) if only + other else float("nan")

    @property
    def n_expected_risen(self) -> float:
        """Number of rises of the exact expected IR above the threshold; NaN if not given."""
        if self.expected_before is None or self.expected_after is None:
            return float("nan")
        return float((self.expected_after - self.expected_before > self.threshold).sum())

    @property
    def expected_rise(self) -> FloatArray | None:
        """Change of the exact expected IR, shape (n,), or None."""
        if self.expected_before is None or self.expected_after is None:
            return None
        return _checks.read_only(self.expected_after - self.expected_before)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per record: IR before and after, rise, and the optional inputs."""
        columns: dict[str, Any] = {"before": self.before, "after": self.after, "rise": self.rise, "risen": self.risen}
        if self.null is not None:
            columns["null"] = self.null
        if self.expected_rise is not None:
            columns |= {"expected_before": self.expected_before, "expected_after": self.expected_after}
            columns["expected_rise"] = self.expected_rise
        return pd.DataFrame(columns, index=pd.RangeIndex(len(self.before), name="record"))

    def summary(self) -> pd.DataFrame:
        """Return one row per statistic; NaN if the required `null` or expected IR is not given.

        Warns
        -----
        UndefinedStatisticWarning
            If no record rises by more than the threshold, so that the mean rise is NaN, or if the same records rise in both
            releases, so that z is NaN.
        """
        up = self.rise[self.risen]
        if not up.size:
            text = f"no record rises by more than {self.threshold:g}: the mean rise is 0/0, reported as NaN"
            warn(text, UndefinedStatisticWarning)
        if self.null is not None and np.isnan(self.excess_z):
            text = f"no record rises by more than {self.threshold:g} in one release alone: z is 0/0, reported as NaN"
            warn(text, UndefinedStatisticWarning)
        rows = {
            "records": float(self.rise.size),
            f"rise by more than {self.threshold:g}": float(self.n_risen),
            "their share": self.n_risen / self.rise.size,
            "their mean rise": float(up.mean()) if up.size else float("nan"),
            "largest rise": float(self.rise.max()),
            "of these by noise alone": self.n_risen_by_noise,
            "beyond noise": self.n_beyond_noise,
            "beyond noise, z": self.excess_z,
            f"expected IR rises by more than {self.threshold:g}": self.n_expected_risen,
            "largest rise of expected IR": float("nan")
            if self.expected_rise is None
            else float(self.expected_rise.max()),
            "maximum IR before": float(self.before.max()),
            "maximum IR after": float(self.after.max()),
            f"share above {self.limit:g} before": float((self.before > self.limit).mean()),
            f"share above {self.limit:g} after": float((self.after > self.limit).mean()),
        }
        return pd.DataFrame({"value": rows}).rename_axis("statistic")

    @property
    def title(self) -> str:
        """Sentence that states the number of rises and of rises beyond noise."""
        text = (
            f"IR rises by more than {self.threshold:g} for {self.n_risen:,} of {self.rise.size:,} records "
            f"(maximum IR {self.before.max():.3f} before, {self.after.max():.3f} after)."
        )
        if self.null is not None:
            text += (
                f" Between two releases of the first synthesizer {self.n_risen_by_noise:,.0f} rise as much, "
                f"so {self.n_beyond_noise:,.0f} are beyond noise."
            )
        if self.expected_rise is not None:
            text += f" Free of noise, {self.n_expected_risen:,.0f} rise; the largest rise is {self.expected_rise.max():.3f}."
        return text


@explains_arguments
def whack_a_mole(
    before: Any,
    after: Any,
    threshold: float = 0.25,
    *,
    limit: float = 0.5,
    null: Any = None,
    expected_before: Any = None,
    expected_after: Any = None,
) -> WhackAMoleResult:
    """Find the records whose risk rises between two synthesizers, and compare with noise.

    Parameters
    ----------
    before, after : IdentificationProbabilityResult, or array_like of shape (n,) or (n, m)
        IR of each record under the unweighted and the weighted synthesizer. An (n, m) array is averaged over the m datasets.
    threshold : float in [0, 1]
        Rise of IR that must be exceeded to count; default 0.25, as in the paper.
    limit : float in [0, 1]
        IR that no record should exceed; default 0.5, as in the paper.
    null : like `before`, optional
        IR in a SECOND release of the unweighted synthesizer with the same m. Rises from `before` to `null` are due to noise.
    expected_before, expected_after : array_like of shape (n,), optional
        Exact expected IR of both synthesizers, from `expected_identification_probability`.

    Returns
    -------
    WhackAMoleResult

    Raises
    ------
    InputError
        If sizes differ, values are outside [0, 1], only one of `expected_before` and `expected_after` is given, or `null` is a
        mean over another number of datasets than `before` or `after`.

    References
    ----------
    Hu, J., Savitsky, T. D. and Williams, M. R. (2021). Risk-efficient Bayesian data synthesis for
    privacy protection. Journal of Survey Statistics and Methodology, section 2.3.2.

    Examples
    --------
    >>> import synthlab as sl
    >>> moles = sl.whack_a_mole([0.1, 0.2, 0.6, 0.9], [0.5, 0.3, 0.1, 0.2], null=[0.2, 0.5, 0.6, 0.8])
    >>> moles.risen.tolist(), moles.n_risen_by_noise, moles.n_beyond_noise
    ([True, False, False, False], 1.0, 0.0)
    >>> print(moles.title)
    IR rises by more than 0.25 for 1 of 4 records (maximum IR 0.900 before, 0.500 after).
    Between two releases of the first synthesizer 1 rise as much, so 0 are beyond noise.
    """
    threshold = _checks.check_probability(threshold, "threshold")
    limit = _checks.check_probability(limit, "limit")
    if (expected_before is None) != (expected_after is None):
        raise InputError("expected_before, expected_after: pass both or neither")
    arrays: dict[str, FloatArray | None] = {}
    datasets: dict[str, int] = {}
    given = {"before": before, "after": after, "null": null}
    given |= {"expected_before": expected_before, "expected_after": expected_after}
    for name, value in given.items():
        arrays[name] = None
        if value is not None:
            arrays[name], datasets[name] = _per_record(value, name)
    n = len(_required(arrays["before"]))
    _required(arrays["after"])
    for name, array in arrays.items():
        if array is not None and array.size != n:
            raise InputError(f"{name}: has {array.size} records, before has {n}")
    for name in ("before", "after"):
        if "null" in datasets and 0 not in (datasets["null"], datasets[name]) and datasets["null"] != datasets[name]:
            raise InputError(
                f"null: averages {datasets['null']} datasets, but {name} averages {datasets[name]}; the numbers must be equal, because "
                "noise depends on m"
            )
    return WhackAMoleResult(
        before=_required(arrays["before"]),
        after=_required(arrays["after"]),
        null=arrays["null"],
        expected_before=arrays["expected_before"],
        expected_after=arrays["expected_after"],
        threshold=threshold,
        limit=limit,
        data_kind=getattr(before, "data_kind", None),
    )


def _per_record(value: Any, name: str) -> tuple[FloatArray, int]:
    """Return the IR of each record and the number of averaged datasets (0 if unknown)."""
    allowed = "an IdentificationProbabilityResult or an array of numbers"
    array = _checks.check_array(getattr(value, "per_dataset", value), name, allowed)
    if array.ndim not in (1, 2) or array.size == 0:
        raise InputError(f"{name}: must have shape (n,) or (n, m), got {array.shape}")
    if not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1 + 1e-12):
        raise InputError(f"{name}: identification probabilities must lie in [0, 1]")
    m = array.shape[1] if array.ndim == 2 else 0
    return _checks.read_only(array.mean(axis=1) if m else array.copy()), m


def _required(array: FloatArray | None) -> FloatArray:
    if array is None:
        raise InputError("before, after: both must be given")
    return array
