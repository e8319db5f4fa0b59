"""A count model with equal records merged, beside the same with single records."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.synthesizers import negative_binomial
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly


def counts(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, n)
    mean = np.exp(0.5 + 0.4 * x)
    return pd.DataFrame({"y": rng.negative_binomial(2, 2 / (2 + mean)), "x": x})


def run() -> Iterator[Row]:
    """The same model, with and without merging the equal records before sampling."""
    frame = counts(5_000, 2)
    model = sl.NegativeBinomial("y ~ x")

    def fit() -> object:
        return model.fit(frame, rng=1, tune=200, draws=200)

    def apart(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows, weights

    quietly(fit)()  # compile
    merged, one = best_of(quietly(fit), repeats=1)
    with mock.patch.object(negative_binomial, "aggregate", apart):
        quietly(fit)()  # compile, should the shapes matter
        single, other = best_of(quietly(fit), repeats=1)
    means = [f"{fitted.posterior['phi'].mean():.2f}" for fitted in (one, other)]
    note = f"{len(frame.drop_duplicates())} distinct records; posterior mean of phi {means[0]} and {means[1]}"
    yield Row("NegativeBinomial, equal records merged", len(frame), merged, "every record by itself", single, note)
