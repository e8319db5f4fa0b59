"""Answers to the exercises of lecture 6."""

from __future__ import annotations

import numpy as np
import pandas as pd
import statsmodels.api as sm

from tests.course.answers import right, wrong


def fitted(confidential, synthetic):
    x = sm.add_constant(pd.concat([confidential, synthetic]).to_numpy(float))
    label = np.repeat([0, 1], [len(confidential), len(synthetic)])
    return sm.Logit(label, x).fit(disp=False).predict(), label


@right("06.pmse")
def mean_squared_distance(confidential, synthetic):
    p, label = fitted(confidential, synthetic)
    return np.mean((p - label.mean()) ** 2)


@right("06.pmse")
def labels_exchanged_throughout(confidential, synthetic):
    p, label = fitted(confidential, synthetic)
    return np.mean(((1 - p) - np.mean(1 - label)) ** 2)


@right("06.pmse")
def variance_of_the_probabilities(confidential, synthetic):  # with a constant, the mean of p is c
    p, _ = fitted(confidential, synthetic)
    return p.var()


@wrong("06.pmse")
def linear_regression(confidential, synthetic):
    x = sm.add_constant(pd.concat([confidential, synthetic]).to_numpy(float))
    label = np.repeat([0, 1], [len(confidential), len(synthetic)])
    p = sm.OLS(label, x).fit().predict()
    return np.mean((p - label.mean()) ** 2)


@wrong("06.pmse")
def variance_with_divisor_n_minus_1(confidential, synthetic):
    p, _ = fitted(confidential, synthetic)
    return p.var(ddof=1)


@wrong("06.pmse")
def squares_of_the_columns(confidential, synthetic):
    x = pd.concat([confidential, synthetic]).to_numpy(float)
    label = np.repeat([0, 1], [len(confidential), len(synthetic)])
    p = sm.Logit(label, sm.add_constant(np.column_stack([x, x**2]))).fit(disp=False).predict()
    return ((p - label.mean()) ** 2).mean()


@wrong("06.pmse")
def all_distances(confidential, synthetic):
    p, label = fitted(confidential, synthetic)
    return (p - label.mean()) ** 2


@right("06.expected")
def formula(confidential, synthetic):
    n, s, slopes = len(confidential), len(synthetic), len(confidential.columns)
    return slopes * s * n**2 / (n + s) ** 4


@right("06.expected")
def with_names(confidential, synthetic):
    N = len(confidential) + len(synthetic)
    c, k = len(synthetic) / N, confidential.shape[1] + 1
    return (k - 1) * c * (1 - c) ** 2 / N


@right("06.expected")
def from_both_frames(confidential, synthetic):
    both = pd.concat([confidential, synthetic])
    c = np.repeat([0, 1], [len(confidential), len(synthetic)]).mean()
    return both.shape[1] * c * np.square(1 - c) / both.shape[0]


def parts(confidential, synthetic):
    N = len(confidential) + len(synthetic)
    return confidential.shape[1], len(synthetic) / N, N


@wrong("06.expected")
def n_squared(confidential, synthetic):
    k, c, N = parts(confidential, synthetic)
    return k * c * (1 - c) ** 2 / N**2


@wrong("06.expected")
def not_divided(confidential, synthetic):
    k, c, _ = parts(confidential, synthetic)
    return k * c * (1 - c) ** 2


@wrong("06.expected")
def records_instead_of_slopes(confidential, synthetic):
    _, c, N = parts(confidential, synthetic)
    return len(confidential) * c * (1 - c) ** 2 / N
