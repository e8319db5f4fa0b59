"""Answers to the exercise of lecture 5b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong

NAME = "05b.gibbs"


def uniform(p, rng):
    total = p.cumsum(axis=1)
    return (rng.random((len(p), 1)) * total[:, -1:] > total).sum(axis=1)


def by_choice(p, rng):
    return np.array([rng.choice(len(row), p=row / row.sum()) for row in p])


def sampler(normalize=None, choose=uniform, prior=1.0, shares=True, draw=True, weigh=None, member=None, keep=None):
    """Return a Gibbs sampler with one step changed."""

    def gibbs(Y, S, K, steps, rng):
        z, draws = rng.integers(K, size=len(Y)), []
        for _ in range(steps):
            pi = rng.dirichlet(1 + np.bincount(z, minlength=K))
            counts = prior + Y.T @ (np.eye(K)[z] if member is None else member(len(Y), K))
            psi = rng.standard_gamma(counts) if draw else counts
            psi = psi / (S @ psi) if normalize is None else normalize(psi)
            logs = Y @ np.log(psi)
            p = weigh(Y, pi, psi) if weigh else (pi if shares else 1.0) * np.exp(logs)
            z = z if choose is None else choose(p, rng)
            draws.append((pi, psi, z))
        return keep(draws) if keep else draws

    return gibbs


def gumbel(p, rng):
    return (np.log(p) + rng.gumbel(size=p.shape)).argmax(axis=1)


RIGHT = {
    "numbers_of_the_lecture": sampler(),
    "choice_for_each_person": sampler(choose=by_choice),
    "gumbel_numbers": sampler(choose=gumbel),
    "tuple_of_draws": sampler(keep=tuple),
}
WRONG = {
    "over_all_levels": (sampler(normalize=lambda psi: psi / psi.sum(axis=0)), "Divide psi"),
    "not_normalized": (sampler(normalize=lambda psi: psi), "The gamma"),
    "posterior_means": (sampler(draw=False), "These are"),
    "without_class_shares": (sampler(shares=False), "The class shares"),
    "most_probable_class": (sampler(choose=lambda p, rng: p.argmax(axis=1)), "This assigns"),
    "one_uniform_number": (
        sampler(choose=lambda p, rng: uniform(p, rng) * 0 + (rng.random() > p[:, 0] / p.sum(axis=1))),
        "All records",
    ),
    "uniform_number_not_scaled": (
        sampler(choose=lambda p, rng: np.minimum((rng.random((len(p), 1)) > p.cumsum(axis=1)).sum(axis=1), 1)),
        "The cumulative",
    ),
    "probabilities_added": (sampler(weigh=lambda Y, pi, psi: pi * (Y @ psi)), "Within a"),
    "all_records_in_every_class": (sampler(member=lambda n, K: np.ones((n, K))), "Estimate the"),
    "classes_never_drawn": (sampler(choose=None), "The classes"),
    "last_draw_only": (sampler(keep=lambda draws: draws[-1]), None),
    "warm_up_dropped": (sampler(keep=lambda draws: draws[100:]), None),
    "large_prior": (sampler(prior=5.0), None),
    "random_classes": (sampler(choose=lambda p, rng: rng.integers(2, size=len(p))), None),
}
for label, function in RIGHT.items():
    function.__name__ = label
    right(NAME)(function)
for label, (function, hint) in WRONG.items():
    function.__name__ = label
    wrong(NAME, hint=hint)(function)
