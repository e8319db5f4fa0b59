"""The pseudocounts and shapes of the count mechanisms at each epsilon: public, found without data."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from replications.mechanisms.names import DELTA, GAF, NBI, POISSON
from synthlab import counts as slc
from synthlab.counts import CountFamily
from synthlab.exceptions import InputError

EPSILONS = (0.5, 1.0, 2.0, 4.0)
SIZE = 0.1  # sigma of the NBI: a standard deviation of a third of a large count
FAR = 100.0  # pseudocount of the GAF with nu = 0, at which its law is nearly normal; its noise does not grow with it
FINE, COARSE = 14, 8  # halvings; fewer where one takes seconds


def tuned(epsilon: float, largest: int) -> pd.DataFrame:
    """Return one row per family: pseudocount and sigma with which every table has epsilon and `DELTA`, and its delta."""

    def delta(family: CountFamily, pseudocount: float, largest: int | None = None) -> float:
        found = slc.count_delta(family, epsilon, pseudocount=pseudocount, smoothing="every", largest=largest)
        return float(found.delta[0])

    prior = _smallest(lambda a: delta(slc.Poisson(), a), 0.01, 1e3)
    wider = _smallest(lambda a: delta(slc.NBI(sigma=SIZE), a), 0.01, 1e3)
    noise = _smallest(lambda s: delta(slc.GAF(sigma=s, nu=0.0), FAR, largest), 1.0 / epsilon, 15.0 / epsilon, COARSE)
    rows = [
        (POISSON, epsilon, prior, float("nan"), delta(slc.Poisson(), prior)),
        (NBI, epsilon, wider, SIZE, delta(slc.NBI(sigma=SIZE), wider)),
        (GAF, epsilon, FAR, noise, delta(slc.GAF(sigma=noise, nu=0.0), FAR, largest)),
    ]
    found = pd.DataFrame(rows, columns=["mechanism", "epsilon", "pseudocount", "sigma", "delta"])
    if not (found["delta"] <= DELTA).all():
        raise InputError(f"epsilon={epsilon!r}: no setting that is tried has delta {DELTA:g}; take a larger one")
    return found


def family_of(row: pd.Series) -> CountFamily:
    """Return the distribution of a row of `tuned`."""
    if row["mechanism"] == POISSON:
        return slc.Poisson()
    return slc.NBI(sigma=row["sigma"]) if row["mechanism"] == NBI else slc.GAF(sigma=row["sigma"], nu=0.0)


def _smallest(delta_of: Callable[[float], float], low: float, high: float, halvings: int = FINE) -> float:
    """Return the smallest value in an interval, on the logarithmic scale, whose delta is at most `DELTA`."""
    for _ in range(halvings):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if delta_of(middle) <= DELTA else (middle, high)
    return float(f"{high:.6g}") * (1 + 1e-6)
