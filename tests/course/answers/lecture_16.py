"""Answers to the exercise of lecture 16."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from tests.course.answers import right, wrong


def normed(y, alpha, p):
    log = (alpha * y).sum() * np.log(p) + (alpha * (1 - y)).sum() * np.log(1 - p)
    density = np.exp(log - log.max())
    return density / density.sum()


@right("16.pseudo_posterior")
def weights_that_add_up_to_n(y, w, p):
    return normed(y, len(y) * w / w.sum(), p)


@right("16.pseudo_posterior")
def weights_with_mean_1(y, w, p):
    return normed(y, w / w.mean(), p)


@right("16.pseudo_posterior")
def loop_over_women(y, w, p):
    log = sum(a * np.log(p if yes else 1 - p) for yes, a in zip(y, len(y) * w / w.sum(), strict=True))
    return special.softmax(log)


@right("16.pseudo_posterior")
def beta_density_with_sum_1(y, w, p):
    alpha = w / w.mean()
    log = stats.beta.logpdf(p, 1 + alpha @ y, 1 + alpha @ (1 - y))
    return list(np.exp(log - special.logsumexp(log)))


@wrong("16.pseudo_posterior")
def beta_density(y, w, p):
    alpha = w / w.mean()
    return stats.beta.pdf(p, 1 + alpha @ y, 1 + alpha @ (1 - y))


@wrong("16.pseudo_posterior")
def weighted_share(y, w, p):
    return w @ y / w.sum()
