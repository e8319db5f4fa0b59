"""Answers to the exercise of lecture 9."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.course.answers import right, wrong


def baselines(people, target):
    margin = people[target].value_counts(normalize=True)
    return (margin**2).sum(), margin.max()


def shares_of_people(people, released, keys, target):
    share = released.groupby(keys)[target].value_counts(normalize=True)
    return share.reindex(pd.MultiIndex.from_frame(people[[*keys, target]]))


@right("09.cap")
def loop_over_people(people, released, keys, target):
    scores = []
    for _, person in people.iterrows():
        same = released[(released[keys] == person[keys]).all(axis=1)]
        scores.append((same[target] == person[target]).mean() if len(same) else 0)
    return np.mean(scores), *baselines(people, target)


@right("09.cap")
def merged(people, released, keys, target):
    numbered = people.assign(number=range(len(people)))
    pairs = numbered.merge(released, on=keys, how="left")
    score = (pairs[f"{target}_x"] == pairs[f"{target}_y"]).groupby(pairs["number"]).mean()
    return [score.mean(), *baselines(people, target)]


@right("09.cap")
def array_of_three(people, released, keys, target):
    score = shares_of_people(people, released, keys, target).fillna(0)
    return np.array([score.mean(), *baselines(people, target)])


@wrong("09.cap")
def mean_over_pairs(people, released, keys, target):
    pairs = people.merge(released, on=keys, how="left")
    return (pairs[f"{target}_x"] == pairs[f"{target}_y"]).mean(), *baselines(people, target)


@wrong("09.cap")
def only_the_mean(people, released, keys, target):
    return shares_of_people(people, released, keys, target).fillna(0).mean()


@wrong("09.cap")
def misspelled_argument(people, released, keys, target):
    return released.groupby(keys)[target].value_counts(normalise=True)


@wrong("09.cap")
def scores_of_people(people, released, keys, target):
    return shares_of_people(people, released, keys, target).fillna(0)


@wrong("09.cap")
def root_of_the_draw(people, released, keys, target):
    draw, constant = baselines(people, target)
    return shares_of_people(people, released, keys, target).fillna(0).mean(), draw**0.5, constant


@wrong("09.cap")
def text(people, released, keys, target):
    return "0.5833, 0.5, 0.5"
