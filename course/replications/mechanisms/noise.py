"""The mechanisms that see a file as the counts of its declared cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from replications.mechanisms.data import Case, Made
from replications.mechanisms.names import (
    DELTA,
    DIRICHLET,
    GAUSSIAN,
    GEOMETRIC,
    KEPT,
    LAPLACE,
    PMSE,
    POISSON,
    RESPONSE,
)
from replications.mechanisms.settings import family_of
from synthlab import _rng, dp
from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray


def has_opendp() -> bool:
    """Say whether OpenDP, of the extra `dp`, is installed."""
    return optional_dependencies.version("opendp") is not None


def seeded(
    one: Case, epsilon: float, settings: pd.DataFrame, releases: int, rng: np.random.Generator
) -> Iterator[tuple[str, list[Made]]]:
    """Yield the mechanisms that draw pseudo-random numbers, each with several releases of epsilon."""
    first, second, third, spare = _rng.spawn(rng, 4)
    frame = pd.DataFrame({"cell": one.cells(one.frame)})
    table: dict[str, Any] = {
        "levels": {"cell": list(range(one.n_cells))},
        "n_synthetic": len(frame),
        "epsilon": epsilon,
        "m": releases,
    }
    yield DIRICHLET, _made(one, dp.private_table(frame, rng=first, **table).counts.T, spare)
    yield PMSE, _made(one, dp.private_pmse_table(frame, rng=second, **table).counts.T, spare)
    truth = one.counts(one.frame).astype(np.int64)
    for (_, row), stream in zip(settings.iterrows(), _rng.spawn(third, len(settings)), strict=True):
        made = _counts(truth, row, releases, stream)
        yield str(row["mechanism"]), _made(one, made - row["pseudocount"], spare)
        if row["mechanism"] == POISSON:
            yield KEPT, _made(one, made, spare)


def _counts(truth: np.ndarray, row: pd.Series, releases: int, rng: np.random.Generator) -> FloatArray:
    """Return counts drawn with means count plus pseudocount, shape (releases, cells)."""
    means = truth + float(row["pseudocount"])
    family = family_of(row).at(means)
    return np.array([family.rvs(rng=stream) for stream in _rng.spawn(rng, releases)], dtype=np.float64)


def by_opendp(one: Case, epsilon: float, releases: int, rng: np.random.Generator) -> Iterator[tuple[str, list[Made]]]:
    """Yield the mechanisms that OpenDP draws, without a seed; `rng` is for what is made of their answers."""
    truth = one.counts(one.frame)
    laplace, geometric = dp.LaplaceMechanism(epsilon), dp.GeometricMechanism(epsilon)
    gaussian = dp.GaussianMechanism(epsilon, DELTA)
    yield LAPLACE, _made(one, [laplace.add_noise(truth, sampler="opendp") for _ in range(releases)], rng)
    yield GEOMETRIC, _made(one, [geometric.add_noise(truth) for _ in range(releases)], rng)
    yield GAUSSIAN, _made(one, [gaussian.add_noise(truth) for _ in range(releases)], rng)
    cells, named = one.cells(one.frame), list(range(one.n_cells))
    told = [dp.randomised_response(cells, categories=named, epsilon=epsilon) for _ in range(releases)]
    yield RESPONSE, _made(one, [answers.to_frame()["share"] for answers in told], rng)


def _made(one: Case, counts: object, rng: np.random.Generator) -> list[Made]:
    rows = [np.maximum(np.asarray(row, dtype=np.float64), 0.0) for row in counts]  # type: ignore[attr-defined]
    return [Made(row, one.spread(row, rng)) for row in rows]
