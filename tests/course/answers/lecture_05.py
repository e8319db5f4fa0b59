"""Answers to the exercises of lecture 5."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def synthesizer(one, choose=None):
    """Return a function that calls `one(log_odds, rng)` for each dataset."""

    def draw_logistic(x, posterior, m, rng):
        draws = len(posterior["intercept"])
        rows = rng.choice(draws, m, replace=False) if choose is None else choose(draws, m)
        return np.array([one(posterior["intercept"][row] + x @ posterior["slopes"][row], rng) for row in rows])

    return draw_logistic


def inverse(log_odds):
    return 1 / (1 + np.exp(-log_odds))


def draw(log_odds, rng):
    return rng.binomial(1, inverse(log_odds))


LOGISTIC_RIGHT = {
    "binomial": synthesizer(draw),
    "booleans": synthesizer(lambda e, rng: rng.random(len(e)) < inverse(e)),
    "first_rows": synthesizer(draw, lambda draws, m: range(m)),
    "compared_on_the_scale_of_log_odds": synthesizer(lambda e, rng: (rng.logistic(size=len(e)) < e).astype(float)),
}
LOGISTIC_WRONG = {
    "probabilities": (synthesizer(lambda e, rng: inverse(e)), "These are"),
    "rounded_probabilities": (synthesizer(lambda e, rng: np.round(inverse(e)).astype(int)), "This is"),
    "one_uniform_number": (
        synthesizer(lambda e, rng: (rng.random() < inverse(e)).astype(int)),
        "All people",
    ),
    "odds_as_probability": (synthesizer(lambda e, rng: rng.random(len(e)) < np.exp(e)), "exp(log odds)"),
    "log_odds_as_probability": (synthesizer(lambda e, rng: rng.random(len(e)) < e), "This uses"),
    "sign_of_the_log_odds": (synthesizer(lambda e, rng: rng.random(len(e)) < inverse(-e)), "0 and"),
    "comparison_reversed": (synthesizer(lambda e, rng: rng.random(len(e)) > inverse(e)), "0 and"),
    "first_row_for_all": (synthesizer(draw, lambda draws, m: [0] * m), "All datasets have the same posterior"),
    "last_row_for_all": (synthesizer(draw, lambda draws, m: [-1] * m), "One posterior"),
    "normal_instead_of_uniform": (synthesizer(lambda e, rng: rng.standard_normal(len(e)) < inverse(e)), None),
    "probit": (synthesizer(lambda e, rng: rng.standard_normal(len(e)) < e), None),
}
for label, function in LOGISTIC_RIGHT.items():
    function.__name__ = label
    right("05.draw_logistic")(function)
for label, (function, hint) in LOGISTIC_WRONG.items():
    function.__name__ = label
    wrong("05.draw_logistic", hint=hint)(function)


@wrong("05.draw_logistic", hint="The intercept")
def intercept_forgotten(x, posterior, m, rng):
    rows = rng.choice(len(posterior["intercept"]), m)
    return np.array([draw(x @ posterior["slopes"][row], rng) for row in rows])


@wrong("05.draw_logistic", hint="All datasets have the same uniform")
def uniform_numbers_outside_the_loop(x, posterior, m, rng):
    u = rng.random(len(x))
    return synthesizer(lambda e, rng: u < inverse(e))(x, posterior, m, rng)


@wrong("05.draw_logistic", hint="The people")
def mean_of_the_probabilities(x, posterior, m, rng):
    p = inverse(posterior["intercept"] + x @ posterior["slopes"].T).mean(axis=1)
    return (rng.random((m, len(x))) < p).astype(int)


@wrong("05.draw_logistic", hint="All datasets have the posterior")
def means_of_the_posterior(x, posterior, m, rng):
    e = posterior["intercept"].mean() + x @ posterior["slopes"].mean(axis=0)
    return np.array([draw(e, rng) for _ in range(m)])


@wrong("05.draw_logistic", hint="Each dataset")
def datasets_as_columns(x, posterior, m, rng):
    return synthesizer(draw)(x, posterior, m, rng).T


@wrong("05.draw_logistic")
def one_dataset(x, posterior, m, rng):
    return synthesizer(draw)(x, posterior, 1, rng)[0]


def leaf_by_leaf(choose):
    def draw_from_leaf(leaf, y, new_leaf, rng):
        made = np.empty(len(new_leaf), dtype=y.dtype)
        for one in np.unique(new_leaf):
            here = new_leaf == one
            made[here] = choose(y[leaf == one], here.sum(), rng)
        return made

    return draw_from_leaf


LEAF_RIGHT = {
    "with_replacement": leaf_by_leaf(lambda y, size, rng: rng.choice(y, size)),
    "positions": leaf_by_leaf(lambda y, size, rng: y[rng.integers(len(y), size=size)]),
    "bernoulli_with_the_share": leaf_by_leaf(lambda y, size, rng: rng.random(size) < y.mean()),
}
LEAF_WRONG = {
    "one_answer_for_a_leaf": (leaf_by_leaf(lambda y, size, rng: rng.choice(y)), "All records"),
    "first_of_the_leaf": (leaf_by_leaf(lambda y, size, rng: y[0]), "All people"),
    "most_frequent_of_the_leaf": (leaf_by_leaf(lambda y, size, rng: round(y.mean())), "This is the most"),
    "one_of_the_levels": (
        leaf_by_leaf(lambda y, size, rng: rng.choice(np.unique(y), size)),
        "This draws from the",
    ),
    "without_replacement": (leaf_by_leaf(lambda y, size, rng: rng.choice(y, size, replace=False)), None),
    "largest_of_the_leaf": (leaf_by_leaf(lambda y, size, rng: y.max()), None),
    "smoothed_share": (leaf_by_leaf(lambda y, size, rng: rng.random(size) < (y.sum() + 1) / (len(y) + 2)), None),
}
for label, function in LEAF_RIGHT.items():
    function.__name__ = label
    right("05.draw_from_leaf")(function)
for label, (function, hint) in LEAF_WRONG.items():
    function.__name__ = label
    wrong("05.draw_from_leaf", hint=hint)(function)


@right("05.draw_from_leaf")
def list_of_answers(leaf, y, new_leaf, rng):
    return [rng.choice(y[leaf == one]) for one in new_leaf]


@wrong("05.draw_from_leaf", hint="The answers")
def concatenated(leaf, y, new_leaf, rng):
    return np.concatenate([rng.choice(y[leaf == one], np.sum(new_leaf == one)) for one in np.unique(new_leaf)])


@wrong("05.draw_from_leaf", hint="`new_leaf` contains")
def leaf_as_index(leaf, y, new_leaf, rng):
    return y[new_leaf]


@wrong("05.draw_from_leaf", hint="This draws from all")
def from_all_people(leaf, y, new_leaf, rng):
    return rng.choice(y, len(new_leaf))


@wrong("05.draw_from_leaf", hint="This is the share")
def share(leaf, y, new_leaf, rng):
    return np.array([y[leaf == one].mean() for one in new_leaf])


@wrong("05.draw_from_leaf")
def own_answers(leaf, y, new_leaf, rng):
    return y[: len(new_leaf)]


@wrong("05.draw_from_leaf")
def one_number(leaf, y, new_leaf, rng):
    return rng.choice(y[leaf == new_leaf[0]])
