"""Lipschitz bounds of files of different sizes (theorem 3 of Savitsky, Williams and Hu).

The paper shows that the bound of one file converges to a bound for all files as n increases, if such a bound exists. The
experiment draws files of several sizes from one population, fits the mechanism to each file, and compares the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._result import Result
from synthlab._typing import FrameLike, RngLike
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundBySize(Result):
    """Lipschitz bounds of files of several sizes from one population.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per file: ``n``, ``file``, ``lipschitz_bound`` of the weighted fit, ``unweighted`` (the bound of the unweighted
        fit; NaN if there is none), ``mean_weight``.
    """

    _figure: ClassVar[str] = "lipschitz.plot_bound_by_size"

    table: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per file."""
        return self.table.copy()

    def summary(self) -> pd.DataFrame:
        """Return one row per size: median, smallest and largest bound, and relative spread."""
        bounds = self.table.groupby("n")["lipschitz_bound"]
        found = pd.DataFrame({"median": bounds.median(), "smallest": bounds.min(), "largest": bounds.max()})
        found["relative spread"] = (found["largest"] - found["smallest"]) / found["median"]
        return found.assign(files=bounds.size())

    @property
    def title(self) -> str:
        """Change of the median bound and of the spread with the number of records."""
        ends = self.summary().iloc[[0, -1]]
        (few, many), (first, last) = ends.index, ends["median"]
        spread = ends["relative spread"]
        return (
            f"From n = {few:,} to n = {many:,} records the median bound goes from {first:.4g} to {last:.4g}, and the spread between "
            f"files from {spread.iloc[0]:.1%} to {spread.iloc[1]:.1%} of it. A bound that keeps growing has no limit; "
            "theorem 3 applies only if the limit exists."
        )


def bound_by_size(
    mechanism: Any,
    data: FrameLike | Callable[[int, np.random.Generator], pd.DataFrame],
    *,
    sizes: Sequence[int],
    files: int = 5,
    rng: RngLike = None,
    progress: bool = False,
    **sampler: Any,
) -> BoundBySize:
    """Return the Lipschitz bounds of a mechanism for files of several sizes.

    Equations: Savitsky, Williams & Hu (theorem 3)

    Parameters
    ----------
    mechanism : PseudoPosteriorMechanism or ScalarWeightMechanism
        The mechanism, which is fitted to each file separately.
    data : pandas.DataFrame, Dataset or callable
        The population, from which files are drawn without replacement, or a function of n and a generator that returns a file of
        n records.
    sizes : sequence of int
        Numbers of records of the files: at least 2, and at most the size of the population.
    files : int
        Number of files of each size; default 5.
    rng : int, Generator or None
        Seed or generator, with one stream per file. The first files of a size do not depend on `files`.
    progress : bool
        Whether to show a progress bar on standard error. Default False.
    **sampler
        Options of the synthesizer's `fit`.

    Returns
    -------
    BoundBySize

    Raises
    ------
    InputError
        If the mechanism cannot be fitted, a size is larger than the population, or the function returns another number of records.

    References
    ----------
    Savitsky, T. D., Williams, M. R. and Hu, J. Bayesian pseudo posterior mechanism under differential privacy, theorem 3.

    Examples
    --------
    >>> import synthlab as sl
    >>> from synthlab.weights import PseudoPosteriorMechanism, bound_by_size
    >>> women = sl.datasets.load("affairs").frame
    >>> model = sl.DirichletMultinomial(["rate_marriage"])
    >>> mechanism = PseudoPosteriorMechanism(synthesizer=model, quantile=0.95)
    >>> found = bound_by_size(mechanism, women, sizes=[200, 5000], files=3, rng=1, draws=200)
    >>> spread = found.summary()["relative spread"]
    >>> bool(spread[200] > spread[5000])
    True
    """
    from tqdm import tqdm

    _checks.check_callable(getattr(mechanism, "fit", None), "mechanism", "a mechanism, an object with fit")
    _checks.check_choice(progress, "progress", (True, False))
    wanted = _checks.check_counts(sizes, "sizes", 2)
    if not wanted:
        raise InputError("sizes: must contain at least one number of records")
    files = _checks.check_count(files, "files")
    draw = _drawing(data, max(wanted))
    rows: list[dict[str, float]] = []
    jobs = [
        (n, number, stream)
        for n, streams in zip(wanted, _rng.spawn(rng, len(wanted)), strict=True)
        for number, stream in enumerate(streams.spawn(files))
    ]
    for n, number, stream in tqdm(jobs, desc="files", unit="file", disable=not progress):
        first, second = stream.spawn(2)
        fitted = mechanism.fit(_file(draw, n, first), rng=second, **sampler)
        weights = fitted.weights
        rows.append(
            {
                "n": n,
                "file": number,
                "lipschitz_bound": fitted.accounting.lipschitz_bound,
                "unweighted": np.nan if weights is None else weights.lipschitz_bound,
                "mean_weight": float(fitted.record_weights.mean()),
            }
        )
    return BoundBySize(pd.DataFrame(rows))


def _drawing(data: Any, most: int) -> Callable[[int, np.random.Generator], Any]:
    """Return a function that draws a file of n records."""
    if callable(data):
        given: Callable[[int, np.random.Generator], Any] = data
        return given
    people = _checks.check_frame(data, "data")
    if most > len(people):
        raise InputError(f"sizes: must be at most {len(people):,}, the number of records of data")
    return lambda n, rng: people.iloc[rng.choice(len(people), size=n, replace=False)].reset_index(drop=True)


def _file(draw: Callable[[int, np.random.Generator], Any], n: int, rng: np.random.Generator) -> pd.DataFrame:
    frame = _checks.check_frame(draw(n, rng), "data")
    if len(frame) != n:
        raise InputError(f"data: the function must return {n} records, but it returned {len(frame)}")
    return frame
