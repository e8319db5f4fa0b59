"""Results of attacks: success, baseline and their difference, with intervals.

Every attack of `synthlab.risk` gives each person a score in [0, 1] in each dataset (1: the guess is certainly right).
The baseline of the attack gives a score in the same form. This module summarizes the scores of a release.
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
    """Scores of the targets in m datasets, with their weights in the mean.

    Attributes
    ----------
    attack, baseline : numpy.ndarray of float, shape (targets, m)
        Probability that the intruder is right about each target.
    weight : numpy.ndarray of float, shape (targets, m)
        Weight of each score. A weight of 0 excludes a target from the mean of a dataset; a dataset whose weights are
        all 0 has no mean.
    level : float
        Level of the intervals.
    """

    attack: FloatArray
    baseline: FloatArray
    weight: FloatArray
    level: float

    def per_dataset(self, scores: FloatArray) -> FloatArray:
        """Return the weighted mean of each dataset, shape (m,); NaN if all weights are 0."""
        total = self.weight.sum(axis=0)
        out = np.full(total.size, np.nan)
        return np.asarray(np.divide((self.weight * scores).sum(axis=0), total, out=out, where=total > 0))

    def mean(self, scores: FloatArray) -> float:
        """Return the mean over the datasets whose mean is defined; NaN if there are none."""
        means = self.per_dataset(scores)
        return float(np.nanmean(means)) if np.isfinite(means).any() else float("nan")

    def variance(self, scores: FloatArray) -> float:
        """Return the variance of `mean` over new people and new datasets.

        People and datasets are crossed. Let R (rows), C (columns) and E (residual) be the mean squares of the
        linearized scores. The variance of the mean of N rows and m columns is ``(R + C - E) / (N m)``. C is uncertain
        when m is small, so the variance is at least ``R / (N m)``. With one dataset, only the variance over people
        is estimated.
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
        """Return Wilson's interval of the mean, with an effective number of people.

        The effective number of people of a proportion p with variance v is ``p (1 - p) / v``. For p = 0 and p = 1 it
        is ``(sum w)^2 / sum w^2``, where w is the sum of a person's weights over all datasets.
        """
        from statsmodels.stats.proportion import proportion_confint

        p, variance = self.mean(scores), self.variance(scores)
        if not np.isfinite(variance):
            return float("nan"), float("nan")
        if variance == 0 and 0 < p < 1:
            return p, p  # every record has the same score, such as 1/G for G guesses
        weight = self.weight.sum(axis=1)
        people = p * (1 - p) / variance if variance > 0 else float(weight.sum() ** 2 / np.square(weight).sum())
        low, high = proportion_confint(p * people, people, alpha=1 - self.level, method="wilson")
        return float(max(low, 0.0)), float(min(high, 1.0))

    def excess_interval(self) -> tuple[float, float]:
        """Return the interval of the mean difference between attack and baseline.

        This is Newcombe's (1998) interval for the difference of paired proportions. The distances from each mean to the
        ends of its Wilson interval are combined like standard errors, with the correlation of the two means. The interval
        is valid near 0, where the normal interval is too short because the attack succeeds rarely or never.
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
        """Return mean, interval and range over datasets of attack, baseline and excess."""
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
        """Return one row per dataset 1..m: the means of attack and baseline."""
        index = pd.RangeIndex(1, self.attack.shape[1] + 1, name="dataset")
        columns = {"attack": self.per_dataset(self.attack), "baseline": self.per_dataset(self.baseline)}
        return pd.DataFrame(columns, index=index)

    def warn_if_useless(self, what: str) -> None:
        """Warn if the attack is on average not better than its baseline."""
        attack, baseline = self.mean(self.attack), self.mean(self.baseline)
        if attack <= baseline * (1 + 1e-12):
            warn(
                f"{what} is right with probability {attack:.4g} on average, no more than the {baseline:.4g} of its baseline: "
                "here the release does not help this intruder",
                NoBetterThanBaselineWarning,
            )


def _combined(one: float, other: float, correlation: float) -> float:
    """Return the distance of a difference from an end of its interval."""
    square = one**2 + other**2 - 2.0 * correlation * one * other
    return float(np.sqrt(max(square, 0.0))) if np.isfinite(square) else float("nan")


def scores_of(
    attack: npt.ArrayLike, baseline: npt.ArrayLike, level: float, weight: npt.ArrayLike | None = None
) -> Scores:
    """Return read-only scores; a baseline of shape (targets, 1) is used for all datasets."""
    attacked = np.array(attack, dtype=np.float64)
    before = np.array(np.broadcast_to(np.asarray(baseline), attacked.shape), dtype=np.float64)
    counted = np.ones(attacked.shape) if weight is None else np.array(weight, dtype=np.float64)
    return Scores(_checks.read_only(attacked), _checks.read_only(before), _checks.read_only(counted), level)


class AttackResult(Result):
    """Base class of attack results: success, baseline, intervals and tables."""

    __slots__ = ()

    scores: Scores

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return int(self.scores.attack.shape[1])

    @property
    def attack(self) -> float:
        """Success of the attack: the mean score over targets and datasets, in [0, 1]."""
        return self.scores.mean(self.scores.attack)

    @property
    def baseline(self) -> float:
        """Success of the same intruder without the release, in [0, 1]."""
        return self.scores.mean(self.scores.baseline)

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of `attack`, for new people and new datasets of the same synthesizer."""
        return self.scores.interval(self.scores.attack)

    @property
    def excess(self) -> float:
        """Attack minus baseline, in [-1, 1]: the contribution of the release."""
        return self.scores.mean(self.scores.attack - self.scores.baseline)

    @property
    def excess_interval(self) -> tuple[float, float]:
        """Interval of `excess`, by the method of Newcombe (1998) for paired proportions."""
        return self.scores.excess_interval()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per dataset 1..m: attack and baseline."""
        return self.scores.to_frame()

    def summary(self) -> pd.DataFrame:
        """Return mean, interval and range over datasets of attack, baseline and excess."""
        return self.scores.summary()
