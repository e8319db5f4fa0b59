"""The statements of the two later papers, and what a trial found, judged in every repetition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from synthlab.replication.claims import Claim, Rows
from synthlab.replication.strict.fits import AGAIN, BOTH, CLIPPED, SCALES, WEIGHTED

TAILS = (
    "records in the middle gain weight and those far out, whose weight is near 0, hardly do: the tails count for less, and the 90 % "
    "quantile comes out lower"
)
LITTLE = 1.05  # a bound that is at most so much above the other is the same bound


def by(rows: Rows, mechanism: str, column: str) -> np.ndarray:
    """Return a column of a mechanism, one number a scale."""
    places, values = rows.places[mechanism], rows.columns[column]
    return np.array([values[places[scale]] for scale in SCALES], dtype=np.float64)


def _said(column: str, *mechanisms: str) -> Callable[[Sequence[Rows]], str]:
    def words(runs: Sequence[Rows]) -> str:
        found = {name: np.mean([by(rows, name, column) for rows in runs], axis=0) for name in mechanisms}
        scales = ", ".join(f"{scale:g}" for scale in SCALES)
        parts = [f"{name} " + ", ".join(f"{v:.3g}" for v in values) for name, values in found.items()]
        return f"{column} at c = {scales}: " + "; ".join(parts)

    return words


CLAIMS: tuple[Claim[Rows], ...] = (
    Claim(
        "re-weighting, abstract",
        f"more weight on average at no more than {LITTLE - 1:.0%} more epsilon, at every scale",
        lambda rows: (
            (by(rows, AGAIN, "mean weight") > by(rows, WEIGHTED, "mean weight")).all()
            and (by(rows, AGAIN, "epsilon") <= LITTLE * by(rows, WEIGHTED, "epsilon")).all()
        ),
        _said("epsilon", WEIGHTED, AGAIN),
        "the rule holds for the draws it was computed from; more weight moves the posterior, and its bound with it, up or down",
    ),
    Claim(
        "re-weighting, abstract",
        "which makes the synthetic distribution nearer to the file (U_m smaller on average over the scales)",
        lambda rows: by(rows, AGAIN, "U_m").mean() < by(rows, WEIGHTED, "U_m").mean(),
        _said("U_m", WEIGHTED, AGAIN),
        TAILS,
    ),
    Claim(
        "re-weighting, abstract",
        "and the 90 % quantile of a dataset nearer to that of the file, on average over the scales",
        lambda rows: (
            by(rows, AGAIN, "90 % quantile, one dataset").mean()
            < by(rows, WEIGHTED, "90 % quantile, one dataset").mean()
        ),
        _said("90 % quantile, one dataset", WEIGHTED, AGAIN),
        TAILS,
    ),
    Claim(
        "censoring, abstract",
        "a strict guarantee has its price: at equal epsilon the clipped mechanism is further from the file than the weighted one, "
        "at every scale (U_m)",
        lambda rows: (by(rows, CLIPPED, "U_m") > by(rows, WEIGHTED, "U_m")).all(),
        _said("U_m", WEIGHTED, CLIPPED),
        "where few contributions are clipped, the clip costs less than the weights do",
    ),
    Claim(
        "censoring, abstract",
        "weights within the clip lower the price (U_m smaller at every scale); these weights are of the file, so the guarantee is local",
        lambda rows: (by(rows, BOTH, "U_m") < by(rows, CLIPPED, "U_m")).all(),
        _said("U_m", CLIPPED, BOTH),
        "where few contributions are clipped, there is nothing to save",
    ),
)
