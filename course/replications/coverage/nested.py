"""Coverage of the two-level rule for data that are imputed and then synthesized."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from replications.coverage.claims import LEVEL
from replications.coverage.regression import ESTIMANDS, NOISE, SLOPE, N, estimate, sums_of
from replications.widths import unbounded, widths_of
from synthlab import _checks, _rng
from synthlab._typing import BoolArray, FloatArray, RngLike
from synthlab._warnings import quiet
from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError
from synthlab.utility.combining import combine_nested, combine_partial

SEED, REPETITIONS = 20040201, 2_000
NESTS = ((3, 2), (5, 2), (5, 5), (10, 2), (10, 5))
FILE = Path(__file__).with_name("nested.csv")
METHODS = {
    "combine_nested": "the two-level rule",
    "combine_partial": "the rule for one level, imputed values taken for answers",
    "no_between": "the average variance alone",
    "complete_cases": "the records that answered, no synthesis",
}


class Estimates(NamedTuple):
    """Estimates and variances, of shape (2 estimands, M, r, repetitions), and those of complete cases, (2, repetitions)."""

    q: FloatArray
    v: FloatArray
    answered: tuple[FloatArray, FloatArray]


def simulate_nested(
    *,
    repetitions: int = REPETITIONS,
    sizes: Sequence[tuple[int, int]] = NESTS,
    level: float = LEVEL,
    rng: RngLike = SEED,
) -> pd.DataFrame:
    """Count how often intervals from imputed and synthesized surveys contain the true value.

    A survey has x ~ N(0, 1) and y = 8.8 + 0.6 x + N(0, 0.7) for n = 200 people; y is missing with probability
    1 / (1 + exp(1 - x)), about 31 %, so the people who answered are no simple sample of all. M times, new parameters are
    drawn from the posterior of those who answered, under the flat prior p(beta, sigma) ~ 1/sigma, and the missing y from
    them; of each completed survey, r times, parameters are drawn from its posterior, and all of y anew.

    Parameters
    ----------
    repetitions : int
        Number of surveys, >= 2.
    sizes : sequence of (int, int)
        Numbers (M, r) of nests and of syntheses in each, both >= 2.
    level : float
        Level of the intervals, in (0, 1).
    rng : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        One row per size, estimand and method of `METHODS`: ``coverage`` in [0, 1], ``mc_error``, ``median_width``,
        ``width_90``, ``width_99`` and ``unbounded`` as in `CoverageResult`, and ``adjusted``, the share of negative T_M.

    Raises
    ------
    InputError
        Too few repetitions, nests or syntheses, or a level outside (0, 1).

    Notes
    -----
    T_M is right on average: its mean is the variance of q_bar. With r = 2 it varies so much that the t distribution of its
    few degrees of freedom makes intervals that cover more often than they claim (97 % or 98 % of 95 %), and are wide or have
    no bounds; with r = 5 they cover as often as they claim.

    Examples
    --------
    >>> from replications.coverage import simulate_nested
    >>> table = simulate_nested(repetitions=100, sizes=[(5, 2)], rng=1).set_index(["estimand", "method"])
    >>> bool(table.loc[("slope of y on x", "combine_nested"), "coverage"] >= 0.9)
    True
    """
    repetitions = _checks.check_count(repetitions, "repetitions", 2)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    pairs = [_checks.check_counts(pair, "sizes", 2) for pair in _checks.check_list(sizes, "sizes", "pairs (M, r)")]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise InputError("sizes: must be a non-empty list of pairs (M, r)")
    rows = []
    for (nests, r), stream in zip(pairs, _rng.spawn(rng, len(pairs)), strict=True):
        drawn = _draw(repetitions, nests, r, stream)
        for method in METHODS:
            for place, (estimand, truth) in enumerate(ESTIMANDS.items()):
                ends, adjusted = _intervals(drawn, place, method, level)
                share = float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())
                error = float(np.sqrt(share * (1 - share) / repetitions))
                key: dict[str, Any] = {"M": nests, "r": r, "estimand": estimand, "method": method}
                rows.append({**key, "coverage": share, "mc_error": error, **widths_of(ends), "adjusted": adjusted})
    return pd.DataFrame(rows)


def recorded_nested() -> pd.DataFrame:
    """Return the recorded table of `simulate_nested` with its defaults."""
    return pd.read_csv(FILE)


def nested_to_csv(table: pd.DataFrame) -> str:
    """Return a table as the text of the recorded file."""
    return table.to_csv(index=False, lineterminator="\n", float_format="%.4g")


def _draw(repetitions: int, nests: int, r: int, rng: np.random.Generator) -> Estimates:
    x = rng.standard_normal((repetitions, N))
    y = SLOPE * x + NOISE * rng.standard_normal((repetitions, N))
    there = rng.random((repetitions, N)) > 1 / (1 + np.exp(1 - x))
    q, v = (np.empty((2, nests, r, repetitions)) for _ in range(2))
    for nest in range(nests):
        completed = np.where(there, y, _predictive(x, y, there, rng))
        for synthesis in range(r):
            synthetic = _predictive(x, completed, np.ones_like(there), rng)
            q[:, nest, synthesis], v[:, nest, synthesis] = estimate(sums_of(x, synthetic))
    answered = [estimate(sums_of(x[i, rows], y[i, rows])) for i, rows in enumerate(there)]
    return Estimates(q, v, (np.stack([a for a, _ in answered], -1), np.stack([b for _, b in answered], -1)))


def _predictive(x: FloatArray, y: FloatArray, used: BoolArray, rng: np.random.Generator) -> FloatArray:
    """Draw parameters from the posterior of the records that are used, a row a survey, and y of all records from them."""
    n = used.sum(axis=1)
    x_mean, y_mean = (np.where(used, values, 0.0).sum(axis=1) / n for values in (x, y))
    dx, dy = (np.where(used, values - mean[:, None], 0.0) for values, mean in ((x, x_mean), (y, y_mean)))
    sxx, sxy, syy = (dx * dx).sum(1), (dx * dy).sum(1), (dy * dy).sum(1)
    slope = sxy / sxx
    sigma = np.sqrt((syy - slope * sxy) / rng.chisquare(n - 2))
    middle = y_mean + sigma / np.sqrt(n) * rng.standard_normal(n.size)
    slope = slope + sigma / np.sqrt(sxx) * rng.standard_normal(n.size)
    mean = middle[:, None] + slope[:, None] * (x - x_mean[:, None])
    return np.asarray(mean + sigma[:, None] * rng.standard_normal(x.shape), dtype=np.float64)


def _intervals(drawn: Estimates, place: int, method: str, level: float) -> tuple[FloatArray, float]:
    """Return the intervals of a method, shape (repetitions, 2), and the share of variances that were replaced."""
    from scipy import stats

    q, v = drawn.q[place], drawn.v[place]
    if method == "combine_nested":
        with quiet(FewDegreesOfFreedomWarning):
            result = combine_nested(q, v, level=level)
        return unbounded(result), float(result.adjusted.mean())
    flat = q.reshape(-1, q.shape[-1]), v.reshape(-1, q.shape[-1])
    if method == "combine_partial":
        return combine_partial(*flat, level=level).interval, 0.0
    centre, spread = flat[0].mean(axis=0), flat[1].mean(axis=0)
    if method == "complete_cases":
        centre, spread = (part[place] for part in drawn.answered)
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt(spread)
    return np.column_stack([centre - half, centre + half]), 0.0
