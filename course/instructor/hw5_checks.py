"""Checks of homework 5: the right answers and typical slips, each with its hint."""

import numpy as np

from synthlab.risk import ReleasedInformation, intruder_risk
from synthlab.teaching import Exercise
from synthlab.teaching.homework import examples, require_function, require_number, require_property
from synthlab.teaching.homework.properties import balanced_weights

RNG = np.random.default_rng(501)


def one_search():
    n, files = int(RNG.integers(4, 8)), int(RNG.integers(2, 5))
    guesses, alike = RNG.integers(1, 5, (files, n)), RNG.random(n) < 0.6
    wanted = sorted(RNG.choice([1, 2, 3, 4], int(RNG.integers(1, 3)), replace=False).tolist())
    return guesses, alike, wanted, int(RNG.integers(1, 7))


SEARCHES = [
    *(one_search() for _ in range(7)),
    # One guess without a match; more matches than readers; two wanted occupations.
    (np.array([[1, 2, 3, 4], [2, 2, 3, 1]]), np.array([True, True, True, False]), [1], 2),
    (np.array([[1, 1, 2, 1], [2, 1, 1, 1]]), np.array([True, True, True, True]), [1, 3], 2),
    (np.array([[1, 2, 3, 2], [3, 2, 1, 2]]), np.array([True, True, True, False]), [2, 3], 5),
]


def matches(guesses, alike, wanted):
    return np.isin(guesses, wanted) & alike


def shared(match, total):
    return match / np.maximum(total, match.sum(axis=1, keepdims=True))


def with_rest(p):
    return np.append(p, 1 - p.sum())


def posterior(guesses, alike, wanted, total):
    return with_rest(shared(matches(guesses, alike, wanted), total).mean(axis=0))


def surely_there(guesses, alike, wanted, total):
    return posterior(guesses, alike, wanted, 1)


def alike_forgotten(guesses, alike, wanted, total):
    return posterior(guesses, np.ones(alike.size, bool), wanted, total)


def one_wanted(guesses, alike, wanted, total):
    return posterior(guesses, alike, wanted[:1], total)


def pooled(guesses, alike, wanted, total):
    match = matches(guesses, alike, wanted).any(axis=0)
    return with_rest(shared(match[None], total)[0])


def spread(guesses, alike, wanted, total):
    match = matches(guesses, alike, wanted)
    none = ~match.any(axis=1, keepdims=True)
    return with_rest(np.where(none, alike / max(1, alike.sum()), shared(match, total)).mean(axis=0))


def no_larger(guesses, alike, wanted, total):
    return with_rest((matches(guesses, alike, wanted) / total).mean(axis=0))


def no_rest(guesses, alike, wanted, total):
    return posterior(guesses, alike, wanted, total)[:-1]


POSTERIOR = Exercise(
    "hw5.posterior",
    answers=examples(*SEARCHES),
    right=posterior,
    slips={
        "You divide by the number of matches, as if she were certainly in the file; some of the N readers are "
        "not.": surely_there,
        "A record with another age or other years married cannot be hers: use `alike`.": alike_forgotten,
        "The target may have any of the wanted occupations; you use only the first.": one_wanted,
        "You combine the guesses first; each guess is one possible truth: match within it, then average.": pooled,
        "If no record matches, she is not in the file: no record gets a share, unlike in lecture 10.": spread,
        "With more matches than readers your probabilities add up to more than 1; N is the larger number.": no_larger,
        "The last probability, that she is not in the file, is missing.": no_rest,
    },
    tolerance=1e-6,
)


def one_survey():
    n = int(RNG.integers(4, 9))
    return RNG.integers(0, 2, n), RNG.integers(2, 60, n) / 2.0, RNG.integers(1, 5, n) / 4.0


def beta(y, alpha, prior=2):
    return np.array([prior + alpha @ y, prior + alpha @ (1 - y)])


def scaled(w):
    return len(w) * w / w.sum()


def share_of_population(y, w, r):
    return beta(y, r * scaled(w))


SHARE_OF_POPULATION = Exercise(
    "hw5.share_of_population",
    answers=examples(
        *(one_survey() for _ in range(8)),
        (np.array([1, 1, 0, 0]), np.array([1.0, 1, 3, 3]), np.array([1, 1, 1, 0.5])),
    ),
    right=share_of_population,
    slips={
        "Your survey weights add up to the size of the population, as if all of its people had been asked; scale them "
        "to n.": lambda y, w, r: beta(y, r * w),
        "Your survey weights add up to 1, so that n answers count as one; scale them to n.": (
            lambda y, w, r: beta(y, r * w / w.sum())
        ),
        "You scale the product to n, which undoes the risk weights on average; scale w alone.": (
            lambda y, w, r: beta(y, scaled(r * w))
        ),
        "You do not use the risk weights.": lambda y, w, r: beta(y, scaled(w)),
        "You do not use the survey weights: this is a model of the sample.": lambda y, w, r: beta(y, r),
        "A weight is the number of people a record stands for, not the probability of being asked: do not divide by "
        "it.": lambda y, w, r: beta(y, r * scaled(1 / w)),
        "You add the two weights; multiply them.": lambda y, w, r: beta(y, r + scaled(w)),
        "The prior Beta(2, 2) is missing.": lambda y, w, r: beta(y, r * scaled(w), prior=0),
        "The prior is Beta(2, 2), with density proportional to theta (1 - theta); you use Beta(1, 1).": (
            lambda y, w, r: beta(y, r * scaled(w), prior=1)
        ),
        "The first parameter belongs to the people who have the secret; you have them the other way round.": (
            lambda y, w, r: share_of_population(y, w, r)[::-1]
        ),
        "This is the mean a / (a + b); return both parameters.": (
            lambda y, w, r: share_of_population(y, w, r)[0] / share_of_population(y, w, r).sum()
        ),
    },
    tolerance=1e-6,
)


def check_posterior(answer):
    require_function(POSTERIOR, answer)


def check_form_gain(answer, women, release, insider, agency):
    without_form = intruder_risk(women, release, insider)
    form = ReleasedInformation(released="models", models=agency)
    with_form = intruder_risk(women, release, insider, scenario=form, draws="exact", rng=3)
    found, without = with_form.expected_match_risk, without_form.expected_match_risk
    alone = float(without_form.summary().loc["expected match risk", "known_only"])
    slips = {
        "This is the number found with the form; subtract the number found without it.": found,
        "This is the number found without the form.": without,
        "You compare with the known variables alone; compare with the release.": found - alone,
        "You subtract in the wrong order.": without - found,
        "This is the difference of the true match risks, which count only matches without a tie.": (
            with_form.true_match_risk - without_form.true_match_risk
        ),
    }
    require_number(answer, found - without, slips, tolerance=0.5)


def check_my_weights(answer, number, least=1):
    settings = {
        "dataset": "ce",
        "rows": 1000,
        "class": number,
        "outcome": "Income",
        "lowest": 5000,
        "given": "Tenure",
        "levels": [1, 2, 4],
        "known": ["Marital"],
        "radius": 0.2,
        "isolated": 0.1,
        "most_isolated": 0.65,
        "least_mean": 0.5,
        "most_mean_rise": 0.001,
        "most_rise": 0.01,
    }
    require_property(balanced_weights(answer, settings), least)


def check_share_of_population(answer):
    require_function(SHARE_OF_POPULATION, answer)
