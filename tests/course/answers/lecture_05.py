"""Answers to the exercises of lecture 5."""

from __future__ import annotations

import numpy as np

from synthlab.teaching.exercises import lecture_05
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
    "probabilities": (synthesizer(lambda e, rng: inverse(e)), lecture_05._probability),
    "rounded_probabilities": (synthesizer(lambda e, rng: np.round(inverse(e)).astype(int)), lecture_05._threshold),
    "one_uniform_number": (
        synthesizer(lambda e, rng: (rng.random() < inverse(e)).astype(int)),
        lecture_05._one_uniform,
    ),
    "odds_as_probability": (synthesizer(lambda e, rng: rng.random(len(e)) < np.exp(e)), lecture_05._odds),
    "log_odds_as_probability": (synthesizer(lambda e, rng: rng.random(len(e)) < e), lecture_05._no_inverse),
    "sign_of_the_log_odds": (synthesizer(lambda e, rng: rng.random(len(e)) < inverse(-e)), lecture_05._turned_sign),
    "comparison_reversed": (synthesizer(lambda e, rng: rng.random(len(e)) > inverse(e)), lecture_05._turned_sign),
    "first_row_for_all": (synthesizer(draw, lambda draws, m: [0] * m), lecture_05._one_draw),
    "last_row_for_all": (synthesizer(draw, lambda draws, m: [-1] * m), lecture_05._another_draw),
    "normal_instead_of_uniform": (synthesizer(lambda e, rng: rng.standard_normal(len(e)) < inverse(e)), None),
    "probit": (synthesizer(lambda e, rng: rng.standard_normal(len(e)) < e), None),
}
for label, function in LOGISTIC_RIGHT.items():
    function.__name__ = label
    right("05.draw_logistic")(function)
for label, (function, slip) in LOGISTIC_WRONG.items():
    function.__name__ = label
    wrong("05.draw_logistic", slip=slip)(function)


@wrong("05.draw_logistic", slip=lecture_05._no_intercept)
def intercept_forgotten(x, posterior, m, rng):
    rows = rng.choice(len(posterior["intercept"]), m)
    return np.array([draw(x @ posterior["slopes"][row], rng) for row in rows])


@wrong("05.draw_logistic", slip=lecture_05._same_uniforms)
def uniform_numbers_outside_the_loop(x, posterior, m, rng):
    u = rng.random(len(x))
    return synthesizer(lambda e, rng: u < inverse(e))(x, posterior, m, rng)


@wrong("05.draw_logistic", slip=lecture_05._a_draw_a_person)
def mean_of_the_probabilities(x, posterior, m, rng):
    p = inverse(posterior["intercept"] + x @ posterior["slopes"].T).mean(axis=1)
    return (rng.random((m, len(x))) < p).astype(int)


@wrong("05.draw_logistic", slip=lecture_05._mean_of_draws)
def means_of_the_posterior(x, posterior, m, rng):
    e = posterior["intercept"].mean() + x @ posterior["slopes"].mean(axis=0)
    return np.array([draw(e, rng) for _ in range(m)])


@wrong("05.draw_logistic", slip=lecture_05._turned)
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
    "one_answer_for_a_leaf": (leaf_by_leaf(lambda y, size, rng: rng.choice(y)), lecture_05._one_answer),
    "first_of_the_leaf": (leaf_by_leaf(lambda y, size, rng: y[0]), lecture_05._first_answer),
    "most_frequent_of_the_leaf": (leaf_by_leaf(lambda y, size, rng: round(y.mean())), lecture_05._frequent_answer),
    "one_of_the_levels": (
        leaf_by_leaf(lambda y, size, rng: rng.choice(np.unique(y), size)),
        lecture_05._distinct_answer,
    ),
    "without_replacement": (leaf_by_leaf(lambda y, size, rng: rng.choice(y, size, replace=False)), None),
    "largest_of_the_leaf": (leaf_by_leaf(lambda y, size, rng: y.max()), None),
    "smoothed_share": (leaf_by_leaf(lambda y, size, rng: rng.random(size) < (y.sum() + 1) / (len(y) + 2)), None),
}
for label, function in LEAF_RIGHT.items():
    function.__name__ = label
    right("05.draw_from_leaf")(function)
for label, (function, slip) in LEAF_WRONG.items():
    function.__name__ = label
    wrong("05.draw_from_leaf", slip=slip)(function)


@right("05.draw_from_leaf")
def list_of_answers(leaf, y, new_leaf, rng):
    return [rng.choice(y[leaf == one]) for one in new_leaf]


@wrong("05.draw_from_leaf", slip=lecture_05._leaf_after_leaf)
def concatenated(leaf, y, new_leaf, rng):
    return np.concatenate([rng.choice(y[leaf == one], np.sum(new_leaf == one)) for one in np.unique(new_leaf)])


@wrong("05.draw_from_leaf", slip=lecture_05._leaf_as_position)
def leaf_as_index(leaf, y, new_leaf, rng):
    return y[new_leaf]


@wrong("05.draw_from_leaf", slip=lecture_05._from_all_records)
def from_all_people(leaf, y, new_leaf, rng):
    return rng.choice(y, len(new_leaf))


@wrong("05.draw_from_leaf", slip=lecture_05._share_of_leaf)
def share(leaf, y, new_leaf, rng):
    return np.array([y[leaf == one].mean() for one in new_leaf])


@wrong("05.draw_from_leaf")
def own_answers(leaf, y, new_leaf, rng):
    return y[: len(new_leaf)]


@wrong("05.draw_from_leaf")
def one_number(leaf, y, new_leaf, rng):
    return rng.choice(y[leaf == new_leaf[0]])
