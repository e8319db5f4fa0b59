"""Tests of the statements of lectures 12 to 14 on mechanisms at equal epsilon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from replications.claims import Check, Rows
from replications.mechanisms.data import MEASURES
from replications.mechanisms.names import (
    AGAIN,
    ALONE,
    BY_OPENDP,
    CLIPPED,
    COPY,
    DIRICHLET,
    GAF,
    GAUSSIAN,
    GEOMETRIC,
    KEPT,
    LAPLACE,
    NBI,
    ONE,
    PLAIN,
    PMSE,
    POISSON,
    POSTERIORS,
    RESPONSE,
    TOGETHER,
    WEIGHTED,
)
from replications.mechanisms.settings import EPSILONS
from synthlab.synthesizers._posterior import MAX_RHAT

RHAT = "R-hat"
NEAR = 0.05  # an achieved epsilon that is at most so much off is the one wanted
BOUNDED = (CLIPPED, DIRICHLET, PMSE, POISSON, KEPT, NBI, GAF)


def by(rows: Rows, mechanism: str, column: str = "distance") -> np.ndarray:
    """Return a column of a mechanism, one number per epsilon."""
    places, values = rows.places.get(mechanism, {}), rows.columns[column]
    return np.array([values[places[e]] if e in places else np.nan for e in EPSILONS], dtype=np.float64)


def anchor(rows: Rows, mechanism: str, column: str = "distance") -> float:
    """Return a number of an anchor, which has no epsilon."""
    return float(rows.columns[column][next(iter(rows.places[mechanism].values()))])


def _said(column: str, *mechanisms: str) -> Callable[[Sequence[Rows]], str]:
    def words(runs: Sequence[Rows]) -> str:
        parts = []
        for name in mechanisms:
            if name in (PLAIN, COPY):
                parts.append(f"{name} {np.mean([anchor(rows, name, column) for rows in runs]):.3g}")
            else:
                values = np.mean([by(rows, name, column) for rows in runs], axis=0)
                parts.append(f"{name} " + ", ".join(f"{v:.3g}" for v in values))
        return f"{column} at epsilon {', '.join(f'{e:g}' for e in EPSILONS)}: " + "; ".join(parts)

    return words


def _nearer(first: str, second: str, column: str = "distance") -> Callable[[Rows], bool]:
    return lambda rows: bool((by(rows, first, column) < by(rows, second, column)).all())


def _equal(rows: Rows) -> bool:
    return all(np.abs(by(rows, name, "epsilon spent") / np.array(EPSILONS) - 1.0).max() <= NEAR for name in POSTERIORS)


def _converged(rows: Rows) -> bool:
    return bool(by(rows, CLIPPED, RHAT).max() <= MAX_RHAT)


def _worst_rhat(runs: Sequence[Rows]) -> str:
    values = np.max([by(rows, CLIPPED, RHAT) for rows in runs], axis=0)
    said = ", ".join(f"{v:.3f}" for v in values)
    return f"largest R-hat of all repetitions at epsilon {', '.join(f'{e:g}' for e in EPSILONS)}: {CLIPPED} {said}"


CLAIMS: Mapping[str, Check[Rows]] = {
    "weights_found": Check(_equal, _said("epsilon spent", *POSTERIORS)),
    "clipped_loses": Check(_nearer(WEIGHTED, CLIPPED), _said("distance", WEIGHTED, CLIPPED)),
    "reweighted_nearer": Check(_nearer(AGAIN, WEIGHTED), _said("distance", WEIGHTED, AGAIN)),
    "record_weights": Check(_nearer(WEIGHTED, ONE), _said("distance", ONE, WEIGHTED)),
    "pmse_nearer": Check(_nearer(PMSE, DIRICHLET), _said("distance", DIRICHLET, PMSE)),
    "pseudocount_removed": Check(_nearer(POISSON, KEPT), _said("distance", KEPT, POISSON)),
    "gaf_nearer": Check(
        lambda rows: _nearer(GAF, POISSON)(rows) and _nearer(GAF, NBI)(rows), _said("distance", POISSON, NBI, GAF)
    ),
    "more_epsilon": Check(
        lambda rows: all(by(rows, name)[-1] < by(rows, name)[0] for name in BOUNDED), _said("distance", *BOUNDED)
    ),
    "copy": Check(
        lambda rows: all(anchor(rows, COPY, name) == 0.0 or np.isnan(anchor(rows, COPY, name)) for name in MEASURES),
        _said("distance", COPY, PLAIN),
    ),
}
WITH_RHAT: Mapping[str, Check[Rows]] = {
    "converged": Check(_converged, _worst_rhat),
}
WITH_OPENDP: Mapping[str, Check[Rows]] = {
    "histogram_weighted": Check(_nearer(GEOMETRIC, WEIGHTED), _said("distance", GEOMETRIC, WEIGHTED)),
    "histogram_clipped": Check(_nearer(GEOMETRIC, CLIPPED), _said("distance", GEOMETRIC, CLIPPED)),
    "histogram_dirichlet": Check(_nearer(GEOMETRIC, DIRICHLET), _said("distance", GEOMETRIC, DIRICHLET)),
    "response": Check(_nearer(GEOMETRIC, RESPONSE), _said("distance", GEOMETRIC, RESPONSE)),
    "delta_useless": Check(
        lambda rows: bool((by(rows, LAPLACE) <= by(rows, GAUSSIAN)).all()), _said("distance", LAPLACE, GAUSSIAN)
    ),
}
ASKED: Mapping[str, Check[Rows]] = {
    "median_alone": Check(
        _nearer(ALONE, WEIGHTED, "median"), _said("median", ALONE, TOGETHER, WEIGHTED, CLIPPED, GEOMETRIC)
    ),
    "mean_alone": Check(_nearer(ALONE, WEIGHTED, "mean"), _said("mean", ALONE, TOGETHER, WEIGHTED, CLIPPED, GEOMETRIC)),
    "median_shared": Check(_nearer(TOGETHER, WEIGHTED, "median"), _said("median", TOGETHER, WEIGHTED)),
}


def claims_of(case: str, rows: pd.DataFrame) -> dict[str, Check[Rows]]:
    """Return the tests that the mechanisms and measures in the rows allow."""
    drawn = set(BY_OPENDP) & set(rows["mechanism"])
    asked = [CLAIMS]
    asked += [WITH_RHAT] * (RHAT in rows) + [WITH_OPENDP] * (GEOMETRIC in drawn)
    asked += [ASKED] * (case == "income" and ALONE in drawn)
    return {key: one for checks in asked for key, one in checks.items()}
