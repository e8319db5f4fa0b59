"""The result of an attack: its success, its baseline, the difference, and an interval for each.

Every attack of `synthlab.risk` gives each person a score in [0, 1] in each dataset (1: the guess is right for
certain) and the same for its baseline. This file turns them into numbers for the release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab._warnings import warn
from synthlab.exceptions import NoBetterThanBaselineWarning


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of the targets in m datasets, with the weight each has in the mean.

    Attributes
    ----------
    attack, baseline : numpy.ndarray of float, shape (targets, m)
        Probability that the intruder is right about each target.
    weight : numpy.ndarray of float, shape (targets, m)
        0 leaves a target out of the mean of a dataset; a dataset whose weights are all 0 has no mean.
    level : float
        Level of the intervals.
    """

    attack: FloatArray
    baseline: FloatArray
    weight: FloatArray
    level: float

    def per_dataset(self, scores: FloatArray) -> FloatArray:
        """Return the weighted mean over the targets in each dataset, shape (m,); NaN where no target counts."""
        total = self.weight.sum(axis=0)
        out = np.full(total.size, np.nan)
        return np.asarray(np.divide((self.weight * scores).sum(axis=0), total, out=out, where=total > 0))

    def mean(self, scores: FloatArray) -> float:
        """Return the mean over the datasets that have one; NaN when none has."""
        means = self.per_dataset(scores)
        return float(np.nanmean(means)) if np.isfinite(means).any() else float("nan")

    def variance(self, scores: FloatArray) -> float:
        """Return the variance of `mean`, for other people and other datasets of the same synthesizer.

        People and datasets are crossed, so with mean squares R (rows), C (columns) and E (what is left) of
        the linearised scores the variance of the mean of N rows and m columns is ``(R + C - E) / (N m)``; C is
        uncertain when m is small, so no less than ``R / (N m)`` is taken. With one dataset it is that of people alone.
        """
        means = self.per_dataset(scores)
        used = np.isfinite(means)
        n, m = len(scores), int(used.sum())
        if n < 2 or m == 0:
            return float("nan")
        weight = self.weight[:, used]
        linear = means[used] + weight * (scores[:, used] - means[used]) / weight.mean(axis=0)
        rows, columns, grand = linear.mean(axis=1), linear.mean(axis=0), linear.mean()
        by_row = m * float(np.square(rows - grand).sum()) / (n - 1)
        if m == 1:
            return by_row / n
        by_column = n * float(np.square(columns - grand).sum()) / (m - 1)
        left = linear - rows[:, None] - columns + grand
        error = float(np.square(left).sum()) / ((n - 1) * (m - 1))
        return max(by_row, by_row + by_column - error) / (n * m)

    def interval(self, scores: FloatArray) -> tuple[float, float]:
        """Return Wilson's interval for a proportion, with the number of people the variance is worth.

        A proportion p with variance v is worth ``p (1 - p) / v`` independent people; p = 0 and p = 1 are worth as many
        people as there are, unequal weights as fewer: ``(sum w)^2 / sum w^2`` of the weights a person has in all datasets.
        """
        from statsmodels.stats.proportion import proportion_confint

        p, variance = self.mean(scores), self.variance(scores)
        if not np.isfinite(variance):
            return float("nan"), float("nan")
        if variance == 0 and 0 < p < 1:
            return p, p  # the same for all records, such as one chance in G
        weight = self.weight.sum(axis=1)
        people = p * (1 - p) / variance if variance > 0 else float(weight.sum() ** 2 / np.square(weight).sum())
        low, high = proportion_confint(p * people, people, alpha=1 - self.level, method="wilson")
        return float(max(low, 0.0)), float(min(high, 1.0))

    def excess_interval(self) -> tuple[float, float]:
        """Return the interval of the mean of attack minus baseline, target by target, from the intervals of the two.

        Newcombe's (1998) interval for the difference of paired proportions: the distances of the means from the ends of
        their Wilson intervals are combined as standard errors are, with the correlation of the two means. So it holds
        near 0, where the normal interval is too short: with few hits, and where the attack is never right.
        """
        attack, baseline = self.mean(self.attack), self.mean(self.baseline)
        (low, high), (below, above) = self.interval(self.attack), self.interval(self.baseline)
        of_attack, of_baseline = self.variance(self.attack), self.variance(self.baseline)
        shared = of_attack + of_baseline - self.variance(self.attack - self.baseline)
        product = 2.0 * np.sqrt(of_attack * of_baseline)
        correlation = float(np.clip(shared / product, -1.0, 1.0)) if product > 0 else 0.0
        down = _combined(attack - low, above - baseline, correlation)
        up = _combined(high - attack, baseline - below, correlation)
        return attack - baseline - down, attack - baseline + up

    def summary(self) -> pd.DataFrame:
        """Return attack, baseline and their difference: mean, interval, smallest and largest dataset."""
        rows = {}
        for name, scores, interval in (
            ("attack", self.attack, self.interval(self.attack)),
            ("baseline", self.baseline, self.interval(self.baseline)),
            ("excess", self.attack - self.baseline, self.excess_interval()),
        ):
            means = self.per_dataset(scores)
            known = means[np.isfinite(means)]
            ends = (known.min(), known.max()) if known.size else (np.nan, np.nan)
            rows[name] = [self.mean(scores), *interval, *ends]
        columns = ["mean", "low", "high", "min", "max"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("measure")

    def to_frame(self) -> pd.DataFrame:
        """Return attack and baseline of each dataset 1..m."""
        index = pd.RangeIndex(1, self.attack.shape[1] + 1, name="dataset")
        columns = {"attack": self.per_dataset(self.attack), "baseline": self.per_dataset(self.baseline)}
        return pd.DataFrame(columns, index=index)

    def warn_if_useless(self, what: str) -> None:
        """Warn by name when the attack is on average no better than its baseline."""
        attack, baseline = self.mean(self.attack), self.mean(self.baseline)
        if attack <= baseline * (1 + 1e-12):
            warn(
                f"{what} is right with probability {attack:.4g} on average, no more than the {baseline:.4g} of its baseline: "
                "here the release does not help this intruder",
                NoBetterThanBaselineWarning,
                stacklevel=4,
            )


def _combined(one: float, other: float, correlation: float) -> float:
    """Return the distance of a difference from its end, from those of its two parts."""
    square = one**2 + other**2 - 2.0 * correlation * one * other
    return float(np.sqrt(max(square, 0.0))) if np.isfinite(square) else float("nan")


def scores_of(
    attack: npt.ArrayLike, baseline: npt.ArrayLike, level: float, weight: npt.ArrayLike | None = None
) -> Scores:
    """Return the scores of (targets, m) arrays, read-only; a baseline of shape (targets, 1) serves every dataset."""
    attacked = np.array(attack, dtype=np.float64)
    before = np.array(np.broadcast_to(np.asarray(baseline), attacked.shape), dtype=np.float64)
    counted = np.ones(attacked.shape) if weight is None else np.array(weight, dtype=np.float64)
    return Scores(_checks.read_only(attacked), _checks.read_only(before), _checks.read_only(counted), level)


class AttackResult(Result):
    """The base of attack results: numbers from `scores` with their baseline and interval, and tables."""

    __slots__ = ()

    scores: Scores

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.scores.attack.shape[1])

    @property
    def attack(self) -> float:
        """Success of the attack: the mean over targets and datasets, in [0, 1]."""
        return self.scores.mean(self.scores.attack)

    @property
    def baseline(self) -> float:
        """Success of the same intruder without the release, in [0, 1]."""
        return self.scores.mean(self.scores.baseline)

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of `attack`, over other people and other datasets of the same synthesizer."""
        return self.scores.interval(self.scores.attack)

    @property
    def excess(self) -> float:
        """Attack minus baseline, in [-1, 1]: what the release adds."""
        return self.scores.mean(self.scores.attack - self.scores.baseline)

    @property
    def excess_interval(self) -> tuple[float, float]:
        """Interval of `excess`, from the two intervals and the correlation of attack and baseline person by person."""
        return self.scores.excess_interval()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per dataset 1..m: attack and baseline."""
        return self.scores.to_frame()

    def summary(self) -> pd.DataFrame:
        """Return attack, baseline and excess: mean, interval (low, high), smallest and largest dataset."""
        return self.scores.summary()
