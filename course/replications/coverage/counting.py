"""The number of intervals that contain the true value, and the intervals themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from replications.coverage.claims import LEVEL
from replications.coverage.intervals import METHODS, draw_estimates, intervals_of
from replications.coverage.regression import DESIGNS, ESTIMANDS, Design
from replications.widths import widths_of
from synthlab import _checks, _rng
from synthlab._typing import BoolArray, FloatArray, RngLike

SEED = 20030101


def count(repetitions: int, sizes: Sequence[int], level: float, rng: RngLike) -> list[dict[str, Any]]:
    """Return one row per design, method, number of datasets and estimand."""
    streams = _rng.spawn(rng, len(DESIGNS))
    rows: list[dict[str, Any]] = []
    for design, stream in zip(DESIGNS, streams, strict=True):
        drawn = draw_estimates(design, repetitions, max(sizes), stream)
        for method in METHODS:
            for m in _sizes_of(method, sizes):
                rows += _count(design, m, method, *intervals_of(drawn, method, m, level))
    return rows


def _sizes_of(method: str, sizes: Sequence[int]) -> Sequence[int]:
    return {"confidential": [0], "one_as_real": [1]}.get(method, sizes)


def _count(design: Design, m: int, method: str, intervals: FloatArray, adjusted: float) -> Iterator[dict[str, Any]]:
    """Yield one row per estimand: how many of its intervals contain the true value, and how wide they are."""
    for (estimand, truth), ends in zip(ESTIMANDS.items(), intervals, strict=True):
        share = float(_holds(ends, truth).mean())
        yield {
            "design": design.name,
            "synthesis": design.synthesis,
            "m": m,
            "estimand": estimand,
            "method": method,
            "coverage": share,
            "mc_error": float(np.sqrt(share * (1 - share) / len(ends))),
            **widths_of(ends),
            "adjusted": adjusted,
        }


def _holds(ends: FloatArray, truth: float) -> BoolArray:
    return np.asarray((ends[:, 0] <= truth) & (truth <= ends[:, 1]))


def repeated_intervals(
    method: str,
    *,
    design: str = "partial",
    estimand: str = "slope of y on x",
    m: int = 5,
    repetitions: int = 50,
    level: float = LEVEL,
    rng: RngLike = SEED,
) -> tuple[FloatArray, float]:
    """Return the intervals of one method in many repetitions of survey and synthesis, and the truth.

    Parameters
    ----------
    method : str
        One of `METHODS`, see `simulate_coverage`.
    design : str
        Name of one of `DESIGNS`.
    estimand : {"mean of y", "slope of y on x"}
        What is estimated.
    m, repetitions, level, rng
        As in `simulate_coverage`; with the same `rng` every method sees the same datasets.

    Returns
    -------
    intervals : numpy.ndarray of float, shape (repetitions, 2)
        From -inf to inf where there is fewer than 1 degree of freedom.
    truth : float

    Raises
    ------
    InputError
        An unknown method, design or estimand, or a number out of range.

    Examples
    --------
    >>> from replications.coverage import repeated_intervals
    >>> intervals, truth = repeated_intervals("combine_partial", m=5, repetitions=100, rng=1)
    >>> intervals.shape, truth, int(((intervals[:, 0] <= truth) & (truth <= intervals[:, 1])).sum())
    ((100, 2), 0.6, 96)
    """
    _checks.check_choice(method, "method", METHODS)
    _checks.check_choice(design, "design", tuple(d.name for d in DESIGNS))
    _checks.check_choice(estimand, "estimand", tuple(ESTIMANDS))
    m = _checks.check_count(m, "m", 2)
    repetitions = _checks.check_count(repetitions, "repetitions", 2)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    chosen = next(d for d in DESIGNS if d.name == design)
    drawn = draw_estimates(chosen, repetitions, m, _rng.as_generator(rng))
    intervals, _ = intervals_of(drawn, method, m, level)
    place = list(ESTIMANDS).index(estimand)
    return _checks.read_only(intervals[place].copy()), ESTIMANDS[estimand]
