"""Means, variances and intervals of attack scores from sums over records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.risk._attack_result import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Moments(Scores):
    """Attack scores that are known only by their sums.

    A score is given by coefficients: (1, 0) for `attack`, (0, 1) for `baseline`, and (1, -1) for their difference. `weight` is not used.

    Attributes
    ----------
    n : int
        Number of targets.
    sums : numpy.ndarray of float, shape (3, m)
        Sums of weight times attack, of weight times baseline, and of weight.
    gram : numpy.ndarray of float, shape (3, m, 3, m)
        Sums of the products of these three quantities.
    """

    n: int
    sums: FloatArray
    gram: FloatArray

    def per_dataset(self, scores: FloatArray) -> FloatArray:
        """Return the weighted mean per dataset, shape (m,); NaN if no target counts."""
        total = self.sums[2]
        out = np.full(total.size, np.nan)
        return np.asarray(np.divide(scores @ self.sums[:2], total, out=out, where=total > 0))

    def variance(self, scores: FloatArray) -> float:
        """Return the variance of `mean`, as defined by `Scores.variance`."""
        means = self.per_dataset(scores)
        used = np.flatnonzero(np.isfinite(means))
        n, m = self.n, used.size
        if n < 2 or m == 0:
            return float("nan")
        means = means[used]
        # Linearized score of a target minus the mean of its dataset, from its weighted score and weight.
        turn = np.stack([np.full(m, scores[0]), np.full(m, scores[1]), -means]) / (self.sums[2, used] / n)
        products = np.einsum("al,albk,bk->lk", turn, self.gram[:, used][:, :, :, used], turn)
        by_row = float(products.sum()) / m / (n - 1)
        if m == 1:
            return by_row / n
        by_column = n * float(np.square(means - means.mean()).sum()) / (m - 1)
        error = float(np.trace(products) - products.sum() / m) / ((n - 1) * (m - 1))
        return max(by_row, by_row + by_column - error) / (n * m)

    def interval(self, scores: FloatArray) -> tuple[float, float]:
        """Return Wilson's interval for a proportion, as defined by `Scores.interval`."""
        from statsmodels.stats.proportion import proportion_confint

        p, variance = self.mean(scores), self.variance(scores)
        if not np.isfinite(variance):
            return float("nan"), float("nan")
        if variance <= 0 and 0 < p < 1:
            return p, p
        people = p * (1 - p) / variance if variance > 0 else float(self.sums[2].sum() ** 2 / self.gram[2, :, 2].sum())
        low, high = proportion_confint(p * people, people, alpha=1 - self.level, method="wilson")
        return float(max(low, 0.0)), float(min(high, 1.0))

    def to_frame(self) -> pd.DataFrame:
        """Return the attack and the baseline for each of the datasets 1 to m."""
        index = pd.RangeIndex(1, self.sums.shape[1] + 1, name="dataset")
        columns = {"attack": self.per_dataset(self.attack), "baseline": self.per_dataset(self.baseline)}
        return pd.DataFrame(columns, index=index)


def moments(n: int, sums: Any, gram: Any, level: float) -> Moments:
    """Return the moments of `sums` and `gram`."""
    return Moments(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.empty((0, 0)), level, n, sums, gram)
