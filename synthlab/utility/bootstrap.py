"""A statistic and its sampling spread, by resampling records, over m synthetic datasets.

Any statistic has an interval this way, also one without a variance formula: resample each dataset,
pool the resampled values of all m, and read off their percentiles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
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
    """Resampled values of one statistic.

    Attributes
    ----------
    confidential_draws : numpy.ndarray of float, shape (S,)
        The statistic on S resamples of the confidential data.
    draws : numpy.ndarray of float, shape (m, S)
        The same on each synthetic dataset; pooled, they give `mean` and `interval`.
    confidential_estimate : float
        The statistic on the confidential data themselves.
    estimates : numpy.ndarray of float, shape (m,)
        The statistic on each synthetic dataset.
    statistic, variable : str
        The statistic, and its variable.
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
        """Overlap of the two intervals, negative when they are disjoint."""
        return float(overlap(self.confidential_interval, self.interval))

    def _percentiles(self, draws: FloatArray) -> FloatArray:
        tail = (1 - self.level) / 2
        with np.errstate(over="ignore", invalid="ignore"):  # where draws are infinite; bootstrap_statistic warned
            return _checks.read_only(np.quantile(draws, [tail, 1 - tail]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m: the statistic, and mean and percentiles of its resamples."""
        ends = np.array([self._percentiles(row) for row in self.draws])
        columns = {
            "estimate": self.estimates,
            "mean": _mean(self.draws),
            "lower": ends[:, 0],
            "upper": ends[:, 1],
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, self.m + 1, name="dataset"))

    def summary(self) -> pd.DataFrame:
        """Return a row for the confidential data and one for the pooled synthetic datasets."""
        rows = [
            [self.confidential_estimate, _mean(self.confidential_draws), *self.confidential_interval],
            [_mean(self.estimates), self.mean, *self.interval],
        ]
        index = pd.Index(["confidential", "synthetic"], name="data")
        return pd.DataFrame(np.array(rows), columns=["estimate", "mean", "lower", "upper"], index=index)

    @property
    def title(self) -> str:
        """The data compared."""
        return (
            f"Bootstrap of the {self.statistic} of {self.variable}: {self.draws.shape[1]:,} resamples of each of m = "
            f"{self.m} datasets, pooled; {self.level:.0%} percentile intervals."
        )


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

    S resamples of size n with replacement of each of the m datasets, pooled: the mean and the percentiles
    of the m S values are the synthetic estimate and its interval (Hu, Savitsky and Williams).

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset
        The confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets.
    variable : str, optional
        A numeric variable. None: `statistic` must be a function, and gets a whole DataFrame.
    statistic : {"mean", "median"}, number, or callable
        A number p in (0, 1) is the p-quantile (linear between order statistics, R's type 7); a function
        takes an array of the variable's values, shape (n,), and returns one number.
    resamples : int
        S.
    level : float
        Level of the percentile intervals; 0.95: percentiles 2.5 and 97.5.
    missing : {"raise", "never"}
        A missing value of `variable` is an error, or equal to none and left out. ("category" is refused: it lies nowhere on
        the line.) Of a whole DataFrame the function has to know.
    rng : int or numpy.random.Generator, optional
        The first datasets get the same resamples whatever m is.

    Returns
    -------
    BootstrapResult

    Raises
    ------
    InputError
        An absent, non-numeric or infinite variable, an unknown statistic, a function that does not return
        one number.
    MissingValueError
        The variable has missing values, and ``missing="raise"``.

    Warns
    -----
    UndefinedStatisticWarning
        The statistic is infinite or NaN on some resamples.

    Notes
    -----
    The pooled values hold the spread within a dataset and the spread between the m datasets.

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
            _checks.check_numeric_column(frame, variable, where=where, why="a statistic of it needs numbers")
        check_usable(confidential, release, [variable], 'use missing="never" to leave them out', missing)
        frames = [values_there(frame, variable, where) for where, frame in labelled(confidential, release)]
    streams = _rng.spawn(rng, len(frames))
    estimates = np.array([compute(data, None)[0] for data in frames])
    resample = partial(_resample, compute, resamples)
    draws = np.array(parallel.parallel_map(resample, zip(frames, streams, strict=True), prefer="processes", probe=True))
    undefined = int((~np.isfinite(draws)).any(axis=1).sum())
    if undefined:
        message = f"the {label} is infinite or NaN on some resamples of {undefined} of {len(draws)} datasets; so are mean and interval"
        warn(message, UndefinedStatisticWarning, stacklevel=2)
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
    """Return means over the last axis, also where the sum is beyond the largest float."""
    with np.errstate(over="ignore"):
        mean = values.mean(axis=-1)
    return np.asarray(np.where(np.isinf(mean), (values / values.shape[-1]).sum(axis=-1), mean))


Compute = Callable[[Any, Any], FloatArray]


def _statistic(statistic: object, *, whole_frame: bool) -> tuple[Compute, str]:
    """Return a function of (data, index rows or None) that gives one value per row, and its name."""
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
    """Return the statistic of `resamples` samples with replacement, shape (S,)."""
    data, rng = data_and_rng
    n = len(data)
    step = max(1, CELLS_AT_ONCE // n)
    parts = [compute(data, rng.integers(0, n, (min(step, resamples - s), n))) for s in range(0, resamples, step)]
    return np.concatenate(parts)
