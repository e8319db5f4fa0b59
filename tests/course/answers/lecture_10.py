"""Answers to the exercises of lecture 10."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def shares(town, z):
    agree = np.array([value == town for value in z])
    return agree / agree.sum() if agree.any() else np.full(len(agree), 1 / len(agree))


@right("10.posterior")
def mean_of_shares(town, files):
    return np.mean([shares(town, z) for z in files], axis=0)


@right("10.posterior")
def loops(town, files):
    p = [0.0] * len(files[0])
    for z in files:
        matching = [j for j, value in enumerate(z) if value == town] or range(len(z))
        for j in matching:
            p[j] += 1 / len(matching) / len(files)
    return p


@right("10.posterior")
def one_table(town, files):
    agree = (np.array(files) == town).astype(float)
    agree[agree.sum(axis=1) == 0] = 1
    return (agree / agree.sum(axis=1, keepdims=True)).mean(axis=0)


@wrong("10.posterior")
def nan_without_a_match(town, files):
    with np.errstate(invalid="ignore"):
        return np.mean([(z == town) / (z == town).sum() for z in files], axis=0)


@wrong("10.posterior")
def most_probable_record(town, files):
    return np.argmax(mean_of_shares(town, files))
