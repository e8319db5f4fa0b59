"""Answers to the exercise of lecture 4."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.course.answers import right, wrong


def synthesizer(one, choose=None, change=None):
    """Return a function that calls `one(x, a, b, s, rng)` for each dataset."""

    def synthesize(x, posterior, m, rng):
        draws = len(posterior["sigma"])
        rows = rng.choice(draws, m, replace=False) if choose is None else choose(draws, m, rng)
        datasets = []
        for row in rows:
            a, b, s = (posterior[name][row] for name in ("intercept", "slope", "sigma"))
            datasets.append(one(x, a, b, s, rng))
        return change(datasets) if change else np.array(datasets)

    return synthesize


def draw(x, a, b, s, rng):
    return np.exp(rng.normal(a + b * x, s))


RIGHT = {
    "first_rows": synthesizer(draw, lambda draws, m, rng: range(m)),
    "rows_with_replacement": synthesizer(draw, lambda draws, m, rng: rng.integers(draws, size=m)),
    "list_of_arrays": synthesizer(draw, change=list),
    "data_frame": synthesizer(draw, change=pd.DataFrame),
    "lognormal": synthesizer(lambda x, a, b, s, rng: rng.lognormal(a + b * x, s)),
}
WRONG = {
    "no_noise": (synthesizer(lambda x, a, b, s, rng: np.exp(a + b * x)), "This is"),
    "noise_in_dollars": (
        synthesizer(lambda x, a, b, s, rng: np.exp(a + b * x) + rng.normal(0, s, len(x))),
        "Add the",
    ),
    "intercept_forgotten": (
        synthesizer(lambda x, a, b, s, rng: np.exp(rng.normal(b * x, s))),
        "The intercept",
    ),
    "logarithm_of_x_again": (
        synthesizer(lambda x, a, b, s, rng: np.exp(rng.normal(a + b * np.log(x), s))),
        "`x` is",
    ),
    "one_normal_number_for_all": (
        synthesizer(lambda x, a, b, s, rng: np.exp(a + b * x + rng.normal(0, s))),
        "All households",
    ),
    "power_of_ten": (
        synthesizer(lambda x, a, b, s, rng: 10 ** rng.normal(a + b * x, s)),
        "Transform back with",
    ),
    "bias_correction": (
        synthesizer(lambda x, a, b, s, rng: np.exp(rng.normal(a + b * x + s**2 / 2, s))),
        "Do not",
    ),
    "variance_as_standard_deviation": (
        synthesizer(lambda x, a, b, s, rng: np.exp(rng.normal(a + b * x, s**2))),
        "`normal` expects",
    ),
    "not_transformed_back": (synthesizer(lambda x, a, b, s, rng: rng.normal(a + b * x, s)), "Transform back:"),
    "first_row_for_all": (synthesizer(draw, lambda draws, m, rng: [0] * m), "All datasets have the same posterior"),
    "datasets_as_columns": (synthesizer(draw, change=lambda made: np.array(made).T), "Each dataset"),
    "uniform_noise": (synthesizer(lambda x, a, b, s, rng: np.exp(a + b * x + s * rng.random(len(x)))), None),
    "exponential_twice": (synthesizer(lambda x, a, b, s, rng: np.exp(np.exp(rng.normal(a + b * x, s) / 10))), None),
    "exponential_minus_one_of_half": (
        synthesizer(lambda x, a, b, s, rng: np.expm1(rng.normal(a + b * x, s) / 2)),
        None,
    ),
    "intercept_and_slope_exchanged": (synthesizer(lambda x, a, b, s, rng: np.exp(rng.normal(b + a * x, s))), None),
    "sign_of_the_slope": (synthesizer(lambda x, a, b, s, rng: np.exp(rng.normal(a - b * x, s))), None),
    "one_dataset": (synthesizer(draw, lambda draws, m, rng: [0], lambda made: made[0]), None),
    "one_dataset_too_many": (synthesizer(draw, lambda draws, m, rng: range(m + 1)), None),
}
for label, function in RIGHT.items():
    function.__name__ = label
    right("04.synthesize")(function)
for label, (function, hint) in WRONG.items():
    function.__name__ = label
    wrong("04.synthesize", hint=hint)(function)


@wrong("04.synthesize", hint="All datasets have the posterior")
def means_of_the_posterior(x, posterior, m, rng):
    a, b, s = (posterior[name].mean() for name in ("intercept", "slope", "sigma"))
    return np.exp(rng.normal(a + b * x, s, (m, len(x))))


@wrong("04.synthesize", hint="All datasets have the same normal")
def noise_outside_the_loop(x, posterior, m, rng):
    noise = rng.standard_normal(len(x))
    return synthesizer(lambda x, a, b, s, rng: np.exp(a + b * x + s * noise))(x, posterior, m, rng)


@wrong("04.synthesize", hint="Intercept, slope")
def independent_rows(x, posterior, m, rng):
    a, b, s = (rng.choice(posterior[name], m)[:, None] for name in ("intercept", "slope", "sigma"))
    return np.exp(rng.normal(a + b * x, s))


@wrong("04.synthesize", hint="Each household")
def row_for_each_household(x, posterior, m, rng):
    made = np.empty((m, len(x)))
    for dataset in made:
        rows = rng.integers(len(posterior["sigma"]), size=len(x))
        a, b, s = (posterior[name][rows] for name in ("intercept", "slope", "sigma"))
        dataset[:] = np.exp(rng.normal(a + b * x, s))
    return made


@wrong("04.synthesize", hint="All datasets have the same normal")
def seed_in_the_loop(x, posterior, m, rng):
    one = synthesizer(lambda x, a, b, s, rng: np.exp(np.random.default_rng(4).normal(a + b * x, s)))
    return one(x, posterior, m, rng)
