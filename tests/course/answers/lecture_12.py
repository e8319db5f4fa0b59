"""Answers to the exercises of lecture 12."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


@right("12.coins")
def two_tosses(truth, rng):
    return np.where(rng.random(len(truth)) < 1 / 2, truth, rng.random(len(truth)) < 1 / 2)


@right("12.coins")
def truth_three_times_in_four(truth, rng):
    return np.where(rng.random(len(truth)) < 3 / 4, truth, ~truth)


@right("12.coins")
def tosses_as_integers(truth, rng):
    return np.where(rng.integers(0, 2, len(truth)), truth, rng.integers(0, 2, len(truth)))


@right("12.coins")
def loop_over_people(truth, rng):
    return [bool(one) if rng.random() < 0.5 else rng.random() < 0.5 for one in truth]


@wrong("12.coins", hint="Each person tosses two")
def both_coins_for_the_class(truth, rng):
    return np.where(rng.random() < 0.5, truth, rng.random() < 0.5)


@wrong("12.coins", hint="Each person tosses a")
def second_coin_for_the_class(truth, rng):
    second = rng.random() < 0.5
    return np.where(rng.random(len(truth)) < 0.5, truth, second)


@wrong("12.coins", hint="Every answer")
def without_the_truth(truth, rng):
    return rng.random(len(truth)) < 0.5


@wrong("12.coins", hint="On tails,")
def tails_mean_no(truth, rng):
    return np.where(rng.random(len(truth)) < 0.5, truth, False)


@wrong("12.coins", hint="Tails must")
def tails_mean_yes(truth, rng):
    return np.where(rng.random(len(truth)) < 0.5, truth, True)


@wrong("12.coins")
def the_truth(truth, rng):
    return truth


@wrong("12.coins")
def share_of_yes(truth, rng):
    return two_tosses(truth, rng).mean()


@wrong("12.coins")
def three_coins(truth, rng):
    return np.where(rng.random(len(truth)) < 0.75, truth, rng.random(len(truth)) < 0.5)


@right("12.laplace")
def added_noise(answer, sensitivity, epsilon, rng):
    return answer + rng.laplace(0, sensitivity / epsilon, np.shape(answer))


@right("12.laplace")
def noise_around_the_answer(answer, sensitivity, epsilon, rng):
    return rng.laplace(answer, sensitivity / epsilon)


@right("12.laplace")
def difference_of_exponentials(answer, sensitivity, epsilon, rng):
    scale, size = sensitivity / epsilon, np.shape(answer)
    return answer + rng.exponential(scale, size) - rng.exponential(scale, size)


@right("12.laplace")
def inverse_distribution(answer, sensitivity, epsilon, rng):
    u = rng.random(np.shape(answer)) - 1 / 2
    return answer - sensitivity / epsilon * np.sign(u) * np.log1p(-2 * abs(u))


@wrong("12.laplace", hint="Every number")
def one_noise(answer, sensitivity, epsilon, rng):
    return answer + rng.laplace(0, sensitivity / epsilon)


@wrong("12.laplace", hint="The scale")
def inverted_scale(answer, sensitivity, epsilon, rng):
    return answer + rng.laplace(0, epsilon / sensitivity, np.shape(answer))


@wrong("12.laplace", hint="Do not round")
def rounded(answer, sensitivity, epsilon, rng):
    return np.round(added_noise(answer, sensitivity, epsilon, rng))


@wrong("12.laplace", hint="Do not cut")
def at_least_zero(answer, sensitivity, epsilon, rng):
    return np.maximum(added_noise(answer, sensitivity, epsilon, rng), 0)


@wrong("12.laplace")
def twice_the_scale(answer, sensitivity, epsilon, rng):
    return rng.laplace(answer, 2 * sensitivity / epsilon)


@wrong("12.laplace", hint="This is")
def normal_noise(answer, sensitivity, epsilon, rng):
    return rng.normal(answer, sensitivity / epsilon)


@wrong("12.laplace")
def noise_without_the_answer(answer, sensitivity, epsilon, rng):
    return rng.laplace(0, sensitivity / epsilon, np.shape(answer))


@wrong("12.laplace", hint="The sensitivity")
def epsilon_alone(answer, sensitivity, epsilon, rng):
    return rng.laplace(answer, 1 / epsilon)
