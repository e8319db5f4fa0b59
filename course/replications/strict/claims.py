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
        found = {name: np.mean([by(rows, name, column) for rows in runs], axis=0) for name in mechanisms}
        scales = ", ".join(f"{scale:g}" for scale in SCALES)
        parts = [f"{name} " + ", ".join(f"{v:.3g}" for v in values) for name, values in found.items()]
        return f"{column} at c = {scales}: " + "; ".join(parts)

    return words


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
        lambda rows: not (by(rows, CLIPPED, "U_m") <= by(rows, WEIGHTED, "U_m")).any(),  # NaN: nothing is released
        _said("U_m", WEIGHTED, CLIPPED),
    ),
    "weights_within": Check(
        lambda rows: not (by(rows, BOTH, "U_m") >= by(rows, CLIPPED, "U_m")).any(), _said("U_m", CLIPPED, BOTH)
    ),
}
