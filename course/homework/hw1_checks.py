"""Checks of homework 1: the right answers and typical slips, each with its hint."""

import numpy as np
import pandas as pd
from scipy import stats

from synthlab.teaching import Exercise
from synthlab.teaching.homework import examples, require_function, require_number, require_property
from synthlab.teaching.homework.properties import guarded_secret


def grouped(frame, known, secret, dropna=False):
    return frame.groupby(known, observed=True, dropna=dropna)[secret]


def certain_secrets(frame, known, secret):
    return (grouped(frame, known, secret).transform("nunique") == 1).sum()


def alone_only(frame, known, secret):
    return (~frame.duplicated(known, keep=False)).sum()


def not_the_alone(frame, known, secret):
    return certain_secrets(frame, known, secret) - alone_only(frame, known, secret)


def number_of_groups(frame, known, secret):
    return (grouped(frame, known, secret).nunique() == 1).sum()


def only_yes(frame, known, secret):
    groups = grouped(frame, known, secret)
    return ((groups.transform("nunique") == 1) & (frame[secret] == 1)).sum()


def missing_left_out(frame, known, secret):
    groups = grouped(frame, known, secret, dropna=True)
    return (groups.transform("nunique") == 1).sum()


def table(first, second, secret):
    return pd.DataFrame({"age": first, "educ": second, "secret": secret})


PAIR = ["age", "educ"]
FIRST = table([30.0] * 5 + [40.0] * 6, [1, 1, 1, 2, 2, 1, 1, 2, 3, 3, 4], [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0])
SECOND = table(
    [np.nan] * 4 + [50.0] * 4 + [61.0] * 2 + [70.0] + [80.0] * 3,
    [1, 1, 1, 2, 1, 1, 1, 1, 4, 4, 4, 4, 4, 4],
    [0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0],
)
RNG = np.random.default_rng(1)
THIRD = table(10.0 * RNG.integers(3, 6, 20), RNG.integers(1, 4, 20), RNG.integers(0, 2, 20))

CERTAIN_SECRETS = Exercise(
    "hw1.certain_secrets",
    answers=examples(
        (FIRST, PAIR, "secret"), (SECOND, PAIR, "secret"), (SECOND, ["age"], "secret"), (THIRD, PAIR, "secret")
    ),
    right=certain_secrets,
    slips={
        "This counts the people who are alone. In a group that agrees, the secret of everyone is certain.": alone_only,
        "This omits the people who are alone; their secret is certain too.": not_the_alone,
        "This is the number of groups that agree. Count the people in these groups.": number_of_groups,
        "This counts only secrets that are 1; a secret that is 0 counts as well.": only_yes,
        "People with a missing known value are left out: `groupby` drops them by default.": missing_left_out,
    },
)


def majority(share, rest=0):
    def slip(y, n, a, b, m):
        return stats.binom.sf(m // 2 + rest, m, share(y, n, a, b))

    return slip


def posterior_mean(y, n, a, b):
    return (a + y) / (a + b + n)


MAJORITY_RIGHT = Exercise(
    "hw1.majority_right",
    answers=examples(
        (3, 7, 2, 5, 7),
        (1, 1, 1, 1, 25),
        (60, 150, 1, 1, 25),
        (1, 1, 50, 50, 5),
        (4, 4, 0.5, 0.5, 3),
        (11, 29, 2, 3, 9),
    ),
    right=majority(posterior_mean),
    slips={
        "This uses the share in the data and ignores the prior.": majority(lambda y, n, a, b: y / n),
        "This uses the prior Beta(1, 1) for every a and b.": majority(lambda y, n, a, b: (1 + y) / (2 + n)),
        "This is the mean of the prior; it ignores the votes of the group.": majority(lambda y, n, a, b: a / (a + b)),
        "This is one synthetic vote; the neighbor believes the majority of m votes.": (
            lambda y, n, a, b, m: posterior_mean(y, n, a, b)
        ),
        "This draws one share for all datasets; each dataset has a share of its own.": (
            lambda y, n, a, b, m: stats.betabinom.sf(m // 2, m, a + y, b + n - y)
        ),
        "This is the probability that all m votes say Dole; a majority is enough.": (
            lambda y, n, a, b, m: posterior_mean(y, n, a, b) ** m
        ),
        "The majority of m = 3 is 2 or more; this requires one vote too many. `sf(k)` is the probability of more "
        "than k.": majority(posterior_mean, 1),
    },
)


def check_certain_secrets(answer):
    require_function(CERTAIN_SECRETS, answer)


def check_exposed(answer, voters, known):
    data = (voters, known, "vote")
    slips = {
        "These are the voters who are alone; the vote of others is certain too.": alone_only(*data),
        "This omits the voters who are alone.": not_the_alone(*data),
        "This is the number of groups that agree. Count the voters in these groups.": number_of_groups(*data),
        "These are the voters whose vote is not certain.": len(voters) - certain_secrets(*data),
    }
    require_number(answer, certain_secrets(*data), slips)


def check_majority_right(answer):
    require_function(MAJORITY_RIGHT, answer)


def check_my_release(answer, number, least=1):
    settings = {
        "dataset": "anes96",
        "n": 800,
        "class": number,
        "m": 41,
        "synthesized": ["vote"],
        "secret": "vote",
        "within": 0,
        "alone_in": ["age", "educ"],
        "most_right": 0.75,
        "keeps": [{"statistic": "mean", "of": "income", "by": "vote", "most_error": 0.5}],
    }
    require_property(guarded_secret(answer, settings), least)
