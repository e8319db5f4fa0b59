"""Answers to the exercise of lecture 6b."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.course.answers import right, wrong


@right("06b.largest_gap")
def scipy_statistic(confidential, synthetic):
    return stats.ks_2samp(confidential, synthetic).statistic


@right("06b.largest_gap")
def loop_over_values(confidential, synthetic):
    values = np.concatenate([confidential, synthetic])
    return max(abs(np.mean(confidential <= x) - np.mean(synthetic <= x)) for x in values)


@right("06b.largest_gap")
def broadcast(confidential, synthetic):
    x = np.unique(np.concatenate([confidential, synthetic]))
    shares = [(np.asarray(f)[:, None] <= x).mean(axis=0) for f in (confidential, synthetic)]
    return np.abs(np.diff(shares, axis=0)).max()


@right("06b.largest_gap")
def shares_below(
    confidential, synthetic
):  # the same maximum: below a value both functions have the values at the one before
    values = np.concatenate([confidential, synthetic])
    return max(abs(np.mean(confidential < x) - np.mean(synthetic < x)) for x in values)


@wrong("06b.largest_gap")
def difference_of_sorted_values(confidential, synthetic):
    return np.abs(np.sort(confidential) - np.sort(synthetic)).max()


@wrong("06b.largest_gap")
def other_sign(confidential, synthetic):
    values = np.concatenate([confidential, synthetic])
    return max(np.mean(synthetic <= x) - np.mean(confidential <= x) for x in values)


@wrong("06b.largest_gap")
def searched_without_sorting(confidential, synthetic):
    x = np.concatenate([confidential, synthetic])
    shares = [np.searchsorted(f, x, "right") / len(f) for f in (confidential, synthetic)]
    return np.abs(shares[0] - shares[1]).max()


@wrong("06b.largest_gap")
def in_points(confidential, synthetic):
    return 100 * stats.ks_2samp(confidential, synthetic).statistic


@wrong("06b.largest_gap")
def all_gaps(confidential, synthetic):
    x = np.concatenate([confidential, synthetic])
    return [np.mean(confidential <= one) - np.mean(synthetic <= one) for one in x]
