"""Bootstrap a statistic of the confidential data and of m synthetic datasets.

The bootstrap gives an interval for any statistic, including statistics without a variance formula: resample
each dataset, pool the resampled values of all m datasets, and compute their percentiles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._result import Result
from synthlab._system import parallel
from synthlab._typing import FloatArray, FrameLike, FrameOrFrames, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.release import as_release
from synthlab.utility._frames import NOWHERE, check_usable, labelled, prepare, values_there
from synthlab.utility.intervals import overlap

CELLS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BootstrapResult(Result):
    """Bootstrap distributions of one statistic.

    Attributes
    ----------
    confidential_draws : numpy.ndarray of float, shape (S,)
        Values of the statistic on S resamples of the confidential data.
    draws : numpy.ndarray of float, shape (m, S)
        Values of the statistic on S resamples of each synthetic dataset; pooled, they give `mean` and `interval`.
    confidential_estimate : float
        Statistic of the confidential data.
    estimates : numpy.ndarray of float, shape (m,)
        Statistic of each synthetic dataset.
    statistic, variable : str
        Names of the statistic and of its variable.
    level : float
        Level of the percentile intervals.
    """

    _figure: ClassVar[str] = "sampling.plot_bootstrap"

    confidential_draws: FloatArray
    draws: FloatArray
    confidential_estimate: float
    estimates: FloatArray
    statistic: str
    variable: str
    level: float

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return len(self.draws)

    @property
    def mean(self) -> float:
        """Mean of the m S pooled values."""
        return float(_mean(self.draws.ravel()))

    @property
    def interval(self) -> FloatArray:
        """Percentile interval of the m S pooled values, shape (2,)."""
        return self._percentiles(self.draws)

    @property
    def confidential_interval(self) -> FloatArray:
        """Percentile interval of the confidential resamples, shape (2,)."""
        return self._percentiles(self.confidential_draws)

    @property
    def interval_overlap(self) -> float:
        """Overlap of the two intervals; negative if they are disjoint."""
        return float(overlap(self.confidential_interval, self.interval))

    def _percentiles(self, draws: FloatArray) -> FloatArray:
        tail = (1 - self.level) / 2
        with np.errstate(over="ignore", invalid="ignore"):  # where draws are infinite; bootstrap_statistic warned
            return _checks.read_only(np.quantile(draws, [tail, 1 - tail]))

    def to_frame(self) -> pd.DataFrame:
        """Return the statistic and its bootstrap mean and interval, one row per dataset."""
        ends = np.array([self._percentiles(row) for row in self.draws])
        columns = {
            "estimate": self.estimates,
            "mean": _mean(self.draws),
            "lower": ends[:, 0],
            "upper": ends[:, 1],
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    def summary(self) -> pd.DataFrame:
        """Return one row for the confidential data and one for the pooled datasets."""
        rows = [
            [self.confidential_estimate, _mean(self.confidential_draws), *self.confidential_interval],
            [_mean(self.estimates), self.mean, *self.interval],
        ]
        index = pd.Index(["confidential", "synthetic"], name="data")
        return pd.DataFrame(np.array(rows), columns=["estimate", "mean", "lower", "upper"], index=index)

    @property
    def title(self) -> str:
        """Description of the statistic and the resamples."""
        return (
            f"Bootstrap of the {self.statistic} of {self.variable}: {self.draws.shape[1]:,} resamples of each of m = "
            f"{self.m} datasets, pooled; {self.level:.0%} percentile intervals."
        )


@explains_arguments
def bootstrap_statistic(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variable: str | None = None,
    statistic: str | float | Callable[[Any], float] = "mean",
    resamples: int = 1000,
    level: float = 0.95,
    missing: str = "raise",
    rng: RngLike = None,
) -> BootstrapResult:
    """Resample a statistic of the confidential data and of every synthetic dataset.

    Draw S resamples of size n with replacement from each of the m datasets and pool the values of the statistic. The
    mean and the percentiles of the m S values are the synthetic estimate and its interval (Hu, Savitsky and Williams).

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets.
    variable : str, optional
        A numeric variable. If None, `statistic` must be a function, which receives a whole DataFrame.
    statistic : {"mean", "median"}, number, or callable
        Statistic to resample. A number p in (0, 1) is the p-quantile (linear between order statistics, R's type 7). A
        function takes an array of the variable's values, shape (n,), and returns one number.
    resamples : int
        Number S of resamples per dataset.
    level : float
        Level of the percentile intervals; 0.95 gives percentiles 2.5 and 97.5.
    missing : {"raise", "never"}
        Treatment of missing values of `variable`: "raise" raises an error, and "never" leaves them out. "category" is
        not supported, because a missing value is not a number. A function of a whole DataFrame must handle missing
        values itself.
    rng : int or numpy.random.Generator, optional
        Seed or generator. The resamples of the first datasets do not depend on m.

    Returns
    -------
    BootstrapResult

    Raises
    ------
    InputError
        The variable is absent, non-numeric or infinite; the statistic is unknown; or the function does not return one
        number.
    MissingValueError
        The variable has missing values, and ``missing="raise"``.

    Warns
    -----
    UndefinedStatisticWarning
        The statistic is infinite or NaN on some resamples.

    Notes
    -----
    The pooled values reflect the variation within each dataset and between the m datasets.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.utility import bootstrap_statistic
    >>> confidential = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> synthetic = pd.DataFrame({"income": [2.0, 2.0, 3.0, 5.0, 6.0]})
    >>> result = bootstrap_statistic(confidential, synthetic, variable="income", statistic="median", rng=1)
    >>> result.summary()
                  estimate   mean  lower  upper
    data
    confidential       3.0  2.933    1.0    5.0
    synthetic          3.0  3.436    2.0    6.0
    """
    _checks.check_meaning(missing, "bootstrap_statistic", {"category": NOWHERE})
    compute, label = _statistic(statistic, whole_frame=variable is None)
    _checks.check_count(resamples, "resamples", 2)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    if variable is None:
        confidential = _checks.check_frame(confidential, "confidential")
        frames: list[Any] = [confidential, *as_release(synthetic, like=confidential)]
    else:
        if not isinstance(variable, str):
            raise InputError(f"variable={_checks.shown(variable)}: must be the name of one variable, or None")
        confidential, release, _ = prepare(confidential, synthetic, [variable])
        for where, frame in labelled(confidential, release):
            _checks.check_numeric_column(frame, variable, where=where, why="the statistic requires numbers")
        check_usable(confidential, release, [variable], 'use missing="never" to leave them out', missing)
        frames = [values_there(frame, variable, where) for where, frame in labelled(confidential, release)]
    streams = _rng.spawn(rng, len(frames))
    estimates = np.array([compute(data, None)[0] for data in frames])
    resample = partial(_resample, compute, resamples)
    draws = np.array(parallel.parallel_map(resample, zip(frames, streams, strict=True), prefer="processes", probe=True))
    undefined = int((~np.isfinite(draws)).any(axis=1).sum())
    if undefined:
        message = (
            f"the {label} is infinite or NaN on some resamples of {undefined} of {len(draws)} datasets; the bootstrap mean "
            "and interval are then infinite or NaN too"
        )
        warn(message, UndefinedStatisticWarning)
    return BootstrapResult(
        confidential_draws=_checks.read_only(draws[0].copy()),
        draws=_checks.read_only(draws[1:].copy()),
        confidential_estimate=float(estimates[0]),
        estimates=_checks.read_only(estimates[1:].copy()),
        statistic=label,
        variable=variable or "the dataset",
        level=level,
    )


def _mean(values: FloatArray) -> FloatArray:
    """Return means over the last axis, even if the sum exceeds the largest float."""
    with np.errstate(over="ignore"):
        mean = values.mean(axis=-1)
    return np.asarray(np.where(np.isinf(mean), (values / values.shape[-1]).sum(axis=-1), mean))


Compute = Callable[[Any, Any], FloatArray]


def _statistic(statistic: object, *, whole_frame: bool) -> tuple[Compute, str]:
    """Return a function of (data, rows of indices or None) that gives one value per row, and its name."""
    if callable(statistic):
        name = str(getattr(statistic, "__name__", "statistic"))
        return partial(_any_statistic, statistic), "statistic" if name == "<lambda>" else name
    if whole_frame:
        raise InputError("variable=None: statistic must then be a function of a DataFrame")
    if isinstance(statistic, str) and statistic == "mean":
        return partial(_array_statistic, partial(np.mean, axis=-1)), "mean"
    if isinstance(statistic, str) and statistic == "median":
        return partial(_array_statistic, partial(np.median, axis=-1)), "median"
    if isinstance(statistic, str):
        raise InputError(
            f"statistic={statistic!r}: must be 'mean', 'median', a number in (0, 1) for a quantile, or a function"
        )
    p = _checks.check_number(statistic, "statistic", low=0.0, high=1.0, open_low=True, open_high=True)
    return partial(_array_statistic, partial(np.quantile, q=p, axis=-1)), f"{p:g} quantile"


def _array_statistic(function: Callable[[FloatArray], Any], data: FloatArray, rows: Any) -> FloatArray:
    return np.asarray(function(data[None, :] if rows is None else data[rows]))


def _any_statistic(function: Callable[[Any], float], data: Any, rows: Any) -> FloatArray:
    samples = [data] if rows is None else (data.iloc[r] if isinstance(data, pd.DataFrame) else data[r] for r in rows)
    values = [function(sample) for sample in samples]
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty((0, 0))
    if array.ndim != 1 or np.ma.is_masked(values[0]):
        raise InputError(f"statistic: the function must return one number, it returned {_checks.described(values[0])}")
    return array


def _resample(compute: Compute, resamples: int, data_and_rng: tuple[Any, np.random.Generator]) -> FloatArray:
    """Return the statistic of S resamples drawn with replacement, shape (S,)."""
    data, rng = data_and_rng
    n = len(data)
    step = max(1, CELLS_AT_ONCE // n)
    parts = [compute(data, rng.integers(0, n, (min(step, resamples - s), n))) for s in range(0, resamples, step)]
    return np.concatenate(parts)
