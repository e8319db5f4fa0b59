"""Checks of homework 2: the right answers and typical slips, each with its hint."""

import numpy as np
import pandas as pd

from synthlab.teaching import Exercise
from synthlab.teaching.homework import examples, require_function, require_number, require_property
from synthlab.teaching.homework.properties import guarded_secret


def amounts(*, posterior=True, noise=True, dollars=True, df=False, root=True, center=True, new=True, own_mean=False):
    """Return a function that draws amounts, with one of its steps left out or wrong."""

    def draw_amounts(x, y, new_x, chi2, z, e):
        logs, middle = np.log(y), x.mean() if center else 0.0
        centered = x - x.mean()
        size = centered @ centered
        slope = centered @ logs / size
        left = logs - logs.mean() - slope * centered
        sigma = np.sqrt(left @ left / (len(x) - 2 if df else chi2))
        z = z if posterior else [0, 0]
        alpha = logs.mean() + sigma / (np.sqrt(len(x)) if root else 1) * z[0]
        beta = slope + sigma / np.sqrt(size) * z[1]
        at = new_x if new else x[: len(new_x)]
        middle = at.mean() if own_mean else middle
        made = alpha + beta * (at - middle) + sigma * e * noise
        return np.exp(made) if dollars else made

    return draw_amounts


def regression_case(seed, n, new):
    rng = np.random.default_rng(seed)
    x = rng.uniform(2, 4, n).round(2)
    y = np.exp(1 + 0.5 * x + rng.normal(0, 0.6, n)).round(2)
    new_x = rng.uniform(1, 5, new).round(2)
    chi2, z = round(rng.chisquare(n - 2), 2), rng.normal(size=2).round(2)
    return x, y, new_x, chi2, z, rng.normal(size=new).round(2)


DRAW_AMOUNTS = Exercise(
    "hw2.draw_amounts",
    answers=examples(*(regression_case([1, s], 8 + s, 3 + s) for s in range(3))),
    right=amounts(),
    slips={
        "The intercept and the slope are the estimates; a synthetic dataset needs a posterior draw of both.": amounts(
            posterior=False
        ),
        "This is a prediction: households with the same predictor all spend the same amount. Use e.": amounts(
            noise=False
        ),
        "These are logarithms; return dollars.": amounts(dollars=False),
        "Sigma is the estimate, with n - 2; the posterior draw divides by the given chi2.": amounts(df=True),
        "The intercept varies as much as one household; divide its standard deviation by the root of n.": amounts(
            root=False
        ),
        "The intercept belongs to the mean of x; subtract this mean from new_x.": amounts(center=False),
        "You draw for the x that the line was fitted to; the amounts are for new_x.": amounts(new=False),
        "You center new_x at its own mean; the line was fitted around the mean of x.": amounts(own_mean=True),
    },
    tolerance=1e-6,
)


def draw_levels(p, u):
    return (u[:, None] >= p.cumsum(axis=1)).sum(axis=1)


P = np.array(
    [[0.2, 0.5, 0.3], [0.5, 0.25, 0.25], [0, 0.25, 0.75], [0.25, 0.5, 0.25], [0.6, 0.1, 0.3], [0.125, 0.125, 0.75]]
)
DRAW_LEVELS = Exercise(
    "hw2.draw_levels",
    answers=examples(
        (P, np.array([0.1, 0.9, 0.0, 0.25, 0.65, 0.2])),
        (P[::-1], np.array([0.95, 0.05, 0.8, 0.2, 0.5, 0.75])),
        (P[:, ::-1], np.array([0.3, 0.24, 0.75, 0.1, 0.35, 0.99])),
        (P, np.random.default_rng(1).random(6).round(3)),
    ),
    right=draw_levels,
    slips={
        "This is the most probable level of each person: a prediction, not a draw.": lambda p, u: p.argmax(axis=1),
        "Every person gets the probabilities of the first person; each row of p is one person.": (
            lambda p, u: np.searchsorted(p[0].cumsum(), u, side="right")
        ),
        "The levels are numbered from 0.": lambda p, u: 1 + draw_levels(p, u),
        "You compare u with each probability alone; compare it with their sums up to the level.": (
            lambda p, u: (u[:, None] >= p).sum(axis=1)
        ),
        "At a boundary the higher level is drawn; this draws a level with probability 0.": (
            lambda p, u: (u[:, None] > p.cumsum(axis=1)).sum(axis=1)
        ),
        "Your sums start at the last level; start at level 0.": (
            lambda p, u: p.shape[1] - 1 - draw_levels(p[:, ::-1], u)
        ),
    },
)


def owners_to_renters(frame, statistic="median"):
    value = frame.groupby("Tenure")["Expenditure"].agg(statistic)
    return value[1] / value[4]


def check_draw_amounts(answer):
    require_function(DRAW_AMOUNTS, answer)


def check_draw_levels(answer):
    require_function(DRAW_LEVELS, answer)


def check_ratio(answer, homes, datasets):
    ratios = [owners_to_renters(one) for one in datasets]
    by_truth = [owners_to_renters(one.assign(Tenure=homes["Tenure"])) for one in datasets]
    slips = {
        "This is the ratio in the confidential file.": owners_to_renters(homes),
        "This is the first dataset alone; take the mean of all five.": ratios[0],
        "This groups the synthetic amounts by the confidential tenure; the reader has only the synthetic one.": np.mean(
            by_truth
        ),
        "This is a ratio of means; use medians.": owners_to_renters(pd.concat(datasets), "mean"),
        "This is the median of the renters divided by the median of the owners; invert it.": np.mean(
            [1 / one for one in ratios]
        ),
    }
    require_number(answer, np.mean(ratios), slips, tolerance=1e-5)


def check_my_release(answer, number, least=1):
    settings = {
        "dataset": "ce",
        "n": 3000,
        "class": number,
        "m": 5,
        "synthesized": ["Tenure", "Expenditure"],
        "secret": "Expenditure",
        "within": 0.05,
        "alone_in": [],
        "most_right": 0.12,
        "keeps": [
            {"statistic": "median", "of": "Expenditure", "by": "Tenure", "fewest": 100, "most_error": 0.15},
            {"statistic": "rank correlation", "of": "Expenditure", "by": "Income", "most_error": 0.1},
        ],
    }
    require_property(guarded_secret(answer, settings), least)
