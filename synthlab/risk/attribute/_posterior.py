"""Log densities and posteriors of guesses, in batches of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.match_inputs import check_fitted_to
from synthlab.release import Release
from synthlab.risk.attribute.guess_posterior import guess_posterior, together
from synthlab.risk.posterior._candidate_values import guesses_for

AT_ONCE = 10_000_000  # log densities in memory at a time: draws x records


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Posterior of one target: G guesses, position of the truth, probabilities, ESS.

    The prior `before` has shape (G,), the posterior `after` (G, columns), and `ess` (m,).
    """

    guesses: pd.DataFrame
    truth: int
    before: FloatArray
    after: FloatArray
    ess: FloatArray

    def rank(self) -> FloatArray:
        """Return the rank of the truth among the guesses in each column; ties are averaged."""
        own = self.after[self.truth]
        return np.asarray(1.0 + (self.after > own).sum(axis=0) + ((self.after == own).sum(axis=0) - 1) / 2)

    def table(self, names: tuple[str, ...]) -> pd.DataFrame:
        """Return the guesses with their probabilities."""
        true = np.arange(len(self.guesses)) == self.truth
        return self.guesses[list(names)].assign(prior=self.before, posterior=self.after.mean(axis=1), true=true)


def check_fitted(frame: pd.DataFrame, release: Release, fitted: Any) -> tuple[str, ...]:
    """Return the synthesized variables; raise if the fit has no density or other data."""
    missing = [a for a in ("log_density", "confidential", "synthesized") if not hasattr(fitted, a)]
    if missing:
        raise InputError(
            f"fitted: {type(fitted).__name__} has no {', '.join(missing)}; use guess_posterior with arrays"
        )
    names = tuple(fitted.synthesized)
    check_fitted_to(frame, fitted, "fitted")
    for number, other in enumerate(release, start=1):
        if len(other) != len(frame) or set(names) - set(other.columns):
            raise InputError(f"synthetic dataset {number}: must have {len(frame)} rows and {', '.join(names)}")
    weighting = getattr(getattr(fitted, "specification", None), "weighting", "")
    if getattr(fitted, "weights", None) is not None and weighting == "component":
        raise InputError(
            'fitted: weighting="component" is not supported, because a record does not enter the posterior through its '
            "weighted density; fit with another weighting"
        )
    return names


def contributions(fitted: Any, frame: pd.DataFrame, rows: IntArray) -> FloatArray:
    """Return the contributions of records to the log posterior, shape (draws, rows)."""
    if getattr(fitted, "weights", None) is None and getattr(fitted, "clipped", None) is None:
        return np.asarray(fitted.log_density(frame.iloc[rows]))
    return np.asarray(fitted.pseudo_log_likelihood())[:, rows]


def log_release(fitted: Any, release: Release) -> FloatArray:
    """Return the log density of each dataset under every draw, shape (draws, m)."""
    return np.column_stack([_total(fitted, frame) for frame in release])


def _total(fitted: Any, frame: pd.DataFrame) -> FloatArray:
    step = max(1, AT_ONCE // (fitted.n_draws or 1))
    parts = (frame.iloc[start : start + step] for start in range(0, len(frame), step))
    return np.asarray(np.sum([fitted.log_density(part, as_drawn=True).sum(axis=1) for part in parts], axis=0))


def posteriors(
    fitted: Any,
    frame: pd.DataFrame,
    rows: IntArray,
    levels: dict[str, pd.Index],
    radii: dict[str, float],
    relative: bool,
    grid: int,
    release: FloatArray,
    uniform: bool,
    apart: bool,
) -> Iterator[Found]:
    """Yield the posterior of each target, in order."""
    weights = getattr(fitted, "weights", None)
    waiting: list[tuple[int, pd.DataFrame, int]] = []
    size = 0
    for position, row in enumerate(rows):
        guesses, truth = guesses_for(frame, int(row), levels, radii, relative, grid)
        waiting.append((int(row), guesses, truth))
        size += len(guesses) * len(release)
        if size < AT_ONCE and position < len(rows) - 1:
            continue
        density = fitted.log_density(pd.concat([g for _, g, _ in waiting], ignore_index=True))
        cuts = np.cumsum([len(g) for _, g, _ in waiting])[:-1]
        for (record, table, place), part in zip(waiting, np.split(density, cuts, axis=1), strict=True):
            if weights is not None:  # 0 times minus infinity counts as 0, as in the weighted posterior
                part = np.where(weights[record] > 0, part, 0.0) * weights[record]
            yield _posterior(table, place, part, release, uniform, apart)
        waiting, size = [], 0


def _posterior(
    guesses: pd.DataFrame, truth: int, density: FloatArray, release: FloatArray, uniform: bool, apart: bool
) -> Found:
    prior = np.zeros(len(guesses)) if uniform else None
    after, before, ess = guess_posterior(density[:, truth], density, release, prior)
    return Found(guesses, truth, before, after if apart else together(after, before)[:, None], ess)
