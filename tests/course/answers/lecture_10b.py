"""Answers to the exercise of lecture 10b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def chances(beta, age):
    p = np.exp([0 * age, beta[0] + beta[1] * age, beta[2] + beta[3] * age]).T
    return p / p.sum(axis=1, keepdims=True)


@right("10b.guesses")
def choice_for_each_record(betas, age, draws, rng):
    p = chances(np.mean(betas, axis=0), age)
    return np.array([rng.choice(3, p=one, size=draws) for one in p]).T


@right("10b.guesses")
def multinomial(betas, age, draws, rng):
    p = chances(np.mean(betas, axis=0), age)
    return rng.multinomial(1, p, size=(draws, len(age))).argmax(axis=2)


@right("10b.guesses")
def loop_over_draws(betas, age, draws, rng):
    edges = chances(np.mean(betas, axis=0), age).cumsum(axis=1)[:, :2]
    return [(rng.random(len(age))[:, None] > edges).sum(axis=1) for _ in range(draws)]


@wrong("10b.guesses")
def records_as_rows(betas, age, draws, rng):
    return choice_for_each_record(betas, age, draws, rng).T


@wrong("10b.guesses")
def each_fit_in_turn(betas, age, draws, rng):
    return np.vstack([choice_for_each_record([one], age, draws // len(betas), rng) for one in betas])


@wrong("10b.guesses")
def one_draw(betas, age, draws, rng):
    return choice_for_each_record(betas, age, 1, rng)[0]


@wrong("10b.guesses")
def mean_over_coefficients(betas, age, draws, rng):
    return choice_for_each_record([np.mean(betas, axis=1)], age, draws, rng)


@wrong("10b.guesses", hint="These are averaged")
def averaged_probabilities(betas, age, draws, rng):
    p = np.mean([chances(one, age) for one in betas], axis=0)
    return rng.multinomial(1, p, size=(draws, len(age))).argmax(axis=2)


@wrong("10b.guesses", hint="These are the")
def first_file(betas, age, draws, rng):
    return choice_for_each_record(betas[:1], age, draws, rng)


@wrong("10b.guesses", hint="All records")
def one_random_number_per_draw(betas, age, draws, rng):
    edges = chances(np.mean(betas, axis=0), age).cumsum(axis=1)[:, :2]
    return [(rng.random() > edges).sum(axis=1) for _ in range(draws)]


@wrong("10b.guesses", hint="This always")
def most_probable_facility(betas, age, draws, rng):
    return [chances(np.mean(betas, axis=0), age).argmax(axis=1)] * draws


@wrong("10b.guesses")
def probabilities(betas, age, draws, rng):
    return chances(np.mean(betas, axis=0), age)
