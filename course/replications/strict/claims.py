"""Tests of the statements of the two later papers on strict mechanisms and re-weighting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from replications.claims import Check, Rows
from replications.strict.fits import AGAIN, BOTH, CLIPPED, SCALES, WEIGHTED

LITTLE = 1.05  # a bound that is at most so much above the other is the same bound


def by(rows: Rows, mechanism: str, column: str) -> np.ndarray:
    """Return a column of a mechanism, one number per scale."""
    places, values = rows.places[mechanism], rows.columns[column]
    return np.array([values[places[scale]] for scale in SCALES], dtype=np.float64)


def _said(column: str, *mechanisms: str) -> Callable[[Sequence[Rows]], str]:
    def words(runs: Sequence[Rows]) -> str:
        scales = ", ".join(f"{scale:g}" for scale in SCALES)
        parts = [f"{name} {_means([by(rows, name, column) for rows in runs])}" for name in mechanisms]
        return f"{column} at c = {scales}: " + "; ".join(parts)

    return words


def _means(values: Sequence[np.ndarray]) -> str:
    """Return the mean at each scale over the repetitions that released data, and their number if some did not."""
    table = np.array(values)
    parts = []
    for one in table.T:
        there = one[np.isfinite(one)]
        mean = f"{there.mean():.3g}" if there.size else "nothing released"
        parts.append(mean + f" ({there.size} of {one.size} repetitions)" * (0 < there.size < one.size))
    return ", ".join(parts)


def _all_larger(larger: np.ndarray, smaller: np.ndarray) -> bool:
    """Return whether the first value is larger at every scale at which both mechanisms released data."""
    both = np.isfinite(larger) & np.isfinite(smaller)
    return bool(both.any() and (larger[both] > smaller[both]).all())


CLAIMS: Mapping[str, Check[Rows]] = {
    "more_weight": Check(
        lambda rows: (
            (by(rows, AGAIN, "mean weight") > by(rows, WEIGHTED, "mean weight")).all()
            and (by(rows, AGAIN, "epsilon") <= LITTLE * by(rows, WEIGHTED, "epsilon")).all()
        ),
        _said("epsilon", WEIGHTED, AGAIN),
    ),
    "nearer": Check(
        lambda rows: by(rows, AGAIN, "U_m").mean() < by(rows, WEIGHTED, "U_m").mean(), _said("U_m", WEIGHTED, AGAIN)
    ),
    "nearer_quantile": Check(
        lambda rows: (
            by(rows, AGAIN, "90 % quantile, one dataset").mean()
            < by(rows, WEIGHTED, "90 % quantile, one dataset").mean()
        ),
        _said("90 % quantile, one dataset", WEIGHTED, AGAIN),
    ),
    "price": Check(
        lambda rows: _all_larger(by(rows, CLIPPED, "U_m"), by(rows, WEIGHTED, "U_m")),
        _said("U_m", WEIGHTED, CLIPPED),
    ),
    "weights_within": Check(
        lambda rows: _all_larger(by(rows, CLIPPED, "U_m"), by(rows, BOTH, "U_m")), _said("U_m", CLIPPED, BOTH)
    ),
}
