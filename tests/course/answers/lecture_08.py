"""Answers to the exercise of lecture 8."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.course.answers import right, wrong


def amounts(truth, released, amount):
    return truth[amount].to_numpy(float)[:, None], released[amount].to_numpy(float)[None]


def same_known(truth, released, known):
    return (truth[known].to_numpy()[:, None] == released[known].to_numpy()[None]).all(axis=2)


@right("08.matches")
def between_the_ends(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    half = radius * abs(y)
    return same_known(truth, released, known) & (z >= y - half) & (z <= y + half)


@right("08.matches")
def loops(truth, released, known, amount, radius):
    table = np.zeros((len(truth), len(released)), dtype=int)
    for i, person in truth.reset_index(drop=True).iterrows():
        for h, record in released.reset_index(drop=True).iterrows():
            near = abs(record[amount] - person[amount]) <= radius * abs(person[amount])
            table[i, h] = near and all(record[k] == person[k] for k in known)
    return table


@right("08.matches")
def frame(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    return pd.DataFrame(same_known(truth, released, known) & np.isclose(z, y, rtol=radius))


@wrong("08.matches")
def own_record_only(truth, released, known, amount, radius):
    y, z = truth[amount].to_numpy(float), released[amount].to_numpy(float)[: len(truth)]
    return abs(z - y) <= radius * abs(y)


@wrong("08.matches")
def known_variables_row_by_row(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    own = (truth[known].to_numpy() == released[known].to_numpy()[: len(truth)]).all(axis=1)
    return own[:, None] & (abs(z - y) <= radius * abs(y))


@wrong("08.matches")
def known_variables_of_the_people_twice(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    return same_known(truth, truth, known) & (abs(z - y) <= radius * abs(y))


@wrong("08.matches")
def known_variables_or_amount(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    return same_known(truth, released, known) | (abs(z - y) <= radius * abs(y))


@wrong("08.matches")
def numbers_of_matches(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    return (same_known(truth, released, known) & (abs(z - y) <= radius * abs(y))).sum(axis=1)


@wrong("08.matches")
def first_known_variable(truth, released, known, amount, radius):
    y, z = amounts(truth, released, amount)
    return same_known(truth, released, known[:1]) & (abs(z - y) <= radius * abs(y))


@wrong("08.matches")
def released_against_released(truth, released, known, amount, radius):
    y, z = amounts(released, released, amount)
    return same_known(truth, released, known) & (abs(z - y) <= radius * abs(y))
